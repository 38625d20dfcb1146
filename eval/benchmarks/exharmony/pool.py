"""Everybody who wrote a paper of a collection: the candidates, how many papers they have, and their institutions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.tables.affiliations import institution_key
from panelist.records import Paper

KNOWN_INSTITUTIONS = 0.5
"""The share of candidates whose institution must be known: the distinct ones of fewer say nothing about diversity."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The candidates, numbered, and what the collection knows of them: papers and how often these are cited.

    Their institution is what their latest paper with one names first, as a number; -1 if unknown.
    """

    number: dict[str, int]
    papers: NDArray[np.int64]
    citations: NDArray[np.int64]
    institutions: NDArray[np.int64]

    @classmethod
    def of(cls, collection: Iterable[Paper]) -> Pool:
        """The authors of these papers, which come in the order of their ids: of a year's papers the last decides."""
        number: dict[str, int] = {}
        papers: list[int] = []
        citations: list[int] = []
        institutions: list[int] = []
        latest: list[int] = []
        numbers: dict[str, int] = {}
        for paper in collection:
            for authorship in {entry.author.id: entry for entry in paper.authorships}.values():
                author = number.setdefault(authorship.author.id, len(number))
                if author == len(papers):
                    papers.append(0)
                    citations.append(0)
                    institutions.append(-1)
                    latest.append(0)
                papers[author] += 1
                citations[author] += paper.cited_by_count
                if authorship.institutions and (paper.year or 0) >= latest[author]:
                    key = institution_key(authorship.institutions[0])
                    institutions[author] = numbers.setdefault(key, len(numbers))
                    latest[author] = paper.year or 0
        return cls(number, *(np.array(column, dtype=np.int64) for column in (papers, citations, institutions)))

    def established(self, least: int) -> frozenset[str]:
        """The candidates with at least this many papers."""
        mask = (self.papers >= least).tolist()
        return frozenset(author for author, number in self.number.items() if mask[number])

    def not_available(self) -> dict[str, str]:
        """Measures of diversity that the collection cannot support, and why."""
        missing = {}
        if not self.citations.any():
            missing["sigma_cite"] = "no paper of the collection has a citation count"
        share = float((self.institutions >= 0).mean()) if len(self.institutions) else 0.0
        if share < KNOWN_INSTITUTIONS:
            missing["institutions"] = f"the institution is known of {share:.0%} of the candidates only"
        return missing
