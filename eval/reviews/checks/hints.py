"""Hints: sentences that a chair might look at, ranked, each kind with its error rate. Never a verdict; off by default.

Text does not enter the calibration of scores: what the text says against its score predicts nothing beyond the score.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.reviews.checks.content import ReviewContent
from eval.reviews.tagging.decisions import LEAST_PRECISION
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
    """Something to look at; without a sentence number the whole review is meant.

    Hints of one kind are ranked by `strength`, which is not a probability.
    """

    kind: str
    review: str
    sentence: int | None
    strength: float
    text: str


@dataclass(frozen=True, slots=True)
class HintKind:
    """A kind of hint: what is known about its errors, and whether it is good enough to be shown."""

    name: str
    errors: str
    shown: bool


def kinds(card: Mapping[str, Any], kind: str) -> list[HintKind]:
    """All kinds; `card` is the tagger's, `kind` which of its two forms answers."""
    measured = _measured(card, kind)
    if not measured:
        unsupported = "not shown: never measured"
    elif measured["threshold"] is None:
        right = f"at best {measured['best_precision']:.0%} were right on held-out reviews"
        unsupported = f"not shown: {right}, {LEAST_PRECISION:.0%} are asked for"
    else:
        unsupported = f"{1 - measured['precision']:.0%} of such hints were wrong on held-out reviews of SubstanReview"
    return [
        HintKind("criticism without evidence", unsupported, measured.get("threshold") is not None),
        HintKind(
            "text against score", "no data says how often this is wrong; beyond the score it predicts nothing", True
        ),
        HintKind("impoliteness", "a list of words, not measured: quotations and technical terms are among them", True),
        HintKind("criticism without request", "not measured: a weakness may be named without a remedy", True),
    ]


def find_hints(
    tagged: Sequence[TaggedReview], contents: Sequence[ReviewContent], card: Mapping[str, Any], kind: str
) -> list[Hint]:
    """All hints of the kinds that are shown, the strongest of each kind first."""
    hints: list[Hint] = []
    limit = _measured(card, kind).get("threshold")
    for review, content in zip(tagged, contents, strict=True):
        if limit is not None:
            hints.extend(
                Hint("criticism without evidence", review.review.id, number, each.suspicion, each.sentence.text)
                for number, each in enumerate(review.sentences)
                if each.suspicion >= limit
            )
        hints.extend(
            Hint("impoliteness", review.review.id, number, 1.0, match[0])
            for number, each in enumerate(review.sentences)
            if (match := _IMPOLITE.search(each.sentence.text)) is not None
        )
        if content.weaknesses >= 3 and not content.requests and not content.questions:
            text = f"{content.weaknesses} weaknesses, no request and no question"
            hints.append(Hint("criticism without request", review.review.id, None, float(content.weaknesses), text))
    hints.extend(_mismatches(contents))
    return sorted(hints, key=lambda hint: (hint.kind, -hint.strength, hint.review, hint.sentence or 0))


def _measured(card: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """What is known about criticism without evidence, see `evidence.py`; empty where it was never measured."""
    measured: Mapping[str, Any] = card.get("unsupported_criticism", {}).get(kind) or {}
    return measured


def _mismatches(contents: Sequence[ReviewContent]) -> list[Hint]:
    """Reviews whose text is much kinder or harsher than texts with that score are in this file."""
    usable = [c for c in contents if c.score is not None and c.polarity is not None and c.strengths + c.weaknesses >= 4]
    scores = np.array([c.score for c in usable], float)
    tones = np.array([c.polarity for c in usable], float)
    if len(usable) < 20 or scores.std() == 0:
        return []
    slope, offset = np.polyfit(scores, tones, 1)
    rest = tones - (slope * scores + offset)
    spread = rest.std()
    return [
        Hint("text against score", c.review, None, round(abs(float(r)) / spread, 2),
             f"score {c.score:g}, polarity {c.polarity:+.2f}: {'kinder' if r > 0 else 'harsher'} than its score")
        for c, r in zip(usable, rest, strict=True)
        if spread > 0 and abs(r) > 2 * spread
    ]  # fmt: skip
