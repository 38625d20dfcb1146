"""What a history changes in a panel: who is found, in which order, with which words, and who is not."""

from dataclasses import replace
from datetime import date

import pytest
from msgspec import structs
from panel_support import at, ids, make_finder, paper, scored

from panelist.errors import InputError
from panelist.records import Author, HistoryEvent, HistoryRole, Outcome, Submission
from retriever.filters import Filters
from retriever.history.table import History, vectors_in
from retriever.lookup import Lookup
from retriever.ranking.model import Ranker

PAPERS = [
    paper("p1", "ann", "zoe", title="Bleaching of coral reefs"),
    paper("p2", at("bob", name="Bob Stone"), title="Trade of medieval merchants"),
    paper("p3", at("cid", name="Cid Marsh"), title="Wool on medieval markets"),
    paper("p4", at("dan", name="Dan Hill"), title="Gradients of deep networks"),
    paper("p5", at("dan2", name="Dan Hill"), title="Networks of deep learning"),
    *(paper(f"q{number}", f"other{number}", title=f"Corals and reef {number}") for number in range(9)),
]
ASKED = Submission("s1", "Coral reefs", "Bleaching of corals.", received=date(2020, 1, 1))
LOOKUP = Lookup(size=20, newcomers=0)
DAY = date(2019, 12, 1)


def did(person, paper="p1", role=HistoryRole.REVIEWER, year=2019, **more):
    return HistoryEvent(person, role, paper, **{"published": date(year, 6, 1)} | more)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("history"), PAPERS) as finder:
        yield finder


@pytest.fixture
def find(whole):
    def find(*events, asked=ASKED, lookup=LOOKUP):
        whole.use_history(events)
        return whole.find(asked, lookup)

    return find


def of(panel, person):
    return next(match for match in panel.matches if match.author.id == person)


def test_who_reviewed_near_papers_is_found_and_told(find):
    panel = find(did("bob"), did("bob", "q1"), did("bob", "p3"))
    assert ids(panel).index("bob") < ids(find()).index("bob")
    (words,) = of(panel, "bob").history
    assert words == "reviewed 3 papers, 1 near this one; last in June 2019; 3 in the last 12 months, 0 open now"
    assert of(panel, "ann").history == ()
    edited = of(find(did("cid", role=HistoryRole.EDITOR)), "cid").history
    assert edited == ("edited 1 paper, 1 near this one; last in June 2019",)


def test_without_a_history_a_panel_is_as_it_was(find):
    plain = find()
    assert find(did("bob"), lookup=replace(LOOKUP, history="off")) == plain
    assert scored(find(did("bob", year=2020))) == scored(plain)  # later than the submission
    assert scored(find(did("bob", published=None))) == scored(plain)  # nobody knows when
    assert ids(find(did("bob", published=None), asked=structs.replace(ASKED, received=None))).index("bob") < ids(
        plain
    ).index("bob")
    assert scored(find(did("bob", "s1"))) == scored(plain)  # of the submission itself
    assert scored(find(did("bob", outcome=Outcome.DECLINED))) == scored(plain)


@pytest.mark.parametrize(
    "authors",
    [
        {"authors": (Author("bob", "Bob Stone"),)},
        {"author_names": ("Bob Stone",)},  # who is held back: it may be another person
    ],
)
def test_no_author_comes_in_through_a_history(find, authors):
    events = (did("bob"), did("bob", "q1", role=HistoryRole.EDITOR), did("ann"))
    for role in ("reviewer", "editor"):
        panel = find(*events, asked=structs.replace(ASKED, **authors), lookup=replace(LOOKUP, role=role))
        assert "bob" not in ids(panel)
        assert "bob" in {conflict.reviewer for conflict in (*panel.hidden, *panel.held_back)}


def test_a_coauthor_is_in_conflict_however_much_they_reviewed(find):
    asked = structs.replace(ASKED, authors=(Author("ann", "Ann"),), year=2020)
    panel = find(did("zoe"), did("zoe", "q1"), asked=asked)
    assert not {"ann", "zoe"} & set(ids(panel))
    flagged = find(did("zoe"), asked=asked, lookup=replace(LOOKUP, conflicts="flag"))
    assert of(flagged, "zoe").conflicts


def test_a_name_counts_where_one_person_has_it(find):
    named = HistoryEvent("", HistoryRole.REVIEWER, "p1", "cid marsh", published=date(2019, 6, 1))
    assert ids(find(named)).index("cid") < ids(find()).index("cid")
    two = structs.replace(named, name="Dan Hill")
    assert scored(find(two)) == scored(find())
    possible = structs.replace(named, person="bob", possible=True)
    assert of(find(possible), "bob").history == ()
    by_orcid = structs.replace(named, name="", person="0000-0002-1825-0097")
    assert scored(find(by_orcid)) == scored(find())


def test_editors_are_those_who_edited_or_the_pool(find):
    events = (did("bob", role=HistoryRole.EDITOR), did("cid", "p2", role=HistoryRole.AREA_CHAIR), did("ann"))
    panel = find(*events, lookup=replace(LOOKUP, role="editor"))
    assert ids(panel) == ["bob", "cid"]
    board = find(*events, lookup=replace(LOOKUP, role="editor", pool=("ann", "bob")))
    assert set(ids(board)) == {"ann", "bob"}
    with pytest.raises(InputError, match="nobody is known to have edited"):
        find(did("ann"), lookup=replace(LOOKUP, role="editor"))


def test_people_rest_and_review_so_many_times_a_year(find):
    day = date(2019, 12, 20)
    events = (
        did("bob", year=2019, submitted=day, published=None),
        did("ann", "q1", published=None, invited=day, outcome=Outcome.ACCEPTED),
        did("cid", year=2018),
    )

    def left(**filters):
        return {"ann", "bob", "cid"} & set(ids(find(*events, lookup=replace(LOOKUP, filters=Filters(**filters)))))

    assert left() == {"ann", "bob", "cid"}
    assert left(rest=12) == {"bob", "cid"}  # ann has one open
    assert left(rest=13) == {"cid"}
    assert left(rest=13, include=("bob",)) == {"bob", "cid"}
    assert left(at_most=1) == {"cid"}
    assert left(at_most=2) == {"ann", "bob", "cid"}
    note = "left out, because they reviewed of late: 2 people"
    assert note in find(*events, lookup=replace(LOOKUP, filters=Filters(rest=13))).notes


def test_newcomers_keep_their_seats(find):
    events = [did(f"other{number}", "p1") for number in range(7)]
    served = {f"other{number}" for number in range(7)}
    for newcomers, size, expected in ((0, 4, 0), (5, 4, 2), (10, 2, 2), (4, 10, 4)):
        panel = find(*events, lookup=replace(LOOKUP, newcomers=newcomers, size=size))
        assert len(ids(panel)) == size
        assert len(set(ids(panel)) - served) >= expected
    with pytest.raises(InputError, match="11 of ten newcomers"):
        Lookup(newcomers=11)


def test_papers_outside_are_encoded_once_and_forgotten_with_their_events(whole, tmp_path, monkeypatch):
    path = tmp_path / "history.npz"
    elsewhere = did("bob", "x1", title="Coral reefs", abstract="Bleaching.")
    source = whole.conflicts.sources[0]
    vectors_of = vectors_in(whole.index, path)
    first = History.of(source, [elsewhere, did("cid", "x2", title="Wool")], vectors_of)
    monkeypatch.setattr(whole.index, "encoder", None)  # nothing is left to encode
    again = History.of(source, [elsewhere], vectors_of)
    assert (again.vectors[0] == first.vectors[0]).all()
    size = path.stat().st_size
    History.of(source, [], vectors_of)
    assert not path.exists() or path.stat().st_size < size


def test_a_load_penalty_divides_the_relevance_of_the_busy_and_of_nobody_else(find):
    events = (
        did("bob", "q1"),
        did("bob", "q2"),
        did("bob", "q3", outcome=Outcome.ACCEPTED, published=None, invited=DAY),
    )
    plain, lowered = (
        dict(zip(ids(panel), (match.score for match in panel.matches), strict=True))
        for panel in (find(*events, lookup=replace(LOOKUP, load_penalty=penalty)) for penalty in (0.0, 0.2))
    )
    assert plain.keys() == lowered.keys()
    sharpness = LOOKUP.aggregation.sharpness
    assert lowered["bob"] == pytest.approx(plain["bob"] * (1 + 4) ** (-0.2 * sharpness))  # one of three is open
    assert {**lowered, "bob": 0} == {**plain, "bob": 0}
    assert list(lowered.values()) == sorted(lowered.values(), reverse=True)
    with pytest.raises(InputError, match="a load penalty of 2 makes"):
        Lookup(load_penalty=2)


def test_a_load_penalty_reorders_a_learned_ranking_with_its_reasons(find):
    lookup = replace(LOOKUP, ranker=Ranker.load("reviewers"))
    events = (did("bob"), did("bob", "q1"), did("cid", "q1", HistoryRole.EDITOR))
    plain, lowered = (find(*events, lookup=replace(lookup, load_penalty=penalty)) for penalty in (0.0, 1.0))
    assert ids(lowered).index("bob") > ids(plain).index("bob")
    reasons = {match.author.id: match.lifted_by for match in plain.matches}
    assert all(match.lifted_by == reasons[match.author.id] for match in lowered.matches)
