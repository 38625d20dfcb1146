"""Encoders that others made: whatever sentence-transformers can load, and plain functions of texts."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from indexing.encoders.recipe import Recipe, revision_of
from indexing.text import Text
from panelist.errors import ModelError

_CHUNK = 1024  # texts between two calls of `progress`; the model sorts them by length


class SentenceEncoder:
    """Encodes with sentence-transformers on torch."""

    def __init__(
        self,
        name: str,
        folder: Path,
        recipe: Recipe,
        threads: int | None = None,
        adapter: str | None = None,
        *,
        device: str = "cpu",
        precision: str = "float32",
        revision: str | None = None,  # of an encoder that makes the same vectors
    ) -> None:
        self.name, self.device, self.precision = name, device, precision
        self.revision = revision or revision_of(folder, "sentence-transformers", recipe, adapter)
        self._recipe = recipe
        import torch

        if threads is not None:
            torch.set_num_threads(threads)
        self._model = load_sentence_transformer(folder, recipe)
        self._separator = getattr(self._model.tokenizer, "sep_token", None) or "\n"
        if adapter is not None:
            adapters: Any = import_module("adapters")  # optional: it needs an older transformers than all the rest
            adapters.init(self._model[0].auto_model)
            self._model[0].auto_model.load_adapter(adapter, source="hf", set_active=True)
        self._model.to(device, getattr(torch, precision))
        self.dimension = int(self._model.get_embedding_dimension())

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts."""

        def encode(chunk: Sequence[Text]) -> Any:
            rendered = [self._recipe.render(text, self._separator) for text in chunk]
            return self._model.encode(rendered, batch_size=16, show_progress_bar=False)

        vectors = _encode_chunks(encode, texts, self.dimension, progress)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)  # here, in float32
        return vectors


def _encode_chunks(
    encode: Callable[[Sequence[Text]], ArrayLike],
    texts: Sequence[Text],
    dimension: int,
    progress: Callable[[int], None] | None,
) -> NDArray[np.float32]:
    """What `encode` makes of the texts, some at a time, in single precision."""
    vectors = np.empty((len(texts), dimension), np.float32)
    for start in range(0, len(texts), _CHUNK):
        chunk = texts[start : start + _CHUNK]
        vectors[start : start + _CHUNK] = encode(chunk)
        if progress is not None:
            progress(len(chunk))
    return vectors


def load_sentence_transformer(folder: Path, recipe: Recipe) -> Any:
    """The model in a folder as sentence-transformers has it, on the processor; no code or pickle of it is run."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # it would write to anything, not only to a terminal
    safe = {"use_safetensors": True, "local_files_only": True}
    if (folder / "modules.json").is_file():
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True, model_kwargs=safe)
    transformer = Transformer(str(folder), model_kwargs=safe)
    pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode=recipe.pooling)
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu")
    model.max_seq_length = recipe.max_tokens
    return model


def encoder_of(model: Any, name: str = "sentence-transformer") -> "FunctionEncoder":
    """An encoder of a `SentenceTransformer` in memory, whose weights and modules are its revision."""
    digest = sha256(repr(model).encode())
    for key, value in sorted(model.state_dict().items()):
        digest.update(key.encode() + value.detach().cpu().float().numpy().tobytes())

    def encode(texts: list[str]) -> ArrayLike:
        vectors: ArrayLike = model.encode(texts, batch_size=16, show_progress_bar=False)
        return vectors

    encode.revision = digest.hexdigest()[:16]  # type: ignore[attr-defined]
    return FunctionEncoder(name, encode)


class FunctionEncoder:
    """Encodes with a function from a list of plain texts (title and abstract, on lines of their own) to an array.

    The array is (texts, dimension). The function's attribute `revision`, a text, must change whenever its vectors do.
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
        return _encode_chunks(
            lambda chunk: self._vectors([text.plain() for text in chunk]), texts, self.dimension, progress
        )

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
