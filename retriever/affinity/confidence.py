"""How sure a score is: a score that rests on one paper says less than one that rests on ten.

The grade counts the papers of the profile. It was measured on eLife: a real reviewer with one paper scores above 91 %
of all others, with five or more above 99 %. Bootstrapping the papers of a profile was tried and told nothing about who
really reviewed (docs/affinity.md).
"""

from __future__ import annotations

from enum import StrEnum

from retriever.affinity.pooling import FILL


class Confidence(StrEnum):
    """How many papers a score rests on: one, two to four, five or more."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @classmethod
    def of(cls, papers: int) -> Confidence:
        """The grade of a profile of N papers."""
        if papers < 2:
            return cls.LOW
        return cls.MEDIUM if papers < FILL else cls.HIGH
