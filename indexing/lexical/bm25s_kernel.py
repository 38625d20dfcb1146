"""The kernel of a bm25s search: the scores of the words of a query are added up."""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import kernel


@kernel
def add_scores(
    words: NDArray[np.int64],
    data: NDArray[np.float32],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    allowed: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """The score of each row, -inf where it is not taken or has none of the words.

    Scores are added up word by word, in this order and in single precision.
    """
    scores = np.zeros(len(allowed), dtype=np.float32)
    for i in range(len(words)):
        entries = slice(starts[words[i]], starts[words[i] + 1])  # as slices: numba then drops its index arithmetic
        values, hits = data[entries], rows[entries]
        for j in range(len(values)):
            scores[hits[j]] += values[j]
    for row in range(len(scores)):
        if not allowed[row] or scores[row] <= 0:
            scores[row] = -np.inf
    return scores
