"""Conflicts in an assignment: no method takes a blocked pair, whatever is locked or kept; possible ones are told."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Quota, RecordError, Records, Reviewer, ScoreTable
from retriever.assignment.explain.alternates import find_alternates
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.explain.why import explain_pair
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.levels import assign_levels
from retriever.assignment.methods import METHODS
from retriever.assignment.options import AssignOptions
from retriever.assignment.output import alternates_csv, assignment_json
from retriever.assignment.solve import assign, repair
from retriever.conference.conflicts.table import ConflictTable, Decision, TableHeader

ORCID = "0000-0002-1825-0097"
NAMES = [f"https://orcid.org/{ORCID}", "Ada@Uni.edu", "https://openalex.org/A1234567890", "~Ada_Lovelace1", "r4", "r5"]
OTHERS = [
    f"orcid:{ORCID}",
    "ada@uni.edu",
    "A1234567890",
    "https://openreview.net/profile?id=~Ada_Lovelace1",
    "r4",
    "r5",
]
"""The same people, as scores and as conflicts call them."""


def scores(values, names=NAMES):
    """A table of a matrix (papers × reviewers); NaN is a pair without a score."""
    row, who = np.nonzero(~np.isnan(values))
    papers = tuple(f"p{i}" for i in range(len(values)))
    return {"affinity": ScoreTable(papers, tuple(names[: values.shape[1]]), row, who, values[row, who])}


def table(*conflicts, **header):
    """A conflict table of (paper, reviewer, whether it is certain)."""
    rows = [
        Conflict(paper, who, ConflictKind.COAUTHOR, f"wrote with {who}", certain) for paper, who, certain in conflicts
    ]
    return ConflictTable.grouped(rows, TableHeader(**header))


def assigned(made):
    return {(pair.paper, pair.reviewer) for pair in made.pairs}


@st.composite
def conferences(draw):
    """Random scores with holes, certain and possible conflicts, authors, forbidden pairs, an old assignment."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    papers, reviewers = draw(st.integers(2, 5)), draw(st.integers(4, 6))
    values = np.round(rng.random((papers, reviewers)) + 0.01, 3)
    values[rng.random(values.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    closed = rng.choice(5, size=values.shape, p=[0.6, 0.1, 0.1, 0.1, 0.1])
    pairs = {kind: [(f"p{i}", j) for i, j in np.argwhere(closed == kind)] for kind in range(5)}
    authored = {j: tuple(paper for paper, who in pairs[4] if who == j) for j in range(reviewers)}
    records = Records(
        scores=scores(values),
        people={OTHERS[j]: Reviewer(authored=authored[j]) for j in range(reviewers)},
        conflicts=table(*((p, OTHERS[j], True) for p, j in pairs[1]), *((p, OTHERS[j], False) for p, j in pairs[2])),
        forbidden=[(paper, OTHERS[j]) for paper, j in pairs[3]],
        existing=[(f"p{i}", NAMES[rng.integers(reviewers)]) for i in range(papers)],
    )
    blocked = {kind: {(paper, NAMES[j]) for paper, j in found} for kind, found in pairs.items()}
    return records, blocked[1] | blocked[3] | blocked[4], blocked[2]


@given(conferences(), st.sampled_from(list(METHODS)), st.sampled_from(["avoid", "allow"]), st.booleans(), st.booleans())
@settings(max_examples=150)
def test_no_method_ever_assigns_a_blocked_pair(conference, method, possible, unscored, keep):
    records, closed, avoided = conference
    short = {"allow_short": True} if "allow_short" in METHODS[method].takes else {}
    quality = {"quality": 0.1} if "quality" in METHODS[method].takes else {}
    options = AssignOptions(
        method, demand=2, most=4, possible=possible, allow_unscored=unscored, keep=keep, **short, **quality
    )
    try:
        made = assign(make_problem(records, options))
    except InputError:  # there is none, or the lottery needs scores
        reject()
    there = assigned(made)
    others = {(one.paper, one.reviewer) for one in find_alternates(made, 3)}
    swapped = {(swap.paper, swap.takes) for one in find_alternates(made, 3) for swap in one.swaps}
    blocked = closed | (avoided if possible == "avoid" else set())
    assert not (there | others | swapped) & blocked
    assert {(pair.paper, pair.reviewer) for pair in made.pairs if pair.conflict} == there & (avoided - closed)
    if not unscored:
        known = {(pair.paper, pair.reviewer) for pair in made.pairs if pair.kept}
        assert all(pair.scored for pair in made.pairs if (pair.paper, pair.reviewer) not in known)


@pytest.mark.parametrize("at", range(4))
def test_locks_and_old_pairs_that_are_conflicts_do_not_stand_in_any_form_of_an_id(at):
    values = np.full((2, 6), 0.5)
    records = Records(scores=scores(values), conflicts=table(("p0", OTHERS[at], True)))
    for who in (NAMES[at], OTHERS[at]):
        with pytest.raises(RecordError, match=r"locked, but .* conflict of interest: wrote with") as caught:
            make_problem(replace(records, locked=[("p0", who)]))
        assert caught.value.name == "locked"
        made = assign(make_problem(replace(records, existing=[("p0", who), ("p1", who)]), AssignOptions(keep=True)))
        assert ("p0", NAMES[at]) not in assigned(made)
        assert ("p1", NAMES[at]) in assigned(made)
        assert any(note.startswith("1 old pair is excluded and cannot stay: p0 ") for note in made.notes)
    authors = {who: Reviewer(authored=("p0",) if i == at else ()) for i, who in enumerate(OTHERS)}
    with pytest.raises(RecordError, match=r"locked, but .* author of the paper"):
        make_problem(Records(scores=scores(values), people=authors, locked=[("p0", NAMES[at])]))
    with pytest.raises(RecordError, match="locked and excluded"):
        make_problem(Records(scores=scores(values), forbidden=[("p0", OTHERS[at])], locked=[("p0", NAMES[at])]))


def test_possible_conflicts_are_avoided_until_they_are_dismissed_and_told_where_they_are_chosen():
    values = np.array([[0.9, 0.8, 0.7, 0.1], [0.2, 0.3, 0.4, 0.5]])
    records = Records(scores=scores(values), conflicts=table(("p0", OTHERS[0], False), ("p1", OTHERS[0], False)))
    options = AssignOptions("total", demand=2, most=2)
    made = assign(make_problem(records, options))
    assert assigned(made) == {("p0", NAMES[1]), ("p0", NAMES[2]), ("p1", NAMES[2]), ("p1", NAMES[3])}
    summary = summarise_assignment(made).conflicts
    assert (summary.avoided, summary.chosen) == (2, [])
    assert summary.total_cost == pytest.approx(1 - 2.4 / 2.6)
    assert summary.lowest_cost == pytest.approx(0)
    assert "2 possible conflicts costs 7.69%" in summary.words
    why = explain_pair(made, "p0", NAMES[0]).reasons
    evidence = f"{NAMES[0]} has a possible conflict of interest: wrote with {OTHERS[0]}"
    assert why == (f"{evidence}; it is avoided until somebody dismisses it",)

    allowed = assign(make_problem(records, replace(options, possible="allow")))
    chosen = {(pair.paper, pair.reviewer): pair.conflict for pair in allowed.pairs}
    assert chosen["p0", NAMES[0]] == f"wrote with {OTHERS[0]}"
    assert summarise_assignment(allowed).conflicts.chosen[0].reviewer == NAMES[0]
    assert f"possible conflict of interest: wrote with {OTHERS[0]}" in explain_pair(allowed, "p0", NAMES[0]).reasons[-1]
    assert b'"possible_conflict": "wrote with' in assignment_json(allowed)
    lonely = assign(make_problem(records, AssignOptions("total", demand=1, most=2, possible="allow")))
    assert b"possible_conflict\np0" in alternates_csv(find_alternates(lonely, 3)).replace(b"\r", b"")
    assert b"wrote with" in alternates_csv(find_alternates(lonely, 3))

    decision = Decision("dismissed", "Grace", datetime.now(UTC))
    dismissed = records.conflicts.decide("p0", NAMES[0], decision)
    free = assign(make_problem(replace(records, conflicts=dismissed), options))
    assert ("p0", NAMES[0]) in assigned(free)
    assert not any(pair.conflict for pair in free.pairs)
    assert explain_pair(free, "p0", NAMES[0]).reasons[-1].startswith("Grace dismissed a possible conflict of interest")
    confirmed = records.conflicts.decide("p0", NAMES[0], Decision("confirmed", "Grace", datetime.now(UTC)))
    closed = make_problem(replace(records, conflicts=confirmed), replace(options, possible="allow"))
    assert ("p0", NAMES[0]) not in assigned(assign(closed))


def test_what_avoiding_costs_is_told_for_lotteries_too():
    records = Records(scores=scores(np.random.default_rng(0).random((4, 6))), conflicts=table(("p0", NAMES[0], False)))
    made = assign(make_problem(records, AssignOptions("random", demand=2, cap=0.5, seed=3)))
    found = summarise_assignment(made).conflicts
    assert 0 <= found.total_cost < 1
    assert found.lowest_cost is None


def test_where_possible_conflicts_are_in_the_way_somebody_should_look_at_them():
    records = Records(scores=scores(np.ones((1, 4))), conflicts=table(*(("p0", who, False) for who in OTHERS[:2])))
    with pytest.raises(InfeasibleError) as caught:
        assign(make_problem(records))
    words = "look at the 2 possible conflicts: if they are dismissed, there is an assignment"
    assert [cure.change for cure in caught.value.cut.cures if cure.words == words] == [{}]


def test_nothing_known_of_conflicts_and_tables_of_other_inputs_are_said():
    values = np.ones((2, 4))
    (unknown,) = make_problem(Records(scores=scores(values)), AssignOptions(demand=1)).notes
    assert unknown.startswith("nothing is known of conflicts of interest")
    (given_only,) = make_problem(Records(scores=scores(values), forbidden=[("p0", OTHERS[0])])).notes
    assert given_only == "nobody looked for conflicts of interest: only given pairs are excluded (1)"
    known = table(submissions=("p0",), reviewers=tuple(OTHERS[:3]), unchecked=("names are not known",))
    notes = make_problem(Records(scores=scores(values), conflicts=known)).notes
    assert notes == (
        "names are not known",
        "the conflict table was made without 1 paper (p1): nobody looked for their conflicts",
        f"the conflict table was made without 1 reviewer ({NAMES[3]}): nobody looked for their conflicts",
    )
    assert summarise_assignment(assign(make_problem(Records(scores=scores(values))))).conflicts.known is False


@pytest.mark.parametrize("method", METHODS)
def test_a_late_conflict_is_repaired_with_the_fewest_changes(method):
    rng = np.random.default_rng(5)
    names = [f"r{j}" for j in range(12)]
    records = Records(scores=scores(rng.random((15, 12)), names), conflicts=table())
    how = AssignOptions(method, most=5, **({"cap": 0.8} if METHODS[method].drawn else {}))
    pairs = [(pair.paper, pair.reviewer) for pair in assign(make_problem(records, how)).pairs]
    late = [pairs[0], pairs[20]]
    changed = replace(records, conflicts=table(*((paper, who, True) for paper, who in late)))
    made = repair(changed, pairs, how)
    told = [f"{paper} {who} has a conflict of interest: wrote with {who}" for paper, who in late]
    assert made.notes[0] == f"2 old pairs are excluded and cannot stay: {'; '.join(told)}"
    assert set(pairs) - assigned(made) == set(late) == set(summarise_assignment(made).changed)
    assert sum(not pair.kept for pair in made.pairs) == 2
    assert len(made.pairs) == len(pairs)
    with pytest.raises(RecordError, match=r"locked, but .* conflict of interest: wrote"):
        repair(replace(changed, locked=[late[0]]), pairs, how)


def test_the_smallest_repair_may_move_others():
    """Where nobody is free, a swap is needed: two changes more than the conflict itself, and no third."""
    values = np.array([[0.9, 0.8], [0.9, 0.8]])
    records = Records(scores=scores(values, ["r0", "r1"]), conflicts=table(("p0", "r0", True)))
    made = repair(records, [("p0", "r0"), ("p1", "r1")], AssignOptions(demand=1, most=1))
    assert assigned(made) == {("p0", "r1"), ("p1", "r0")}


TWINS = [NAMES[0], "~Ada_Lovelace1", "r2", "r3", ORCID]
"""The first, the second and the last are one person, by a joined profile and by the form of the id."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keep", [False, True])
def test_somebody_with_several_ids_is_one_reviewer(method, keep):
    values = np.array([[0.9, 0.8, 0.5, np.nan, 0.7], [0.6, 0.9, 0.4, 0.3, 0.8], [0.2, np.nan, 0.3, 0.4, 0.95]])
    records = Records(
        scores=scores(values, TWINS) | {"bids": scores(np.ones((3, 5)), TWINS)["affinity"]},
        conflicts=table(("p2", "~Ada_Lovelace1", True), aliases={"~ada_lovelace1": NAMES[0]}),
        quotas={TWINS[1]: Quota(2), TWINS[4]: Quota(5)},
        caps={("p0", TWINS[1]): 1.0},
        locked=[("p1", TWINS[1]), ("p1", TWINS[4])],
        existing=[("p0", TWINS[1]), ("p0", TWINS[4]), ("p1", TWINS[0]), ("p2", "r2")],
        held=1,
    )
    problem = make_problem(records, AssignOptions(method, demand=2, most=3, keep=keep, allow_unscored=True))
    assert problem.reviewers == ("https://orcid.org/" + ORCID, "r2", "r3")
    names = " = ".join([TWINS[0], TWINS[1], TWINS[4]])
    assert f"1 person is there under several ids, and counted once: {names}" in problem.notes
    assert (problem.most.tolist(), problem.locked.tolist(), problem.held) == ([2, 3, 3], [[1, 0]], 0)
    assert problem.candidates.score[problem.candidates.reviewer == 0].tolist() == [1.9]
    made = assign(problem)
    assert assigned(made) >= {("p1", NAMES[0]), ("p2", "r2"), ("p2", "r3")}
    assert (len(made.pairs), len(assigned(made))) == (6, 6)
    assert {pair.reviewer for pair in made.pairs} == {NAMES[0], "r2", "r3"}
    assert not {TWINS[1], TWINS[4]} & {one.reviewer for one in find_alternates(made, 3)}
    assert explain_pair(made, "p1", TWINS[4]).reasons == ("the pair is locked",)
    with pytest.raises(RecordError, match=r"locked, but .* conflict of interest"):
        make_problem(replace(records, locked=[("p2", TWINS[4])]))


def test_lines_about_one_person_are_joined_and_two_roles_are_refused():
    values = np.ones((2, 5))
    people = {
        TWINS[0]: Reviewer(institution="ETH", authored=("p0",)),
        TWINS[1]: Reviewer(senior=True, country="CH", authored=("p1",)),
        **dict.fromkeys(TWINS[2:4], Reviewer()),
    }
    conflicts = table(aliases={"~ada_lovelace1": NAMES[0]})
    records = Records(scores=scores(values, TWINS), people=people, conflicts=conflicts)
    problem = make_problem(records, AssignOptions(demand=1))
    assert problem.committee.senior.tolist() == [True, False, False]
    assert (problem.committee.institution[0], problem.committee.region[0]) == (0, 0)
    assert problem.committee.authored.tolist() == [[0, 0], [1, 0]]
    chairs = people | {TWINS[1]: Reviewer(role="area chair")}
    options = AssignOptions(demand={"area chair": 1, "reviewer": 1})
    with pytest.raises(RecordError, match=r"are one person with two roles, reviewer and area chair: give one"):
        make_problem(replace(records, people=chairs), options)
    with pytest.raises(RecordError, match="two roles"):
        assign_levels(replace(records, people=chairs), options, ["area chair", "reviewer"])


def test_no_level_gives_a_paper_twice_to_somebody_with_several_ids():
    names = [*TWINS, "c1", "c2", "C1"]
    aliases = {"~ada_lovelace1": NAMES[0]}
    roles = {one: Reviewer(role="area chair" if one.lower() in ("c1", "c2") else "reviewer") for one in names}
    records = Records(
        scores=scores(np.full((2, 8), 0.5), names),
        people=roles,
        conflicts=table(("p0", "c1", True), aliases=aliases),
        locked=[("p1", "C1")],
    )
    options = AssignOptions(demand={"area chair": 1, "reviewer": 2}, most=2)
    made = assign_levels(records, options, ["area chair", "reviewer"]).assignment
    assert sorted((pair.paper, pair.reviewer) for pair in made.pairs if pair.role == "area chair") == [
        ("p0", "c2"),
        ("p1", "c1"),
    ]
    assert len({pair.reviewer for pair in made.pairs if pair.paper == "p0"}) == 3
    assert not {TWINS[1], TWINS[4], "C1"} & {pair.reviewer for pair in made.pairs}


def test_records_name_the_field_that_does_not_fit():
    records = Records(scores=scores(np.ones((2, 4))))
    for name, value in {
        "quotas": {"nobody": Quota(1)},
        "demands": {("nothing", ""): 1},
        "locked": [("p0", "nobody")],
        "forbidden": [("p0", "nobody")],
        "existing": [("p0", "nobody")],
        "caps": {("p0", "nobody"): 0.5},
    }.items():
        with pytest.raises(RecordError, match=f"^{name}: no ") as caught:
            make_problem(replace(records, **{name: value}))
        assert caught.value.name == name


def test_an_author_under_two_ids_gets_their_paper_under_neither():
    values = np.array([[0.9, 0.8, 0.1, 0.1]])
    people = {"Ada@Uni.edu": Reviewer(authored=("p0",)), "ada@uni.edu": Reviewer(), "r4": Reviewer(), "r5": Reviewer()}
    problem = make_problem(Records(scores=scores(values, list(people)), people=people), AssignOptions(demand=2))
    assert assigned(assign(problem)) == {("p0", "r4"), ("p0", "r5")}
    assert problem.why_not(0, 0) == "is an author of the paper"
    assert problem.reviewers == ("Ada@Uni.edu", "r4", "r5")
