"""The gold standard of reviewing expertise: 58 researchers who rated 477 papers that they had read.

Stelmakh, Wieting, Xi, Neubig & Shah, *A Gold Standard Dataset for the Reviewer Assignment Problem*
(https://arxiv.org/abs/2303.16750), with its published profiles and predictions. A *dataset* such as `d_20` is a way to
make profiles (here the 20 most recent papers), published as several random draws `d_20_1 …` of the ties; figures are
means over the draws. `d_full_Y` has profiles of Y papers among those with an open PDF, and ratings of such papers only:
those for which TPMS predictions are published. `all` is not a published dataset: a profile is a whole bibliography.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eval.benchmarks.goldstandard.predictions import DATASET, REGIMES, Scored, System, dataset_of, read_predictions
from eval.measures.expertise import Ratings
from panelist.errors import InputError, MissingDataError, ModelError
from panelist.progress import Progress, followed, silent
from panelist.records import Paper, Submission
from retriever.affinity.model import AffinityModel, affinity_model, parameters_of

WHOLE = "all"
"""The dataset of whole bibliographies, whatever their length and age."""

FULL_TEXT = "f"
FULL_TEXTS = {"tpms": "wordcounts.jsonl.gz", "dense": "fulltexts.jsonl.gz", "hybrid": "fulltexts.jsonl.gz"}
"""The models that read full texts, and the file: for TPMS the word counts that the paper's full-text TPMS read."""

PASSAGES = 4
"""How many passages of a full text get a vector: the first 720 words, 2,500 passages to encode instead of 10,000."""


@dataclass(frozen=True, eq=False)
class GoldStandard:
    """The released files in one directory. Everything is read once, when it is first needed."""

    root: Path

    @cached_property
    def ratings(self) -> Ratings:
        """What the participants said of their own expertise."""
        with self._file("evaluations.csv").open(encoding="utf-8", newline="") as file:
            records = list(csv.DictReader(file, delimiter="\t"))
        rated = {
            record["ParticipantID"]: {
                record[f"Paper{i}"]: float(record[f"Expertise{i}"]) for i in range(1, 11) if record[f"Paper{i}"]
            }
            for record in records
        }
        return Ratings.of(rated)

    def published(self, datasets: Container[str] | None = None) -> dict[System, Scored]:
        """The predictions that the authors released, for all datasets or some."""
        return read_predictions(self._file("predictions.csv.gz"), self.ratings, datasets)

    def draws(self, dataset: str = DATASET) -> dict[str, dict[str, list[str]]]:
        """For each published draw of a dataset the profile of each reviewer, as ids of papers.

        Raises:
            InputError: there is no such dataset.
        """
        if dataset == WHOLE:
            return {WHOLE: self._bibliographies}
        if dataset not in self._profiles:
            names = ", ".join([*sorted(self._profiles), WHOLE])
            raise InputError(f"unknown gold-standard dataset '{dataset}': use one of {names}")
        return self._profiles[dataset]

    def papers(self, regime: str = "ta") -> dict[str, Paper]:
        """All papers, rated or in a profile, by id; without their abstracts in regime `t`."""
        return {
            record["ssId"]: Paper(
                id=record["ssId"],
                title=record["title"] or "",
                abstract=(record["abstract"] or "") if regime == "ta" else "",
                year=int(record["year"]) if record["year"] else None,
            )
            for record in self._papers
        }

    def rated(self, dataset: str = DATASET) -> NDArray[np.bool_]:
        """(participants, papers): which ratings the dataset has."""
        if not dataset.startswith("d_full"):
            return ~np.isnan(self.ratings.expertise)
        scored = self._predictions[System("tpms", dataset, "ta")]
        rows = [self.ratings.participants.index(participant) for participant in scored.ratings.participants]
        mask = np.zeros(self.ratings.expertise.shape, dtype=np.bool_)
        mask[rows] = ~np.isnan(scored.ratings.expertise)
        return mask

    def _file(self, name: str) -> Path:
        path = self.root / name
        if not path.exists():
            raise MissingDataError("goldstandard", self.root, name)
        return path

    @cached_property
    def _predictions(self) -> dict[System, Scored]:
        return self.published()

    @cached_property
    def _papers(self) -> list[dict[str, Any]]:
        return list(_json_lines(self._file("papers.jsonl.gz")))

    @cached_property
    def _profiles(self) -> dict[str, dict[str, dict[str, list[str]]]]:
        """Dataset, draw, reviewer: ids of papers."""
        profiles: dict[str, dict[str, dict[str, list[str]]]] = {}
        for record in _json_lines(self._file("profiles.jsonl.gz")):
            draws = profiles.setdefault(dataset_of(record["dataset"]), {})
            draws.setdefault(record["dataset"], {})[record["reviewer"]] = record["papers"]
        return profiles

    @cached_property
    def _bibliographies(self) -> dict[str, list[str]]:
        records = _json_lines(self._file("participants.jsonl.gz"))
        return {record["authorId"]: [paper["paperId"] for paper in record["papers"]] for record in records}


@dataclass(frozen=True, slots=True, eq=False)
class ScoringTask:
    """A dataset of the gold standard as work for an affinity model: score each draw, then collect the scores."""

    ratings: Ratings
    submissions: list[Submission]
    profiles: dict[str, list[list[Paper]]]

    @classmethod
    def of_dataset(cls, gold: GoldStandard, dataset: str = DATASET, regime: str = "ta") -> ScoringTask:
        """Read a dataset's profiles and texts."""
        if regime not in ("t", "ta"):
            raise InputError(f"models read titles (t) or titles and abstracts (ta), not '{regime}'")
        papers, draws = gold.papers(regime), gold.draws(dataset)
        ratings, _ = gold.ratings.restrict(gold.rated(dataset))
        ids = sorted(set(ratings.papers[~np.isnan(ratings.expertise)].tolist()))
        submissions = [Submission(id=papers[p].id, title=papers[p].title, abstract=papers[p].abstract) for p in ids]
        profiles = {
            name: [[papers[paper] for paper in profile[reviewer]] for reviewer in ratings.participants]
            for name, profile in draws.items()
        }
        return cls(ratings, submissions, profiles)

    def score(self, model: AffinityModel, draw: str) -> NDArray[np.float64]:
        """The model's scores of the rated pairs of one draw: (participants, papers)."""
        matrix = np.asarray(model.score(self.submissions, self.profiles[draw]), dtype=np.float64)
        shape = (len(self.submissions), len(self.ratings.participants))
        if matrix.shape != shape or not np.isfinite(matrix).all():
            raise ModelError(f"{type(model).__name__} must return a finite matrix of shape {shape}, not {matrix.shape}")
        row = np.searchsorted([submission.id for submission in self.submissions], self.ratings.papers)
        rows = np.minimum(row, len(self.submissions) - 1)
        scores = matrix[rows, np.arange(len(self.ratings.participants))[:, None]]
        return np.where(np.isnan(self.ratings.expertise), np.nan, scores)


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
    task = ScoringTask.of_dataset(gold, dataset, "ta" if regime == FULL_TEXT else regime)
    stage = f"{REGIMES[regime]}, {dataset}"
    return {name: score_draws(task, model, f"{name}, {stage}", progress) for name, model in models.items()}


def score_draws(task: ScoringTask, model: AffinityModel, stage: str = "scoring", progress: Progress = silent) -> Scored:
    """A model's scores on every draw of a dataset."""
    draws = followed(task.profiles, progress, stage)
    return Scored(task.ratings, np.stack([task.score(model, draw) for draw in draws]))


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


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rb") as file:
        yield from map(orjson.loads, file)
