"""Vectors of a sentence in its context, for the heads over MiniLM: all its layers, and one layer of what is beside it.

Every sentence is encoded once, by itself; the vectors of its neighbours and its heading are set beside its own.
Encoding each sentence together with the one before it would take twice the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from indexing.encoders import Encoder
from indexing.text import Text
from panelist.progress import Progress, counting, silent

_PARTS = 7  # vectors that the encoder sets side by side: five means and two maxima, for MiniLM's six layers
_BESIDE = 2  # which of them is taken of a neighbour or a heading: the mean after the fourth layer


def encode_in_context(
    reviews: Sequence[Sequence[Sentence]], encoder: Encoder, progress: Progress = silent
) -> NDArray[np.float32]:
    """(sentences, features): the sentence, the one before, the one after, the heading (0 where there is none)."""
    sentences = [sentence for review in reviews for sentence in review]
    texts = list(dict.fromkeys([s.text for s in sentences] + [s.heading for s in sentences if s.heading]))
    count = counting(progress, "encoding sentences", len(texts))
    rows = {text: row for row, text in enumerate(texts)}
    encoded = encoder.encode([Text(text) for text in texts], count) if texts else np.zeros((0, encoder.dimension))
    known = np.vstack([encoded, np.zeros((1, encoder.dimension))]).astype(np.float32)  # the last row is 'nothing'
    width = max(1, encoder.dimension // _PARTS)
    beside = known[:, _BESIDE * width : (_BESIDE + 1) * width]
    nothing = len(texts)
    own = [[rows[sentence.text] for sentence in review] for review in reviews]
    return np.hstack(
        [
            known[[row for review in own for row in review]],
            beside[[row for review in own for row in [nothing, *review][: len(review)]]],
            beside[[row for review in own for row in [*review, nothing][1:]]],
            beside[[rows[s.heading] if s.heading else nothing for s in sentences]],
        ],
        dtype=np.float32,
    )
