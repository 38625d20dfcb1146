"""From files (or computed scores) to a problem. Nothing is repaired in silence: what does not fit is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from panelist.errors import InputError
from panelist.records import Conflict
from panelist.words import counted
from retriever.affinity.sparse import SparseScores
from retriever.assignment.problem import REVIEWER, Floats, Ints, Problem, sorted_candidates
from retriever.assignment.reading.lines import check_pair, read_fields
from retriever.assignment.reading.numbers import Numbers, by_role, read_demands, read_quotas
from retriever.assignment.reading.pairs import locked_pairs, read_caps, read_constraints, read_existing
from retriever.assignment.reading.people import Person, committee, read_people
from retriever.assignment.reading.scores import BIDS, ScoreTable, combine, from_affinity, read_scores

_LARGEST = 1e100  # of a score: sums of more would overflow


@dataclass(frozen=True, slots=True)
class Sources:
    """The files and numbers that a problem is made of; see `read_problem`."""

    constraints: Path | None = None
    quotas: Path | None = None
    demands: Path | None = None
    reviewers: Path | None = None
    bids: Path | None = None
    weights: Mapping[str, float] = field(default_factory=dict)
    existing: Path | None = None
    keep: bool = False
    prefer_old: float = 0.0
    demand: Numbers = 3
    least: Numbers = 0
    most: Numbers = 6
    cap: float | Path | None = None
    only_scored: bool = False
    conflicts: Sequence[Conflict] = ()


def read_problem(scores: Sequence[Path] | SparseScores, sources: Sources | None = None) -> Problem:
    """Read an assignment problem.

    Args:
        scores: OpenReview's files `paper,reviewer,score` without header, or what `score_conference` computed.
        sources: everything else. `constraints` (`paper,reviewer,-1|0|1`), `quotas` (`reviewer,max[,min]`), `demands`
            (`paper,demand[,role]`), `bids` and `existing` (`paper,reviewer[,score]`) have no header either;
            `reviewers` has one. `weights` are by file name without ending (a single file is `affinity`, bids are
            `bids`). `demand` is for each paper, `most` and `least` for each reviewer of whom `quotas` says nothing;
            `demand` by role makes pools with demands of their own. `cap` is one probability or a file
            `paper,reviewer,cap`. Certain `conflicts` are added to those of `constraints`.

    Raises:
        InputError: something is unknown, twice, out of range or contradictory; with file and line.
    """
    given = sources or Sources()
    table = _weighted(scores, given)
    papers = {name: at for at, name in enumerate(table.papers)}
    people = {} if given.reviewers is None else read_people(given.reviewers, papers)
    reviewers = {name: at for at, name in enumerate(dict.fromkeys([*table.reviewers, *people]))}
    if given.reviewers is not None:
        for who in table.reviewers:
            if who not in people:
                raise InputError(f"reviewer '{who}' has scores but is not in '{given.reviewers}': add a line")
    wanted = by_role("--demand", given.demand, REVIEWER)
    roles = tuple(wanted)
    known = committee(tuple(reviewers), people, roles, papers)
    _check_roles(roles, people, given.reviewers)
    most, least = read_quotas(given.quotas, (given.most, given.least), reviewers, people)
    demand = read_demands(given.demands, papers, wanted)
    pool = len(roles)
    forbidden, locks = read_constraints(given.constraints, given.conflicts, papers, reviewers, people)
    path = given.constraints or Path()
    locked = locked_pairs(path, locks, known.role, pool, demand, most, tuple(papers), tuple(reviewers))
    row = table.paper * pool + np.maximum(known.role, 0)[table.reviewer]
    key = row * len(reviewers) + table.reviewer
    free = known.role[table.reviewer] >= 0
    free &= ~np.isin(table.paper * len(reviewers) + table.reviewer, forbidden)
    lock_keys = locked[:, 0] * len(reviewers) + locked[:, 1]
    locked_score = _lookup(key, table.score, lock_keys)
    free &= ~np.isin(key, lock_keys)
    key, score = key[free], table.score[free]
    existing = read_existing(given.existing, papers, reviewers, known.role, pool)
    may = known.role[existing[:, 1]] >= 0
    old = existing[may & ~np.isin(existing[:, 0] // pool * len(reviewers) + existing[:, 1], forbidden)]
    old_keys = np.setdiff1d(old[:, 0] * len(reviewers) + old[:, 1], lock_keys)
    unscored = np.zeros(0, dtype=np.int64) if given.only_scored else np.setdiff1d(old_keys, key)
    absent = np.concatenate([np.zeros(len(key), dtype=np.bool_), np.ones(len(unscored), dtype=np.bool_)])
    key, score = np.concatenate([key, unscored]), np.concatenate([score, np.zeros(len(unscored))])
    problem = Problem(
        tuple(papers),
        tuple(reviewers),
        roles,
        np.arange(len(papers) * pool) // pool,
        np.arange(len(papers) * pool) % pool,
        demand,
        most,
        least,
        sorted_candidates(
            len(demand),
            key // len(reviewers),
            (key % len(reviewers)).astype(np.int32),
            score,
            absent,
            np.isin(key, old_keys),
            read_caps(given.cap, key, papers, reviewers, known.role, pool),
            given.prefer_old,
        ),
        locked,
        locked_score,
        forbidden,
        known,
        existing,
        given.keep,
        given.prefer_old,
        given.cap if isinstance(given.cap, float) else 1.0,
        given.only_scored,
    )
    return replace(problem, notes=tuple(_notes(problem, table, given, people)))


def _weighted(scores: Sequence[Path] | SparseScores, given: Sources) -> ScoreTable:
    """All scores and bids in one table."""
    if isinstance(scores, SparseScores):
        tables, names = [from_affinity(scores)], ["affinity"]
    else:
        if not scores:
            raise InputError("there are no scores: give a file of paper,reviewer,score")
        tables = [read_scores(path) for path in scores]
        names = ["affinity" if len(scores) == 1 else path.name.split(".")[0] for path in scores]
    if given.bids is not None:
        tables.append(read_scores(given.bids, BIDS))
        names.append("bids")
    unknown = [name for name in given.weights if name not in names]
    if unknown:
        raise InputError(f"--weight {unknown[0]}: there are no such scores, only {', '.join(names)}")
    weights = [given.weights.get(name, 1.0) for name in names]
    table = combine(tables, weights)
    if not (np.abs(np.append(table.score, given.prefer_old)) <= _LARGEST).all():  # false of NaN, too
        raise InputError(f"scores times --weight, and --prefer-old, must be numbers of at most {_LARGEST:g}")
    if given.bids is not None:
        known = set(tables[0].papers).union(*(one.papers for one in tables[:-1]))
        people = set(tables[0].reviewers).union(*(one.reviewers for one in tables[:-1]))
        for line, (paper, who, _) in read_fields(given.bids, ("paper", "reviewer", "bid")):
            check_pair(given.bids, line, (paper, who), known, people)
    return replace(table, words=tables[-1].words)


def _check_roles(roles: Sequence[str], people: Mapping[str, Person], path: Path | None) -> None:
    there = {person.role for person in people.values()} if people else {REVIEWER}
    for role in roles:
        if role not in there:
            source = "without --reviewers everybody is a reviewer" if path is None else f"'{path}' has no such role"
            raise InputError(f"reviews by role '{role}' are asked for, but nobody has that role: {source}")


def _lookup(keys: Ints, values: Floats, wanted: Ints) -> Floats:
    """The values of some keys, 0 where there are none."""
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    return np.where(keys[order[at]] == wanted, values[order[at]], 0.0)


def _notes(problem: Problem, table: ScoreTable, given: Sources, people: Mapping[str, Person]) -> Iterable[str]:
    """What the chair should know about the input."""
    possible = sum(not conflict.certain for conflict in given.conflicts)
    if possible:
        pairs = counted(possible, "pair")
        yield f"{pairs} with a possible conflict of interest can be chosen: see panelist affinity --possible"
    if table.words:
        yield "bids count " + ", ".join(f"'{word}' {value:+g}" for word, value in table.words.items())
    elif given.bids is not None:
        yield "bids are numbers and count as they are"
    scored, all_pairs = len(table.score), len(problem.papers) * len(problem.reviewers)
    known = np.bincount(table.paper, minlength=len(problem.papers))
    if scored + len(problem.forbidden) < all_pairs:
        yield (
            f"scores are cut: {known.min():,} to {known.max():,} of {len(problem.reviewers):,} reviewers per paper "
            f"have a score; a pair without one counts 0 and is "
            + ("never taken" if problem.only_scored else "taken only as a last resort")
        )
    idle = sorted({person.role for person in people.values()} - set(problem.roles))
    if idle:
        yield f"nobody is taken of the roles without a demand: {', '.join(idle)}"
