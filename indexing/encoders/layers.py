"""What a BERT knows after each of its layers, for classifiers.

The last layer of a sentence encoder says what a text is about; the layers before it say how it is put. A classifier of
review sentences that reads them all is far better than one that reads the last one only (docs/research/reviews.md).
Measures that compare texts word by word read the vectors of single tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, find_bert
from indexing.encoders.bert import BertEncoder, open_session, open_tokenizer
from indexing.encoders.recipe import Recipe, revision_of
from indexing.text import Text, encodable


class LayerEncoder(BertEncoder):
    """Encodes with the means after all layers but the first and two maxima: long vectors, not normalised."""

    _pooling = "layers"

    def __init__(self, name: str, folder: Path, recipe: Recipe, threads: int | None = None) -> None:
        super().__init__(name, folder, recipe, threads)
        self.revision = revision_of(folder, "onnx-layers", recipe)
        self.dimension = self._run(np.zeros((1, 2), np.int32)).shape[1]

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors (texts, dimension), in the order of the texts."""
        return self.pooled(texts, progress)


def load_layer_encoder(name: str = DEFAULT_ENCODER, *, threads: int | None = None) -> LayerEncoder:
    """Load a BERT with its layers."""
    return LayerEncoder(name, *find_bert(name), threads)


class TokenEncoder:
    """Encodes the tokens of texts with a BERT."""

    def __init__(self, name: str = DEFAULT_ENCODER) -> None:
        folder, recipe = find_bert(name)
        # Tokens that see each other, without the two marks: longer texts are cut into such pieces, and nothing is lost.
        self._window = recipe.max_tokens - 2
        self._session = open_session(folder, "none")
        self._tokenizer = open_tokenizer(folder, 1 << 30)

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """For every text (tokens, dimension): vectors of length 1, without those of the marks at its ends."""
        encodings = self._tokenizer.encode_batch([encodable(text) for text in texts])
        return [self._encode(encoding.ids) for encoding in encodings]

    def _encode(self, ids: list[int]) -> NDArray[np.float32]:
        first, last = ids[0], ids[-1]
        pieces = []
        for start in range(1, len(ids) - 1, self._window):
            window = np.array([[first, *ids[start : min(start + self._window, len(ids) - 1)], last]], np.int32)
            positions = np.arange(window.shape[1], dtype=np.int32)
            (found,) = self._session.run(None, {"ids": window, "positions": positions})
            pieces.append(np.asarray(found, np.float32)[0, 1:-1])
        if not pieces:
            return np.zeros((0, 1), np.float32)
        vectors = np.concatenate(pieces)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
