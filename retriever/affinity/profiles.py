"""Profiles: which papers stand for a reviewer, and how all profiles of a job become arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from indexing.tables.units import text_digests
from indexing.text import HasText, Text
from panelist.records import Paper

PROFILE_SIZE = 20
"""How many papers a profile has at most, by default."""


class Document(HasText, Protocol):
    """A text to compare, with an id: `Paper` and `Submission` are such."""

    @property
    def id(self) -> str:
        """Identifies the document: equal ids, equal texts."""


Documents: TypeAlias = Sequence[Document]


class WeightedPaper(Paper, frozen=True):
    """A paper of a profile whose similarities count by this weight, and as background by the rest."""

    weight: float = 1.0


def most_recent(papers: Iterable[Paper], limit: int = PROFILE_SIZE) -> tuple[Paper, ...]:
    """The `limit` most recent papers, newest first, ties by id.

    Papers without a year come last, papers without text and retracted ones are left out. A paper counts once, even if
    it is listed twice under different ids with the same text.
    """
    ordered = sorted(papers, key=lambda paper: (-(paper.year or 0), paper.id))
    chosen: dict[Text, Paper] = {}
    for paper in ordered:
        text = Text.of(paper)
        if any(text) and not paper.retracted:
            chosen.setdefault(text, paper)
        if len(chosen) == limit:
            break
    return tuple(chosen.values())


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """All profiles of a job: `members[starts[r]:starts[r + 1]]` are the papers of reviewer r."""

    papers: tuple[Document, ...]  # the different papers of all profiles; papers without any text are left out
    starts: NDArray[np.int64]  # (reviewers + 1) int64
    members: NDArray[np.int64]  # row numbers of `papers`, each at most once per reviewer
    weights: NDArray[np.float32] | None = None  # (members) of papers in their profile; None: all are 1

    @classmethod
    def of(cls, profiles: Sequence[Documents]) -> Profiles:
        """Collect profiles. Papers of equal text are one paper."""
        ordinals: dict[Text, int] = {}
        papers: list[Document] = []
        rows: list[dict[int, float]] = []
        for profile in profiles:
            row: dict[int, float] = {}
            for paper in profile:
                text = Text.of(paper)
                if not any(text):
                    continue
                if text not in ordinals:
                    ordinals[text] = len(papers)
                    papers.append(paper)
                weight = paper.weight if isinstance(paper, WeightedPaper) else 1.0
                row[ordinals[text]] = min(weight, row.get(ordinals[text], 1.0))
            rows.append(row)
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        members = np.array([paper for row in rows for paper in row], dtype=np.int64)
        weights = np.array([weight for row in rows for weight in row.values()], dtype=np.float32)
        return cls(tuple(papers), starts, members, None if (weights == 1).all() else weights)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(reviewers) how many papers each has."""
        return np.diff(self.starts)

    def sample(self, limit: int) -> NDArray[np.int64]:
        """At most `limit` papers, as row numbers; they depend on the texts only, not on the order of reviewers."""
        digests = text_digests([Text.of(paper) for paper in self.papers])
        return np.lexsort(digests.T)[:limit]

    def joined(self) -> Profiles:
        """The same reviewers, each with all papers joined into one; its row number is that of the reviewer."""
        full = self.lengths > 0
        starts = np.concatenate(([0], np.cumsum(full))).astype(np.int64)
        return Profiles((), starts, np.flatnonzero(full))
