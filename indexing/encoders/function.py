"""An encoder of somebody else: a function from texts to an array is enough, if it says which revision it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indexing.text import Text
from panelist.errors import ModelError

_CHUNK = 1024  # texts between two calls of `progress`


class FunctionEncoder:
    """Encodes with a function of plain texts (title and abstract, on lines of their own).

    Args:
        name: as the user named it.
        function: from a list of texts to an array (texts, dimension); its attribute `revision`, a text, must change
            whenever its vectors do.

    Raises:
        ModelError: it has no revision, or does not give one vector for each text.
    """

    def __init__(self, name: str, function: Callable[[list[str]], ArrayLike]) -> None:
        revision = getattr(function, "revision", None)
        if not isinstance(revision, str) or not revision:
            raise ModelError(
                f"the encoder '{name}' does not say its revision: set the function's attribute 'revision' to a text "
                "that changes whenever its vectors do"
            )
        self.name, self.revision, self._function = name, revision, function
        self.dimension = self._vectors(["a text"]).shape[1]

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _CHUNK):
            chunk = [text.plain() for text in texts[start : start + _CHUNK]]
            vectors[start : start + _CHUNK] = self._vectors(chunk)
            if progress is not None:
                progress(len(chunk))
        return vectors

    def _vectors(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = np.asarray(self._function(texts), np.float32)
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise ModelError(
                f"the encoder '{self.name}' gave an array of shape {vectors.shape} for {len(texts)} texts: expected "
                "one finite vector for each, none of them zero"
            )
        unit: NDArray[np.float32] = vectors / lengths
        return unit


def adapted(name: str, made: Any) -> Any:
    """An `Encoder` out of what was found under a name: one, a class of them, or a function."""
    made = made() if isinstance(made, type) else made
    return made if hasattr(made, "encode") else FunctionEncoder(name, made)
