"""Vectors of a sentence in its context for the heads over MiniLM: itself, its neighbours, and its heading.

Every sentence is encoded once, by itself; its neighbours' vectors are set beside it. Encoding each sentence together
with the one before it would take twice the time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from indexing.encoders import Encoder
from indexing.text import Text
from panelist.progress import Progress, silent

_OWN, _BESIDE = 8.0, 3.0  # weights of the sentence itself and of what is beside it


def encode_in_context(
    reviews: Sequence[Sequence[Sentence]], encoder: Encoder, progress: Progress = silent
) -> NDArray[np.float32]:
    """(sentences, 4 × dimension): the sentence, the one before, the one after, the heading (0 where there is none)."""
    sentences = [sentence for review in reviews for sentence in review]
    texts = list(dict.fromkeys([s.text for s in sentences] + [s.heading for s in sentences if s.heading]))
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        progress("encoding sentences", done, len(texts))

    rows = {text: row for row, text in enumerate(texts)}
    encoded = encoder.encode([Text(text) for text in texts], count) if texts else np.zeros((0, encoder.dimension))
    known = np.vstack([encoded, np.zeros((1, encoder.dimension))]).astype(np.float32)  # the last row is 'nothing'
    nothing = len(texts)
    own = [[rows[sentence.text] for sentence in review] for review in reviews]
    parts = (
        [row for review in own for row in review],
        [row for review in own for row in [nothing, *review][: len(review)]],
        [row for review in own for row in [*review, nothing][1:]],
        [rows[s.heading] if s.heading else nothing for s in sentences],
    )
    weights = (_OWN, _BESIDE, _BESIDE, _BESIDE)
    return np.hstack([known[part] * weight for part, weight in zip(parts, weights, strict=True)], dtype=np.float32)
