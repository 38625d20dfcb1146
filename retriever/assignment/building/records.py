"""What an assignment problem is made of, as records: whoever has them needs no files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from panelist.errors import InputError
from panelist.words import Message, PersonId, joined
from retriever.affinity.sparse import SparseScores
from retriever.assignment.options import REVIEWER
from retriever.assignment.problem import Floats, Ints, add_up
from retriever.conference.conflicts.table import ConflictTable

Pair: TypeAlias = tuple[str, str]  # a paper and a reviewer, by id

AFFINITY, BIDS = "affinity", "bids"  # the names of scores of one source, and of bids, in `Records.scores`


class RecordError(InputError):
    """A record that does not fit the others: in which field of `Records`, under which key, and why."""

    def __init__(self, name: str, key: tuple[str, ...], why: str) -> None:
        self.name, self.key, self.why = name, key, why
        super().__init__(Message(name, ": ", why))


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
        held: how many of the locked pairs, the last ones, only stay from before; the chair did not lock them.
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
    held: int = 0
    existing: Collection[Pair] = ()
    caps: Mapping[Pair, float] = field(default_factory=dict)


def combine(
    tables: Sequence[ScoreTable], weights: Sequence[float], conflicts: ConflictTable | None = None
) -> ScoreTable:
    """The weighted sum; a pair that a table lacks counts 0 there, and of a person's ids the best score of each."""
    ids = Ids(
        (paper for table in tables for paper in table.papers),
        (person for table in tables for person in table.reviewers),
        conflicts,
    )
    reviewers = tuple(ids.reviewers)
    keys, values = [], []
    for table, weight in zip(tables, weights, strict=True):
        row = np.array([ids.papers[name] for name in table.papers], dtype=np.int64)[table.paper]
        columns = np.array([ids.number(name) for name in table.reviewers], dtype=np.int64)
        key, score = row * len(reviewers) + columns[table.reviewer], table.score
        if len(np.unique(columns)) < len(columns):
            order = np.lexsort((-score, key))
            key, first = np.unique(key[order], return_index=True)
            score = score[order][first]
        keys.append(key)
        values.append(weight * score)
    if len(tables) == 1:
        key, score = keys[0], values[0]
    else:
        key, pair = np.unique(np.concatenate(keys), return_inverse=True)
        score = add_up(np.concatenate(values), pair, len(key))
    return ScoreTable(tuple(ids.papers), reviewers, key // len(reviewers), key % len(reviewers), score)


class Ids:
    """The ordinals of a problem's papers and reviewers by id; who is unknown is refused with a field and its key.

    A person is one reviewer under the first of their ids, however many there are: by the conflicts, and in any form.
    """

    def __init__(self, papers: Iterable[str], reviewers: Iterable[str], conflicts: ConflictTable | None = None) -> None:
        self.papers = {name: ordinal for ordinal, name in enumerate(dict.fromkeys(papers))}
        self._person = (ConflictTable() if conflicts is None else conflicts).person
        self._ids: dict[str, list[str]] = {}  # by person
        for name in dict.fromkeys(reviewers):
            self._ids.setdefault(self._person(name), []).append(name)
        self._numbers = {person: number for number, person in enumerate(self._ids)}
        self.reviewers = {names[0]: number for number, names in enumerate(self._ids.values())}

    def number(self, reviewer: str) -> int:
        """The ordinal of a person by any of their ids; -1 for nobody here."""
        return self._numbers.get(self._person(reviewer), -1)

    def twice(self) -> list[Message]:
        """The ids of people who have several."""
        return [joined(map(PersonId, names), " = ") for names in self._ids.values() if len(names) > 1]

    def paper(self, name: str, key: tuple[str, ...], paper: str) -> int:
        """The ordinal of a paper."""
        if paper not in self.papers:
            raise RecordError(name, key, f"no paper '{paper}' in the scores")
        return self.papers[paper]

    def reviewer(self, name: str, key: tuple[str, ...], reviewer: str, hint: str = "") -> int:
        """The ordinal of a person, whichever of their ids is given."""
        if (number := self.number(reviewer)) < 0:
            raise RecordError(name, key, f"no reviewer '{reviewer}' in the scores{hint}")
        return number

    def pair(self, name: str, pair: Pair, hint: str = "") -> tuple[int, int]:
        """The ordinals of a paper and a reviewer."""
        return self.paper(name, pair, pair[0]), self.reviewer(name, pair, pair[1], hint)

    def key(self, name: str, pair: Pair) -> int:
        """`paper * reviewers + reviewer` of a pair."""
        paper, reviewer = self.pair(name, pair)
        return paper * len(self.reviewers) + reviewer
