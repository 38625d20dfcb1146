"""A search that remembers: moving the diversity slider re-ranks the candidates of the last search, in milliseconds."""

import re
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.text import Text
from panelist.app.limits import CANDIDATES_KEPT
from retriever.search import Search, search
from retriever.stages import Candidates

Mask = NDArray[np.bool_] | None
Vectors = NDArray[np.float32] | None
STAGE = re.compile(r"(\w+);dur=([\d.]+)")  # of a `Server-Timing` header


class CandidateMemory:
    """The candidates of the latest searches, the least recently used forgotten first. Safe to share between threads."""

    def __init__(self, size: int = CANDIDATES_KEPT) -> None:
        self._size = size
        self._candidates: OrderedDict[Hashable, list[Candidates]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> list[Candidates] | None:
        """The candidates of this key, if they are still remembered."""
        with self._lock:
            if key in self._candidates:
                self._candidates.move_to_end(key)
            return self._candidates.get(key)

    def put(self, key: Hashable, candidates: list[Candidates]) -> None:
        """Remember the candidates of a key."""
        with self._lock:
            self._candidates[key] = candidates
            if len(self._candidates) > self._size:
                self._candidates.popitem(last=False)

    def __len__(self) -> int:
        return len(self._candidates)


class Timings:
    """Milliseconds spent in each stage, for the `Server-Timing` header."""

    def __init__(self) -> None:
        self._stages: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a block."""
        begun = time.perf_counter()
        yield
        self._stages[name] += 1000 * (time.perf_counter() - begun)

    def add(self, header: str) -> None:
        """Count stages that another process has measured."""
        for name, duration in STAGE.findall(header):
            self._stages[name] += float(duration)

    def header(self) -> str:
        """The stages as the header has them."""
        return ", ".join(f"{name};dur={duration:.2f}" for name, duration in self._stages.items())


class RememberingSearch:
    """`retriever.search.search` that looks into a memory first, and measures its stages."""

    def __init__(self, memory: CandidateMemory, timings: Timings) -> None:
        self._memory, self._timings = memory, timings

    def __call__(
        self, index: Index, texts: Sequence[Text], settings: Search, *, allowed: Mask = None, vectors: Vectors = None
    ) -> list[Candidates]:
        """Search, unless the memory has the answer."""
        pool = None if allowed is None else blake2b(allowed.tobytes(), digest_size=16).digest()
        key = (index.path, settings, tuple(texts), pool)
        candidates = self._memory.get(key)
        if candidates is None:
            if vectors is None and settings.mode != "lexical":
                with self._timings.stage("encode"):
                    vectors = index.encoder().encode(texts)
            with self._timings.stage("search"):
                candidates = search(index, texts, settings, allowed=allowed, vectors=vectors)
            self._memory.put(key, candidates)
        return candidates
