"""From records to a problem. Nothing is repaired in silence: what does not fit is refused, what is left out is said."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from panelist.errors import InputError
from panelist.words import Message, PaperId, PersonId, counted, joined
from retriever.assignment.building.people import (
    SHOWN,
    blocked_pairs,
    check_locks,
    conflict_notes,
    named_people,
    reviewer_traits,
)
from retriever.assignment.building.records import BIDS, Ids, RecordError, Records, Reviewer, ScoreTable, combine
from retriever.assignment.options import LARGEST, MOST, REVIEWER, AssignOptions, OptionError, by_role, role_name
from retriever.assignment.problem import Arcs, Floats, Ints, Problem, ReviewerTraits, sorted_candidates

_DEFAULT = AssignOptions()


def make_problem(records: Records, options: AssignOptions | None = None) -> Problem:
    """An assignment problem.

    Args:
        records: scores, people, conflicts, quotas, demands, locks.
        options: numbers for whom the records say nothing, and how to solve.

    Raises:
        RecordError: a record is unknown, out of range or contradicts others; it says which.
        OptionError: an option does not fit the records.
    """
    how = options or AssignOptions()
    tables = [table for name, table in records.scores.items() if name != BIDS]
    papers = (paper for table in tables for paper in table.papers)
    scored = Ids(papers, (person for table in tables for person in table.reviewers), records.conflicts)
    table = _weighted(records, how, scored)
    people = named_people(records, scored)
    ids = Ids(scored.papers, [*scored.reviewers, *people], records.conflicts)
    role_demand = by_role(how.demand, REVIEWER)
    traits = reviewer_traits(ids, people, tuple(role_demand))
    roles = [people[person].role if person in people else REVIEWER for person in ids.reviewers]
    most, least = _quotas(records, how, ids, [role_name(role) or REVIEWER for role in roles])
    demand = _demands(records, ids, role_demand)
    forbidden, possible = blocked_pairs(records, ids, traits, how)
    locked, held = _locked_pairs(records, ids, traits, demand, most)
    old_pairs = (ids.pair("existing", pair, ": who declined gets the quota 0") for pair in records.existing)
    rows = dict.fromkeys(
        (paper * len(role_demand) + max(int(traits.role[person]), 0), person) for paper, person in old_pairs
    )
    existing = np.array(list(rows), dtype=np.int64).reshape(-1, 2)
    # Where nobody looked for conflicts, old pairs without a score could be some.
    unscored_stay = how.allow_unscored or records.conflicts is not None
    row, arcs, locked_score = _arcs(table, traits.role, len(role_demand), (locked, existing), unscored_stay)
    key = row // len(role_demand) * len(ids.reviewers) + arcs.reviewer
    arcs = replace(arcs, cap=_caps(records, how, ids, key))
    closed, avoided = np.isin(key, forbidden), np.isin(key, possible)
    problem = Problem(
        papers=tuple(ids.papers),
        reviewers=tuple(ids.reviewers),
        roles=tuple(role_demand),
        row_paper=np.arange(len(demand)) // len(role_demand),
        row_role=np.arange(len(demand)) % len(role_demand),
        demand=demand,
        most=most,
        least=least,
        candidates=sorted_candidates(len(demand), row[~closed], arcs.taken(~closed), how.prefer_old),
        locked=locked,
        locked_score=locked_score,
        held=held,
        forbidden=forbidden,
        avoided=sorted_candidates(len(demand), row[avoided], arcs.taken(avoided)) if avoided.any() else None,
        conflicts=records.conflicts,
        committee=traits,
        existing=existing,
        options=how,
    )
    check_locks(problem, records, ids)
    notes = [*conflict_notes(problem, records), *_notes(problem, table, people)]
    if twice := scored.twice():
        count = counted(len(twice), "person is", "people are")
        notes.append(Message(f"{count} there under several ids, and counted once: ", joined(twice, most=SHOWN)))
    return replace(problem, notes=tuple(notes))


def _weighted(records: Records, options: AssignOptions, scored: Ids) -> ScoreTable:
    """All scores and bids in one table; `scored` are those who have scores beside bids."""
    tables = dict(records.scores)
    bids = tables.pop(BIDS, None)
    if not tables:
        raise InputError("there are no scores: give lines of paper,reviewer,score")
    if unknown := [name for name in options.weights if name not in records.scores]:
        raise OptionError(f"`weights` of {unknown[0]}: there are no such scores, only {', '.join(records.scores)}")
    if bids is not None:
        for paper in bids.papers:
            scored.paper(BIDS, (paper, ""), paper)
        names = tuple(scored.reviewers)
        names_scored = tuple(names[scored.reviewer(BIDS, ("", person), person)] for person in bids.reviewers)
        tables[BIDS] = replace(bids, reviewers=names_scored)
    weights = [options.weights.get(name, 1.0) for name in tables]
    table = combine(list(tables.values()), weights, records.conflicts)
    if not (np.abs(table.score) <= LARGEST).all():  # false of NaN, too
        raise OptionError(f"scores times `weights` must be numbers of at most {LARGEST:g}")
    return table if bids is None else replace(table, words=bids.words)


def _quotas(records: Records, options: AssignOptions, ids: Ids, roles: list[str]) -> tuple[Ints, Ints]:
    """(reviewers) the most and the least that each gives: their own, else those of their role, else the options'."""

    def numbers(name: str) -> Ints:
        by_roles, usual = by_role(getattr(options, name)), by_role(getattr(_DEFAULT, name))[""]
        return np.array([by_roles.get(role, by_roles.get("", usual)) for role in roles], dtype=np.int64)

    most, least = numbers("most"), numbers("least")
    given: dict[int, int] = {}
    for person, quota in records.quotas.items():
        key = (person,)
        row = ids.reviewer("quotas", key, person)
        _check("quotas", key, quota.most, "quota")
        if quota.most >= given.setdefault(row, quota.most + 1):  # of a person with several, the smallest holds
            continue
        given[row] = quota.most
        most[row] = quota.most
        if quota.least is not None:
            _check("quotas", key, quota.least, "minimum")
            least[row] = quota.least
            if quota.least > quota.most:
                raise RecordError("quotas", key, f"the minimum {quota.least} is above the maximum {quota.most}")
        else:  # a smaller quota of one's own is meant to be below what is asked of everybody
            least[row] = min(least[row], most[row])
    if (least > most).any():
        row = int(np.flatnonzero(least > most)[0])
        raise OptionError(f"`least` {least[row]} is above `most` {most[row]}: give `least` at most as large as `most`")
    return most, least


def _demands(records: Records, ids: Ids, role_demand: Mapping[str, int]) -> Ints:
    """(rows) how many reviews each paper needs in each role: its own number, else that of `role_demand`."""
    roles = list(role_demand)
    demand = np.tile(np.array(list(role_demand.values()), dtype=np.int64), len(ids.papers))
    for key, number in records.demands.items():
        name = role_name(key[1]) or roles[0]
        row = ids.paper("demands", key, key[0])
        if name not in role_demand:
            raise RecordError("demands", key, f"role '{name}' has no demand: give one for all papers, too")
        _check("demands", key, number, "demand")
        demand[row * len(roles) + roles.index(name)] = number
    return demand


def _locked_pairs(records: Records, ids: Ids, people: ReviewerTraits, demand: Ints, most: Ints) -> tuple[Ints, int]:
    """(locks, 2) row and reviewer, a pair that is locked under several ids once; how many only stay from before."""
    rows, load, pool = demand.copy(), most.copy(), len(demand) // max(len(ids.papers), 1)
    locked: dict[tuple[int, int], bool] = {}
    for position, pair in enumerate(records.locked, records.held - len(records.locked)):
        paper, reviewer = ids.pair("locked", pair)
        if people.role[reviewer] < 0:
            raise RecordError("locked", pair, Message(PersonId(pair[1]), " is locked, but their role has no demand"))
        row = paper * pool + int(people.role[reviewer])
        if (row, reviewer) in locked:
            continue
        rows[row] -= 1
        load[reviewer] -= 1
        if rows[row] < 0:
            why = Message(PaperId(pair[0]), f" has more locks than its demand of {demand[row]}")
            raise RecordError("locked", pair, why)
        if load[reviewer] < 0:
            why = Message(PersonId(pair[1]), f" has more locks than their quota of {most[reviewer]}")
            raise RecordError("locked", pair, why)
        locked[row, reviewer] = position >= 0
    return np.array([*locked], dtype=np.int64).reshape(-1, 2), sum(locked.values())


def _check(name: str, key: tuple[str, ...], number: int, noun: str) -> None:
    if not 0 <= number <= MOST:
        raise RecordError(name, key, f"{noun} {number} is {'negative' if number < 0 else f'more than {MOST:,}'}")


def _arcs(
    table: ScoreTable,  # all scores
    role: Ints,  # (reviewers) ordinal, -1 where there is no demand
    pool: int,  # how many roles there are
    pairs: tuple[Ints, Ints],  # row and reviewer of locked pairs, and of what was assigned before
    unscored_stay: bool,  # whether pairs that were assigned before are among them, although they have no score
) -> tuple[Ints, Arcs, Floats]:
    """The rows and the pairs that could be chosen beside the locked ones, and the scores of those."""
    m = len(role)
    locked, old = (rows[:, 0] * m + rows[:, 1] for rows in pairs)
    key = (table.paper * pool + np.maximum(role, 0)[table.reviewer]) * m + table.reviewer
    locked_score = _lookup(key, table.score, locked)
    opened = (role[table.reviewer] >= 0) & ~np.isin(key, locked)
    key, score = key[opened], table.score[opened]
    old = np.setdiff1d(old[role[old % m] >= 0], locked)
    unscored = np.setdiff1d(old, key) if unscored_stay else old[:0]
    absent = np.concatenate([np.zeros(len(key), dtype=np.bool_), np.ones(len(unscored), dtype=np.bool_)])
    key, score = np.concatenate([key, unscored]), np.concatenate([score, np.zeros(len(unscored))])
    plain = Arcs.plain((key % m).astype(np.int32), score)
    return key // m, replace(plain, absent=absent, old=np.isin(key, old)), locked_score


def _lookup(keys: Ints, values: Floats, sought: Ints) -> Floats:
    """The values of some keys, 0 where there are none."""
    order = np.argsort(keys)
    positions = np.minimum(np.searchsorted(keys, sought, sorter=order), len(keys) - 1)
    return np.where(keys[order[positions]] == sought, values[order[positions]], 0.0)


def _caps(records: Records, options: AssignOptions, ids: Ids, key: Ints) -> Floats:
    """(pairs) the greatest probability of each pair."""
    cap = np.full(len(key), 1.0 if options.cap is None else options.cap)
    if not records.caps:
        return cap
    caps: dict[int, float] = {}
    for pair, value in records.caps.items():
        if not 0 <= value <= 1:
            raise RecordError("caps", pair, f"cap {value:g} is not a probability")
        number = ids.key("caps", pair)
        caps[number] = min(value, caps.get(number, value))
    return np.array([caps.get(int(pair), usual) for pair, usual in zip(key, cap, strict=True)])


def _notes(problem: Problem, table: ScoreTable, people: Mapping[str, Reviewer]) -> Iterator[str]:
    """What the chair should know about the input."""
    if table.words:
        yield "bids count " + ", ".join(f"'{word}' {value:+g}" for word, value in table.words.items())
    scored, all_pairs = len(table.score), len(problem.papers) * len(problem.reviewers)
    counts = np.bincount(table.paper, minlength=len(problem.papers))
    if scored + len(problem.forbidden) < all_pairs:
        yield (
            f"scores are cut: {counts.min():,} to {counts.max():,} of {len(problem.reviewers):,} reviewers per paper "
            f"have a score; a pair without one counts 0 and is "
            + ("taken only as a last resort" if problem.options.allow_unscored else "never taken")
        )
    idle = sorted({role_name(person.role) for person in people.values()} - set(problem.roles))
    if idle:
        yield f"nobody is taken of the roles without a demand: {', '.join(idle)}"
