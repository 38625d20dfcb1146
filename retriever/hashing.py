"""Small hash tables in compiled code: they stay in the processor's cache where one entry a unit or author would not."""

from __future__ import annotations

import numba
import numpy as np

_SPREAD = 2654435769  # 2³² divided by the golden ratio: neighbouring numbers get distant places


@numba.njit(nogil=True, cache=True, inline="always")
def table_bits(entries: int) -> int:
    """The logarithm of a table's size that leaves half of it free."""
    bits = 4
    while (1 << bits) < 2 * entries:
        bits += 1
    return bits


@numba.njit(nogil=True, cache=True, inline="always")
def first_place(number: int, bits: int) -> np.int64:
    """Where a number is looked for first."""
    return ((np.int64(number) * _SPREAD) & 0xFFFFFFFF) >> (32 - bits)
