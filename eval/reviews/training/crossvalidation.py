"""Training a tagger with cross-validation by paper: no two sentences of one paper's reviews are on both sides.

The first layer is fitted without each fold in turn, and gives its opinions of it. From these held-out opinions come the
second layer, the thresholds and all figures. When a figure is computed, second layer and thresholds are those of the
other folds. At the end the first layer is fitted on everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging import decisions
from eval.reviews.tagging.datasets import LabelledReview
from eval.reviews.tagging.evidence import measure_suspicion
from eval.reviews.tagging.features import Features
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import Layer, Opinions, fit_ngrams, fit_second, inputs, probabilities
from eval.reviews.tagging.tasks import Task, columns, targets
from eval.reviews.tagging.vectors import encode_in_context
from eval.reviews.training import evaluation
from eval.reviews.training.ridge import fit_vectors
from indexing.encoders import Encoder
from panelist.errors import InputError
from panelist.progress import Progress, silent

KINDS = ("linear", "full")
"""The linear part alone, and together with the heads."""


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """Settings of a training.

    Attributes:
        folds: of the cross-validation.
        ngram_strength: inverse penalty of the regressions over n-grams.
        vector_penalty: of those over vectors.
    """

    folds: int = 5
    ngram_strength: float = 2.0
    vector_penalty: float = 4_000.0

    def train(
        self,
        reviews: Sequence[LabelledReview],
        tasks: tuple[Task, ...],
        encoder: Encoder,
        card: dict[str, Any],
        progress: Progress = silent,
    ) -> TaggerModel:
        """Train a tagger and measure it; the figures are in its card.

        Raises:
            InputError: there are fewer papers than folds.
        """
        if len({review.paper for review in reviews}) < self.folds:
            raise InputError(f"{self.folds} folds need reviews of as many papers: give more data or fewer folds")
        sentences = [review.sentences for review in reviews]
        starts = np.cumsum([0, *map(len, sentences)])
        wanted = targets(reviews, tasks)
        vectors = encode_in_context(sentences, encoder, progress)
        fold_of = _folds([review.paper for review in reviews], self.folds)
        row_fold = np.repeat(fold_of, np.diff(starts))
        ngrams, encoded = np.zeros(wanted.shape, np.float32), np.zeros(wanted.shape, np.float32)
        *heads, final_heads = fit_vectors(vectors, wanted, row_fold, self.vector_penalty)
        for fold in range(self.folds):
            progress("cross-validating", fold, self.folds + 1)
            learned, held, rows = fold_of != fold, np.flatnonzero(fold_of == fold), row_fold == fold
            features, linear = self._ngrams([sentences[r] for r in np.flatnonzero(learned)], wanted[~rows])
            ngrams[rows] = linear(features.transform([sentences[r] for r in held]))
            encoded[rows] = heads[fold](vectors[rows])
        opinions: dict[str, Opinions] = {"linear": [ngrams], "full": [ngrams, encoded]}
        second, decided, figures, suspected = {}, {}, {}, {}
        for kind in KINDS:
            chances = _held_out(tasks, opinions[kind], starts, wanted, row_fold)
            second[kind] = fit_second(tasks, opinions[kind], starts, wanted)
            decided[kind] = _decided(tasks, chances, wanted, starts)
            figures[kind] = _figures(tasks, chances, wanted, starts, fold_of)
            if "evidence" in chances:
                suspected[kind] = _suspected(reviews, chances["evidence"], starts)
        progress("cross-validating", self.folds, self.folds + 1)
        features, linear = self._ngrams(sentences, wanted)
        progress("cross-validating", self.folds + 1, self.folds + 1)
        card = {**card, "reviews": len(reviews), "sentences": int(starts[-1]), "folds": self.folds, "held_out": figures}
        card["unsupported_criticism"] = suspected
        named = {"name": encoder.name, "revision": encoder.revision}
        return TaggerModel(tasks, features, linear, final_heads, second, named, decided, card)

    def _ngrams(self, sentences: Sequence[Any], wanted: NDArray[np.float32]) -> tuple[Features, Layer]:
        features = Features().fit(sentences)
        return features, fit_ngrams(features.transform(sentences), wanted, self.ngram_strength)


def _folds(papers: Sequence[str], folds: int) -> NDArray[np.int64]:
    """The fold of each review; reviews of one paper share theirs. The same on every machine."""
    from sklearn.model_selection import GroupKFold

    found = np.zeros(len(papers), np.int64)
    for number, (_, held) in enumerate(GroupKFold(folds).split(papers, groups=papers)):
        found[held] = number
    return found


def _held_out(
    tasks: Sequence[Task],
    opinions: Opinions,
    starts: NDArray[np.int64],
    wanted: NDArray[np.float32],
    row_fold: NDArray[np.int64],
) -> dict[str, NDArray[np.float32]]:
    """Probabilities of every sentence, by second layers that have not seen its fold."""
    logits = np.zeros_like(wanted)
    seen = inputs(opinions, starts)
    for fold in range(int(row_fold.max()) + 1):
        hidden = wanted.copy()
        hidden[row_fold == fold] = np.nan
        logits[row_fold == fold] = fit_second(tasks, opinions, starts, hidden)(seen[row_fold == fold])
    return probabilities(tasks, logits)


def _decided(
    tasks: Sequence[Task],
    chances: dict[str, NDArray[np.float32]],
    wanted: NDArray[np.float32],
    starts: NDArray[np.int64],
) -> dict[str, Any]:
    found: dict[str, Any] = {"abstain": decisions.ABSTAIN}
    for task in tasks:
        if not task.exclusive:
            rows, reviews = _labelled(task, tasks, wanted, starts)
            own = wanted[rows][:, columns(tasks)[task.name]]
            found[task.name] = decisions.fit_decisions(task.classes, chances[task.name][rows], own, reviews)
    return found


def _figures(
    tasks: Sequence[Task],
    chances: dict[str, NDArray[np.float32]],
    wanted: NDArray[np.float32],
    starts: NDArray[np.int64],
    fold_of: NDArray[np.int64],
) -> dict[str, Any]:
    figures = {}
    for task in tasks:
        rows, reviews = _labelled(task, tasks, wanted, starts)
        own, found = wanted[rows][:, columns(tasks)[task.name]], chances[task.name][rows]
        if task.exclusive:
            figures[task.name] = evaluation.exclusive_figures(task, own.argmax(axis=1), found)
            continue
        labelled = ~np.isnan(wanted[starts[:-1], columns(tasks)[task.name].start])
        folds = fold_of[labelled]
        tagged = np.zeros(found.shape, bool)
        shape = (len(folds), len(task.classes))
        present, absent, sure = np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape)
        row_fold = np.repeat(folds, np.diff(reviews))
        for fold in np.unique(folds):
            other = row_fold != fold
            starts_of_others = np.cumsum([0, *np.diff(reviews)[folds != fold]])
            learned = decisions.fit_decisions(task.classes, found[other], own[other], starts_of_others)
            limits = np.array([learned["sentence"][name] for name in task.classes])
            tagged[~other] = found[~other] >= limits
            for review in np.flatnonzero(folds == fold):
                sentence = found[reviews[review] : reviews[review + 1]]
                said = decisions.presence(learned, task.classes, sentence)
                sure[review] = list(said.values())
                present[review] = [said[n] >= learned["presence"][n]["present"] for n in task.classes]
                absent[review] = [said[n] < learned["presence"][n]["absent"] for n in task.classes]
        figures[task.name] = evaluation.aspect_figures(task, own, tagged, found, reviews, present, sure, absent)
    return figures


def _suspected(
    reviews: Sequence[LabelledReview], chances: NDArray[np.float32], starts: NDArray[np.int64]
) -> dict[str, Any]:
    known = [number for number, review in enumerate(reviews) if "spans" in review.facts]
    return measure_suspicion([reviews[n] for n in known], [chances[starts[n] : starts[n + 1]] for n in known])


def _labelled(
    task: Task, tasks: Sequence[Task], wanted: NDArray[np.float32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The rows that have a label for the task, and where each review begins among them."""
    rows = ~np.isnan(wanted[:, columns(tasks)[task.name].start])
    counts = np.add.reduceat(rows.astype(np.int64), starts[:-1])
    return rows, np.cumsum([0, *counts[counts > 0]])
