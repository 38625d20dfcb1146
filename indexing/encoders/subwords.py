"""Texts as bags of subwords: a sentencepiece vocabulary (Kudo & Richardson 2018) and means of its vectors."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numba
import numpy as np
from numpy.typing import NDArray

from indexing.text import encodable
from panelist.errors import InputError

LONGEST = 1 << 20
"""Bytes of a text that a vocabulary is learned from; sentencepiece ignores longer ones."""

_CHARACTERS = 0.9995  # the share of characters that the vocabulary covers; rarer ones are unknown


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


class Subwords:
    """A vocabulary of subwords.

    Args:
        model: what sentencepiece makes of it, as `learn` returns it.

    Raises:
        ValueError: it cannot be read.
    """

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
        known = ~np.isin(tokens, self._ignored)
        ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return Bags(tokens[known], np.concatenate(([0], np.cumsum(known)))[ends])


def learn(texts: Sequence[str], size: int) -> bytes:
    """Learn a vocabulary of subwords in lower case, by sentencepiece's unigram model.

    Raises:
        InputError: the texts have too few different words, or too many different characters, for this size.
    """
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
    if found := re.search(r"Vocabulary size too high .* <= (\d+)", reason):
        raise InputError(
            f"{len(texts):,} texts are too few for a vocabulary of {size:,} subwords: give more, or at most "
            f"{int(found[1]):,} subwords"
        )
    if found := re.search(r"smaller than required_chars\. \d+ vs (\d+)", reason):
        raise InputError(
            f"a vocabulary of {size:,} subwords is too small for the characters of these texts: "
            f"give at least {int(found[1]):,}"
        )
    raise InputError(f"no vocabulary can be learned from {len(texts):,} texts: {reason}")


@numba.njit(nogil=True, cache=True)
def average(
    vectors: NDArray[np.float32],
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    out: NDArray[np.float32],
) -> None:
    """Write the mean vector of each text's subwords, of texts `first` to `last`, into `out`; zeros for none."""
    for text in range(first, last):
        mean = out[text]
        mean[:] = 0
        for position in range(starts[text], starts[text + 1]):
            row = vectors[tokens[position]]
            for i in range(len(mean)):
                mean[i] += row[i]
        scale = np.float32(1) / np.float32(max(starts[text + 1] - starts[text], 1))
        for i in range(len(mean)):
            mean[i] *= scale
