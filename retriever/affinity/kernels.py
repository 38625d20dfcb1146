"""Compiled kernels: one pass over some thousand similarities in the processor's cache.

Minimum and maximum of whole rows are single vector instructions, so a sorting network beats any sort here; results go
to other rows than the operands, because the compiler would make slow masked stores of an exchange in place.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

_LANES = 192  # pairs sorted side by side: 26 rows of them are some 20 KB


@numba.njit(nogil=True, cache=True, fastmath={"nnan", "nsz", "contract"})
def weigh_sorted(
    planes: NDArray[np.float32],
    blocks: int,
    steps: NDArray[np.uint64],
    places: NDArray[np.uint64],
    weights: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Weighted sums of sorted columns: `out[j] = Σᵢ weights[i] · (i-th largest of planes[:, j])`.

    Args:
        planes: (n, columns).
        blocks: how many times eight rows are sorted before the first step; what the last ones lack is -inf.
        steps: (exchanges, 4) rows of a sorting network: two to compare, where the larger goes, where the smaller goes.
        places: (n) the row where the i-th largest is found in the end.
        weights: (n).
        out: (columns), overwritten.
    """
    n, columns = planes.shape
    rows = np.full((max(n, 8 * blocks) + 2, _LANES), -np.inf, dtype=np.float32)
    total = np.empty(_LANES, dtype=np.float32)
    for start in range(0, columns, _LANES):
        width = min(_LANES, columns - start)
        for i in range(n):
            row = planes[i, start : start + width]  # as slices: numba then drops its index arithmetic
            for lane in range(width):
                rows[i, lane] = row[lane]
        for block in range(blocks):
            _sort_eight(rows[8 * block : 8 * block + 8])
        for step in range(len(steps)):
            a, b, larger, smaller = steps[step, 0], steps[step, 1], steps[step, 2], steps[step, 3]
            for lane in range(_LANES):
                x, y = rows[a, lane], rows[b, lane]
                rows[larger, lane] = max(x, y)
                rows[smaller, lane] = min(x, y)
        for lane in range(_LANES):
            total[lane] = 0
        for i in range(n):
            weight, place = weights[i], places[i]
            if weight != 0:
                for lane in range(_LANES):
                    total[lane] += weight * rows[place, lane]
        part = out[start : start + width]
        for lane in range(width):
            part[lane] = total[lane]


@numba.njit(nogil=True, cache=True, fastmath={"nnan", "nsz"}, inline="always")
def _sort_eight(rows: NDArray[np.float32]) -> None:
    """Sort the columns of eight rows, the largest first, by the network of 19 exchanges: all of it in registers."""
    for lane in range(_LANES):
        a, b, c, d = rows[0, lane], rows[1, lane], rows[2, lane], rows[3, lane]
        e, f, g, h = rows[4, lane], rows[5, lane], rows[6, lane], rows[7, lane]
        a, c, b, d = max(a, c), min(a, c), max(b, d), min(b, d)
        e, g, f, h = max(e, g), min(e, g), max(f, h), min(f, h)
        a, e, b, f = max(a, e), min(a, e), max(b, f), min(b, f)
        c, g, d, h = max(c, g), min(c, g), max(d, h), min(d, h)
        a, b, c, d = max(a, b), min(a, b), max(c, d), min(c, d)
        e, f, g, h = max(e, f), min(e, f), max(g, h), min(g, h)
        c, e, d, f = max(c, e), min(c, e), max(d, f), min(d, f)
        b, e, d, g = max(b, e), min(b, e), max(d, g), min(d, g)
        b, c, d, e, f, g = max(b, c), min(b, c), max(d, e), min(d, e), max(f, g), min(f, g)
        rows[0, lane], rows[1, lane], rows[2, lane], rows[3, lane] = a, b, c, d
        rows[4, lane], rows[5, lane], rows[6, lane], rows[7, lane] = e, f, g, h


@numba.njit(nogil=True, cache=True)
def add_products(
    chosen: NDArray[np.int64],
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: NDArray[np.float32],
    postings: NDArray[np.int64],
    documents: NDArray[np.int32],
    values: NDArray[np.float32],
    first: int,
    out: NDArray[np.float32],
) -> None:
    """Sparse inner products added to a dense block: `out[i, j] += row chosen[i] · column first + j`.

    Args:
        chosen: which rows.
        starts: where each row begins in `terms` and `weights` (CSR).
        terms: the columns of the rows.
        weights: their values.
        postings: where the documents of each term begin in `documents` and `values`, ascending by document.
        documents: the documents that have a term.
        values: the weight of the term in them.
        first: the document that is the first column of `out`.
        out: (chosen, columns).
    """
    last = first + out.shape[1]
    for i in range(len(chosen)):
        row = out[i]
        for k in range(starts[chosen[i]], starts[chosen[i] + 1]):
            weight = weights[k]
            begin, end = postings[terms[k]], postings[terms[k] + 1]
            begin += np.searchsorted(documents[begin:end], first)
            for p in range(begin, end):
                if documents[p] >= last:
                    break
                row[documents[p] - first] += weight * values[p]


@numba.njit(nogil=True, cache=True)
def make_keys(
    scores: NDArray[np.float32], bits: NDArray[np.uint32], ranks: NDArray[np.uint64], keys: NDArray[np.uint64]
) -> None:
    """Numbers that compare as the scores do, equal scores by falling rank; -inf is below every other.

    The bits of floats compare like integers once the negative ones are turned.

    Args:
        scores: (lines, candidates), no NaN.
        bits: the same memory, seen as integers.
        ranks: (candidates), below 2³².
        keys: (lines, candidates), overwritten.
    """
    for line in range(scores.shape[0]):
        for candidate in range(scores.shape[1]):
            keys[line, candidate] = _key(scores[line, candidate], bits[line, candidate], ranks[candidate])


@numba.njit(nogil=True, cache=True)
def make_larger_keys(
    scores: NDArray[np.float32],
    bits: NDArray[np.uint32],
    ranks: NDArray[np.uint64],
    least: NDArray[np.uint64],
    keys: NDArray[np.uint64],
) -> int:
    """As `make_keys`, of (candidates, lines) scores, and only those above the least that a line wants.

    Returns:
        How many a line has at most; what others lack is 0.
    """
    counts = np.zeros(len(least), dtype=np.int64)
    for candidate in range(scores.shape[0]):
        for line in range(scores.shape[1]):
            key = _key(scores[candidate, line], bits[candidate, line], ranks[candidate])
            if key > least[line]:
                keys[line, counts[line]] = key
                counts[line] += 1
    most = int(counts.max())
    for line in range(len(counts)):
        keys[line, counts[line] : most] = 0
    return most


@numba.njit(nogil=True, cache=True, inline="always")
def _key(score: np.float32, bits: np.uint32, rank: np.uint64) -> np.uint64:
    order = np.uint32(0)
    if score >= 0:
        order = np.uint32(0x80000000) if score == 0 else bits | np.uint32(0x80000000)  # -0 is 0
    elif score != -np.inf:
        order = ~bits
    return (np.uint64(order) << np.uint64(32)) | (np.uint64(0xFFFFFFFF) - rank)


@numba.njit(nogil=True, cache=True)
def format_lines(
    heads: NDArray[np.uint8],
    head_starts: NDArray[np.int64],
    names: NDArray[np.uint8],
    name_starts: NDArray[np.int64],
    starts: NDArray[np.int64],
    chosen: NDArray[np.int64],
    millionths: NDArray[np.int64],
    text: NDArray[np.uint8],
) -> int:
    """Write `head` `name` `number` lines into `text`; returns how many bytes.

    Args:
        heads: the beginnings of lines, one after the other.
        head_starts: where each begins and ends.
        names: what comes next, one after the other.
        name_starts: where each begins and ends.
        starts: where the lines of each head begin in `chosen` and `millionths`.
        chosen: which name.
        millionths: which number, times 10⁶; it is written with six decimals.
        text: long enough: 28 bytes a line beside head and name.
    """
    digits = np.empty(20, dtype=np.uint8)
    thousand = np.empty((1000, 3), dtype=np.uint8)  # three digits each
    for number in range(1000):
        thousand[number, 0] = 48 + number // 100
        thousand[number, 1] = 48 + number // 10 % 10
        thousand[number, 2] = 48 + number % 10
    end = 0
    for row in range(len(starts) - 1):
        for line in range(starts[row], starts[row + 1]):
            for i in range(head_starts[row], head_starts[row + 1]):
                text[end] = heads[i]
                end += 1
            for i in range(name_starts[chosen[line]], name_starts[chosen[line] + 1]):
                text[end] = names[i]
                end += 1
            rest = millionths[line]
            if rest < 0:
                text[end] = 45  # -
                end += 1
                rest = -rest
            whole, rest = rest // 1_000_000, rest % 1_000_000
            count = 0
            while whole > 9:
                digits[count] = 48 + whole % 10  # 0
                whole //= 10
                count += 1
            text[end] = 48 + whole
            end += 1
            for place in range(count - 1, -1, -1):
                text[end] = digits[place]
                end += 1
            text[end] = 46  # .
            for place in range(3):
                text[end + 1 + place] = thousand[rest // 1000, place]
                text[end + 4 + place] = thousand[rest % 1000, place]
            text[end + 7] = 10  # new line
            end += 8
    return end
