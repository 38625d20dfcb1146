"""A search that remembers: moving the diversity slider re-ranks the candidates of the last search, in milliseconds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.text import Text
from panelist.app.web.limits import CANDIDATES_KEPT
from retriever.candidates import Candidates
from retriever.search import Search


class CandidateMemory:
    """The candidates of the latest searches, the least recently used forgotten first. Safe to share between threads."""

    def __init__(self, size: int = CANDIDATES_KEPT) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, Candidates] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Candidates | None:
        """What was found for this key, if it is still known."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, candidates: Candidates) -> None:
        """Remember what was found."""
        with self._lock:
            self._kept[key] = candidates
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)


@dataclass(slots=True)
class Timings:
    """Milliseconds spent in each stage, for the `Server-Timing` header."""

    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a block."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + 1000 * (time.perf_counter() - begun)

    def header(self) -> str:
        """As the header has it."""
        return ", ".join(f"{name};dur={duration:.2f}" for name, duration in self.stages.items())


@dataclass(frozen=True, slots=True)
class RememberedSearch(Search):
    """A `Search` that looks into a memory first, and keeps the time of its stages."""

    memory: CandidateMemory = field(default_factory=CandidateMemory, compare=False)
    timings: Timings = field(default_factory=Timings, compare=False)

    @classmethod
    def of(cls, search: Search, memory: CandidateMemory, timings: Timings) -> RememberedSearch:
        """The same search with a memory."""
        return cls(**_settings(search), memory=memory, timings=timings)

    def run(
        self,
        index: Index,
        texts: Sequence[Text],
        *,
        allowed: NDArray[np.bool_] | None = None,
        vectors: NDArray[np.float32] | None = None,
    ) -> Candidates:
        """See `Search.run`."""
        pool = None if allowed is None else blake2b(allowed.tobytes(), digest_size=16).digest()
        key = (index.path, tuple(_settings(self).values()), tuple(texts), pool)
        found = self.memory.get(key)
        if found is None:
            if vectors is None and self.mode != "lexical":
                with self.timings.stage("encode"):
                    vectors = index.encoder().encode(texts)
            with self.timings.stage("search"):
                # Not super(): a class with slots is another one than its body sees.
                found = Search.run(self, index, texts, allowed=allowed, vectors=vectors)
            self.memory.put(key, found)
        return found


def _settings(search: Search) -> dict[str, Any]:
    """Everything that a plain search is told."""
    return {one.name: getattr(search, one.name) for one in fields(Search)}
