"""A person who is on the committee under several ids: what is known or decided under one of them holds for all."""

from datetime import UTC, datetime

import numpy as np
import pytest
from panel_support import at, make_finder, paper

from panelist.errors import InputError
from panelist.records import Author, Conflict, ConflictKind, Submission
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Records, ScoreTable
from retriever.conference.committee import Committee, Member
from retriever.conference.conference import Conference
from retriever.conference.conflicts.declared import evidence_lines
from retriever.conference.conflicts.table import ConflictTable, Decision, OtherPerson, read_table, write_table
from retriever.lookup import Lookup

ORCID = "0000-0002-1825-0097"
CONFIRMED, DISMISSED = (
    Decision(verdict, "Chair", datetime(2026, 1, 2, tzinfo=UTC)) for verdict in ("confirmed", "dismissed")
)
SAME = {
    "orcid": ({"name": "Ada King", "orcid": ORCID}, {"name": "A. King", "orcid": ORCID}),
    "address": ({"name": "Ada King", "email": "ada@x.org"}, {"name": "A. King", "email": "home@y.org; ADA@x.org"}),
    "profiles": ({"name": "Ada King", "aliases": ("r2",)}, {"name": "A. King"}),
}


def committee(rows):
    members = dict(zip(("r1", "r2"), rows, strict=True)) | {"r3": {"name": "Bob Bee"}}
    known = {reviewer: Member(**told) for reviewer, told in members.items()}
    return Committee(("r1", "r2", "r3"), ((), (), ())).with_members(known)


def by(*names, key="s1", **more):
    return Submission(key, f"Bees {key}", f"How {key} lives.", (), author_names=names, year=2025, **more)


@pytest.fixture(params=SAME)
def table(request):
    """Both rows of one person have the name of an author of one submission, and no other conflict."""
    submissions = [by("Ada King"), by("Cy Dee", key="s2")]
    found = Conference(submissions, committee(SAME[request.param])).conflicts()
    assert {pair: found.of(*pair).possible for pair in found.pairs} == {("s1", "r1"): True, ("s1", "r2"): True}
    return found


def problem_of(table, **more):
    pairs = [(paper, person) for paper in (0, 1) for person in (0, 1, 2)]
    paper, person = map(list, zip(*pairs, strict=True))
    scores = ScoreTable(("s1", "s2"), ("r1", "r2", "r3"), np.array(paper), np.array(person), np.ones(len(pairs)))
    return make_problem(Records(scores={"affinity": scores}, conflicts=table, **more))


def open_pairs(problem):
    rows, people = problem.candidates.row.tolist(), problem.candidates.reviewer.tolist()
    return {(problem.paper_of(row), problem.reviewers[person]) for row, person in zip(rows, people, strict=True)}


@pytest.mark.parametrize(("row", "other"), [("r1", "r2"), ("r2", "r1")])
def test_what_is_decided_of_one_row_holds_for_the_other(table, row, other, tmp_path):
    confirmed = table.decide("s1", row, CONFIRMED)
    write_table(confirmed, tmp_path / "t.jsonl")
    stored = ConflictTable([pair for pair in confirmed if pair.reviewer == row])  # as the desk keeps a decision
    for decided in (confirmed, read_table(tmp_path / "t.jsonl"), stored.renewed(table)):
        assert [decided.of("s1", one).certain for one in (row, other)] == [True, True]
        assert [pair.reviewer for pair in decided.check([("s1", other)], "allow")] == [other]
        assert {("s1", "r1"), ("s1", "r2")}.isdisjoint(open_pairs(problem_of(decided)))
        assert evidence_lines(decided).count("s1,r") == 2
        taken_back = decided.decide("s1", other, None)
        assert all(pair.possible for pair in taken_back)
    assert not list(table.decide("s1", row, DISMISSED).blocked())
    # later ones are about both, whichever row they name
    later = Decision("dismissed", "Chair", datetime(2026, 1, 3, tzinfo=UTC))
    both = ConflictTable([*stored, *(pair for pair in table.decide("s1", other, later) if pair.reviewer == other)])
    assert not list(both.renewed(table).blocked())


def test_a_confirmed_conflict_stays_under_all_ids_although_no_reason_is_left(table):
    nothing = ConflictTable((), table.header)
    kept = ConflictTable([table.decide("s1", "r2", CONFIRMED).of("s1", "r2")]).renewed(nothing)
    assert sorted(pair.reviewer for pair in kept.blocked("allow")) == ["r1", "r2"]


def test_a_dismissal_of_one_row_leaves_what_rests_on_other_reasons(table):
    dismissed = ConflictTable([table.decide("s1", "r1", DISMISSED).of("s1", "r1")])
    for more in ("r1", "r2"):
        other = Conflict("s1", more, ConflictKind.COAUTHOR, "perhaps wrote together", certain=False)
        found = ConflictTable.grouped([*(reason for pair in table for reason in pair.reasons), other], table.header)
        assert {pair.reviewer for pair in dismissed.renewed(found).blocked()} == {"r1", "r2"}
        certain = Conflict("s1", more, ConflictKind.DECLARED, "declared")
        with pytest.raises(InputError, match="certain"):
            ConflictTable.grouped([certain], table.header).decide("s1", "r1", DISMISSED)


@pytest.mark.parametrize("row", ["r1", "r2"])
def test_another_person_is_another_person_under_all_ids(table, row):
    assert table.resting_on(row, "Ada King") == ("s1",)
    apart = table.told_apart([OtherPerson(row, "Ada King", DISMISSED)], ConflictTable())
    assert not list(apart.blocked())


TITLED = ["Yue Zhang", "Dr. Yue Zhang", "Prof. Dr. Yue Zhang, PhD", "Zhang, Yue", "Yue Zhang, Ph.D. <yue@x.org>"]


@pytest.mark.parametrize("author", TITLED)
@pytest.mark.parametrize("called", TITLED)
def test_those_who_know_an_author_with_a_title_have_a_possible_conflict(tmp_path, author, called):
    teams = [(at("yz", "ETH", name=called), "wrote"), (at("works", "ETH"),), ("far",)]
    papers = [paper(f"p{n}", *team, title=f"coral reefs of sea {n}") for n, team in enumerate(teams)]
    by_zhang = Submission("s1", "coral", year=2019, author_names=(author,))
    people = ("yz", "wrote", "works", "far")
    with make_finder(tmp_path, papers) as finder:
        assert {*finder.flagged(by_zhang, people, Lookup())} == {"yz", "wrote", "works"}
    table = Conference([by_zhang], Committee.of(papers, people)).conflicts()
    assert {pair.reviewer for pair in table if pair.possible} == {"yz", "wrote", "works"}
    other = OtherPerson("yz", "YUE ZHANG", DISMISSED)
    assert {pair.reviewer for pair in table.told_apart([other], ConflictTable()).blocked()} <= {"works"}


@pytest.mark.parametrize("row", ["r1", "r2"])
def test_pairs_that_are_forbidden_or_locked_count_for_the_person(table, row):
    assert open_pairs(problem_of(table, forbidden=[("s2", row)])) == {("s1", "r3"), ("s2", "r3")}
    confirmed = table.decide("s1", "r1" if row == "r2" else "r2", CONFIRMED)
    with pytest.raises(InputError, match="conflict of interest"):
        problem_of(confirmed, locked=[("s1", row)])


@pytest.mark.parametrize("same", SAME)
@pytest.mark.parametrize("row", ["r1", "r2"])
def test_what_is_declared_of_one_row_holds_for_the_other(same, row):
    people = committee(SAME[same])
    for submission, declared in ((by("Cy Dee"), {"s1": [row]}), (by("Cy Dee", conflicts=(row,)), {})):
        table = Conference([submission], people).conflicts(declared=declared)
        assert {pair.reviewer for pair in table if pair.certain} == {"r1", "r2"}
    bid = ConflictTable.grouped([Conflict("s1", row, ConflictKind.DECLARED, "said in a bid")])
    joined = bid.joined(Conference([by("Cy Dee")], people).conflicts())
    assert {pair.reviewer for pair in joined.blocked("allow")} == {"r1", "r2"}


def test_a_key_of_both_rows_finds_the_person(table):
    key = next(key for key, reviewer in table.header.aliases.items() if reviewer == "r1")
    assert table.decide("s1", key, CONFIRMED).of("s1", "r2").certain
    assert table.person("r1") == table.person("r2") == table.person(key) != table.person("r3")
    assert table.ids_of(key) == ("r1", "r2")
    assert table.ids_of("r3") == ("r3",)


def test_an_address_finds_all_profiles_of_the_index_that_have_it_and_joins_none_by_itself(tmp_path):
    """As docs/how/conflicts.md says: the corpus keeps addresses with papers, not with people."""
    papers = [
        paper("p1", at("a1", name="Ada Lovelace", email="ada@x.org")),
        paper("p2", at("a2", name="Cy Dee", email="home@y.org; ADA@x.org")),
        paper("p3", "far"),
    ]

    def certain(**given):
        submission = Submission("s1", "coral", year=2019, **given)
        flagged = finder.flagged(submission, ["a1", "a2", "far"], Lookup())
        return {reviewer for reviewer, reasons in flagged.items() if any(reason.certain for reason in reasons)}

    with make_finder(tmp_path, papers) as finder:
        assert certain(authors=(Author("x", "?", None, "ada@x.org"),)) == {"a1", "a2"}
        assert certain(authors=(Author("ADA@x.org", "?"),)) == {"a1", "a2"}
        assert certain(conflicts=("ada@x.org",)) == {"a1", "a2"}
        assert certain(authors=(Author("a1", "Ada Lovelace"),)) == {"a1"}
        assert certain(authors=(Author("a1", "Ada Lovelace", None, "ada@x.org"),)) == {"a1", "a2"}
