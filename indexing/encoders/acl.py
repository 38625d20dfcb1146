"""The ACL encoder: a text is the mean of the vectors of its subwords. numpy and sentencepiece suffice.

A model is a folder of three files: `config.json` (what it is and how it was trained), `tokenizer.model` (sentencepiece)
and `model.safetensors` (the tensor `vectors`, a row for each subword). `indexing/training/acl.py` makes it. Texts are
bags of subwords of a sentencepiece vocabulary (Kudo & Richardson 2018).
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.parallel import map_parallel
from indexing.text import Text, encodable
from panelist.config import cache_dir
from panelist.errors import InputError, MissingModelError, ModelError

KIND = "panelist-acl-1"
"""Says in `config.json` what the folder contains."""

_AT_ONCE = 1_024
LONGEST = 1 << 20
"""Bytes of a text that a vocabulary is learned from; sentencepiece ignores longer ones."""
_CHARACTERS = 0.9995  # the share of characters that the vocabulary covers; rarer ones are unknown


def acl_folder() -> Path:
    """Where a trained model is stored by default."""
    return cache_dir() / "models" / "acl"


def save_model(folder: Path, tokenizer: bytes, vectors: NDArray[np.float32], training: dict[str, Any]) -> None:
    """Write the three files of a model into a folder that exists; `training` says how it was trained."""
    from safetensors.numpy import save

    config = {"kind": KIND, "dimension": vectors.shape[1], "training": training}
    (folder / "tokenizer.model").write_bytes(tokenizer)
    (folder / "model.safetensors").write_bytes(save({"vectors": vectors}))
    (folder / "config.json").write_bytes(orjson.dumps(config, option=orjson.OPT_INDENT_2))


class AclEncoder:
    """Texts to vectors of length 1, by the vectors (subwords, dimension) of a vocabulary."""

    def __init__(self, subwords: Subwords, vectors: NDArray[np.float32]) -> None:
        self.subwords, self.vectors = subwords, vectors
        self.dimension = vectors.shape[1]

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Read a trained model."""
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
                f"'{folder}' is not a whole ACL model ({error}): train it again into this folder ('panelist train acl')"
            ) from error
        return cls(subwords, vectors)

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension); zeros for a text without any known subword.

        Abstracts are read, as in training, and the title of what has no abstract.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)

        def work(start: int) -> None:
            chunk = texts[start : start + _AT_ONCE]
            bags = self.subwords.bags([text.abstract or text.title for text in chunk])
            sums = bags.counts(len(self.vectors)) @ self.vectors
            lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
            vectors[start : start + len(chunk)] = sums / np.where(lengths > 0, lengths, 1)[:, None]
            if progress is not None:
                progress(len(chunk))

        map_parallel(work, range(0, len(texts), _AT_ONCE))
        return vectors


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Texts as numbers of subwords: those of text i are `tokens[starts[i]:starts[i + 1]]`."""

    tokens: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(texts) how many subwords each has."""
        return np.diff(self.starts)

    def counts(self, subwords: int) -> csr_array:
        """(texts, subwords) how often each text has each of so many subwords, in single precision."""
        return csr_array((np.ones(len(self.tokens), np.float32), self.tokens, self.starts), shape=(len(self), subwords))


class Subwords:
    """A vocabulary of subwords, as `learn_subwords` returns it."""

    def __init__(self, model: bytes) -> None:
        from sentencepiece import SentencePieceProcessor

        if not model:  # sentencepiece takes nothing for no model yet, and complains later
            raise ValueError("empty")
        try:
            self._processor = SentencePieceProcessor(model_proto=model)
        except RuntimeError as error:
            raise ValueError("not a sentencepiece model") from error
        # A bare space says nothing, and would make all texts in unknown scripts alike.
        self._ignored = [self._processor.unk_id(), self._processor.piece_to_id("▁")]

    def __len__(self) -> int:
        return int(self._processor.get_piece_size())

    def bags(self, texts: Sequence[str]) -> Bags:
        """Cut texts; characters that the vocabulary does not have are left out."""
        rows = self._processor.encode([encodable(text) for text in texts])
        tokens = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
        in_vocabulary = ~np.isin(tokens, self._ignored)
        ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return Bags(tokens[in_vocabulary], np.concatenate(([0], np.cumsum(in_vocabulary)))[ends])


def learn_subwords(texts: Sequence[str], size: int) -> bytes:
    """Learn a vocabulary of subwords in lower case, by sentencepiece's unigram model."""
    from sentencepiece import SentencePieceTrainer

    model = io.BytesIO()
    failures: list[RuntimeError] = []

    def work() -> None:
        try:
            SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=model,
                vocab_size=size,
                character_coverage=_CHARACTERS,
                normalization_rule_name="nmt_nfkc_cf",  # compatible forms are one, upper case is lower case
                max_sentence_length=LONGEST,
                num_threads=1,  # what is learned would depend on their number
                minloglevel=3,
            )
        except RuntimeError as error:
            failures.append(error)

    # Beside this thread, which can be interrupted while it waits.
    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.1)
    if not failures:
        return model.getvalue()
    reason = str(failures[0])
    if match := re.search(r"Vocabulary size too high .* <= (\d+)", reason):
        raise InputError(
            f"{len(texts):,} texts are too few for a vocabulary of {size:,} subwords: give more, or at most "
            f"{int(match[1]):,} subwords"
        )
    if match := re.search(r"smaller than required_chars\. \d+ vs (\d+)", reason):
        raise InputError(
            f"a vocabulary of {size:,} subwords is too small for the characters of these texts: "
            f"give at least {int(match[1]):,}"
        )
    raise InputError(f"no vocabulary can be learned from {len(texts):,} texts: {reason}")
