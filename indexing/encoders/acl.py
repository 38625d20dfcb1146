"""The ACL encoder: a text is the mean of the vectors of its subwords. numpy and sentencepiece suffice.

A model is a folder of three files: `config.json` (what it is and how it was trained), `tokenizer.model` (sentencepiece)
and `model.safetensors` (the tensor `vectors`, a row for each subword). `indexing/training/acl.py` makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.encoders.subwords import Subwords, average
from indexing.parallel import each
from indexing.text import Text
from panelist.config import cache_dir
from panelist.errors import MissingModelError, ModelError

KIND = "panelist-acl-1"
"""Says in `config.json` what the folder holds."""

_AT_ONCE = 1_024


def default_folder() -> Path:
    """Where a trained model is kept unless told otherwise."""
    return cache_dir() / "models" / "acl"


def save_model(folder: Path, tokenizer: bytes, vectors: NDArray[np.float32], training: dict[str, Any]) -> None:
    """Write the three files of a model into a folder that exists; `training` says how it was trained."""
    from safetensors.numpy import save

    config = {"kind": KIND, "dimension": vectors.shape[1], "training": training}
    (folder / "tokenizer.model").write_bytes(tokenizer)
    (folder / "model.safetensors").write_bytes(save({"vectors": vectors}))
    (folder / "config.json").write_bytes(orjson.dumps(config, option=orjson.OPT_INDENT_2))


class AclEncoder:
    """Texts to vectors of length 1.

    Args:
        subwords: the vocabulary.
        vectors: (subwords, dimension).
    """

    def __init__(self, subwords: Subwords, vectors: NDArray[np.float32]) -> None:
        self.subwords, self.vectors = subwords, vectors
        self.dimension = vectors.shape[1]

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read a trained model.

        Raises:
            MissingModelError: there is none.
            ModelError: it is damaged.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        if not (folder / "config.json").is_file():
            raise MissingModelError(f"no trained ACL model in '{folder}': run 'panelist train acl'")
        try:
            config = orjson.loads((folder / "config.json").read_bytes())
            if config["kind"] != KIND:
                raise ValueError(f"config.json says '{config['kind']}'")
            subwords = Subwords((folder / "tokenizer.model").read_bytes())
            vectors = load_file(folder / "model.safetensors")["vectors"]
            if vectors.dtype != np.float32 or vectors.shape != (len(subwords), config["dimension"]):
                raise ValueError(f"{vectors.dtype} vectors {vectors.shape} for {len(subwords):,} subwords")
            if not np.isfinite(vectors).all():
                raise ValueError("vectors that are not finite")
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise ModelError(
                f"'{folder}' is not a whole ACL model ({error}): train it again, 'panelist train acl --out {folder}'"
            ) from error
        return cls(subwords, vectors)

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension); zeros for a text without any known subword.

        Abstracts are read, as in training, and the title of what has no abstract.

        Args:
            texts: what to encode; it may be empty.
            progress: called now and then with the number of texts done since the last call.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def work(first: int) -> None:
            chosen = texts[first : first + _AT_ONCE]
            bags = self.subwords.bags([text.abstract or text.title for text in chosen])
            block = vectors[first : first + len(chosen)]
            average(self.vectors, bags.tokens, bags.starts, 0, len(bags), block)
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
            block /= np.where(lengths > 0, lengths, 1)[:, None]
            if progress is not None:
                progress(len(chosen))

        each(work, range(0, len(texts), _AT_ONCE))
        return vectors
