"""What an assignment problem is made of, as records: whoever has them needs no files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from panelist.errors import InputError
from retriever.affinity.sparse import SparseScores
from retriever.assignment.options import REVIEWER
from retriever.assignment.problem import Floats, Ints, add_up
from retriever.conference.conflicts.table import ConflictTable

Pair: TypeAlias = tuple[str, str]
"""A paper and a reviewer, by id."""

AFFINITY, BIDS = "affinity", "bids"
"""The names of scores of one source, and of bids, in `Records.scores`."""


class RecordError(InputError):
    """A record that does not fit the others: in which field of `Records`, under which key, and why."""

    def __init__(self, name: str, key: tuple[str, ...], why: str) -> None:
        self.name, self.key, self.why = name, key, why
        super().__init__(f"{name}: {why}")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores of pairs.

    Attributes:
        papers: ids.
        reviewers: ids.
        paper: (pairs) ordinals.
        reviewer: (pairs) ordinals.
        score: (pairs).
        words: the words that stood for numbers.
    """

    papers: tuple[str, ...]
    reviewers: tuple[str, ...]
    paper: Ints
    reviewer: Ints
    score: Floats
    words: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: SparseScores) -> ScoreTable:
        """The scores that `score_conference` computed."""
        values = scores.scores.astype(np.float64)
        return cls(scores.submissions, scores.reviewers, scores.submission, scores.reviewer, values)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """What is known of a reviewer; the country has two letters (ISO 3166), `authored` are ids of submissions."""

    senior: bool = False
    institution: str = ""
    country: str = ""
    role: str = REVIEWER
    authored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quota:
    """The most that a reviewer gives, and the least; None: what is asked of everybody, as far as the most allows it."""

    most: int
    least: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Records:
    """All that a problem is made of, beside options.

    Attributes:
        scores: by name. Papers and reviewers are theirs, and those of `people`; `BIDS` add none.
        people: who the reviewers are, by id; None where nothing is known of them.
        conflicts: who must not review what; None where nobody looked for conflicts.
        forbidden: further pairs that must not be.
        locked: pairs that are chosen beforehand.
        quotas: of some reviewers, by id; `most` and `least` of the options hold for others.
        demands: of some papers, by id and role; the role `""` is the first one of the options' `demand`.
        existing: the assignment so far, for `keep` and `prefer_old` of the options.
        caps: the greatest probabilities of some pairs; the options' `cap` holds for others.
    """

    scores: Mapping[str, ScoreTable]
    people: Mapping[str, Reviewer] | None = None
    conflicts: ConflictTable | None = None
    forbidden: Collection[Pair] = ()
    locked: Collection[Pair] = ()
    quotas: Mapping[str, Quota] = field(default_factory=dict)
    demands: Mapping[tuple[str, str], int] = field(default_factory=dict)
    existing: Collection[Pair] = ()
    caps: Mapping[Pair, float] = field(default_factory=dict)


def combine(tables: Sequence[ScoreTable], weights: Sequence[float]) -> ScoreTable:
    """The weighted sum; a pair that a table lacks counts 0 there."""
    papers = {name: at for at, name in enumerate(dict.fromkeys(one for table in tables for one in table.papers))}
    reviewers = {name: at for at, name in enumerate(dict.fromkeys(one for table in tables for one in table.reviewers))}
    keys, values = [], []
    for table, weight in zip(tables, weights, strict=True):
        row = np.array([papers[name] for name in table.papers], dtype=np.int64)[table.paper]
        column = np.array([reviewers[name] for name in table.reviewers], dtype=np.int64)[table.reviewer]
        keys.append(row * len(reviewers) + column)
        values.append(weight * table.score)
    if len(tables) == 1:
        key, score = keys[0], values[0]
    else:
        key, pair = np.unique(np.concatenate(keys), return_inverse=True)
        score = add_up(np.concatenate(values), pair, len(key))
    return ScoreTable(tuple(papers), tuple(reviewers), key // len(reviewers), key % len(reviewers), score)
