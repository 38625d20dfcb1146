"""FAISS' approximate indexes: inverted lists, a graph, or any structure of its factory, scored again on exact vectors.

The 8-bit codes of `ivf` and `hnsw` are a quarter of the vectors' size. How far a search looks (`effort`: lists to
probe, or the graph's candidate list) is measured when the index is built, as the least that reaches the required recall
on a sample of its own vectors, once for a shallow and once for a deep search.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.dense.faiss_flat import ExactIndex, RescoredIndex, faiss, found_share, threads
from indexing.parallel import cores, map_parallel
from indexing.tables.arrays import damaged_file
from indexing.tables.vectors import Vectors
from panelist.errors import InputError
from panelist.files import replacing

RECALL = 0.985  # on the sample: a margin above the 0.97 that other queries must reach
DEPTHS = (100, 1000)
_FILE = "index.faiss"
_SEED = 20_240_607
_SAMPLE = 256
_BLOCK = 65_536
_ONE_THREAD = 200_000
_POINTS_PER_LIST = 64
_LINKS = 32  # of a graph's node
_SPARE = 1.2  # candidates for each hit, since codes order them only nearly right
_COARSE = 4.0  # the same for a factory, whose codes may be much shorter
_CROWD = 2  # vectors to look at, at the least, for each candidate


def check_factory(factory: str, dimension: int) -> None:
    """Refuse what FAISS cannot make an index of."""
    try:
        faiss.index_factory(dimension, factory, faiss.METRIC_INNER_PRODUCT)
    except RuntimeError as error:
        raise InputError(
            f"FAISS knows no vector index '{factory}' of {dimension} dimensions: choose auto, flat, ivf, hnsw, "
            "milvus://HOST:PORT or a string of FAISS' index factory, such as OPQ16,IVF256,PQ16"
        ) from error


def write_structure(
    vectors: Vectors, path: Path, kind: str, base: Path | None, base_settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Write the structure of `vectors`, at least one, into a directory; return what `open_structure` has to know.

    `base` and `base_settings`: the directory of a structure of the same kind over a prefix of the rows, and what was
    returned then. It serves until the rows have doubled since its training.
    """
    # For few vectors FAISS' threads spend more time waiting for each other than they save.
    with threads(1 if len(vectors) <= _ONE_THREAD else cores()):
        trained = base_settings.get("trained", 0)
        if base is not None and trained <= len(vectors) < 2 * trained:
            index, efforts = _read_file(base / _FILE, base_settings, 0), base_settings["efforts"]
        else:
            index, efforts, trained = _train_structure(vectors, kind), None, len(vectors)
        _add_rows(index, vectors)
        measured = _Recall(index, vectors, kind)
        efforts = efforts or [measured.least_effort(depth) for depth in DEPTHS]
        recall = measured.measure(efforts, DEPTHS[0])
    with replacing(path / _FILE) as temporary:
        faiss.write_index(index, str(temporary))
    return {"efforts": efforts, "trained": trained, "recall": recall, "bytes": (path / _FILE).stat().st_size}


def _train_structure(vectors: Vectors, kind: str) -> Any:
    """An empty structure for vectors like these."""
    count, dimension = vectors.shape
    lists = max(1, min(round(4 * math.sqrt(count)), count // 39))  # FAISS needs 39 vectors to find a centre
    structure = {"ivf": f"IVF{lists},SQ8", "hnsw": f"HNSW{_LINKS}_SQ8"}.get(kind, kind)
    check_factory(structure, dimension)
    index = faiss.index_factory(dimension, structure, faiss.METRIC_INNER_PRODUCT)
    size = lists * _POINTS_PER_LIST
    if isinstance(inverted := _innermost(index), faiss.IndexIVF):
        inverted.cp.seed, inverted.cp.spherical = _SEED, True
        inverted.cp.min_points_per_centroid, inverted.cp.max_points_per_centroid = 1, _POINTS_PER_LIST
        size = inverted.nlist * _POINTS_PER_LIST
    size = min(count, size if kind in ("ivf", "hnsw") else max(size, _BLOCK))
    sample = np.sort(np.random.default_rng(_SEED).choice(count, size, replace=False))
    try:
        index.train(_float32(vectors[sample]))
    except RuntimeError as error:
        raise InputError(
            f"FAISS cannot learn '{structure}' from {count:,} vectors ({str(error).splitlines()[0].strip()[-150:]}): "
            "choose a smaller structure, or flat"
        ) from error
    return index


def _innermost(index: Any) -> Any:
    """The structure behind transforms of the vectors."""
    while isinstance(index, faiss.IndexPreTransform):
        index = faiss.downcast_index(index.index)
    return index


def _add_rows(index: Any, vectors: Vectors) -> None:
    """Add the rows that the structure does not have yet."""
    for start in range(index.ntotal, len(vectors), _BLOCK):
        index.add(_float32(vectors[start : start + _BLOCK]))


class _Recall:
    """The share of the exact answers that a structure finds, on a sample of its own vectors."""

    def __init__(self, index: Any, vectors: Vectors, kind: str) -> None:
        self._index, self._vectors, self._kind = index, vectors, kind
        sample = np.random.default_rng(_SEED + 1).choice(len(vectors), min(_SAMPLE, len(vectors)), replace=False)
        self._queries = _float32(vectors[np.sort(sample)])

    def measure(self, efforts: Sequence[int], depth: int) -> float:
        k = min(depth, len(self._vectors))
        index = ApproximateIndex(self._index, self._vectors, self._kind, efforts)
        exact = ExactIndex(self._vectors).search(self._queries, k).units
        return found_share(exact, index.candidates(self._queries, k, None))

    def least_effort(self, depth: int) -> int:
        """The least effort, of a growing series, that reaches `RECALL`."""
        structure, effort, maximum = _innermost(self._index), min(depth, len(self._vectors)), len(self._vectors)
        if isinstance(structure, faiss.IndexIVF):
            effort, maximum = 1, structure.nlist
        elif not isinstance(structure, faiss.IndexHNSW):
            return 0  # it looks at everything
        while effort < maximum and self.measure([effort] * len(DEPTHS), depth) < RECALL:
            effort = min(math.ceil(1.5 * effort), maximum)
        return effort


class ApproximateIndex(RescoredIndex):
    """The kinds `ivf`, `hnsw` and strings of FAISS' factory."""

    def __init__(self, index: Any, vectors: Vectors, kind: str, efforts: Sequence[int], recall: float = 0.0) -> None:
        super().__init__(vectors)
        self.kind, self.efforts, self.recall = kind, efforts, recall
        self._index, self._structure = index, _innermost(index)
        self._inverted = isinstance(self._structure, faiss.IndexIVF)
        self._steers = self._inverted or isinstance(self._structure, faiss.IndexHNSW)  # takes effort and mask

    def _reaches(self, k: int, count: int, masked: bool) -> bool:
        return count > 2 * k and (self._steers or not masked)

    def candidates(self, queries: NDArray[np.float32], k: int, mask: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """What FAISS finds near by its codes, in their order: the rarer allowed units are, the more it looks at."""
        count = len(self.vectors) if mask is None else int(mask.sum())
        limit = min(math.ceil((_SPARE if self.kind in ("ivf", "hnsw") else _COARSE) * k), count)
        # If one unit in n is allowed, finding k allowed units is as hard as finding n * k units without a mask.
        depth = k * len(self.vectors) / count
        # Between the two measured depths, effort is interpolated over the logarithm of the depth.
        effort = float(np.interp(np.log(depth), np.log(DEPTHS), self.efforts)) * max(1.0, depth / DEPTHS[-1])
        selector = {} if mask is None else {"sel": faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))}
        parameters = None
        if self._inverted:
            lists = self._structure.nlist
            probes = max(effort, _CROWD * limit * lists / count)  # enough to fill the answer
            parameters = faiss.SearchParametersIVF(nprobe=min(math.ceil(probes), lists), **selector)
        elif self._steers:
            parameters = faiss.SearchParametersHNSW(efSearch=math.ceil(max(effort, _CROWD * limit)), **selector)
        if parameters is not None and self._structure is not self._index:
            parameters = faiss.SearchParametersPreTransform(index_params=parameters)

        def nearest(query: NDArray[np.float32]) -> NDArray[np.int64]:
            with threads(1):
                units: NDArray[np.int64] = self._index.search(query[None], limit, params=parameters)[1]
            return units

        # One at a time: FAISS compares many to the centres by matrix products, which round otherwise.
        return np.concatenate([np.empty((0, limit), np.int64), *map_parallel(nearest, list(queries))])


def open_structure(path: Path, vectors: Vectors, settings: dict[str, Any]) -> ApproximateIndex:
    """Open what `write` wrote; see `indexing.dense.open_vector_index`."""
    if "efforts" not in settings:
        raise damaged_file(path / _FILE)
    index = _read_file(path / _FILE, settings, faiss.IO_FLAG_MMAP_IFC)
    return ApproximateIndex(index, vectors, settings["kind"], settings["efforts"], settings.get("recall", 0.0))


def _read_file(file: Path, settings: Mapping[str, Any], flags: int) -> Any:
    # A mapped file that is too short would end the process at its first search, so its size is checked before.
    if not file.is_file() or file.stat().st_size != settings.get("bytes"):
        raise damaged_file(file)
    try:
        return faiss.read_index(str(file), flags)
    except RuntimeError as error:
        raise damaged_file(file) from error


def _float32(rows: Vectors) -> NDArray[np.float32]:
    return np.ascontiguousarray(rows, dtype=np.float32)
