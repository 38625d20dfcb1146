"""What a submission cites, as far as an index knows it: works, papers that cite the same ones, and people."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from panelist.words import counted
from retriever.references.entries import Entry
from retriever.references.people import CitedPeople


@dataclass(frozen=True, eq=False)
class Citations:
    """What one submission cites, without what its authors wrote.

    Attributes:
        entries: the cited works.
        total: how many there are with those of the submission's authors.
        units: (entries) the unit of each in the index, -1 for those outside.
        works: positions in `entries`, beside `citing`.
        citing: the units that cite them, each pair once.
        coupled: the units that cite any of them, best first.
        cosines: (coupled) float32, how much they have in common.
        people: everybody who wrote them.
    """

    entries: Sequence[Entry]
    total: int
    units: NDArray[np.int64]
    works: NDArray[np.int64]
    citing: NDArray[np.int64]
    coupled: NDArray[np.int64]
    cosines: NDArray[np.float32]
    people: CitedPeople

    @cached_property
    def inside(self) -> NDArray[np.int64]:
        """The units that are cited."""
        return np.unique(self.units[self.units >= 0])

    def are_cited(self, authors: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each of these authors is cited."""
        return self.people.find(authors) >= 0

    def note(self, ranked: NDArray[np.int32]) -> str:
        """What became of the references, in words; `ranked` are the authors who are."""
        cited = int(self.are_cited(ranked).sum())
        return (
            f"{counted(self.total, 'reference')}, {len(self.inside)} in the corpus, "
            f"{cited:,} of the people ranked {'is' if cited == 1 else 'are'} cited"
        )
