"""The project's affinity models on the gold standard: what each reads, and its scores of all draws of a dataset."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eval.benchmarks.goldstandard.benchmark import GoldStandard, ScoringTask
from eval.benchmarks.goldstandard.predictions import REGIMES, Scored, System
from panelist.progress import Progress, silent
from retriever.affinity.model import AffinityModel, affinity_model, parameters_of

FULL_TEXT = "f"
FULL_TEXTS = {"tpms": "wordcounts.jsonl.gz", "dense": "fulltexts.jsonl.gz", "hybrid": "fulltexts.jsonl.gz"}
"""The models that read full texts, and the file: for TPMS the word counts that the paper's full-text TPMS read."""

PASSAGES = 4
"""How many passages of a full text get a vector: the first 720 words, 2,500 passages to encode instead of 10,000."""


def make_models(
    gold: GoldStandard, names: Sequence[str], grid: Sequence[Mapping[str, Any]], regime: str
) -> dict[str, AffinityModel]:
    """Every model with every configuration of the grid, such that it reads papers in this regime."""
    models: dict[str, AffinityModel] = {}
    for name in names:
        reading: dict[str, Any] = {}
        if regime == FULL_TEXT:
            reading["full_text"] = str(gold.root / FULL_TEXTS.get(name, "fulltexts.jsonl.gz"))
            if "passages" in parameters_of(name):
                reading["passages"] = PASSAGES
        for configuration in grid:
            label = " ".join([name, *(f"{key}={value}" for key, value in configuration.items())])
            models[label] = affinity_model(name, **{**reading, **configuration})
    return models


def score_models(
    gold: GoldStandard, models: Mapping[str, AffinityModel], dataset: str, regime: str, progress: Progress = silent
) -> dict[str, Scored]:
    """The scores of models, made for this regime, on all draws of a dataset."""
    # Full texts come beside titles and abstracts.
    task = ScoringTask.of(gold, dataset, "ta" if regime == FULL_TEXT else regime)
    return {
        name: score_draws(task, model, f"{name}, {REGIMES[regime]}, {dataset}", progress)
        for name, model in models.items()
    }


def score_draws(task: ScoringTask, model: AffinityModel, stage: str = "scoring", progress: Progress = silent) -> Scored:
    """A model's scores on every draw of a dataset."""
    scores = []
    for number, draw in enumerate(task.profiles):
        progress(stage, number, len(task.profiles))
        scores.append(task.score(model, draw))
    return Scored(task.ratings, np.stack(scores))


def score_by_text(
    gold: GoldStandard,
    names: Sequence[str],
    grid: Sequence[Mapping[str, Any]],
    lengths: Sequence[int],
    progress: Progress = silent,
) -> dict[str, dict[str, list[Scored]]]:
    """Scores by system, by what it reads of a paper, and by the length of profiles: Table 4 and Figure 2.

    The paper asks both of TPMS, whose published predictions have no name here; models are beside them. A model that
    does not read full texts has no scores of them.
    """
    datasets = [f"d_full_{length}" for length in lengths]
    published = gold.published(frozenset(datasets))
    systems: dict[str, dict[str, list[Scored]]] = {"": {}}
    for regime, text in REGIMES.items():
        systems[""][text] = [published[System("tpms", dataset, regime)] for dataset in datasets]
        models = make_models(gold, [n for n in names if regime != FULL_TEXT or n in FULL_TEXTS], grid, regime)
        for dataset in datasets:
            for name, scored in score_models(gold, models, dataset, regime, progress).items():
                systems.setdefault(name, {}).setdefault(text, []).append(scored)
    return systems
