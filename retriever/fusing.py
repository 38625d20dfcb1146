"""Fusion of two searches by the methods of ranx, for ablations: `weighted` and `rrf` (`retriever.search`) need none.

Scores are normalised by ranx (its default, min-max) before, and divided by the best afterwards, so that they are in
[0, 1] as everywhere. Methods that have to be trained are left out: they need judgements.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, Hits
from panelist.extras import load_ranx
from retriever.stages import Candidates

WEIGHTED = ("wsum", "wmnz", "w_bordafuse", "w_condorcet")
METHODS = (
    *("sum", "mnz", "anz", "max", "med", "min", "isr", "log_isr", "logn_isr", "bordafuse", "condorcet"),
    *WEIGHTED,
)
"""Their names in ranx; those of `WEIGHTED` take the weights of the two searches."""


def fuse_by_ranx(
    joined: Sequence[Candidates], searches: tuple[Hits, Hits], method: str, weights: tuple[float, float]
) -> list[Candidates]:
    """What two searches found, in the order and with the scores of a method of ranx."""
    ranx = load_ranx(f"the fusion '{method}'")
    answered = [row for row, candidates in enumerate(joined) if len(candidates)]
    if not answered:
        return list(joined)
    runs = [
        ranx.Run({str(row): _scores(hits.units[row], hits.scores[row]) for row in answered}, name="search")
        for hits in searches
    ]
    parameters = {"weights": [float(weight) for weight in weights]} if method in WEIGHTED else {}
    fused = ranx.fuse(runs, norm="min-max", method=method, params=parameters).to_dict()
    return [_ordered(candidates, fused.get(str(row), {})) for row, candidates in enumerate(joined)]


def _scores(units: NDArray[np.int64], scores: NDArray[np.float32]) -> dict[str, float]:
    pairs = zip(units.tolist(), scores.tolist(), strict=True)
    return {str(unit): score for unit, score in pairs if unit != NO_UNIT}


def _ordered(candidates: Candidates, fused: dict[str, float]) -> Candidates:
    scores = np.array([max(fused.get(str(unit), 0.0), 0.0) for unit in candidates.units.tolist()], dtype=np.float32)
    scores /= np.float32(scores.max(initial=0.0) or 1.0)
    order = np.lexsort((candidates.units, -scores))
    return replace(candidates, units=candidates.units[order], scores=scores[order], found_by=candidates.found_by[order])
