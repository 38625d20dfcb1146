"""The fast encoder: any BERT with safetensors weights, on ONNX Runtime or OpenVINO, without torch.

Texts are sorted by length and encoded in batches of one length each, so that no token is padding; each batch runs on
one thread, and the processors work on different batches. docs/research/encoding.md has the measurements behind this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.bert_graph import BertShape, Graph, Pooling, build_graph
from indexing.encoders.models import Model, find_model
from indexing.encoders.pinned_model import DEFAULT_MODEL
from indexing.encoders.recipe import Recipe, read_json, read_recipe, revision_of
from indexing.encoders.runtimes import run_in_bfloat16, run_in_float32
from indexing.parallel import cores
from indexing.text import Text, encodable
from panelist.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


BATCH_TOKENS = 1024
"""Tokens encoded at once by one thread: enough to fill the matrix kernels, little enough to stay in the cache."""

_WINDOW = 4096  # texts tokenised and sorted at a time: memory stays flat


def can_encode(folder: Path, recipe: Recipe) -> bool:
    """Whether the model in `folder` is a plain BERT with a pooling that the graph knows."""
    config = read_json(folder / "config.json")
    return (
        recipe.pooling is not None
        and config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and (folder / "model.safetensors").is_file()
        and (folder / "tokenizer.json").is_file()
    )


def find_bert(name: str) -> tuple[Path, Recipe]:
    """The folder and the recipe of a BERT, for encoders that read more of it than one vector per text."""
    folder = folder_of(find_model(name))
    recipe = read_recipe(folder, cls_family=False)
    if not can_encode(folder, recipe):
        raise ModelError(f"'{name}' is not a BERT with safetensors weights: name one that is")
    return folder, recipe


def folder_of(model: Model) -> Path:
    """The folder of a model that `find` returned."""
    if model.path is None:
        raise ModelError(f"the model '{model.name}' is not on this machine: run 'panelist model fetch {model.name}'")
    return model.path


def bert_revision(folder: Path, recipe: Recipe) -> str:
    """The revision of a plain BERT, on whichever device and in whichever precision."""
    return revision_of(folder, "onnx", recipe)


class BertEncoder:
    """Encodes with a BERT read from a folder; safe to share between threads."""

    _pooling: Pooling | None = None
    """Instead of the recipe's."""

    device = "cpu"

    def __init__(
        self, name: str, folder: Path, recipe: Recipe, threads: int | None = None, precision: str = "float32"
    ) -> None:
        config = read_json(folder / "config.json")
        self.name, self.precision = name, precision
        self.revision = bert_revision(folder, recipe)
        self.dimension = int(config["hidden_size"])
        self._recipe = recipe
        self._threads = threads or cores()
        try:
            graph = read_graph(folder, self._pooling or recipe.pooling or "mean")
            self._run = run_in_float32(graph) if precision == "float32" else run_in_bfloat16(graph, self._threads)
            self._tokenizer = open_tokenizer(folder, recipe.max_tokens)
        except Exception as error:  # both libraries raise bare ones
            raise ModelError(f"the model in '{folder}' is damaged: {error}; fetch it again") from error

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors (texts, dimension), in the order of the texts; of length 1 unless all layers are read."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        executor = ThreadPoolExecutor(self._threads)
        try:
            for start in range(0, len(texts), _WINDOW):
                rendered = [self._recipe.render(text, "[SEP]") for text in texts[start : start + _WINDOW]]
                encodings = self._tokenizer.encode_batch_fast(rendered)
                tokens = [np.asarray(encoding.ids, np.int32) for encoding in encodings]
                batches = list(_batches(tokens))
                results = executor.map(self._run, [np.stack([tokens[row] for row in batch]) for batch in batches])
                for batch, result in zip(batches, results, strict=True):
                    vectors[np.asarray(batch) + start] = result
                    if progress is not None:
                        progress(len(batch))
        finally:
            executor.shutdown(cancel_futures=True)  # an interrupt waits for the running batches only
        if self._pooling != "layers":
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def read_graph(folder: Path, pooling: Pooling) -> Graph:
    """The graph of the BERT in a folder."""
    from safetensors.numpy import load_file

    weights = {
        key.removeprefix("bert."): np.asarray(value, np.float32)
        for key, value in load_file(folder / "model.safetensors").items()
        if np.issubdtype(value.dtype, np.floating)
    }
    config = read_json(folder / "config.json")
    return build_graph(weights, BertShape(**{key: config[key] for key in BertShape.__dataclass_fields__}), pooling)


def open_tokenizer(folder: Path, limit: int) -> Tokenizer:
    """The tokeniser in a folder; texts of more than `limit` tokens are cut."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    return tokenizer


def _batches(tokens: Sequence[NDArray[np.int32]]) -> Iterator[list[int]]:
    """Rows of equal length, at most `BATCH_TOKENS` tokens at a time, longest first so that the threads end together."""
    batch: list[int] = []
    for row in sorted(range(len(tokens)), key=lambda row: -len(tokens[row])):
        length = len(tokens[row])
        if batch and (len(tokens[batch[0]]) != length or (len(batch) + 1) * length > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


class LayerEncoder(BertEncoder):
    """Encodes with the means after all layers but the first and two maxima: long vectors, not normalised.

    The last layer says what a text is about, those before it how it is put (docs/research/reviews.md).
    """

    _pooling = "layers"

    def __init__(self, name: str = DEFAULT_MODEL.name, *, threads: int | None = None) -> None:
        folder, recipe = find_bert(name)
        super().__init__(name, folder, recipe, threads)
        self.revision = revision_of(folder, "onnx-layers", recipe)
        self.dimension = self._run(np.zeros((1, 2), np.int32)).shape[1]


class TokenEncoder:
    """Encodes the tokens of texts with a BERT."""

    def __init__(self, name: str = DEFAULT_MODEL.name) -> None:
        folder, recipe = find_bert(name)
        # Tokens that see each other, without the two marks: longer texts are cut into such pieces, and nothing is lost.
        self._window = recipe.max_tokens - 2
        self._run = run_in_float32(read_graph(folder, "none"))
        self._tokenizer = open_tokenizer(folder, 1 << 30)

    def encode(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """For every text (tokens, dimension): vectors of length 1, without those of the marks at its ends."""
        encodings = self._tokenizer.encode_batch([encodable(text) for text in texts])
        return [self._encode(encoding.ids) for encoding in encodings]

    def _encode(self, ids: list[int]) -> NDArray[np.float32]:
        opening, closing = ids[0], ids[-1]
        pieces = []
        for start in range(1, len(ids) - 1, self._window):
            window = np.array([[opening, *ids[start : min(start + self._window, len(ids) - 1)], closing]], np.int32)
            pieces.append(self._run(window)[0, 1:-1])
        if not pieces:
            return np.zeros((0, 1), np.float32)
        vectors = np.concatenate(pieces)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
