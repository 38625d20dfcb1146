"""Unit numbers: what the engines index and return, and the papers behind them.

A unit is one text of one paper (today title and abstract together, so one unit per paper). Its number is its
position in an append-only list: a paper whose text changes gets a new unit and leaves a tombstone behind, so that a
number means the same paper until the index is compacted. What look-up needs to know of a paper is stored beside it, as
arrays by unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.tables.arrays import StringTable, Table
from indexing.text import Text

NO_YEAR = 0
"""The year of a paper that has none."""
RETRACTED = -1
"""The citations of a paper that is evidence for nobody."""


def text_digests(texts: Sequence[Text]) -> NDArray[np.uint64]:
    """(n, 2): 128 bits of BLAKE2b for each text. Equal digests mean equal texts."""
    digests = (
        blake2b(f"{len(text.title)}\n{text.title}{text.abstract}".encode("utf-8", "surrogatepass"), digest_size=16)
        for text in texts
    )
    data = b"".join(digest.digest() for digest in digests)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False).reshape(-1, 2)


@dataclass(frozen=True)
class Units(Table):
    """All n units of an index, tombstones included, by unit number."""

    ids: StringTable  # the paper of each unit; of an id's several units only the last can be alive
    digests: NDArray[np.uint64]  # (n, 2) see `text_digests`
    live: NDArray[np.bool_]  # (n) false for tombstones: the mask that every search is given
    years: NDArray[np.int16]  # (n) `NO_YEAR` where unknown
    citations: NDArray[np.int32]  # (n) how often the paper is cited; `RETRACTED` where it is retracted

    @classmethod
    def empty(cls) -> Units:
        """No units at all: what a first build starts from."""
        arrays = (np.empty(0, kind) for kind in (np.bool_, np.int16, np.int32))
        return cls(StringTable.of([]), np.empty((0, 2), np.uint64), *arrays)  # type: ignore[arg-type]  # in order

    def __len__(self) -> int:
        return len(self.live)

    @cached_property
    def complete(self) -> bool:
        """Whether there is no tombstone and nothing retracted, so that no search needs a mask."""
        return bool(self.evidence.all())

    def searchable(self, allowed: NDArray[np.bool_] | None = None) -> NDArray[np.bool_] | None:
        """The mask of the units that searches may find, within those that are allowed; None for all."""
        if self.complete:
            return allowed
        return self.evidence if allowed is None else self.evidence & allowed

    @cached_property
    def evidence(self) -> NDArray[np.bool_]:
        """(n) which units searches may find: a retracted paper has its authors, for conflicts, but is not evidence."""
        mask: NDArray[np.bool_] = self.live & (self.citations != RETRACTED)
        return mask

    def find(self, paper_ids: Sequence[str]) -> NDArray[np.int64]:
        """The live unit of each paper, -1 where there is none."""
        units = self.ids.find(paper_ids)
        if len(self):
            units[~self.live[units]] = -1
        return units

    def find_same(self, paper_ids: Sequence[str], digests: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The last unit of each paper, dead or alive, if it has exactly this text; else -1."""
        units = self.ids.find(paper_ids)
        if len(self):
            units[(self.digests[units] != digests).any(axis=1)] = -1
        return units

    def paper_ids(self, units: NDArray[np.integer[Any]] | Sequence[int]) -> list[str]:
        """The paper of each of these units."""
        return self.ids.take(units)
