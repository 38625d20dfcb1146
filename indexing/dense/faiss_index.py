"""FAISS' approximate indexes: inverted lists or a graph over 8-bit codes, scored again on the exact vectors.

Codes are a quarter of the vectors' size. How far a search looks (`effort`: lists to probe, or the graph's candidate
list) is measured when the index is built, as the least that reaches the required recall on a sample of its own vectors,
once for a shallow and once for a deep search.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import faiss as _faiss
import numpy as np
from numpy.typing import NDArray

from indexing.dense.flat import ExactIndex, check_search
from indexing.hits import Hits, fit_mask
from indexing.parallel import cores, each
from indexing.tables.arrays import damaged, replacing
from indexing.tables.vectors import Vectors

Structure = Literal["ivf", "hnsw"]
"""Inverted lists, or a navigable graph."""

RECALL = 0.985  # on the sample: a margin above the 0.97 that other queries must reach
DEPTHS = (100, 1000)
_FILE = "index.faiss"
_SEED = 20_240_607
_SAMPLE = 256
_BLOCK = 65_536
_ONE_THREAD = 200_000
_POINTS_PER_LIST = 64
_LINKS = 32  # of a graph's node
_SMALL_POOL = 20_000  # up to here exact scores are as fast as lists or a graph, and never miss
_SPARE = 1.2  # candidates for each hit, since codes order them only nearly right
_CROWD = 2  # vectors to look at, at the least, for each candidate

_CHUNK = 16  # queries: from 20 on FAISS compares them to the centres by matrix products, which round otherwise

faiss: Any = _faiss  # its type stubs do not know half of it


def write(
    vectors: Vectors, path: Path, kind: Structure, base: Path | None, before: dict[str, Any] | None
) -> dict[str, Any]:
    """Write the structure of `vectors`, at least one, into a directory; return what `open_index` has to know.

    `base` and `before`: the directory of a structure of the same kind over a prefix of the rows, and what was returned
    then. It serves until the rows have doubled since its training.
    """
    # For few vectors FAISS' threads spend more time waiting for each other than they save.
    with _threads(1 if len(vectors) <= _ONE_THREAD else cores()):
        if base is not None and before is not None and before["trained"] <= len(vectors) < 2 * before["trained"]:
            index, efforts, trained = _read(base / _FILE, before, 0), before["efforts"], before["trained"]
            _add(index, vectors)
        else:
            index, trained = _trained(vectors, kind), len(vectors)
            _add(index, vectors)
            efforts = [_least_effort(index, vectors, kind, depth) for depth in DEPTHS]
    with replacing(path / _FILE) as part:
        faiss.write_index(index, str(part))
    return {"efforts": efforts, "trained": trained, "bytes": (path / _FILE).stat().st_size}


def _trained(vectors: Vectors, kind: Structure) -> Any:
    """An empty structure for vectors like these."""
    count, dimension = vectors.shape
    lists = max(1, min(round(4 * math.sqrt(count)), count // 39))  # FAISS needs 39 vectors to find a centre
    structure = f"IVF{lists},SQ8" if kind == "ivf" else f"HNSW{_LINKS}_SQ8"
    index = faiss.index_factory(dimension, structure, faiss.METRIC_INNER_PRODUCT)
    if kind == "ivf":
        index.cp.seed, index.cp.spherical = _SEED, True
        index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, _POINTS_PER_LIST
    size = min(count, lists * _POINTS_PER_LIST)
    sample = np.sort(np.random.default_rng(_SEED).choice(count, size, replace=False))
    index.train(_float32(vectors[sample]))
    return index


def _add(index: Any, vectors: Vectors) -> None:
    """Add the rows that the structure does not have yet."""
    for start in range(index.ntotal, len(vectors), _BLOCK):
        index.add(_float32(vectors[start : start + _BLOCK]))


def _least_effort(index: Any, vectors: Vectors, kind: Structure, k: int) -> int:
    """The least effort, of a growing series, that reaches `RECALL` on a sample of the vectors themselves."""
    k = min(k, len(vectors))
    sample = np.random.default_rng(_SEED + 1).choice(len(vectors), min(_SAMPLE, len(vectors)), replace=False)
    queries = _float32(vectors[np.sort(sample)])
    own_range = np.arange(len(queries))[:, None] * (len(vectors) + 1) + 1  # so that no query's -1 is another's unit
    nearest = ExactIndex(vectors).search(queries, k).units + own_range
    effort, most = (1, index.nlist) if kind == "ivf" else (k, len(vectors))
    while effort < most:
        near = ApproximateIndex(index, vectors, kind, [effort] * len(DEPTHS)).candidates(queries, k, None)
        if np.isin(near + own_range, nearest).sum() >= RECALL * nearest.size:
            break
        effort = min(math.ceil(1.5 * effort), most)
    return effort


class ApproximateIndex:
    """The kinds `ivf` and `hnsw`; see `indexing.dense.VectorIndex`."""

    def __init__(self, index: Any, vectors: Vectors, kind: Structure, efforts: Sequence[int]) -> None:
        self.kind, self.vectors, self.efforts = kind, vectors, efforts
        self._index = index
        self._exact = ExactIndex(vectors)

    def search(self, queries: NDArray[np.float32], k: int, *, allowed: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` units with nearly the highest inner product for each query; see `VectorIndex.search`.

        A small pool is scored exactly. Otherwise the rarer allowed units are, the more of the structure is searched; a
        query that still finds fewer than `k` of them is answered exactly.
        """
        check_search(queries, k, self.vectors)
        mask = None if allowed is None else fit_mask(allowed, len(self.vectors))
        count = len(self.vectors) if mask is None else int(mask.sum())
        if count <= max(_SMALL_POOL if mask is not None else 0, 2 * k):
            return self._exact.search(queries, k, allowed=mask)
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        candidates = [row[row >= 0] for row in self.candidates(queries, k, mask)]
        return self._exact.rescored(queries, k, candidates, mask)

    def candidates(self, queries: NDArray[np.float32], k: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """(queries, some more than k) allowed units that FAISS finds near, in the order of their codes; -1 for none."""
        count = len(self.vectors) if mask is None else int(mask.sum())
        limit = min(math.ceil(_SPARE * k), count)
        # If one unit in n is allowed, finding k allowed units is as hard as finding n * k units without a mask.
        depth = k * len(self.vectors) / count
        # Between the two measured depths, effort is interpolated over the logarithm of the depth.
        effort = float(np.interp(np.log(depth), np.log(DEPTHS), self.efforts)) * max(1.0, depth / DEPTHS[-1])
        selector = {} if mask is None else {"sel": faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))}
        if self.kind == "ivf":
            probes = max(effort, _CROWD * limit * self._index.nlist / count)  # enough to fill the answer
            parameters = faiss.SearchParametersIVF(nprobe=min(math.ceil(probes), self._index.nlist), **selector)
        else:
            parameters = faiss.SearchParametersHNSW(efSearch=math.ceil(max(effort, _CROWD * limit)), **selector)

        def nearest(some: NDArray[np.float32]) -> NDArray[np.int64]:
            with _threads(1):
                units: NDArray[np.int64] = self._index.search(some, limit, params=parameters)[1]
            return units

        chunks = [queries[start : start + _CHUNK] for start in range(0, len(queries), _CHUNK)]
        return np.concatenate([np.empty((0, limit), np.int64), *each(nearest, chunks)])


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Have FAISS use this many threads for the calls of this thread."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(count)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def open_index(path: Path, vectors: Vectors, settings: dict[str, Any]) -> ApproximateIndex:
    """Open what `write` wrote; see `indexing.dense.open_vector_index`."""
    if "efforts" not in settings:
        raise damaged(path / _FILE)
    index = _read(path / _FILE, settings, faiss.IO_FLAG_MMAP_IFC)
    return ApproximateIndex(index, vectors, settings["kind"], settings["efforts"])


def _read(file: Path, settings: dict[str, Any], flags: int) -> Any:
    # A mapped file that is too short would end the process at its first search, so its size is checked before.
    if not file.is_file() or file.stat().st_size != settings.get("bytes"):
        raise damaged(file)
    try:
        return faiss.read_index(str(file), flags)
    except RuntimeError as error:
        raise damaged(file) from error


def _float32(rows: Vectors) -> NDArray[np.float32]:
    return np.ascontiguousarray(rows, dtype=np.float32)
