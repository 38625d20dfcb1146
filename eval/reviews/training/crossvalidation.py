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

from eval.reviews.reading.sentences import Sentence
from eval.reviews.tagging.datasets import LabelledReview
from eval.reviews.tagging.features import Features
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.network import Network
from eval.reviews.tagging.outputs import Layer, Opinions, average, inputs, probabilities
from eval.reviews.tagging.tasks import Task, targets
from eval.reviews.tagging.vectors import encode_in_context
from eval.reviews.training import heldout
from eval.reviews.training.finetune import FineTuning
from eval.reviews.training.layers import fit_ngrams, fit_second
from eval.reviews.training.network import NetworkTraining
from eval.reviews.training.ridge import fit_vectors
from indexing.encoders import Encoder
from panelist.errors import InputError
from panelist.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """What is learned from.

    Attributes:
        sentences: of each review.
        starts: (reviews + 1,), where each review begins among all sentences.
        vectors: (sentences, features) in context.
        width: how many of the features are the sentence's own.
        wanted: (sentences, outputs), 1, 0, or NaN where there is no label.
        tasks: whose outputs these are.
    """

    sentences: Sequence[Sequence[Sentence]]
    starts: NDArray[np.int64]
    vectors: NDArray[np.float32]
    width: int
    wanted: NDArray[np.float32]
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class TaggerTraining:
    """Settings of a training.

    Attributes:
        folds: of the cross-validation.
        ngram_strength: inverse penalty of the regressions over n-grams.
        vector_penalty: of those over vectors.
        tuning: of a BERT, if one is to be fine-tuned too.
    """

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
        """Train a tagger and measure it; the figures are in its card.

        Args:
            reviews: with labels for the tasks.
            tasks: what is learned.
            encoder: of the heads.
            card: what the tagger says about itself; figures are added.
            base: a tagger of other data, whose opinions of these reviews are read too.
            progress: called meanwhile.

        Raises:
            InputError: there are fewer papers than folds.
        """
        if len({review.paper for review in reviews}) < self.folds:
            raise InputError(f"{self.folds} folds need reviews of as many papers: give more data or fewer folds")
        sentences = [review.sentences for review in reviews]
        starts = np.cumsum([0, *map(len, sentences)])
        wanted = targets(reviews, tasks)
        vectors = encode_in_context(sentences, encoder, progress)
        data = Labelled(sentences, starts, vectors, encoder.dimension, wanted, tasks)
        fold_of = _folds([review.paper for review in reviews], self.folds)
        row_fold = np.repeat(fold_of, np.diff(starts))
        *heads, final_heads = fit_vectors(vectors, wanted, row_fold, self.vector_penalty)
        ngrams, network = self.opinions(data, fold_of, progress)
        encoded = np.zeros_like(wanted)
        for fold, layer in enumerate(heads):
            encoded[row_fold == fold] = layer(vectors[row_fold == fold])
        opinions: dict[str, Opinions] = {"linear": [ngrams], "full": [ngrams, encoded, network]}
        second, logits, decided, figures, suspected = {}, {}, {}, {}, {}
        for kind, parts in opinions.items():
            given = None if base is None else base.logits(sentences, None if kind == "linear" else vectors)
            seen = inputs(parts, starts, given)
            logits[kind] = heldout.held_out(tasks, seen, len(parts), wanted, row_fold)
            second[kind] = fit_second(tasks, seen, len(parts), wanted)
        if self.tuning is not None:
            logits["tuned"] = average(
                tasks, [logits["full"], self.tuned_opinions(data, fold_of, self.tuning, progress)]
            )
        for kind, said in logits.items():
            chances = probabilities(tasks, said)
            decided[kind] = heldout.decided(tasks, chances, wanted, starts)
            figures[kind] = heldout.figures(tasks, chances, wanted, starts, fold_of)
            if "evidence" in chances:
                suspected[kind] = heldout.suspected(reviews, chances["evidence"], starts)
        progress("cross-validating", self.folds, self.folds + 1)
        features, linear, final_network = self.fit(data, np.arange(len(reviews)))
        tuned = None if self.tuning is None else self.tuning.fit(sentences, wanted, tasks, progress)
        progress("cross-validating", self.folds + 1, self.folds + 1)
        card = {**card, "reviews": len(reviews), "sentences": int(starts[-1]), "folds": self.folds, "held_out": figures}
        card["unsupported_criticism"] = suspected
        named = {"name": encoder.name, "revision": encoder.revision}
        return TaggerModel(
            tasks, features, linear, final_heads, final_network, second, named, decided, card, base, tuned
        )

    def opinions(
        self, data: Labelled, fold_of: NDArray[np.int64], progress: Progress
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of the n-grams and of the network, about every sentence: by models that have not seen the sentence's fold."""
        ngrams, networks = np.zeros_like(data.wanted), np.zeros_like(data.wanted)
        row_fold = np.repeat(fold_of, np.diff(data.starts))
        for fold in range(self.folds):
            progress("cross-validating", fold, self.folds + 1)
            features, linear, network = self.fit(data, np.flatnonzero(fold_of != fold))
            held = [data.sentences[number] for number in np.flatnonzero(fold_of == fold).tolist()]
            rows = row_fold == fold
            ngrams[rows] = linear(features.transform(held))
            networks[rows] = network(data.vectors[rows], np.cumsum([0, *map(len, held)]))
        return ngrams, networks

    def tuned_opinions(
        self, data: Labelled, fold_of: NDArray[np.int64], tuning: FineTuning, progress: Progress
    ) -> NDArray[np.float32]:
        """Of fine-tuned BERTs, about every sentence: by one that has not seen the sentence's fold."""
        found = np.zeros_like(data.wanted)
        row_fold = np.repeat(fold_of, np.diff(data.starts))
        for fold in range(self.folds):
            learned, held = (
                [data.sentences[number] for number in np.flatnonzero(chosen).tolist()]
                for chosen in (fold_of != fold, fold_of == fold)
            )
            found[row_fold == fold] = tuning.fit(learned, data.wanted[row_fold != fold], data.tasks, progress)(held)
        return found

    def fit(self, data: Labelled, learned: NDArray[np.int64]) -> tuple[Features, Layer, Network]:
        """The n-grams with their regressions, and the network, of these reviews."""
        sentences = [data.sentences[number] for number in learned.tolist()]
        rows = np.concatenate([np.arange(data.starts[number], data.starts[number + 1]) for number in learned])
        features = Features().fit(sentences)
        linear = fit_ngrams(features.transform(sentences), data.wanted[rows], self.ngram_strength)
        network = NetworkTraining().fit(data.vectors, data.width, data.wanted, data.starts, data.tasks, learned)
        return features, linear, network


def _folds(papers: Sequence[str], folds: int) -> NDArray[np.int64]:
    """The fold of each review; reviews of one paper share theirs. The same on every machine."""
    from sklearn.model_selection import GroupKFold

    found = np.zeros(len(papers), np.int64)
    for number, (_, held) in enumerate(GroupKFold(folds).split(papers, groups=papers)):
        found[held] = number
    return found
