"""Texts encoded by workers: the part of `affinity` that takes the time, and that others can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import EncoderFactory
from indexing.jobs.executors import Workers, in_order
from indexing.jobs.shards import encoder_of
from indexing.text import Text

_CHUNK = 256  # texts per task: some ten seconds of one core


def by_workers(load: EncoderFactory, workers: Workers) -> EncoderFactory:
    """A loader of encoders that let the workers encode; each of them loads the model once."""
    return partial(DistributedEncoder, load, workers)


class DistributedEncoder:
    """An encoder that gives its texts to workers, each of which loads the model once."""

    def __init__(self, load: EncoderFactory, workers: Workers, name: str) -> None:
        encoder = encoder_of(load, name)
        self.name, self.revision, self.dimension = encoder.name, encoder.revision, encoder.dimension
        self._load, self._workers = load, workers

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        parts = [slice(start, min(start + _CHUNK, len(texts))) for start in range(0, len(texts), _CHUNK)]
        tasks = (partial(_encode, self._load, self.name, list(texts[part])) for part in parts)
        with closing(in_order(self._workers, tasks)) as encoded:
            for part, made in zip(parts, encoded, strict=True):
                vectors[part] = made
                if progress is not None:
                    progress(part.stop - part.start)
        return vectors


def _encode(load: EncoderFactory, name: str, texts: Sequence[Text]) -> NDArray[np.float32]:
    return encoder_of(load, name).encode(texts)
