"""Both corpus stores keep the same promises; nothing here knows which of them it is talking to."""

import tracemalloc
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from panelist.corpus.sqlite import SqliteStore
from panelist.corpus.store import CorpusCounts, CorpusStore
from panelist.errors import CorpusError, InputError
from panelist.records import Author, Authorship, HistoryEvent, HistoryRole, Institution, Outcome, Paper

ADA = Author("~Ada1", "Ada Lovelace", "0000-0001")
BOB = Author("~Bob1", "Bob Noyce")
EVE = Author("~Eve1", "Eve Söderström")

# One store serves all examples of a property, emptied before each.
on_one_store = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
ids = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
short = st.text(max_size=12)
authors = st.builds(Author, id=ids, name=short, orcid=st.none() | short)
institutions = st.builds(Institution, name=short, ror=st.none() | short, country=st.none() | short)
any_paper = st.builds(
    Paper,
    id=ids,
    title=short,
    abstract=st.text(max_size=60),
    year=st.none() | st.integers(-5000, 5000),
    authorships=st.lists(
        st.builds(Authorship, author=authors, institutions=st.lists(institutions, max_size=2).map(tuple)), max_size=3
    ).map(tuple),
    venue=st.none() | short,
    doi=st.none() | short,
    references=st.lists(ids, max_size=3).map(tuple),
    cited_by_count=st.integers(0, 2**53 - 1),
    topics=st.lists(short, max_size=3).map(tuple),
)
# Few ids, so that papers meet earlier versions of themselves and authors share papers.
crowded_paper = st.builds(
    Paper,
    id=st.sampled_from("pqrs"),
    title=st.sampled_from(["On", "Off"]),
    year=st.none() | st.integers(2018, 2021),
    authorships=st.lists(st.sampled_from("abcd"), max_size=3).map(
        lambda names: tuple(Authorship(Author(name, name.upper())) for name in names)
    ),
)


def written(paper_id: str, *who: Author, year: int | None = 2020, abstract: str = "Words.") -> Paper:
    return Paper(paper_id, f"Title of {paper_id}", abstract, year, tuple(Authorship(author) for author in who))


def many(count: int, abstract: str = "Words.") -> Iterator[Paper]:
    return (written(f"w{i:06d}", Author(f"a{i % 97}", "A"), abstract=abstract) for i in range(count))


def clear(store: CorpusStore) -> None:
    store.delete(paper.id for paper in store.iter_papers())


def everything(store: CorpusStore) -> tuple[object, ...]:
    """All that a store tells but the names of authors, which depend on the order of writing."""
    papers = list(store.iter_papers())
    who = sorted({authorship.author.id for paper in papers for authorship in paper.authorships})
    return (papers, store.papers_of(who), store.counts(), store.fingerprint())


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> int:
    """Batches of ten papers, so that few papers make several."""
    for module in ("store", "mongo"):
        monkeypatch.setattr(f"panelist.corpus.{module}._BATCH", 10)
    return 10


def test_an_empty_corpus_answers_every_question(store: CorpusStore) -> None:
    assert store.counts() == CorpusCounts(papers=0, authors=0, without_abstract=0)
    assert list(store.iter_papers()) == []
    assert store.papers(["p"]) == store.authors(["a"]) == store.papers_of(["a"]) == {}
    assert store.find_authors("Ada Lovelace") == []
    assert store.upsert([]) == store.delete(["p"]) == 0
    assert len(store.fingerprint()) == 32


@on_one_store
@given(papers=st.lists(any_paper, max_size=5, unique_by=lambda paper: paper.id))
def test_papers_come_back_as_they_went_in(store: CorpusStore, papers: list[Paper]) -> None:
    clear(store)
    assert store.upsert(papers) == len(papers)
    assert store.papers([paper.id for paper in papers]) == {paper.id: paper for paper in papers}
    assert list(store.iter_papers()) == sorted(papers, key=lambda paper: paper.id)
    who = {authorship.author.id for paper in papers for authorship in paper.authorships}
    assert store.authors(sorted(who)).keys() == store.papers_of(sorted(who)).keys() == who
    assert store.counts() == CorpusCounts(len(papers), len(who), sum(not paper.abstract for paper in papers))


@on_one_store
@given(st.data())
def test_the_order_of_writing_does_not_matter(store: CorpusStore, data: st.DataObject) -> None:
    papers = data.draw(st.lists(any_paper, max_size=5, unique_by=lambda paper: paper.id))
    clear(store)
    store.upsert(papers)
    before = everything(store)
    clear(store)
    for paper in data.draw(st.permutations(papers)):
        store.upsert([paper])
    assert everything(store) == before


@on_one_store
@given(steps=st.lists(st.lists(crowded_paper, max_size=4) | st.sets(st.sampled_from("pqrs")), max_size=6))
def test_any_sequence_of_writes_leaves_what_a_dictionary_would_hold(
    store: CorpusStore, steps: list[list[Paper] | set[str]]
) -> None:
    clear(store)
    held: dict[str, Paper] = {}
    for step in steps:
        if isinstance(step, list):
            assert store.upsert(step) == len(step)
            held.update({paper.id: paper for paper in step})
        else:
            assert store.delete(step) == len(step & held.keys())
            held = {paper_id: paper for paper_id, paper in held.items() if paper_id not in step}
    who = {paper.id: {authorship.author.id for authorship in paper.authorships} for paper in held.values()}
    everybody = set().union(*who.values())
    assert store.papers("pqrs") == held
    assert store.authors("abcd") == {each: Author(each, each.upper()) for each in everybody}
    assert store.papers_of("abcd") == {
        each: tuple(paper_id for paper_id in sorted(held) if each in who[paper_id]) for each in everybody
    }
    assert store.counts() == CorpusCounts(len(held), len(everybody), len(held))


def test_writing_again_changes_nothing(store: CorpusStore) -> None:
    papers = [written("p", ADA, BOB), written("q", BOB, abstract="")]
    store.upsert(papers)
    before = everything(store)
    assert store.upsert(papers) == 2
    assert everything(store) == before


def test_a_new_version_replaces_the_paper_with_its_authorships(store: CorpusStore) -> None:
    store.upsert([written("p", ADA, BOB, year=2001), written("q", BOB)])
    store.upsert([written("p", EVE, year=2002)])
    assert store.papers(["p"]) == {"p": written("p", EVE, year=2002)}
    assert store.papers_of([ADA.id, BOB.id, EVE.id]) == {BOB.id: ("q",), EVE.id: ("p",)}
    assert store.authors([ADA.id, BOB.id]) == {BOB.id: BOB}
    assert store.find_authors("Ada Lovelace") == []


def test_of_several_versions_in_one_call_the_last_wins(store: CorpusStore) -> None:
    assert store.upsert([written("p", ADA), written("q", BOB), written("p", EVE)]) == 3
    assert store.papers(["p"]) == {"p": written("p", EVE)}
    assert store.counts() == CorpusCounts(papers=2, authors=2, without_abstract=0)


def test_somebody_named_twice_on_a_paper_is_one_author(store: CorpusStore) -> None:
    store.upsert([written("p", ADA, BOB, ADA)])
    assert store.papers(["p"])["p"] == written("p", ADA, BOB, ADA)
    assert store.papers_of([ADA.id]) == {ADA.id: ("p",)}


def test_authors_are_called_what_the_latest_write_calls_them_and_keep_their_orcid(store: CorpusStore) -> None:
    store.upsert([written("p", ADA), written("q", Author(ADA.id, "A. King"))])
    assert store.authors([ADA.id]) == {ADA.id: Author(ADA.id, "A. King", ADA.orcid)}
    store.upsert([written("r", Author(ADA.id, "Ada King"))])
    assert store.find_authors("ada king") == [Author(ADA.id, "Ada King", ADA.orcid)]
    assert store.find_authors("A. King") == []
    store.upsert([written("p", Author(ADA.id, "Ada King", "0000-0002"))])
    assert store.authors([ADA.id]) == {ADA.id: Author(ADA.id, "Ada King", "0000-0002")}


def test_authors_are_found_by_name_up_to_case_accents_and_spacing(store: CorpusStore) -> None:
    namesake = Author("~Eve2", "EVE  SÖDERSTRÖM")
    store.upsert([written("p", namesake, EVE, ADA)])
    for name in ("Eve Söderström", "eve soderstrom", " Eve\tSo\u0308derstro\u0308m "):
        assert store.find_authors(name) == [EVE, namesake]
    assert store.find_authors("Söderström") == store.find_authors(" ") == []


def test_authors_are_found_by_orcid_as_it_is_written(store: CorpusStore) -> None:
    twin, other = Author("~Ada2", "A. Lovelace", "0000-0001"), Author("~Bob1", "Bob", "0000-0002")
    first = Author("~Ada1", "Ada Lovelace", "https://orcid.org/0000-0001")
    store.upsert([written("p", twin, first, other, EVE)])
    assert store.find_orcids(["0000-0001", "https://orcid.org/0000-0001"]) == [first, twin]
    assert store.find_orcids(["0000-0003"]) == store.find_orcids([]) == []


def test_authors_who_share_an_orcid_are_found_in_whatever_form_each_has_it(store: CorpusStore) -> None:
    orcid = "0000-0002-1694-233X"
    forms = [f"https://orcid.org/{orcid}", f"http://ORCID.org/{orcid.lower()}/", orcid.replace("-", "")]
    same = [Author(f"~Ada{number}", "Ada", form) for number, form in enumerate(forms)]
    others = [Author("~Bob1", "Bob", "https://orcid.org/0000-0002-1825-0097"), Author("~Cy1", "Cy"), EVE]
    store.upsert([written("p", *same, *others)])
    assert store.shared_orcids() == same


def test_an_id_with_a_zero_byte_means_nothing_else(store: CorpusStore) -> None:
    odd = written("p\0q", Author("a\0b", "Ann"))
    store.upsert([odd, written("p", Author("a", "Ada"))])
    assert store.papers(["p\0q"]) == {"p\0q": odd}
    assert store.papers(["p\0r"]) == store.authors(["a\0c"]) == {}
    assert store.papers_of(["a\0b", "a"]) == {"a\0b": ("p\0q",), "a": ("p",)}


def test_papers_are_found_by_doi_however_it_is_written(store: CorpusStore) -> None:
    papers = [
        Paper("p", "First", doi="https://doi.org/10.7554/eLife.00003"),
        Paper("q", "Second", doi="10.7554/ELIFE.00003"),
        Paper("r", "Longer", doi="10.7554/elife.000031"),
        Paper("s", "Cites it", references=("10.7554/elife.00003",)),
        Paper("t", "Odd", doi='10.1/a_%b"c(d)'),
    ]
    store.upsert(papers)
    for doi in ("10.7554/elife.00003", "doi:10.7554/eLife.00003", " https://dx.doi.org/10.7554/eLife.00003"):
        assert [paper.id for paper in store.find_doi(doi)] == ["p", "q"]
    assert [paper.id for paper in store.find_doi('10.1/A_%B"C(D)')] == ["t"]
    assert store.find_doi("10.1/axxb") == store.find_doi("") == store.find_doi("doi:") == []


def test_a_nameless_author_is_not_found_by_a_blank_name(store: CorpusStore) -> None:
    store.upsert([written("p", Author("~x", ""))])
    assert store.find_authors("") == []


def test_deleting_takes_away_authors_left_without_a_paper(store: CorpusStore) -> None:
    store.upsert([written("p", ADA, BOB), written("q", BOB, abstract=""), written("r")])
    assert store.delete(["p", "nothing", "p"]) == 1
    assert [paper.id for paper in store.iter_papers()] == ["q", "r"]
    assert store.authors([ADA.id, BOB.id]) == {BOB.id: BOB}
    assert store.counts() == CorpusCounts(papers=2, authors=1, without_abstract=1)


def test_thousands_of_ids_are_one_call(store: CorpusStore) -> None:
    store.upsert(many(600))
    wanted = [f"w{i:06d}" for i in range(40_000)] * 2
    assert len(store.papers(wanted)) == 600
    people = [f"a{i}" for i in range(40_000)]
    assert len(store.authors(people)) == 97
    assert sum(map(len, store.papers_of(people).values())) == 600
    assert store.delete(wanted) == 600


def test_papers_are_streamed_in_order_of_id(store: CorpusStore, small_batches: int) -> None:
    store.upsert(sorted(many(60, abstract="x" * 200_000), key=lambda paper: paper.id[::-1]))
    tracemalloc.start()
    try:
        seen = [paper.id for paper in store.iter_papers()]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seen == [f"w{i:06d}" for i in range(60)]
    assert peak < 60 * 200_000 / 1.5, "more than a few batches were in memory at once"


def test_papers_can_be_rewritten_while_they_are_read(store: CorpusStore, small_batches: int) -> None:
    store.upsert(many(35))
    assert store.upsert(msgspec.structs.replace(paper, title="New") for paper in store.iter_papers()) == 35
    assert {paper.title for paper in store.iter_papers()} == {"New"}


def test_an_import_that_breaks_off_loses_nothing_written_before(store: CorpusStore, small_batches: int) -> None:
    def broken() -> Iterator[Paper]:
        yield from many(25)
        raise InputError("line 26 is noise")

    with pytest.raises(InputError, match="line 26"):
        store.upsert(broken())
    assert store.counts().papers == 20
    assert store.upsert(many(25)) == 25
    assert store.counts().papers == 25


@pytest.mark.parametrize(
    "bad", [Paper("bad", "half a pair: \ud83d"), Paper("bad", "", year=2**53)], ids=["surrogate", "number"]
)
def test_a_paper_that_cannot_be_kept_is_named(store: CorpusStore, small_batches: int, bad: Paper) -> None:
    with pytest.raises(InputError, match=r"^paper 'bad' .*import again$"):
        store.upsert([*many(15), bad])
    assert store.counts().papers == 10


def test_the_fingerprint_is_that_of_the_papers_alone(store: CorpusStore) -> None:
    empty = store.fingerprint()
    store.upsert([written("p", ADA), written("q", BOB)])
    both = store.fingerprint()
    store.delete(["q"])
    only = store.fingerprint()
    store.upsert([written("q", BOB)])
    assert store.fingerprint() == both
    store.delete(["p", "q"])
    assert store.fingerprint() == empty
    assert len({empty, only, both}) == 3


@pytest.mark.parametrize("field", Paper.__struct_fields__)
def test_the_fingerprint_changes_with_every_field(store: CorpusStore, field: str) -> None:
    other = Paper("q", "T", "A", 2001, (Authorship(ADA, (Institution("I"),)),), "V", "D", ("r",), 7, ("t",), True)
    paper = Paper("p", "")
    store.upsert([paper])
    before = store.fingerprint()
    store.upsert([msgspec.structs.replace(paper, **{field: getattr(other, field)})])
    assert store.fingerprint() != before


def test_all_stores_give_the_same_papers_the_same_fingerprint(store: CorpusStore, tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "reference.sqlite") as reference:
        assert store.fingerprint() == reference.fingerprint()
        for each in (store, reference):
            each.upsert([written("p", ADA), written("q", BOB, year=None)])
        assert store.fingerprint() == reference.fingerprint()


def test_a_closed_store_says_so(store: CorpusStore) -> None:
    store.close()
    with pytest.raises(CorpusError, match="closed"):
        store.counts()


def test_history_is_replaced_where_the_same_is_said_again_and_forgotten_by_person_or_paper(
    store: CorpusStore, small_batches: int
) -> None:
    assert list(store.history()) == []
    assert store.history_fingerprint() == ""
    day = date(2019, 5, 1)
    by_name = HistoryEvent("", HistoryRole.REVIEWER, "p2", "Ada Lovelace", published=day, title="On Engines")
    events = [HistoryEvent("~Ada1", HistoryRole.EDITOR, f"p{number:02}") for number in range(25)]
    assert store.add_history([by_name, *events]) == 26
    before = store.history_fingerprint()
    assert store.add_history([*events, by_name]) == 0
    assert store.history_fingerprint() == before
    assert list(store.history()) == [*events[:20], by_name, *events[20:]]  # by paper: 'p19', 'p2', 'p20'

    known = msgspec.structs.replace(by_name, person="~Ada1", orcid="0000-0001", score=2.5)
    assert store.add_history([known]) == 1  # in the place of what knew only the name
    assert len(list(store.history())) == 26
    assert known in store.history()
    assert store.history_fingerprint() != before
    other = HistoryEvent("", HistoryRole.REVIEWER, "p2", "Ada Lovelace", "ada@other.example", outcome=Outcome.DECLINED)
    store.add_history([other])  # a namesake with an address of her own
    assert store.forget_history({"p00", "nobody"}) == 1
    assert store.forget_history({"0000-0001"}) == 1
    assert store.forget_history({"~Ada1"}) == 24
    assert list(store.history()) == [other]
    assert store.counts().papers == 0


def test_a_guess_by_name_gives_way_when_namesakes_appear(store: CorpusStore) -> None:
    guess = HistoryEvent("~Ada1", HistoryRole.REVIEWER, "p", "Ada Lovelace", possible=True)
    store.add_history([guess])
    store.add_history([unclear := msgspec.structs.replace(guess, person="", possible=False)])
    assert list(store.history()) == [unclear]
