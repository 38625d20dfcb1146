"""Lines of a CSV file, put together from bytes that are already there."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, kernel

_COMMA, _NEWLINE = np.uint8(ord(",")), np.uint8(ord("\n"))


@kernel
def join_lines(
    heads: NDArray[np.uint8],  # the beginnings of lines, one after the other
    head_starts: NDArray[np.int64],  # (heads + 1) where each begins and ends
    names: NDArray[np.uint8],  # what comes next, one after the other
    name_starts: NDArray[np.int64],  # (names + 1) where each begins and ends
    starts: NDArray[np.int64],  # (heads + 1) where the lines of each head begin in `chosen`
    chosen: NDArray[np.int64],  # (lines) which name
    numbers: NDArray[np.uint8],  # the numbers of all lines, each followed by a comma
    text: Written[np.uint8],  # overwritten; large enough for all lines
) -> int:
    """Write lines of `head` `name` `number` into `text`.

    Returns:
        The number of bytes written.
    """
    end, digit = 0, 0
    for head in range(len(starts) - 1):
        for line in range(starts[head], starts[head + 1]):
            for i in range(head_starts[head], head_starts[head + 1]):
                text[end] = heads[i]
                end += 1
            for i in range(name_starts[chosen[line]], name_starts[chosen[line] + 1]):
                text[end] = names[i]
                end += 1
            while numbers[digit] != _COMMA:
                text[end] = numbers[digit]
                end += 1
                digit += 1
            digit += 1
            text[end] = _NEWLINE
            end += 1
    return end
