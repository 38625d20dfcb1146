"""What a submission cites: which papers are meant, and what they change in the ranking."""

import dataclasses
import textwrap

import msgspec
import numpy as np
import pytest
from panel_support import ids, make_finder, paper
from web_support import pdf

from panelist.app import demo
from panelist.app.confined.pdf import guess
from panelist.records import Author, Submission
from retriever.lookup import Lookup
from retriever.references.evidence import cited_units, with_cited
from retriever.references.matching import resolve
from retriever.search import Search
from retriever.stages import CITED, DENSE, LEXICAL, Candidates

PAPERS = [
    paper("p1", "ann", "bob", title="Bleaching of coral reefs in warming seas", doi="10.1/p1"),
    paper("p2", "cid", title="Deep learning"),
    paper("p3", "dan", title="Trade along the routes of medieval merchants"),
    paper("p4", "eve", title="Gradients of deep neural networks and their use"),
    paper("p5", "fay", title="Symbiosis of algae with coral polyps at night"),
]


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("cited"), PAPERS) as finder:
        yield finder


def meant(finder, *references):
    units = resolve(references, finder.index, finder.corpus)
    return [None if unit < 0 else finder.index.units.paper_ids([unit])[0] for unit in units]


def test_references_are_found_by_id_title_and_doi(finder):
    assert meant(finder, "p3", "p9") == ["p3", None]
    assert meant(finder, "B. Bee. Bleaching of coral reefs in warming seas. Nature, 2019.") == ["p1"]
    assert meant(finder, "Bee B, coral paper, Nature 2019. https://doi.org/10.1/P1") == ["p1"]
    assert meant(finder, "Bee B, coral paper, Nature 2019. https://doi.org/10.1/P12") == [None]
    assert meant(finder, "Smith: Bleaching of coral in cold seas, and merchants") == [None]


def test_a_short_title_is_not_found_in_a_longer_one(finder):
    assert meant(finder, "Deep learning. MIT Press") == ["p2"]
    assert meant(finder, "A. Smith. Deep learning of merchants and their medieval habits in trade. 2020.") == [None]


def test_cited_papers_move_up_and_others_stay_as_they_are(monkeypatch):
    monkeypatch.setattr("retriever.references.evidence.CITED_WEIGHT", 0.5)
    found = Candidates(np.array([4, 2, 7]), np.array([1.0, 0.6, 0.4], np.float32), np.array([3, 1, 2], np.uint8))
    joined = with_cited(found, np.array([7, 9]))
    assert joined.units.tolist() == [4, 7, 2, 9]
    assert joined.scores.tolist() == pytest.approx([1.0, 0.7, 0.6, 0.5])
    assert joined.found_by.tolist() == [LEXICAL | DENSE, DENSE | CITED, LEXICAL, CITED]
    allowed = np.ones(10, dtype=np.bool_)
    allowed[9] = False
    assert 9 not in with_cited(found, np.array([7, 9]), allowed).units
    assert with_cited(found, np.zeros(0, np.int64)) is found


def test_who_is_cited_is_found_and_the_panel_says_how(finder):
    asked = Submission("s", "Coral reefs", "Bleaching of corals.", references=("p3", "p9", "p10"))
    lookup = Lookup(size=5, search=Search("lexical"), conflicts="ignore")
    assert "dan" not in ids(finder.find(asked, lookup))
    panel = finder.find(asked, dataclasses.replace(lookup, references=True))
    (dan,) = [match for match in panel.matches if match.author.id == "dan"]
    assert dan.found_by == ("cited",)
    assert "1 of 3 references is in the corpus" in panel.notes


def test_a_self_citation_is_no_evidence_and_a_citation_no_conflict(finder):
    own = Submission("s", "Coral reefs", "", authors=(Author("dan", "Dan"),), references=("p3", "p4"))
    units, known = cited_units(finder.index, finder.corpus, own)
    assert known == 2
    assert finder.index.units.paper_ids(units.tolist()) == ["p4"]
    panel = finder.find(own, Lookup(size=5, search=Search("lexical"), references=True))
    (eve,) = [match for match in panel.matches if match.author.id == "eve"]
    assert eve.conflicts == ()


def test_references_are_read_from_a_pdf_and_found_in_the_corpus(demo_finder):
    """A manuscript whose references are papers of the corpus, and as many others."""
    papers = demo.corpus()[:400:20]
    lines = [(18, "A manuscript about many things"), (10, "Abstract"), (10, "We cite."), (12, "References")]
    for number, one in enumerate(papers, 1):
        text = f"[{2 * number - 1}] {one.authorships[0].author.name} et al. {one.title}. {one.venue}, {one.year}."
        other = f"[{2 * number}] N. Body. Unheard matters of unrelated number {number} elsewhere. Journal, 1999."
        lines += [(9, line) for part in (text, other) for line in textwrap.wrap(part, 90)]
    shown = [(size, text.encode("latin-1", "replace").decode("latin-1")) for size, text in lines]
    references = guess(pdf(*shown))["references"]
    assert len(references) == 2 * len(papers)
    units = resolve(references, demo_finder.index, demo_finder.corpus)
    found = [None if unit < 0 else demo_finder.index.units.paper_ids([unit])[0] for unit in units]
    right = [one for pair in zip([paper.id for paper in papers], [None] * len(papers), strict=True) for one in pair]
    named = [one is not None for one in found]
    agree = sum(one == other for one, other in zip(found, right, strict=True) if one is not None)
    assert agree / sum(named) > 0.95  # precision
    assert agree / len(papers) > 0.8  # recall


def test_submissions_without_references_are_as_before(demo_finder):
    for submission in demo.submissions():
        bare = msgspec.structs.replace(submission, references=())
        lookup = Lookup(size=10, search=Search("lexical"))
        one = demo_finder.find(bare, lookup)
        other = demo_finder.find(bare, dataclasses.replace(lookup, references=True))
        assert one == other
