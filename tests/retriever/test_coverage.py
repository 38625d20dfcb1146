"""Whether anybody here works on a topic: cuts of the mean nearness of the nearest papers."""

import numpy as np
import pytest

from indexing.tables import nearness
from panelist.app import demo
from panelist.records import Coverage, Submission
from retriever.coverage import NONE_BELOW, THIN_BELOW, coverage
from retriever.lookup import Lookup


def test_coverage_rises_with_the_nearness_of_the_nearest_papers():
    levels = [0.0, NONE_BELOW - 0.01, NONE_BELOW + 0.01, THIN_BELOW - 0.01, THIN_BELOW + 0.01, 1.0]
    found = [coverage(np.array([level - 0.1, level + 0.1])) for level in levels]
    assert found == [Coverage.NONE, Coverage.NONE, Coverage.THIN, Coverage.THIN, Coverage.GOOD, Coverage.GOOD]
    assert coverage(np.empty(0)) is Coverage.NONE


def test_a_topic_of_the_corpus_is_covered_and_another_is_not(demo_finder, monkeypatch):
    monkeypatch.setattr(nearness, "LEAST", 10)
    other = Submission("other", "Zxqw vbnm plokij", "Qazwsx edcrfv tgbyhn ujmikol.")
    here, there = demo_finder.find_many([demo.submissions()[0], other], Lookup(conflicts="ignore"))
    assert here.coverage is Coverage.GOOD
    assert here.evidence.startswith("rests on ")
    assert there.coverage is Coverage.NONE
    assert there.evidence.startswith("no paper here is near: the nearest are “")
    rankings = demo_finder.rank_covered([demo.submissions()[0], other], Lookup(conflicts="ignore"))
    assert [covered for _, covered in rankings] == [here.coverage, there.coverage]


@pytest.mark.parametrize("size", [1, 2])
def test_of_a_tiny_corpus_nobody_knows(tmp_path, size):
    from panel_support import make_finder

    with make_finder(tmp_path, demo.corpus()[:size]) as finder:
        paper = demo.corpus()[0]
        panel = finder.find(Submission("same", paper.title, paper.abstract), Lookup(conflicts="ignore"))
    assert panel.coverage is None
    assert panel.matches[0].fit is not None
