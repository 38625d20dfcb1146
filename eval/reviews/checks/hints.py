"""Hints: sentences that a chair might look at, ranked, each kind with what is known of its errors. Off by default.

A hint is never a verdict. Criticism without evidence is not among them: at best 45 % of such hints were right on
held-out reviews. Text does not enter the calibration of scores: what it says against its score predicts nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eval.reviews.checks.content import ReviewContent
from eval.reviews.tagging.tagger import TaggedReview

_IMPOLITE = re.compile(
    r"\b(?:nonsens\w*|garbage|ridiculous\w*|rubbish|stupid\w*|idiot\w*|laughabl\w*|silly|lazy|incompeten\w*|ignoran(?:t|ce)|"
    r"worthless|pathetic\w*|absurd\w*|joke|sloppy|waste of (?:my |the )?time|embarrass\w*|shame\w*|clueless|"
    r"terribl[ey]|awful\w*|horribl[ey]|disgrace\w*|crap\w*|"
    r"(?:clearly|obviously) (?:do not|don't|does not|did not) (?:understand|know))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hint:
    """Something to look at; without a sentence number the whole review is meant."""

    kind: str
    review: str
    sentence: int | None
    strength: float  # by which hints of one kind are ranked; not a probability
    text: str


@dataclass(frozen=True, slots=True)
class HintKind:
    """A kind of hint, and what is known about its errors."""

    name: str
    errors: str
    shown: bool = True  # a field of the API


HINT_KINDS = (
    HintKind("text against score", "no data says how often this is wrong; beyond the score it predicts nothing"),
    HintKind("impoliteness", "a list of words, not measured: quotations and technical terms are among them"),
    HintKind("criticism without request", "not measured: a weakness may be named without a remedy"),
)


def find_hints(tagged: Sequence[TaggedReview], contents: Sequence[ReviewContent]) -> list[Hint]:
    """All hints, the strongest of each kind first."""
    hints = _mismatches(contents)
    for review, content in zip(tagged, contents, strict=True):
        hints.extend(
            Hint("impoliteness", content.review, number, 1.0, match[0])
            for number, tagged_sentence in enumerate(review.sentences)
            if (match := _IMPOLITE.search(tagged_sentence.sentence.text)) is not None
        )
        if content.weaknesses >= 3 and not content.requests and not content.questions:
            text = f"{content.weaknesses} weaknesses, no request and no question"
            hints.append(Hint("criticism without request", content.review, None, float(content.weaknesses), text))
    return sorted(hints, key=lambda hint: (hint.kind, -hint.strength, hint.review, hint.sentence or 0))


def _mismatches(contents: Sequence[ReviewContent]) -> list[Hint]:
    """Reviews whose text is much kinder or harsher than texts with that score are in this file."""
    usable = [c for c in contents if c.score is not None and c.polarity is not None and c.strengths + c.weaknesses >= 4]
    scores = np.array([c.score for c in usable], float)
    tones = np.array([c.polarity for c in usable], float)
    if len(usable) < 20 or scores.std() == 0:
        return []
    slope, offset = np.polyfit(scores, tones, 1)
    residuals = tones - (slope * scores + offset)
    spread = residuals.std()
    return [
        Hint("text against score", c.review, None, round(abs(float(r)) / spread, 2),
             f"score {c.score:g}, polarity {c.polarity:+.2f}: {'kinder' if r > 0 else 'harsher'} than its score")
        for c, r in zip(usable, residuals, strict=True)
        if spread > 0 and abs(r) > 2 * spread
    ]  # fmt: skip
