"""Which units a search counts, as expressions of Milvus."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNIT = "unit"
"""The primary key of every collection."""

_IDS = 1_000_000  # unit numbers in one filter: a request is at most 64 MB


@dataclass(frozen=True, slots=True)
class Filter:
    """Which units count, as expressions of Milvus. Several share the units between them, and are searched in turn."""

    count: int
    expressions: tuple[str, ...]

    @classmethod
    def of(cls, mask: NDArray[np.bool_]) -> Filter:
        """The filter that passes the units of a mask, and none beyond its end."""
        count = int(mask.sum())
        end = f"{UNIT} < {len(mask)}"
        if count == len(mask):
            return cls(count, (end,))
        if len(mask) - count <= min(count, _IDS):
            return cls(count, (f"{end} and {UNIT} not in {_listed(np.flatnonzero(~mask))}",))
        return cls.of_units(np.flatnonzero(mask))

    @classmethod
    def of_units(cls, units: NDArray[np.int64]) -> Filter:
        """The filter that passes these units."""
        parts = (units[start : start + _IDS] for start in range(0, len(units), _IDS))
        return cls(len(units), tuple(f"{UNIT} in {_listed(part)}" for part in parts))


class FilterCache:
    """Filters of masks; the last one is stored, since a pool usually serves many searches."""

    def __init__(self) -> None:
        self._last: tuple[NDArray[np.bool_], Filter] | None = None

    def of(self, mask: NDArray[np.bool_]) -> Filter:
        """The filter that passes the units of a mask."""
        last = self._last
        if last is None or not np.array_equal(last[0], mask):
            last = self._last = mask, Filter.of(mask)
        return last[1]


def _listed(units: NDArray[np.int64]) -> str:
    return json.dumps(units.tolist(), separators=(",", ":"))
