"""The tagger: sentences in, tags with calibrated probabilities out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.files import ReviewText
from eval.reviews.reading.sentences import Sentence, split
from eval.reviews.tagging.decisions import answer, presence
from eval.reviews.tagging.features import encode_in_context
from eval.reviews.tagging.model import SHIPPED_MODEL, TaggerModel
from eval.reviews.tagging.outputs import SHIPPED_TASKS, probabilities
from eval.reviews.tagging.typology import advisor_aspects, clean
from indexing.encoders import Encoder
from panelist.errors import ModelError
from panelist.progress import Progress, silent

UNSURE = "unsure"
"""What a task answers where no class is sure enough; see `decisions.py`."""


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """A sentence with its tags."""

    sentence: Sentence
    aspects: Mapping[str, float]  # of Peer-Review-Analyze, with their probabilities, those above their thresholds only
    advisor: tuple[str, ...]  # ReviewAdvisor's aspects, by the mapping and its cleaning rules
    polarity: str
    pragmatics: str
    evidence: str
    chances: Mapping[str, float]  # the probability of each of the three answers above, by task


@dataclass(frozen=True, slots=True)
class TaggedReview:
    """A review with its tags; `presence` is the probability that it has each aspect at all."""

    review: ReviewText
    sentences: tuple[TaggedSentence, ...]
    presence: Mapping[str, float]


class Tagger:
    """Tags reviews; without an encoder the linear part answers alone. Texts are stored nowhere, in no log or cache."""

    def __init__(self, model: TaggerModel, encoder: Encoder | None = None) -> None:
        if encoder is not None and encoder.revision != model.encoder["revision"]:
            raise ModelError(
                f"the tagger was trained on {model.encoder['name']} at {model.encoder['revision'][:12]}, "
                f"received {encoder.name} at {encoder.revision[:12]}: train it again, or tag without an encoder (fast)"
            )
        self.model = model
        self._encoder = encoder
        self.kind = model.kind(fast=encoder is None)

    @classmethod
    def load(cls, folder: Path | None = None, *, fast: bool = False, threads: int | None = None) -> Tagger:
        """Open the tagger in a folder, else the one in the package; a fast one is its linear part, without MiniLM.

        Raises:
            ModelError: there is no tagger, or the encoder's weights are missing.
        """
        model = TaggerModel.load(folder or SHIPPED_MODEL)
        if fast:
            return cls(model)
        from indexing.encoders.bert import LayerEncoder

        return cls(model, LayerEncoder(model.encoder["name"], threads=threads))

    def chances(
        self, reviews: Sequence[Sequence[Sentence]], progress: Progress = silent
    ) -> dict[str, NDArray[np.float32]]:
        """For every task (sentences, classes): calibrated probabilities of the sentences of all reviews in order."""
        model = self.model
        if not any(map(len, reviews)):
            return {task.name: np.zeros((0, len(task.classes)), np.float32) for task in model.tasks}
        vectors = None if self._encoder is None else encode_in_context(reviews, self._encoder, progress)
        return probabilities(model.tasks, model.logits(reviews, vectors))

    def tag(self, reviews: Sequence[ReviewText], progress: Progress = silent) -> list[TaggedReview]:
        """Tag reviews; one that cannot be tagged (empty, another language) has no sentences.

        Raises:
            ModelError: the tagger was trained on some of the data sets only, or on DISAPERE.
        """
        missing = {task.name for task in SHIPPED_TASKS} - {task.name for task in self.model.tasks}
        if missing:
            raise ModelError(
                f"this tagger does not know {', '.join(sorted(missing))} of reviews: use the one in the package, or "
                "train one on the three default data sets"
            )
        sentences = [split(review.text) if review.tagged else [] for review in reviews]
        chances = self.chances(sentences, progress)
        starts = np.cumsum([0, *map(len, sentences)])
        return [
            self._review(review, split_text, {name: rows[start:end] for name, rows in chances.items()})
            for review, split_text, (start, end) in zip(reviews, sentences, pairwise(starts), strict=True)
        ]

    def _review(
        self, review: ReviewText, sentences: Sequence[Sentence], chances: Mapping[str, NDArray[np.float32]]
    ) -> TaggedReview:
        decided = self.model.decisions[self.kind]
        limits = decided["aspects"]["sentence"]  # the least probability at which each aspect is tagged
        classes = {task.name: task.classes for task in self.model.tasks}
        answered = {
            task: answer(chances[task], decided["correction"][task]) for task in ("polarity", "pragmatics", "evidence")
        }
        tagged = []
        for number, sentence in enumerate(sentences):
            aspects = {
                name: round(float(p), 4)
                for name, p in zip(classes["aspects"], chances["aspects"][number], strict=True)
                if p >= limits[name] and not sentence.is_heading
            }
            answers, sure = {}, {}
            for task, (best, certain) in answered.items():
                sure[task] = round(float(chances[task][number][best[number]]), 4)
                answers[task] = classes[task][best[number]] if certain[number] else UNSURE
            if sentence.is_heading:
                answers = {"polarity": "none", "pragmatics": "Structure", "evidence": "none"}
            advisor = advisor_aspects(aspects, answers["pragmatics"], sentence.text)
            tagged.append(TaggedSentence(sentence, aspects, advisor, **answers, chances=sure))
        cleaned = clean([sentence.advisor for sentence in tagged])
        final = tuple(replace(sentence, advisor=advisor) for sentence, advisor in zip(tagged, cleaned, strict=True))
        body = chances["aspects"][[number for number, s in enumerate(sentences) if not s.is_heading]]
        return TaggedReview(review, final, presence(decided["aspects"]["presence"], classes["aspects"], body))
