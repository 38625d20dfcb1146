"""What a BERT knows after each of its layers, for classifiers.

The last layer of a sentence encoder says what a text is about; the layers before it say how it is put. A classifier of
review sentences that reads them all is far better than one that reads the last one only (docs/research/reviews.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import DEFAULT_ENCODER, find_bert
from indexing.encoders.bert import BertEncoder
from indexing.encoders.model_folder import revision_of
from indexing.encoders.recipe import Recipe
from indexing.text import Text


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
    """Load a BERT with its layers.

    Raises:
        ModelError: there is no such model, or it is not a BERT.
    """
    return LayerEncoder(name, *find_bert(name), threads)
