"""What is to be assigned: candidates for every paper, demands, quotas, conflicts, locks, and who the reviewers are.

A *row* is a paper in a role: a paper that wants three reviewers and one area chair has two rows. A *candidate* is a
pair that may be chosen; candidates are kept by row, best first. Nobody is a candidate of a paper with a conflict.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from panelist.words import Message, PersonId
from retriever.assignment.options import AssignOptions
from retriever.conference.conflicts.table import ConflictPair, ConflictTable

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

EXCLUDED = "must not review it: a constraint, a bid or a change by hand says so"


def add_up(values: Floats, groups: Ints | NDArray[np.int32], count: int) -> Floats:
    """(count) the sum of the values of each group."""
    sums: Floats = np.bincount(groups, weights=values, minlength=count).astype(np.float64)
    return sums


def positions_within(counts: Ints) -> Ints:
    """0, 1, 2, … for the members of each group, groups of these sizes one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass(frozen=True, eq=False, kw_only=True)
class Arcs:
    """Pairs in any order."""

    reviewer: NDArray[np.int32]  # (pairs) ordinal of the reviewer
    score: Floats  # (pairs); 0 where there is none
    absent: Flags  # (pairs) whether there is no score: taken as a last resort
    old: Flags  # (pairs) whether the pair was assigned before
    cap: Floats  # (pairs) the greatest probability of the pair

    @classmethod
    def plain(cls, reviewer: NDArray[np.int32], score: Floats, cap: float = 1.0) -> Arcs:
        """Pairs that have a score and were not assigned before."""
        flags = np.zeros(len(score), dtype=np.bool_)
        return Arcs(reviewer=reviewer, score=score, absent=flags, old=flags, cap=np.full(len(score), cap))

    def taken(self, selection: Flags | Ints) -> Arcs:
        """Select some pairs, by flags or positions."""
        return Arcs(**{name: values[selection] for name, values in self._fields().items()})

    def joined(self, other: Arcs) -> Arcs:
        """These, then the others."""
        more = other._fields()
        return Arcs(**{name: np.concatenate([values, more[name]]) for name, values in self._fields().items()})

    def _fields(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ("reviewer", "score", "absent", "old", "cap")}

    def __len__(self) -> int:
        return len(self.reviewer)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairCandidates(Arcs):
    """Pairs that may be chosen, by row, the best first; `starts` (rows + 1) is where those of each row begin."""

    starts: Ints

    @cached_property
    def row(self) -> Ints:
        """The row of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def sorted_candidates(rows: int, row: Ints, arcs: Arcs, prefer_old: float = 0.0) -> PairCandidates:
    """Pairs of these rows, sorted by row, worth (the score and what is added to old pairs) and reviewer."""
    order = np.lexsort((arcs.reviewer, -(arcs.score + prefer_old * arcs.old), row))
    return _grouped(rows, row, arcs.taken(order))


def _grouped(rows: int, row: Ints, arcs: Arcs) -> PairCandidates:
    """Make candidates of pairs that are sorted already."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    return PairCandidates(starts=starts, **arcs._fields())


@dataclass(frozen=True, eq=False)
class ReviewerTraits:
    """What is known of the reviewers beside their scores; codes are -1 where nothing is known."""

    role: Ints  # (reviewers) ordinal into the problem's roles
    senior: Flags  # (reviewers)
    institution: Ints  # (reviewers) a code for each institution
    region: Ints  # (reviewers) a code for each region of the world
    authored: Ints  # pairs (paper, reviewer) of submissions and their authors on the committee

    @cached_property
    def coauthors(self) -> dict[int, set[int]]:
        """Reviewer -> those with whom they wrote a submission."""
        teams, partners = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for paper, author in self.authored.tolist():
            teams[paper].add(author)
        for team in teams.values():
            for author in team:
                partners[author] |= team - {author}
        return partners


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """What is to be assigned: rows, reviewers, candidates, bounds, and what is decided beforehand."""

    papers: tuple[str, ...]  # ids
    reviewers: tuple[str, ...]  # ids
    roles: tuple[str, ...]  # their names
    row_paper: Ints  # (rows) the paper of each row
    row_role: Ints  # (rows) the role of each row
    demand: Ints  # (rows) how many reviews each needs
    most: Ints  # (reviewers) how many each gives at most
    least: Ints  # (reviewers) how many each gives at least
    candidates: PairCandidates  # the pairs that may be chosen
    # (locks, 2) row and reviewer of pairs that are chosen beforehand; they are no candidates
    locked: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    locked_score: Floats = field(default_factory=lambda: np.zeros(0))  # (locks)
    # sorted `paper * reviewers + reviewer` of pairs that must not be
    forbidden: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    avoided: PairCandidates | None = None  # those of them that have a score, and are only a possible conflict
    conflicts: ConflictTable | None = None  # the reasons; None where nobody looked for conflicts
    committee: ReviewerTraits  # who the reviewers are
    # (pairs, 2) row and reviewer of what was assigned before
    existing: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    # what the problem was made with, and how it is solved where nothing else is said
    options: AssignOptions = field(default_factory=AssignOptions)
    notes: tuple[str, ...] = ()  # what the chair should know about the input
    held: int = 0  # how many of the locked pairs, the last ones, only stay from before; the chair did not lock them

    def __post_init__(self) -> None:
        """Refuse more locked pairs of somebody than they give reviews: a flow through less than no room has no end."""
        if (self.room < 0).any():
            reviewer = int(self.room.argmin())
            most = f" are locked than their `most`, {self.most[reviewer]}: raise it, or release some"
            raise InputError(Message("more pairs of ", PersonId(self.reviewers[reviewer]), most))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.row_paper)

    @cached_property
    def needed(self) -> Ints:
        """(papers) how many reviews each needs, in all roles."""
        return np.bincount(self.row_paper, weights=self.demand, minlength=len(self.papers)).astype(np.int64)

    @cached_property
    def pair_keys(self) -> Ints:
        """(candidates) `row * reviewers + reviewer`."""
        return self.candidates.row * len(self.reviewers) + self.candidates.reviewer

    @cached_property
    def open_demand(self) -> Ints:
        """(rows) what is left to choose beside the locked pairs."""
        return self.demand - np.bincount(self.locked[:, 0], minlength=self.rows)

    @cached_property
    def room(self) -> Ints:
        """(reviewers) how many more each can take beside the locked pairs."""
        return self.most - np.bincount(self.locked[:, 1], minlength=len(self.reviewers))

    @cached_property
    def open_least(self) -> Ints:
        """(reviewers) how many more each must get beside the locked pairs."""
        least: Ints = np.maximum(self.least - self.most + self.room, 0)
        return least

    @cached_property
    def locked_sums(self) -> Floats:
        """(rows) the sum of the scores of locked pairs."""
        return add_up(self.locked_score, self.locked[:, 0], self.rows)

    @cached_property
    def worth(self) -> Floats:
        """(candidates) the score, and what is added to old pairs: what is maximised."""
        return self.candidates.score + self.options.prefer_old * self.candidates.old

    def total(self, chosen: Flags) -> float:
        """The sum of the scores of chosen candidates and locked pairs."""
        return float(self.candidates.score[chosen].sum() + self.locked_score.sum())

    def expected_total(self, probability: Floats | Ints) -> float:
        """The same where each candidate has a probability; locked pairs are certain."""
        return float((self.candidates.score * probability).sum() + self.locked_score.sum())

    def paper_of(self, row: SupportsIndex) -> str:
        """The id of the paper of a row."""
        return self.papers[int(self.row_paper[row])]

    def role_of(self, row: SupportsIndex) -> str:
        """The name of the role of a row."""
        return self.roles[int(self.row_role[row])]

    def row_name(self, row: SupportsIndex) -> str:
        """The paper, and the role where there are several."""
        return self.paper_of(row) if len(self.roles) == 1 else f"{self.paper_of(row)} ({self.role_of(row)})"

    def is_conflict(self, paper: int, reviewer: int) -> bool:
        """Whether this reviewer must not review this paper."""
        low, high = np.searchsorted(self.forbidden, paper * len(self.reviewers) + reviewer + np.arange(2))
        return bool(high > low)

    def why_not(self, paper: int, reviewer: int) -> str | None:
        """Why this reviewer must not review this paper, as words after the name; None where nothing is in the way."""
        if not self.is_conflict(paper, reviewer):
            return None
        if (self.committee.authored == (paper, reviewer)).all(axis=1).any():
            return "is an author of the paper"
        pair = self.conflict(self.papers[paper], self.reviewers[reviewer])
        if pair is None or not pair.blocked(self.options.possible):
            return EXCLUDED
        if pair.certain:
            return f"has a conflict of interest: {pair.evidence}"
        return f"has a possible conflict of interest: {pair.evidence}; it is avoided until somebody dismisses it"

    def conflict(self, paper: str, reviewer: str) -> ConflictPair | None:
        """What is known of a conflict of this pair."""
        return None if self.conflicts is None else self.conflicts.of(paper, reviewer)

    def possible_conflict(self, paper: str, reviewer: str) -> str:
        """The evidence of a possible conflict of this pair; empty where there is none."""
        pair = self.conflict(paper, reviewer)
        return pair.evidence if pair is not None and pair.possible else ""

    def with_options(self, **changed: Any) -> Problem:
        """The same problem with other options, as far as they do not shape it."""
        return replace(self, options=replace(self.options, **changed))

    def locking(self, row: Ints, reviewer: Ints | NDArray[np.int32], score: Floats) -> Problem:
        """The same problem with further locked pairs."""
        pairs = np.stack([row, reviewer], axis=1).astype(np.int64)
        scores = np.concatenate([self.locked_score, score])
        return replace(self, locked=np.concatenate([self.locked, pairs]), locked_score=scores)

    def with_cap(self, cap: float) -> Problem:
        """The same problem with this cap on every pair."""
        return replace(self, candidates=replace(self.candidates, cap=np.full(len(self.candidates), cap)))

    def with_candidates(self, chosen: Flags) -> Problem:
        """The same problem with fewer candidates."""
        pairs = self.candidates
        return replace(self, candidates=_grouped(self.rows, pairs.row[chosen], pairs.taken(chosen)))

    def allowing(self) -> Problem:
        """The same problem in which pairs with a possible conflict may be chosen."""
        avoided = self.avoided
        if avoided is None:
            return self
        keys = self.row_paper[avoided.row] * len(self.reviewers) + avoided.reviewer
        return replace(
            self._joined(avoided.row, avoided),
            forbidden=np.setdiff1d(self.forbidden, keys),
            avoided=None,
            options=replace(self.options, possible="allow"),
        )

    def _joined(self, row: Ints, arcs: Arcs) -> Problem:
        """The same problem with more candidates."""
        pairs = self.candidates
        rows, joined = np.concatenate([pairs.row, row]), pairs.joined(arcs)
        return replace(self, candidates=sorted_candidates(self.rows, rows, joined, self.options.prefer_old))

    def dropping(self, dropped: Flags) -> Problem:
        """The same problem without some candidates, for good: they do not come back as pairs without a score."""
        pairs = self.candidates
        keys = self.row_paper[pairs.row[dropped]] * len(self.reviewers) + pairs.reviewer[dropped]
        return replace(self.with_candidates(~dropped), forbidden=np.union1d(self.forbidden, keys))

    def widened(self, rows: Flags | None = None, reviewers: Flags | None = None) -> Problem:
        """The same problem with the pairs without a score of these rows and reviewers, or of all, as candidates too."""
        old, m = self.candidates, len(self.reviewers)
        locked_keys = self.locked[:, 0] * m + self.locked[:, 1]
        parts = []
        for row in np.arange(self.rows) if rows is None else np.flatnonzero(rows):
            eligible = self.committee.role == self.row_role[row]
            if reviewers is not None:
                eligible &= reviewers
            eligible[old.reviewer[old.starts[row] : old.starts[row + 1]]] = False
            paper = self.row_paper[row]
            low, high = np.searchsorted(self.forbidden, (paper * m, (paper + 1) * m))
            eligible[self.forbidden[low:high] - paper * m] = False
            eligible[locked_keys[locked_keys // m == row] % m] = False
            new = np.flatnonzero(eligible)
            parts.append(np.stack([np.full(len(new), row), new]))
        added, people = np.concatenate(parts, axis=1)
        unscored = Arcs.plain(people.astype(np.int32), np.zeros(len(added)), self.options.cap or 1.0)
        return self._joined(added, replace(unscored, absent=~unscored.absent))
