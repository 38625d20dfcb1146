"""nDCG, MAP, recall, precision and MRR at any cut-off, with the kernels of ranx and the semantics of trec_eval.

Judged queries that a run does not answer score zero, and a warning says how many they are; documents without a
judgement count as not relevant; gains are linear (Järvelin & Kekäläinen, https://doi.org/10.1145/582415.582418).
The order of a ranking, ties included, is decided by `eval.runs` alone: the kernels receive it as it is.

ranx compiles its kernels at their first use on a machine (half a minute) and stores them on disk, so it is imported
only when something is measured.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.runs import Qrels, Run
from panelist.errors import InputError
from panelist.extras import require

_KERNELS = {
    "ndcg": "ndcg",
    "map": "average_precision",
    "recall": "recall",
    "precision": "precision",
    "mrr": "reciprocal_rank",
}
_UNJUDGED = -1.0  # a document that is not in the query's qrels, and padding

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure by name with its cut-off; no cut-off means the whole ranking."""

    name: str
    cutoff: int | None = None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Parse `ndcg@10`, `map`, `recall@100`, `precision@5` (or `p@5`), `mrr`."""
        match = re.fullmatch(r"(\w+)(?:@([1-9]\d*))?", text.strip().lower())
        name = {"p": "precision"}.get(match[1], match[1]) if match else ""
        if not match or name not in _KERNELS:
            raise InputError(f"unknown measure '{text}': use {', '.join(_KERNELS)}, with a cut-off such as 'ndcg@10'")
        if name == "precision" and not match[2]:
            raise InputError("precision needs a cut-off: write e.g. 'precision@10'")
        return cls(name, int(match[2]) if match[2] else None)

    def __str__(self) -> str:
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"


def parse_measures(text: str) -> list[Measure]:
    """Measures from a list separated by commas, each once; ranx, which computes them, must be installed."""
    require("a measure of rankings", "ranx")
    measures = list(dict.fromkeys(Measure.parse(name) for name in text.split(",") if name.strip()))
    if not measures:
        raise InputError("no measures were given: write e.g. 'ndcg@10,map'")
    return measures


def measure(qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, NDArray[np.float64]]:
    """Compute each measure (queries,) for every judged query, in the order of `qrels.queries`.

    Relevance of at least 1 is relevant; queries of the run without judgements are left out.
    """
    from ranx import metrics  # compiles or loads its kernels: never at import time

    _warn_unanswered(qrels, run)
    cutoffs = [m.cutoff for m in measures]
    depth = None if None in cutoffs else max(c for c in cutoffs if c is not None)
    judged, ranked = _pad_qrels(qrels), _pad_run(qrels, run, depth)
    return {m: getattr(metrics, _KERNELS[m.name])(judged, ranked, m.cutoff or 0, 1) for m in measures}


def compile_kernels() -> None:
    """Compile every kernel and store it on disk, so that no later command has to wait for it."""
    zero = np.zeros(1, dtype=np.int64)
    qrels = Qrels.of(["q"], ["d"], zero, zero, zero + 1)
    measure(qrels, Run.of(["q"], ["d"], zero, zero, zero.astype(np.float64)), [Measure(name, 1) for name in _KERNELS])


def _warn_unanswered(qrels: Qrels, run: Run) -> None:
    answered = {query for query, span in run.spans() if span.stop > span.start}
    if missing := len(set(qrels.queries) - answered):
        log.warning(
            "run '%s' does not answer %d of %d judged queries: they score zero", run.tag, missing, len(qrels.queries)
        )


def _pad_qrels(qrels: Qrels) -> NDArray[np.float64]:
    """(queries, most judgements, 2): the number of a judgement within its query, and its relevance, falling."""
    padded = np.zeros((len(qrels.queries), int(np.diff(qrels.offsets).max(initial=1)), 2))
    padded[..., 0] = np.arange(padded.shape[1])
    padded[qrels.query_rows, _columns(qrels), 1] = qrels.relevance
    return padded


def _pad_run(qrels: Qrels, run: Run, depth: int | None) -> NDArray[np.float64]:
    """(queries of the qrels, depth, 2): for each rank the number of the document's judgement, else `_UNJUDGED`."""
    column = _columns(run)
    query = _translate(run.queries, qrels.queries)[run.query_rows]
    doc = _translate(run.documents, qrels.documents)[run.docs]
    longest = int(np.diff(run.offsets).max(initial=1))
    padded = np.full((len(qrels.queries), min(longest, depth or longest), 2), _UNJUDGED)

    number = _columns(qrels)
    key = qrels.query_rows * len(qrels.documents) + qrels.docs
    order = np.argsort(key)
    use = (query >= 0) & (doc >= 0) & (column < padded.shape[1])
    keys = query[use] * len(qrels.documents) + doc[use]
    rows = order[np.minimum(np.searchsorted(key, keys, sorter=order), len(key) - 1)]
    padded[query[use], column[use], 0] = np.where(key[rows] == keys, number[rows], _UNJUDGED)
    return padded


def _columns(lists: Qrels | Run) -> NDArray[np.int64]:
    """The number of every document within its query."""
    return np.arange(len(lists.docs)) - lists.offsets[lists.query_rows]


def _translate(names: tuple[str, ...], into: tuple[str, ...]) -> NDArray[np.int64]:
    """The ordinal in `into` of each of `names`, -1 where it is not there."""
    ordinals = {name: ordinal for ordinal, name in enumerate(into)}
    return np.fromiter((ordinals.get(name, -1) for name in names), np.int64, len(names))
