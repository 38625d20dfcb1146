"""A search that remembers: moving the diversity slider re-ranks the candidates of the last search, in milliseconds."""

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.text import Text
from panelist.app.limits import CANDIDATES_KEPT
from retriever.search import Search, search
from retriever.stages import Candidates


class CandidateMemory:
    """The candidates of the latest searches, the least recently used forgotten first. Safe to share between threads."""

    def __init__(self, size: int = CANDIDATES_KEPT) -> None:
        self._size = size
        self._kept: OrderedDict[Hashable, list[Candidates]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> list[Candidates] | None:
        """What was found for this key, if it is still known."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, candidates: list[Candidates]) -> None:
        """Remember what was found."""
        with self._lock:
            self._kept[key] = candidates
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def __len__(self) -> int:
        return len(self._kept)


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


class RememberingSearch:
    """`retriever.search.search` that looks into a memory first, and keeps the time of its stages."""

    def __init__(self, memory: CandidateMemory, timings: Timings) -> None:
        self._memory, self._timings = memory, timings

    def __call__(
        self,
        index: Index,
        texts: Sequence[Text],
        settings: Search,
        *,
        allowed: NDArray[np.bool_] | None = None,
        vectors: NDArray[np.float32] | None = None,
    ) -> list[Candidates]:
        """See `search`."""
        pool = None if allowed is None else blake2b(allowed.tobytes(), digest_size=16).digest()
        key = (index.path, settings, tuple(texts), pool)
        found = self._memory.get(key)
        if found is None:
            if vectors is None and settings.mode != "lexical":
                with self._timings.stage("encode"):
                    vectors = index.encoder().encode(texts)
            with self._timings.stage("search"):
                found = search(index, texts, settings, allowed=allowed, vectors=vectors)
            self._memory.put(key, found)
        return found
