"""Training a tagger with cross-validation by paper: no two sentences of one paper's reviews are on both sides.

Two can be made: the shipped one, and one on DISAPERE for those whose use its terms allow.

The first layer is fitted without each fold in turn, and gives its opinions of it. From these held-out opinions come the
second layer, the thresholds and all figures. When a figure is computed, second layer and thresholds are those of the
other folds. At the end the first layer is fitted on everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.datasets import DATA_SETS, SHIPPED, LabelledReview, load_data_sets, load_disapere_development
from eval.reviews.tagging.features import Features, encode_in_context
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import (
    SHIPPED_TASKS,
    Layer,
    Network,
    Opinions,
    Task,
    average,
    disapere_tasks,
    inputs,
    probabilities,
    targets,
)  # fmt: skip
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.training import heldout
from eval.reviews.training.layers import Labelled, fit_ngrams, fit_second, fit_vectors
from eval.reviews.training.networks import FineTuning, fit_network
from indexing.encoders import Encoder
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.words import counted

_TERMS = {
    "CC BY-SA 4.0": "share-alike: F1000RD is CC BY-SA 4.0, so this model is licensed under CC BY-SA 4.0 too",
    "CC BY-NC 4.0": "non-commercial: DISAPERE is CC BY-NC 4.0, so this model is for non-commercial use only; "
    "it also reads the share-alike tagger of the package: do not pass it on",
}


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """Settings of a training."""

    folds: int = 5
    tuning: FineTuning | None = None

    def train(
        self,
        reviews: Sequence[LabelledReview],
        tasks: tuple[Task, ...],
        encoder: Encoder,
        card: dict[str, Any],
        base: TaggerModel | None = None,
        progress: Progress = silent,
    ) -> TaggerModel:
        """Train a tagger, which reads the opinions of `base` too, and measure it; the figures are added to its card."""
        if len({review.paper for review in reviews}) < self.folds:
            raise InputError(f"{self.folds} folds need reviews of as many papers: give more data or fewer folds")
        sentences = [review.sentences for review in reviews]
        starts = np.cumsum([0, *map(len, sentences)])
        labels = targets(reviews, tasks)
        fold_of = _folds([review.paper for review in reviews], self.folds)
        row_fold = np.repeat(fold_of, np.diff(starts))
        _check_labels(len(reviews), labels, tasks, row_fold)
        vectors = encode_in_context(sentences, encoder, progress)
        data = Labelled(sentences, starts, vectors, encoder.dimension, labels, tasks, row_fold)
        *heads, final_heads = fit_vectors(vectors, labels, data.row_fold)
        ngrams, encoded, network, tuned_logits = (np.zeros_like(labels) for _ in range(4))
        for fold, layer in enumerate(heads):
            progress("cross-validating", fold, self.folds + 1)
            rows, training = data.row_fold == fold, np.flatnonzero(fold_of != fold)
            unseen = data.of(np.flatnonzero(fold_of == fold))
            features, linear, fitted = self.fit(data, training)
            ngrams[rows] = linear(features.transform(unseen))
            encoded[rows] = layer(vectors[rows])
            network[rows] = fitted(vectors[rows], np.cumsum([0, *map(len, unseen)]))
            if self.tuning is not None:
                tuned_logits[rows] = self.tuning.fit(data.of(training), labels[~rows], tasks, progress)(unseen)
        opinions: dict[str, Opinions] = {"linear": [ngrams], "full": [ngrams, encoded, network]}
        second, logits, decided, figures = {}, {}, {}, {}
        for kind, parts in opinions.items():
            base_logits = None if base is None else base.logits(sentences, None if kind == "linear" else vectors)
            seen = inputs(parts, starts, base_logits)
            logits[kind] = heldout.held_out(data, seen, len(parts))
            second[kind] = fit_second(tasks, seen, len(parts), labels)
        if self.tuning is not None:
            logits["tuned"] = average(tasks, [logits["full"], tuned_logits])
        for kind, values in logits.items():
            chances = probabilities(tasks, values)
            decided[kind] = heldout.decide(data, chances)
            figures[kind] = heldout.figures(data, chances)
        progress("cross-validating", self.folds, self.folds + 1)
        features, linear, final_network = self.fit(data, np.arange(len(reviews)))
        tuned = None if self.tuning is None else self.tuning.fit(sentences, labels, tasks, progress)
        progress("cross-validating", self.folds + 1, self.folds + 1)
        card = {**card, "reviews": len(reviews), "sentences": int(starts[-1]), "folds": self.folds, "held_out": figures}
        named = {"name": encoder.name, "revision": encoder.revision}
        return TaggerModel(
            tasks, features, linear, final_heads, final_network, second, named, decided, card, base, tuned
        )

    def fit(self, data: Labelled, learned: NDArray[np.int64]) -> tuple[Features, Layer, Network]:
        """Fit the n-grams with their regressions, and the network, on these reviews."""
        sentences = data.of(learned)
        features = Features().fit(sentences)
        linear = fit_ngrams(features.transform(sentences), data.labels[data.rows(learned)])
        return features, linear, fit_network(data, learned)


def _folds(papers: Sequence[str], folds: int) -> NDArray[np.int64]:
    """The fold of each review; reviews of one paper share theirs. The same on every machine."""
    from sklearn.model_selection import GroupKFold

    fold_of = np.zeros(len(papers), np.int64)
    for number, (_, rows) in enumerate(GroupKFold(folds).split(papers, groups=papers)):
        fold_of[rows] = number
    return fold_of


def _check_labels(
    reviews: int, labels: NDArray[np.float32], tasks: Sequence[Task], row_fold: NDArray[np.int64]
) -> None:
    """Refuse reviews where some label is on no sentence, or on all, once a fold is left out: nothing can be learned."""
    names = [f"{task.name} '{name}'" for task in tasks for name in task.classes]
    for fold in np.unique(row_fold):
        learned = labels[row_fold != fold]
        for name, has, lacks in zip(names, (learned == 1).any(axis=0), (learned == 0).any(axis=0), strict=True):
            if not (has and lacks):
                number, sentences = counted(reviews, "review is", "reviews are"), "all have" if has else "none has"
                raise InputError(
                    f"{number} too few: of the sentences outside one of {row_fold.max() + 1} folds, {sentences} the "
                    f"label {name}: give more data"
                )


def train_on(
    names: Sequence[str], folder: Path, encoder: Encoder, training: TaggerTraining, progress: Progress = silent
) -> TaggerModel:
    """Train on data sets by name, and measure on DISAPERE's development split, which is never trained on."""
    chosen = tuple(names) or SHIPPED
    if "disapere" in chosen and len(chosen) > 1:
        raise InputError("disapere has labels of its own: train on it alone, or on the others without it")
    reviews = load_data_sets(chosen, folder)
    labelled = tuple(task for task in SHIPPED_TASKS if any(task.name in review.labels for review in reviews))
    tasks = disapere_tasks(reviews) if "disapere" in chosen else labelled
    data = [DATA_SETS[name] for name in chosen]
    licences = {source.licence for source in data}
    card = {
        "data": [
            {"name": source.title, "licence": source.licence, "source": f"https://github.com/{source.repository}"}
            for source in data
        ],
        "terms": [terms for licence, terms in _TERMS.items() if licence in licences],
        "command": f"panelist train reviews {' '.join(names)}".strip(),
    }
    base = TaggerModel.load() if "disapere" in chosen else None
    if base is not None and base.encoder["revision"] != encoder.revision:
        raise InputError(f"the tagger of disapere reads the package's tagger: train it with {base.encoder['name']}")
    model = training.train(reviews, tasks, encoder, card, base, progress)
    unseen = load_disapere_development(folder)
    if unseen:
        untuned = replace(model, tuned=None)
        model.card["disapere_dev"] = {
            kind: measure(model if kind == "tuned" else untuned, unseen, None if kind == "linear" else encoder)
            for kind in model.decisions
        }
    return model


def measure(model: TaggerModel, reviews: Sequence[LabelledReview], encoder: Encoder | None) -> dict[str, Any]:
    """Figures on reviews that the model has not seen, of the exclusive tasks that these have labels for."""
    tagger = Tagger(model, encoder)
    chances = tagger.chances([review.sentences for review in reviews])
    corrections = model.decisions[tagger.kind]["correction"]
    measured = {}
    for task in model.tasks:
        if task.exclusive and all(task.name in review.labels for review in reviews):
            right = targets(reviews, [task]).argmax(axis=1)
            measured[task.name] = heldout.exclusive_figures(task, right, chances[task.name], corrections[task.name])
    return measured
