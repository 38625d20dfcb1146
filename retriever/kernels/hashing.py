"""Small hash tables in kernels: they stay in the processor's cache, where a table of all units or authors would not."""

from __future__ import annotations

import numpy as np

from indexing.kernels import helper

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
