"""What two searches found, joined: compiled. `retriever.fuse` has the same on arrays; both agree to the last bit."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from retriever.hashing import first_place, table_bits


@numba.njit(nogil=True, cache=True)
def merge(
    units: NDArray[np.int64],
    scores: NDArray[np.float32],
    names: NDArray[np.uint8],
    more_units: NDArray[np.int64],
    more_scores: NDArray[np.float32],
    more_names: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]:
    """The units of both, each once and in no order, with the sum of its scores and of its names."""
    most = len(units) + len(more_units)
    bits = table_bits(len(units))
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    all_units, all_scores = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.float32)
    all_names = np.empty(most, dtype=np.uint8)
    for place in range(len(units)):
        slot = first_place(units[place], bits)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = place
        all_units[place], all_scores[place], all_names[place] = units[place], scores[place], names[place]
    count = len(units)
    for place in range(len(more_units)):
        slot = first_place(more_units[place], bits)
        while table[slot] >= 0 and all_units[table[slot]] != more_units[place]:
            slot = (slot + 1) & mask
        at = table[slot]
        if at >= 0:
            all_scores[at] += more_scores[place]
            all_names[at] += more_names[place]
        else:
            all_units[count], all_scores[count] = more_units[place], more_scores[place]
            all_names[count] = more_names[place]
            count += 1
    return all_units[:count], all_scores[:count], all_names[:count]
