"""The project's affinity models on the gold standard: what each reads, and its scores of all draws of a dataset."""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from eval.benchmarks.goldstandard.benchmark import GoldStandard, ScoringTask
from eval.benchmarks.goldstandard.predictions import REGIMES, Scored
from eval.measures.statistics import Ratio, figures, resampling_counts
from eval.reports.leaderboard import BoardRow, Source, attempt
from panelist.progress import Progress, silent
from retriever.affinity.model import AffinityModel, affinity_model, parameters_of, parse_model

FULL_TEXT = "f"
FULL_TEXTS = {"tpms": "wordcounts.jsonl.gz", "dense": "fulltexts.jsonl.gz", "hybrid": "fulltexts.jsonl.gz"}
"""The models that read full texts, and the file: for TPMS the word counts that the paper's full-text TPMS read."""

PASSAGES = 4
"""How many passages of a full text get a vector: the first 720 words, 2,500 passages to encode instead of 10,000."""


def reading(gold: GoldStandard, name: str, regime: str) -> dict[str, Any]:
    """The parameters that make a model read papers in this regime."""
    if regime != FULL_TEXT:
        return {}
    file = gold.root / FULL_TEXTS.get(name, "fulltexts.jsonl.gz")
    return {"full_text": str(file)} | ({"passages": PASSAGES} if "passages" in parameters_of(name) else {})


def task_of(gold: GoldStandard, dataset: str, regime: str) -> ScoringTask:
    """The dataset as work: where full texts are read, they come beside titles and abstracts."""
    return ScoringTask.of(gold, dataset, "ta" if regime == FULL_TEXT else regime)


def score_draws(task: ScoringTask, model: AffinityModel, done: Callable[[], None] = lambda: None) -> Scored:
    """A model's scores on every draw of a dataset; `done` is called after each."""
    scores = []
    for draw in task.profiles:
        scores.append(task.score(model, draw))
        done()
    return Scored(task.ratings, np.stack(scores))


def scored_row(
    name: str, source: Source, scored: Scored | str, baseline: dict[str, Ratio] | None, resamples: int, seed: int
) -> BoardRow:
    """The row of a system on a board: its figures, with differences from a baseline, or why there are none."""
    if isinstance(scored, str):
        return BoardRow(name, source, note=scored)
    counts = resampling_counts(len(scored.ratings.participants), resamples, seed)
    return BoardRow(name, source, figures(scored.statistics(), baseline, counts))


class ModelScores:
    """The scores of one model on any dataset, in any regime; what it has read is kept between datasets."""

    def __init__(self, gold: GoldStandard, name: str, progress: Progress = silent) -> None:
        self._gold, self._progress = gold, progress
        self._name, self._parameters = parse_model(name)
        self._models: dict[str, AffinityModel] = {}

    def __call__(self, dataset: str, regime: str) -> Scored | str:
        """The scores on all draws of a dataset, or why there are none."""
        if regime == FULL_TEXT and self._name not in FULL_TEXTS:
            return "not available: reads titles and abstracts only"
        return attempt(self._name, lambda: self._score(dataset, regime))

    def _score(self, dataset: str, regime: str) -> Scored:
        if regime not in self._models:
            self._models[regime] = affinity_model(
                self._name, **reading(self._gold, self._name, regime), **self._parameters
            )
        task, draws = task_of(self._gold, dataset, regime), count(1)
        stage = f"{self._name}, {REGIMES[regime]}, {dataset}"
        self._progress(stage, 0, len(task.profiles))
        return score_draws(task, self._models[regime], lambda: self._progress(stage, next(draws), len(task.profiles)))
