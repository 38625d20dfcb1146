"""Full texts and word counts beside titles and abstracts."""

import json

import numpy as np
import pytest
from affinity_support import PAPERS, SUBMISSIONS, load_words

from panelist.errors import InputError
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.models.tpms import TpmsModel


def write_lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_full_texts_find_what_abstracts_do_not_say(tmp_path):
    path = write_lines(
        tmp_path / "full.jsonl", {"id": "p3", "text": "All day long. " * 120 + "We also watched how bees dance."}
    )
    profiles = [[PAPERS["nets"]], [PAPERS["ants"]]]
    for kind in (DenseModel, HybridModel):
        short = kind("words", load=load_words).score(SUBMISSIONS, profiles)
        long = kind("words", full_text=path, passages=3, load=load_words).score(SUBMISSIONS, profiles)
        assert long[1, 1] > short[1, 1]
        np.testing.assert_allclose(long[:, 0], short[:, 0], atol=1e-6)
    assert TpmsModel(full_text=path).score(SUBMISSIONS, profiles)[1, 1] > 0


def test_word_counts_stand_for_texts(tmp_path):
    text = write_lines(tmp_path / "text.jsonl", {"id": "p3", "text": "Bees, bees, ants!"})
    counts = write_lines(tmp_path / "counts.jsonl", {"ssId": "p3", "counts": {"bees": 2, "ants": 1}})
    profiles = [[PAPERS["nets"]], [PAPERS["ants"]]]
    one, other = (TpmsModel(full_text=path).score(SUBMISSIONS, profiles) for path in (text, counts))
    np.testing.assert_allclose(one, other, atol=1e-7)
    assert one[1, 1] > TpmsModel().score(SUBMISSIONS, profiles)[1, 1] == 0


@pytest.mark.parametrize(
    "record", [{"id": "p3"}, {"text": "x"}, {"id": "p3", "counts": {"a": 0}}, {"id": 3, "text": "x"}]
)
def test_bad_full_texts_are_refused_with_their_line(tmp_path, record):
    path = write_lines(tmp_path / "full.jsonl", {"id": "p1", "text": "fine"}, record)
    with pytest.raises(InputError, match=r"full\.jsonl:2: .*'id' and 'text'"):
        TpmsModel(full_text=path).score(SUBMISSIONS, [[PAPERS["nets"]]])
    with pytest.raises(InputError, match=r"full texts .*not exist: '"):
        TpmsModel(full_text=str(tmp_path / "none")).score(SUBMISSIONS, [[PAPERS["nets"]]])
