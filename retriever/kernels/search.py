"""The kernel of fusion: the units of two searches become one list."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import helper, kernel

_SPREAD = 2654435769  # 2³² divided by the golden ratio: neighbouring numbers get distant slots


@helper
def table_bits(entries: int) -> int:
    """The logarithm of a table's size that leaves half of it free."""
    bits = 4
    while (1 << bits) < 2 * entries:
        bits += 1
    return bits


@helper
def first_slot(number: int, bits: int) -> np.int64:
    """The slot at which a number is looked for first."""
    return ((np.int64(number) * _SPREAD) & 0xFFFFFFFF) >> (32 - bits)


@kernel
def merge(
    units: NDArray[np.int64],
    scores: NDArray[np.float32],
    found_by: NDArray[np.uint8],
    more_units: NDArray[np.int64],
    more_scores: NDArray[np.float32],
    more_found_by: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]:
    """The units of both searches, each once and in no order, with the sum of its scores and of its `found_by`."""
    most = len(units) + len(more_units)
    bits = table_bits(len(units))
    mask = (1 << bits) - 1
    table = np.full(1 << bits, -1, dtype=np.int32)
    all_units, all_scores = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.float32)
    all_found_by = np.empty(most, dtype=np.uint8)
    for hit in range(len(units)):
        slot = first_slot(units[hit], bits)
        while table[slot] >= 0:
            slot = (slot + 1) & mask
        table[slot] = hit
        all_units[hit], all_scores[hit], all_found_by[hit] = units[hit], scores[hit], found_by[hit]
    count = len(units)
    for hit in range(len(more_units)):
        slot = first_slot(more_units[hit], bits)
        while table[slot] >= 0 and all_units[table[slot]] != more_units[hit]:
            slot = (slot + 1) & mask
        at = table[slot]
        if at >= 0:
            all_scores[at] += more_scores[hit]
            all_found_by[at] += more_found_by[hit]
        else:
            all_units[count], all_scores[count] = more_units[hit], more_scores[hit]
            all_found_by[count] = more_found_by[hit]
            count += 1
    return all_units[:count], all_scores[:count], all_found_by[:count]
