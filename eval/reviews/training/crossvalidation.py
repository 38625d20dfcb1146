"""Training a tagger with cross-validation by paper: no two sentences of one paper's reviews are on both sides.

The first layer is fitted without each fold in turn, and gives its opinions of it. From these held-out opinions come the
second layer, the thresholds and all figures. When a figure is computed, second layer and thresholds are those of the
other folds. At the end the first layer is fitted on everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.tagging.datasets import LabelledReview
from eval.reviews.tagging.features import Features, encode_in_context
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import Layer, Network, Opinions, Task, average, inputs, probabilities, targets
from eval.reviews.training import heldout
from eval.reviews.training.finetune import FineTuning
from eval.reviews.training.layers import Labelled, fit_ngrams, fit_second, fit_vectors
from eval.reviews.training.network import NetworkTraining
from indexing.encoders import Encoder
from panelist.errors import InputError
from panelist.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """Settings of a training: inverse penalty of the regressions over n-grams, penalty of those over vectors."""

    folds: int = 5
    ngram_strength: float = 2.0
    vector_penalty: float = 4_000.0
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
        """Train a tagger and measure it; the figures are added to its card.

        The opinions of `base`, a tagger of other data, are read too.
        """
        if len({review.paper for review in reviews}) < self.folds:
            raise InputError(f"{self.folds} folds need reviews of as many papers: give more data or fewer folds")
        sentences = [review.sentences for review in reviews]
        starts = np.cumsum([0, *map(len, sentences)])
        labels = targets(reviews, tasks)
        vectors = encode_in_context(sentences, encoder, progress)
        fold_of = _folds([review.paper for review in reviews], self.folds)
        data = Labelled(
            sentences, starts, vectors, encoder.dimension, labels, tasks, np.repeat(fold_of, np.diff(starts))
        )
        *heads, final_heads = fit_vectors(vectors, labels, data.row_fold, self.vector_penalty)
        ngrams, encoded, network, tuned_logits = (np.zeros_like(labels) for _ in range(4))
        for fold, layer in enumerate(heads):
            progress("cross-validating", fold, self.folds + 1)
            rows, others = data.row_fold == fold, np.flatnonzero(fold_of != fold)
            own = data.of(np.flatnonzero(fold_of == fold))
            features, linear, fitted = self.fit(data, others)
            ngrams[rows] = linear(features.transform(own))
            encoded[rows] = layer(vectors[rows])
            network[rows] = fitted(vectors[rows], np.cumsum([0, *map(len, own)]))
            if self.tuning is not None:
                tuned_logits[rows] = self.tuning.fit(data.of(others), labels[~rows], tasks, progress)(own)
        opinions: dict[str, Opinions] = {"linear": [ngrams], "full": [ngrams, encoded, network]}
        second, logits, decided, figures, suspected = {}, {}, {}, {}, {}
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
            if "evidence" in chances:
                suspected[kind] = heldout.suspected(reviews, chances["evidence"], data)
        progress("cross-validating", self.folds, self.folds + 1)
        features, linear, final_network = self.fit(data, np.arange(len(reviews)))
        tuned = None if self.tuning is None else self.tuning.fit(sentences, labels, tasks, progress)
        progress("cross-validating", self.folds + 1, self.folds + 1)
        card = {**card, "reviews": len(reviews), "sentences": int(starts[-1]), "folds": self.folds, "held_out": figures}
        card["unsupported_criticism"] = suspected
        named = {"name": encoder.name, "revision": encoder.revision}
        return TaggerModel(
            tasks, features, linear, final_heads, final_network, second, named, decided, card, base, tuned
        )

    def fit(self, data: Labelled, learned: NDArray[np.int64]) -> tuple[Features, Layer, Network]:
        """Fit the n-grams with their regressions, and the network, on these reviews."""
        sentences = data.of(learned)
        features = Features().fit(sentences)
        linear = fit_ngrams(features.transform(sentences), data.labels[data.rows(learned)], self.ngram_strength)
        return features, linear, NetworkTraining().fit(data, learned)


def _folds(papers: Sequence[str], folds: int) -> NDArray[np.int64]:
    """The fold of each review; reviews of one paper share theirs. The same on every machine."""
    from sklearn.model_selection import GroupKFold

    fold_of = np.zeros(len(papers), np.int64)
    for number, (_, own) in enumerate(GroupKFold(folds).split(papers, groups=papers)):
        fold_of[own] = number
    return fold_of
