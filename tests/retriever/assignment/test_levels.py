"""Levels of a committee, one stage after the other."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, Quota, Records, Reviewer, ScoreTable
from retriever.assignment.levels import assign_levels
from retriever.assignment.options import AssignOptions, OptionError
from retriever.assignment.solve import assign

LEVELS = ("senior area chair", "area chair", "reviewer")
SIZES = (3, 8, 40)
OPTIONS = AssignOptions("total", demand={"reviewer": 2, "area chair": 1, "senior area chair": 1}, most=30)


@pytest.fixture
def records():
    """Thirty papers, of which people of every level wrote some; an institution has several people."""
    dice = np.random.default_rng(5)
    role = [level for level, size in zip(LEVELS, SIZES, strict=True) for _ in range(size)]
    people = {
        f"r{at}": Reviewer(institution=f"i{at % 17}", role=name, authored=(f"p{at % 30}",) if at % 2 else ())
        for at, name in enumerate(role)
    }
    paper, reviewer = np.divmod(np.arange(30 * len(role)), len(role))
    names = tuple(f"p{at}" for at in range(30)), tuple(people)
    limits = {f"r{at}": Quota(6) for at in range(3, len(role))}
    return Records(
        scores={AFFINITY: ScoreTable(*names, paper, reviewer, dice.random(len(paper)))}, people=people, quotas=limits
    )


def of_role(made, role):
    people = defaultdict(set)
    for pair in made.pairs:
        if pair.role == role:
            people[pair.paper].add(pair.reviewer)
    return people


@pytest.mark.parametrize("method", ["total", "fair", "random"])
def test_each_stage_keeps_what_those_above_decided_and_rules_hold_across_levels(records, method):
    rules = {"apart": {"institution": 1}, "no_cycles": True}
    made = assign_levels(records, replace(OPTIONS, method=method, **rules), LEVELS).assignment
    for role, needed in OPTIONS.demand.items():
        assert {len(people) for people in of_role(made, role).values()} == {needed}
    places = defaultdict(list)
    for pair in made.pairs:
        assert pair.paper not in records.people[pair.reviewer].authored
        places[pair.paper].append(records.people[pair.reviewer].institution)
    assert all(len(set(there)) == 4 for there in places.values())
    assert not any(pair.locked for pair in made.pairs)
    authors = {who: person.authored for who, person in records.people.items()}
    reviews = {(pair.reviewer, who) for pair in made.pairs for who in authors if pair.paper in authors[who]}
    assert not any((other, who) in reviews for who, other in reviews)


def test_the_highest_level_has_what_it_would_have_alone(records):
    alone = replace(records, people={who: person for who, person in records.people.items() if "senior" in person.role})
    table = records.scores[AFFINITY]
    few = table.reviewer < SIZES[0]
    own = replace(table, reviewers=table.reviewers[:3], paper=table.paper[few], reviewer=table.reviewer[few])
    own = replace(own, score=table.score[few])
    alone = replace(alone, scores={AFFINITY: own}, quotas={})
    best = assign(make_problem(alone, replace(OPTIONS, demand={LEVELS[0]: 1})))
    made = assign_levels(records, OPTIONS, LEVELS).assignment
    assert of_role(made, LEVELS[0]) == of_role(best, LEVELS[0])


def test_papers_of_a_person_are_gathered_under_few_others_where_that_is_worth_it(records):
    def superiors(made):
        chair = of_role(made, "area chair")
        under = defaultdict(set)
        for paper, people in of_role(made, "reviewer").items():
            for who in people:
                under[who] |= chair[paper]
        return sum(len(chairs) - 1 for chairs in under.values())

    apart, gathered = (assign_levels(records, OPTIONS, LEVELS, together=weight) for weight in (0.0, 0.3))
    assert superiors(gathered.assignment) < superiors(apart.assignment)
    assert gathered.assignment.total < apart.assignment.total
    note = next(note for note in gathered.assignment.notes if note.startswith("reviewer: people have"))
    assert f" {superiors(gathered.assignment)} when papers are gathered" in note
    assert all(pair.score <= 1 for pair in gathered.assignment.pairs)


def test_areas_say_the_work_under_everybody(records):
    made = assign_levels(records, OPTIONS, LEVELS)
    top = [area for area in made.areas if area.level == LEVELS[0]]
    assert sum(area.papers for area in top) == 30
    chairs = of_role(made.assignment, "area chair")
    heads = of_role(made.assignment, LEVELS[0])
    for area in top:
        assert area.below == len({who for paper in heads if area.person in heads[paper] for who in chairs[paper]})


@pytest.mark.parametrize("least", [1, {"reviewer": 1}])
def test_least_loads_of_lower_levels_wait_for_their_stage(records, least):
    made = assign_levels(records, replace(OPTIONS, least=least), LEVELS).assignment
    reviewers = [at for at, who in enumerate(made.solved.reviewers) if records.people[who].role == "reviewer"]
    assert (made.loads[reviewers] >= 1).all()


@pytest.mark.parametrize("levels", [("reviewer",), ("area chair", "reviewer"), (*LEVELS, "reviewer")])
def test_levels_are_the_roles_that_have_a_demand(records, levels):
    with pytest.raises(OptionError, match="levels are two or more roles"):
        assign_levels(records, OPTIONS, levels)


def test_locks_and_demands_of_lower_levels_wait_too(records):
    lock = next(pair for pair in (("p4", "r20"), ("p4", "r22")) if "p4" not in records.people[pair[1]].authored)
    given = replace(records, locked=[lock], demands={("p4", "reviewer"): 3})
    made = assign_levels(given, OPTIONS, LEVELS).assignment
    assert lock[1] in of_role(made, "reviewer")["p4"]
    assert len(of_role(made, "reviewer")["p4"]) == 3
    assert [pair.reviewer for pair in made.pairs if pair.locked] == [lock[1]]


def test_a_demand_without_a_role_is_for_reviewers_on_every_stage(records):
    made = assign_levels(replace(records, demands={("p4", ""): 4}), OPTIONS, LEVELS).assignment
    assert len(of_role(made, "reviewer")["p4"]) == 4
    assert len(of_role(made, LEVELS[0])["p4"]) == 1


def test_pools_are_of_the_lowest_level_and_each_paper_asks_for_its_own(records):
    pool = {who: replace(one, role="theory" if int(who[1:]) > 30 else one.role) for who, one in records.people.items()}
    asked = {
        (f"p{at}", role): 2 * ((at % 2 == 0) == (role == "theory"))
        for at in range(30)
        for role in ("reviewer", "theory")
    }
    options = replace(OPTIONS, demand={**OPTIONS.demand, "theory": 0})
    given = replace(records, people=pool, demands=asked, quotas={})
    made = assign_levels(given, options, LEVELS, pools=["Theory"])
    theory, plain = (of_role(made.assignment, role) for role in ("theory", "reviewer"))
    assert set(theory) == {f"p{at}" for at in range(0, 30, 2)}
    assert set(plain) == {f"p{at}" for at in range(1, 30, 2)}
    heads = of_role(made.assignment, "area chair")
    for area in made.areas:
        if area.level == "area chair":
            under = {
                who for paper, chairs in heads.items() if area.person in chairs for who in theory[paper] | plain[paper]
            }
            assert area.below == len(under)
