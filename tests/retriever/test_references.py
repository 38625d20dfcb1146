"""What a submission cites: which papers are meant, and what they change in the ranking."""

import textwrap
from dataclasses import replace

import msgspec
import pytest
from panel_support import at, ids, make_finder, paper, scored
from web_support import pdf

from panelist.app import demo
from panelist.app.confined.pdf import guess
from panelist.errors import InputError
from panelist.records import Author, Reference, Submission
from retriever.lookup import Lookup
from retriever.ranking.features import FEATURES, features
from retriever.references import citations
from retriever.references.reading import CitationReader, resolve
from retriever.search import Search
from retriever.stages import SHARED

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


def test_references_are_found_by_title_and_doi(finder):
    assert meant(finder, "B. Bee. Bleaching of coral reefs in warming seas. Nature, 2019.") == ["p1"]
    assert meant(finder, "Bee B, coral paper, Nature 2019. https://doi.org/10.1/P1") == ["p1"]
    assert meant(finder, "Bee B, coral paper, Nature 2019. https://doi.org/10.1/P12") == [None]
    assert meant(finder, "Smith: Bleaching of coral in cold seas, and merchants") == [None]


def test_a_short_title_is_not_found_in_a_longer_one(finder):
    assert meant(finder, "Deep learning. MIT Press") == ["p2"]
    assert meant(finder, "A. Smith. Deep learning of merchants and their medieval habits in trade. 2020.") == [None]


WORKS = tuple(f"doi:10.9/{number}" for number in range(8))
LAKES = "Sediments of deep lakes"
CITING = [
    paper(
        "c1", at("gil", name="Gil Q Hart"), "hal", title="Sediments of deep lakes", references=WORKS[:4], doi="10.1/c1"
    ),
    paper("c2", at("ida", name="Ida Jones"), title="Pollen in the ice", references=WORKS[3:], year=2018),
    paper("c3", at("jon", name="Ian Jones"), title="Bleaching of coral reefs", references=("c1", "doi:10.9/77")),
    paper("c4", at("kay", name="Kay Own"), title="Coral reefs by night", references=WORKS[:1]),
]
LOOKUP = Lookup(size=9, search=Search("lexical"), conflicts="ignore")


@pytest.fixture
def believed(monkeypatch):
    """Whoever is cited by name is meant, whatever they write on."""
    monkeypatch.setattr(citations, "COUPLED", -1.0)


@pytest.fixture(scope="module")
def citing(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("citing"), CITING) as finder:
        yield finder


def asked(*entries, **more):
    return Submission("s", "Coral reefs", "Bleaching of corals.", bibliography=entries, **more)


def found(panel):
    return {match.author.id: match for match in panel.matches}


def test_people_who_cite_the_same_works_are_found(citing):
    entries = [Reference(f"Work {number}", doi=f"10.9/{number}") for number in range(4)]
    assert "gil" not in ids(citing.find(asked(), LOOKUP))
    panel = citing.find(asked(*entries), LOOKUP)
    gil = found(panel)["gil"]
    assert gil.found_by == ("shared",)
    assert gil.references == ("cites 4 of the same works: Work 0; Work 1; Work 2; …",)
    assert found(panel)["ida"].score < gil.score
    assert "4 references, 0 in the corpus, 0 of the people ranked are cited" in panel.notes
    off = citing.find(asked(*entries), replace(LOOKUP, references="off"))
    assert scored(off) == scored(citing.find(asked(), LOOKUP))
    assert all(match.references == () for match in off.matches)


def test_a_work_is_the_same_under_any_of_its_keys(citing):
    reader = CitationReader(citing.index, citing.corpus)
    for entry in (Reference(doi="10.1/C1"), Reference("Sediments of deep lakes"), Reference("Wrong", doi="10.1/c1")):
        citations = reader.read(asked(entry))
        assert citing.index.units.paper_ids(citations.indexed) == ["c1"]
        assert citing.index.units.paper_ids(citations.coupled) == ["c3"]  # which cites it by its id
    assert len(reader.read(asked(Reference("x", doi="10.1/c1"), references=("doi:10.1/C1", "10.1/c1"))).entries) == 1


def test_cited_people_are_found_by_id_and_by_name(citing, believed):
    entries = (
        Reference("Elsewhere", authors=("I. Jones", "G. Q. Hart")),
        Reference("Another", authors=("Hart, Gil",)),
        Reference("Sediments of deep lakes", doi="10.1/c1"),
    )
    panel = citing.find(asked(*entries), LOOKUP)
    gil, ida, hal = (found(panel)[one] for one in ("gil", "ida", "hal"))
    assert gil.references[0] == "cited 3 times, 2 as last author: Elsewhere; Another; Sediments of deep lakes"
    assert gil.found_by == ("cited",)
    assert hal.references[0] == "cited 1 time, 1 as last author: Sediments of deep lakes"
    assert ida.references == ("cited 1 time (a name that 2 people of the corpus have): Elsewhere",)
    assert ida.found_by == ("person",)
    assert gil.score > hal.score > ida.score
    assert "3 references, 1 in the corpus, 4 of the people ranked are cited" in panel.notes
    named = citing.find(asked(Reference("Elsewhere", authors=("Ida Jones",))), LOOKUP)
    assert found(named)["ida"].references == ("cited 1 time, 1 as last author: Elsewhere",)
    assert found(named)["jon"].references == ()


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_name_alone_counts_where_a_paper_of_theirs_speaks_for_it(citing, monkeypatch, mode):
    monkeypatch.setattr(citations, "SIMILAR", 0.5)
    monkeypatch.setattr("indexing.tables.nearness.LEAST", 1)  # of so few papers nobody knows what is similar
    lookup = replace(LOOKUP, search=Search(mode))
    entries = (Reference("Elsewhere", authors=("I. Jones", "G. Q. Hart")),)
    named = found(citing.find(asked(*entries), lookup))
    assert named["jon"].references  # who writes on coral reefs
    assert not any(named[one].references for one in ("ida", "gil") if one in named)
    shared = found(citing.find(asked(*entries, Reference("Work", doi="10.9/0")), lookup))
    assert any(words.startswith("cited 1 time") for words in shared["gil"].references)  # who cites the same
    known = found(citing.find(asked(*entries, Reference(LAKES, doi="10.1/c1")), lookup))
    assert known["gil"].references[0].startswith("cited 2 times")  # a cited work of theirs is in the corpus


@pytest.mark.parametrize(
    "own",
    [
        {"authors": (Author("gil", "gil"),)},  # the corpus has the name
        {"authors": (Author("x1", "Gil Hart"),)},
        {"author_names": ("G. Hart",)},
        {"author_names": ("Someone Else", "Hart GQ")},
    ],
)
def test_what_the_authors_wrote_counts_for_nothing(citing, own):
    entries = (Reference("Mine", authors=("I. Jones", "GQ Hart")), Reference("Sediments of deep lakes", doi="10.1/c1"))
    panel = citing.find(asked(*entries, **own), LOOKUP)
    assert all(match.references == () for match in panel.matches)
    assert "2 references, 0 in the corpus, 0 of the people ranked are cited" in panel.notes


def test_a_citation_never_makes_a_conflict_and_conflicts_stay(citing, believed):
    entries = (Reference("Elsewhere", authors=("Gil Q Hart", "Ida Jones")),)
    panel = citing.find(asked(*entries, authors=(Author("ida", "Ida Jones"),)), replace(LOOKUP, conflicts="hide"))
    assert "ida" not in ids(panel)
    cited = citing.find(asked(*entries), replace(LOOKUP, conflicts="hide"))
    assert {"gil", "ida"} <= set(ids(cited))
    assert all(match.conflicts == () for match in cited.matches)


def test_a_pool_holds_for_cited_people_too(citing, believed):
    entries = (Reference("Elsewhere", authors=("Gil Q Hart", "Ida Jones")),)
    assert ids(citing.find(asked(*entries), replace(LOOKUP, pool=("ida",)))) == ["ida"]


def test_a_retracted_paper_is_no_evidence(tmp_path):
    gone = [msgspec.structs.replace(one, retracted=one.id == "c1") for one in CITING]
    entries = (Reference("Work", doi="10.9/0"), Reference(LAKES, doi="10.1/c1"))
    with make_finder(tmp_path, gone) as finder:
        assert not {"gil", "hal"} & set(ids(finder.find(asked(*entries), LOOKUP)))


def test_a_share_of_people_is_not_cited(citing, believed):
    entries = [Reference(f"Elsewhere {n}", authors=("Gil Q Hart", "Ida Jones")) for n in range(20)]
    plain = ids(citing.find(asked(*entries), replace(LOOKUP, size=2)))
    assert set(plain) == {"gil", "ida"}
    for diversity in (0.0, 0.3):
        kept = ids(citing.find(asked(*entries), replace(LOOKUP, size=2, uncited=5, diversity=diversity)))
        assert len(kept) == 2
        assert len({"gil", "ida"} & set(kept)) == 1
    everybody = ids(citing.find(asked(*entries), replace(LOOKUP, uncited=10)))
    assert set(everybody) > set(plain)  # nobody is lost where too few are not cited
    with pytest.raises(InputError, match="11 of ten"):
        Lookup(uncited=11)
    with pytest.raises(InputError, match=r"references 'maybe'.* auto or off"):
        Lookup(references="maybe")


def test_references_and_the_parts_of_scores_add_up(citing):
    entries = [Reference(f"Work {number}", doi=f"10.9/{number}") for number in range(8)]
    (shortlist,) = citing.shortlists([asked(*entries)], LOOKUP)
    candidates = shortlist.ranked.candidates
    assert candidates.scores.max() <= 1
    parts = candidates.shared_part() + candidates.dense_part()
    assert (parts <= candidates.scores + 1e-6).all()
    alone = candidates.found_by == SHARED
    assert candidates.shared_part()[alone] == pytest.approx(candidates.scores[alone])


def test_a_ranker_knows_how_people_are_cited(citing):
    entries = [
        Reference("Elsewhere", authors=("I. Jones", "G. Q. Hart")),
        Reference("Another", authors=("Hart, Gil",)),
        *(Reference(f"Work {number}", doi=f"10.9/{number}") for number in range(4)),
    ]
    (shortlist,) = citing.shortlists([asked(*entries)], LOOKUP)
    ranked, rows = shortlist.ranked, shortlist.rows
    described = features(ranked, rows, ranked.scores[rows], citing.index.ownership, shortlist.citations)
    people = citing.index.ownership.author_ids.take(ranked.authors[rows])
    of = {one: dict(zip(FEATURES, row, strict=True)) for one, row in zip(people, described.tolist(), strict=True)}
    gil, ida, kay = of["gil"], of["ida"], of["kay"]
    names = ("cited", "cited_last", "namesakes", "cited_weight")
    assert [gil[name] for name in names] == [2, 2, 1, 4]
    assert [ida[name] for name in names] == [1, 0, 2, 0.5]
    assert [kay[name] for name in names] == [0, 0, 0, 0]
    assert gil["cited_share"] == pytest.approx(2 / 6)
    assert gil["coupled"] == gil["coupled_total"] == pytest.approx(0.3 / 1.3)
    assert gil["coupled_last"] == gil["text"] == 0  # hal is the last author, and no text found it
    assert kay["text"] > 0


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
        bare = msgspec.structs.replace(submission, references=(), bibliography=())
        lookup = Lookup(size=10, search=Search("lexical"))
        assert demo_finder.find(bare, lookup) == demo_finder.find(bare, replace(lookup, references="off"))
