"""Scores of rated pairs by several systems, read in the layout of the gold standard's release, and their statistics."""

import math
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.measures import expertise
from eval.measures.expertise import Ratings
from eval.measures.statistics import Ratio
from panelist.corpus.readers.rows import open_rows
from panelist.errors import InputError

CUTOFFS = (1, 3, 5, 7)
MEASURES = ("loss", "easy", "hard")
DATASET = "d_20"
REGIMES = {"t": "title", "ta": "title+abstract", "f": "full text"}
"""What is read of a paper."""

_DRAW = re.compile(r"d_(20|full_\d+)_\d+")
_PREDICTION_COLUMNS = ["algorithm", "dataset", "regime", "reviewer", "paper", "score"]


class System(NamedTuple):
    """Which scores: an algorithm on a dataset, with titles (t), also abstracts (ta) or full texts (f)."""

    algorithm: str
    dataset: str = DATASET
    regime: str = "ta"


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The scores of one system, (draws, participants, papers), beside the ratings that they are to predict."""

    ratings: Ratings
    scores: NDArray[np.float64]

    def statistics(self, cutoffs: tuple[int, ...] = ()) -> dict[str, Ratio]:
        """Loss, easy and hard accuracy, and at each cut-off `wktd@k`, `mrr@k`, `ndcg@k` and `precision@k`."""
        pair = self.ratings, self.scores
        values = {"loss": expertise.kendall_loss(*pair)}
        values |= {"easy": expertise.easy_accuracy(*pair), "hard": expertise.hard_accuracy(*pair)}
        for k in cutoffs:
            values |= {f"wktd@{k}": expertise.kendall_loss_at(*pair, k), f"mrr@{k}": expertise.mrr_at(*pair, k)}
            values |= {f"ndcg@{k}": expertise.ndcg_at(*pair, k), f"precision@{k}": expertise.precision_at(*pair, k)}
        return values


def read_predictions(path: Path, ratings: Ratings, datasets: Container[str] | None = None) -> dict[System, Scored]:
    """Read scores of rated pairs, in the layout of the release: `algorithm,dataset,regime,reviewer,paper,score`.

    The CSV file is plain or `.gz`; lines of other than these datasets are ignored.
    """
    cells = {
        (reviewer, paper): (row, column)
        for row, reviewer in enumerate(ratings.participants)
        for column, paper in enumerate(ratings.papers[row].tolist())
        if paper
    }
    reviewers = set(ratings.participants)
    draws: dict[tuple[str, str, str], NDArray[np.float64]] = {}
    for line, (algorithm, dataset, regime, reviewer, paper, text) in _prediction_rows(path):
        if datasets is not None and dataset_of(dataset) not in datasets:
            continue
        if not _DRAW.fullmatch(dataset):
            raise InputError(f"{path}, line {line}: expected a draw such as 'd_20_1', received '{dataset}'")
        cell = cells.get((reviewer, paper))
        if cell is None:
            pair = f"'{paper}' rated by " if reviewer in reviewers else ""
            raise InputError(f"{path}, line {line}: there is no {pair}reviewer '{reviewer}' in the gold standard")
        try:
            score = float(text)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(f"{path}, line {line}: the score must be a finite number, received '{text}'")
        key = (algorithm, dataset, regime)
        if key not in draws:
            draws[key] = np.full(ratings.expertise.shape, np.nan)
        scores = draws[key]
        if not math.isnan(scores[cell]):
            raise InputError(f"{path}, line {line}: a second score of reviewer '{reviewer}' and paper '{paper}'")
        scores[cell] = score
    return _collect(path, ratings, draws)


def _collect(
    path: Path, ratings: Ratings, draws: Mapping[tuple[str, str, str], NDArray[np.float64]]
) -> dict[System, Scored]:
    """Join the draws of each system. Those of `d_full` score the same pairs as its first draw, others all pairs."""
    grouped: dict[System, list[NDArray[np.float64]]] = {}
    for (algorithm, dataset, regime), scores in draws.items():
        system = System(algorithm, dataset_of(dataset), regime)
        drawn = grouped.setdefault(system, [])
        absent = np.isnan((drawn or [scores])[0] if system.dataset.startswith("d_full") else ratings.expertise)
        uneven = np.argwhere(np.isnan(scores) != absent)
        if len(uneven):
            row, column = uneven[0]
            raise InputError(
                f"{path}: '{algorithm}' on {dataset} ({regime}) lacks scores that its other draws or the ratings have "
                f"({len(uneven)}, the first of reviewer '{ratings.participants[row]}' and paper "
                f"'{ratings.papers[row, column]}'): score every rated pair"
            )
        drawn.append(scores)
    scored = {}
    for system, drawn in grouped.items():
        restricted, rows = ratings.restrict(~np.isnan(drawn[0]))
        scored[system] = Scored(restricted, np.stack(drawn)[:, rows])
    return scored


def dataset_of(draw: str) -> str:
    """`d_20` of the draw `d_20_3`."""
    return draw.rpartition("_")[0]


def _prediction_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    with open_rows(path) as rows:
        for row in rows:
            if rows.line == 1 and row != _PREDICTION_COLUMNS:
                raise InputError(f"{path}, line 1: expected the header '{','.join(_PREDICTION_COLUMNS)}'")
            if len(row) != len(_PREDICTION_COLUMNS):
                raise InputError(f"{path}, line {rows.line}: expected 6 columns, received {len(row)}")
            if rows.line > 1:
                yield rows.line, row
