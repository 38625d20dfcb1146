"""From records to a problem. Nothing is repaired in silence: what does not fit is refused, what is left out is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from panelist.errors import InputError
from panelist.words import counted, first_of
from retriever.assignment.building.conflicts import blocked_pairs, check_locks, conflict_notes
from retriever.assignment.building.ids import Ids
from retriever.assignment.building.numbers import demands, locked_pairs, quotas
from retriever.assignment.building.people import committee, named_people
from retriever.assignment.building.records import BIDS, RecordError, Records, Reviewer, ScoreTable, combine
from retriever.assignment.options import LARGEST, REVIEWER, AssignOptions, OptionError, by_role, role_name
from retriever.assignment.problem import Arcs, Committee, Floats, Ints, Problem, sorted_candidates


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
    table = _weighted(records, how)
    people = named_people(records, Ids(table.papers, table.reviewers, records.conflicts))
    ids = Ids(table.papers, [*table.reviewers, *people], records.conflicts)
    wanted = by_role(how.demand, REVIEWER)
    known = committee(ids, people, tuple(wanted))
    roles = [people[who].role if who in people else REVIEWER for who in ids.reviewers]
    most, least = quotas(records, how, ids, [role_name(role) or REVIEWER for role in roles])
    demand = demands(records, ids, wanted)
    blocked = blocked_pairs(records, ids, known, how)
    locked = locked_pairs(records, ids, known, demand, most)
    existing = _existing(records, ids, known, len(wanted))
    row, arcs, locked_score = _arcs(table, known.role, len(wanted), (locked, existing), _unscored_stay(records, how))
    key = row // len(wanted) * len(ids.reviewers) + arcs.reviewer
    arcs = replace(arcs, cap=_caps(records, how, ids, key))
    closed, avoided = np.isin(key, blocked.forbidden), np.isin(key, blocked.avoided)
    problem = Problem(
        papers=tuple(ids.papers),
        reviewers=tuple(ids.reviewers),
        roles=tuple(wanted),
        row_paper=np.arange(len(demand)) // len(wanted),
        row_role=np.arange(len(demand)) % len(wanted),
        demand=demand,
        most=most,
        least=least,
        candidates=sorted_candidates(len(demand), row[~closed], arcs.taken(~closed), how.prefer_old),
        locked=locked,
        locked_score=locked_score,
        forbidden=blocked.forbidden,
        avoided=sorted_candidates(len(demand), row[avoided], arcs.taken(avoided)) if avoided.any() else None,
        conflicts=records.conflicts,
        committee=known,
        existing=existing,
        options=how,
    )
    check_locks(problem, records, ids)
    notes = [*conflict_notes(problem, records), *_notes(problem, table, people)]
    if twice := ids.twice():
        some = counted(len(twice), "person is", "people are")
        notes.append(f"{some} there under several ids, as several reviewers: {first_of(twice)}")
    return replace(problem, notes=tuple(notes))


def _unscored_stay(records: Records, options: AssignOptions) -> bool:
    """Whether old pairs without a score may stay: where nobody looked for conflicts, they could be some."""
    return options.allow_unscored or records.conflicts is not None


def _weighted(records: Records, options: AssignOptions) -> ScoreTable:
    """All scores and bids in one table."""
    tables = dict(records.scores)
    bids = tables.pop(BIDS, None)
    if not tables:
        raise InputError("there are no scores: give lines of paper,reviewer,score")
    if unknown := [name for name in options.weights if name not in records.scores]:
        raise OptionError(f"`weights` of {unknown[0]}: there are no such scores, only {', '.join(records.scores)}")
    if bids is not None:
        papers = dict.fromkeys(paper for table in tables.values() for paper in table.papers)
        scored = Ids(papers, (who for table in tables.values() for who in table.reviewers), records.conflicts)
        for paper in bids.papers:
            scored.paper(BIDS, (paper, ""), paper)
        names = tuple(scored.reviewers)
        known = tuple(names[scored.reviewer(BIDS, ("", who), who)] for who in bids.reviewers)
        tables[BIDS] = replace(bids, reviewers=known)
    table = combine(list(tables.values()), [options.weights.get(name, 1.0) for name in tables])
    if not (np.abs(table.score) <= LARGEST).all():  # false of NaN, too
        raise OptionError(f"scores times `weights` must be numbers of at most {LARGEST:g}")
    return table if bids is None else replace(table, words=bids.words)


def _existing(records: Records, ids: Ids, people: Committee, pool: int) -> Ints:
    """(pairs, 2) row and reviewer of what was assigned before."""
    pairs = [ids.pair("existing", pair, ": who declined gets the quota 0") for pair in records.existing]
    rows = dict.fromkeys((paper * pool + max(int(people.role[who]), 0), who) for paper, who in pairs)
    return np.array(list(rows), dtype=np.int64).reshape(-1, 2)


def _arcs(
    table: ScoreTable, role: Ints, pool: int, pairs: tuple[Ints, Ints], unscored_stay: bool
) -> tuple[Ints, Arcs, Floats]:
    """The rows and the pairs that could be chosen beside the locked ones, and the scores of those.

    Args:
        table: all scores.
        role: (reviewers) ordinal, -1 where there is no demand.
        pool: how many roles there are.
        pairs: row and reviewer of locked pairs, and of what was assigned before.
        unscored_stay: whether pairs that were assigned before are among them, although they have no score.
    """
    m = len(role)
    locked, old = (rows[:, 0] * m + rows[:, 1] for rows in pairs)
    key = (table.paper * pool + np.maximum(role, 0)[table.reviewer]) * m + table.reviewer
    locked_score = _lookup(key, table.score, locked)
    free = (role[table.reviewer] >= 0) & ~np.isin(key, locked)
    key, score = key[free], table.score[free]
    old = np.setdiff1d(old[role[old % m] >= 0], locked)
    more = np.setdiff1d(old, key) if unscored_stay else old[:0]
    absent = np.concatenate([np.zeros(len(key), dtype=np.bool_), np.ones(len(more), dtype=np.bool_)])
    key, score = np.concatenate([key, more]), np.concatenate([score, np.zeros(len(more))])
    plain = Arcs.plain((key % m).astype(np.int32), score)
    return key // m, replace(plain, absent=absent, old=np.isin(key, old)), locked_score


def _lookup(keys: Ints, values: Floats, wanted: Ints) -> Floats:
    """The values of some keys, 0 where there are none."""
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return np.where(keys[order[at]] == wanted, values[order[at]], 0.0)


def _caps(records: Records, options: AssignOptions, ids: Ids, key: Ints) -> Floats:
    """(pairs) the greatest probability of each pair."""
    cap = np.full(len(key), 1.0 if options.cap is None else options.cap)
    if not records.caps:
        return cap
    caps: dict[int, float] = {}
    for pair, value in records.caps.items():
        if not 0 <= value <= 1:
            raise RecordError("caps", pair, f"cap {value:g} is not a probability")
        caps.update(dict.fromkeys(ids.keys("caps", pair), value))
    return np.array([caps.get(int(one), same) for one, same in zip(key, cap, strict=True)])


def _notes(problem: Problem, table: ScoreTable, people: Mapping[str, Reviewer]) -> Iterator[str]:
    """What the chair should know about the input."""
    if table.words:
        yield "bids count " + ", ".join(f"'{word}' {value:+g}" for word, value in table.words.items())
    scored, all_pairs = len(table.score), len(problem.papers) * len(problem.reviewers)
    known = np.bincount(table.paper, minlength=len(problem.papers))
    if scored + len(problem.forbidden) < all_pairs:
        yield (
            f"scores are cut: {known.min():,} to {known.max():,} of {len(problem.reviewers):,} reviewers per paper "
            f"have a score; a pair without one counts 0 and is "
            + ("taken only as a last resort" if problem.options.allow_unscored else "never taken")
        )
    idle = sorted({role_name(person.role) for person in people.values()} - set(problem.roles))
    if idle:
        yield f"nobody is taken of the roles without a demand: {', '.join(idle)}"
