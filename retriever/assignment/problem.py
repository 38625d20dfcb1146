"""What is to be assigned: candidates for every paper, demands, quotas, conflicts, locks, and who the reviewers are.

A *row* is a paper in a role: a paper that wants three reviewers and one area chair has two rows. A *candidate* is a
pair that may be chosen; candidates are kept by row, best first. Nobody is a candidate of a paper with a conflict.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

REVIEWER = "reviewer"
"""The role of everybody of whom nothing else is said."""


def add_up(values: Floats, groups: Ints | NDArray[np.int32], count: int) -> Floats:
    """(count) the sum of the values of each group."""
    sums: Floats = np.bincount(groups, weights=values, minlength=count).astype(np.float64)
    return sums


def positions_within(counts: Ints) -> Ints:
    """0, 1, 2, … for the members of each group, groups of these sizes one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs that may be chosen, by row, the best first.

    Attributes:
        starts: (rows + 1) where the candidates of each row begin.
        reviewer: (pairs) ordinal of the reviewer.
        score: (pairs); 0 where there is none.
        absent: (pairs) whether there is no score: taken as a last resort.
        old: (pairs) whether the pair was assigned before.
        cap: (pairs) the greatest probability of the pair.
    """

    starts: Ints
    reviewer: NDArray[np.int32]
    score: Floats
    absent: Flags
    old: Flags
    cap: Floats

    @cached_property
    def row(self) -> Ints:
        """The row of each pair."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def __len__(self) -> int:
        return len(self.reviewer)


@dataclass(frozen=True, eq=False)
class Committee:
    """What is known of the reviewers beside their scores; codes are -1 where nothing is known.

    Attributes:
        role: (reviewers) ordinal into the problem's roles.
        senior: (reviewers).
        institution: (reviewers) a code for each institution.
        region: (reviewers) a code for each region of the world.
        authored: pairs (paper, reviewer) of submissions and their authors on the committee.
    """

    role: Ints
    senior: Flags
    institution: Ints
    region: Ints
    authored: Ints

    @cached_property
    def coauthors(self) -> Ints:
        """Pairs of reviewers, the smaller ordinal first, who wrote a submission together."""
        pairs = set()
        order = self.authored[np.argsort(self.authored[:, 0], kind="stable")]
        for paper in np.unique(order[:, 0]):
            writers = np.unique(order[order[:, 0] == paper, 1])
            pairs |= {(int(a), int(b)) for i, a in enumerate(writers) for b in writers[i + 1 :]}
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Problem:
    """An assignment problem.

    Attributes:
        papers: ids.
        reviewers: ids.
        roles: their names.
        row_paper: (rows) the paper of each row.
        row_role: (rows) the role of each row.
        demand: (rows) how many reviews each needs.
        most: (reviewers) how many each gives at most.
        least: (reviewers) how many each gives at least.
        candidates: the pairs that may be chosen.
        locked: (locks, 2) row and reviewer of pairs that are chosen beforehand; they are no candidates.
        locked_score: (locks).
        forbidden: sorted `paper * reviewers + reviewer` of conflicts.
        committee: who the reviewers are.
        existing: (pairs, 2) row and reviewer of what was assigned before.
        keep: whether as many of those as possible stay, whatever that costs.
        prefer_old: what is added to the score of each of those.
        cap: the greatest probability of pairs of which nothing else is said.
        only_scored: whether pairs without a score are never taken.
        notes: what the chair should know about the input.
        held: how many of the locked pairs, the last ones, only stay from before; the chair did not lock them.
    """

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    roles: tuple[str, ...]
    row_paper: Ints
    row_role: Ints
    demand: Ints
    most: Ints
    least: Ints
    candidates: Candidates
    locked: Ints
    locked_score: Floats
    forbidden: Ints
    committee: Committee
    existing: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    keep: bool = False
    prefer_old: float = 0.0
    cap: float = 1.0
    only_scored: bool = False
    notes: tuple[str, ...] = field(default=())
    held: int = 0

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.row_paper)

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
        least: Ints = np.maximum(self.least - np.bincount(self.locked[:, 1], minlength=len(self.reviewers)), 0)
        return least

    @cached_property
    def locked_sums(self) -> Floats:
        """(rows) the sum of the scores of locked pairs."""
        return add_up(self.locked_score, self.locked[:, 0], self.rows)

    @cached_property
    def worth(self) -> Floats:
        """(candidates) the score, and what is added to old pairs: what is maximised."""
        return self.candidates.score + self.prefer_old * self.candidates.old

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

    def row_name(self, row: int) -> str:
        """The paper, and the role where there are several."""
        return self.paper_of(row) if len(self.roles) == 1 else f"{self.paper_of(row)} ({self.role_of(row)})"

    def is_conflict(self, paper: int, reviewer: int) -> bool:
        """Whether this reviewer must not review this paper."""
        key = paper * len(self.reviewers) + reviewer
        at = int(np.searchsorted(self.forbidden, key))
        return at < len(self.forbidden) and int(self.forbidden[at]) == key

    def with_candidates(self, chosen: Flags) -> Problem:
        """The same problem with fewer candidates."""
        kept = self.candidates
        counts = np.bincount(kept.row[chosen], minlength=self.rows)
        starts = np.concatenate([[0], np.cumsum(counts)])
        fields = (kept.reviewer, kept.score, kept.absent, kept.old, kept.cap)
        return replace(self, candidates=Candidates(starts, *(field[chosen] for field in fields)))  # type: ignore[arg-type]

    def without(self, dropped: Flags) -> Problem:
        """The same problem without some candidates, for good: they do not come back as pairs without a score."""
        pairs = self.candidates
        keys = self.row_paper[pairs.row[dropped]] * len(self.reviewers) + pairs.reviewer[dropped]
        return replace(self.with_candidates(~dropped), forbidden=np.union1d(self.forbidden, keys))

    def widened(self, rows: Flags | None = None, reviewers: Flags | None = None) -> Problem:
        """The same problem with the pairs without a score of these rows and reviewers, or of all, as candidates too."""
        old, m = self.candidates, len(self.reviewers)
        taken = self.locked[:, 0] * m + self.locked[:, 1]
        parts = []
        for row in np.arange(self.rows) if rows is None else np.flatnonzero(rows):
            may = self.committee.role == self.row_role[row]
            if reviewers is not None:
                may &= reviewers
            may[old.reviewer[old.starts[row] : old.starts[row + 1]]] = False
            paper = self.row_paper[row]
            low, high = np.searchsorted(self.forbidden, (paper * m, (paper + 1) * m))
            may[self.forbidden[low:high] - paper * m] = False
            may[taken[taken // m == row] % m] = False
            new = np.flatnonzero(may)
            parts.append(np.stack([np.full(len(new), row), new]))
        row, who = np.concatenate(parts, axis=1)
        no = np.zeros(len(row), dtype=np.bool_)
        return replace(
            self,
            candidates=sorted_candidates(
                self.rows,
                np.concatenate([old.row, row]),
                np.concatenate([old.reviewer, who.astype(np.int32)]),
                np.concatenate([old.score, np.zeros(len(row))]),
                np.concatenate([old.absent, ~no]),
                np.concatenate([old.old, no]),
                np.concatenate([old.cap, np.full(len(row), self.cap)]),
                self.prefer_old,
            ),
        )


def sorted_candidates(
    rows: int,
    row: Ints,
    reviewer: NDArray[np.int32],
    score: Floats,
    absent: Flags | None = None,
    old: Flags | None = None,
    cap: Floats | None = None,
    prefer_old: float = 0.0,
) -> Candidates:
    """Candidates in any order, sorted by row, worth (the score and what is added to old pairs) and reviewer."""
    worth = score if old is None else score + prefer_old * old
    order = np.lexsort((reviewer, -worth, row))
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    no = np.zeros(len(row), dtype=np.bool_)
    return Candidates(
        starts,
        reviewer[order].astype(np.int32),
        score[order],
        (no if absent is None else absent)[order],
        (no if old is None else old)[order],
        (np.ones(len(row)) if cap is None else cap)[order],
    )
