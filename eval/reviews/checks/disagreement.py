"""Where the reviewers of one paper disagree, by polarity and aspect, with the sentences that say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from eval.reviews.checks.content import balance
from eval.reviews.tagging.tagger import TaggedReview

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Position:
    """What one review says about one aspect.

    Attributes:
        review: its id.
        polarity: from −1, all criticism, to 1, all praise.
        positive: numbers of the sentences that praise.
        negative: numbers of the sentences that criticise.
    """

    review: str
    polarity: float
    positive: tuple[int, ...]
    negative: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """An aspect on which one review mostly praises and another mostly criticises; `spread` is from 0 to 2."""

    aspect: str
    spread: float
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class PaperView:
    """The reviews of one paper beside each other.

    Attributes:
        paper: its id.
        reviews: their ids.
        scores: theirs, None where a review has none.
        score_spread: greatest minus least score; None where fewer than two reviews have one.
        calibrated: the paper's score after the reviewers' offsets are taken out, where it can be computed.
        polarity: the mean polarity of the reviews; text does not enter the calibrated score.
        aspects: how many reviews have each aspect.
        uncovered: aspects that every review is said to leave out.
        disputes: the widest first.
    """

    paper: str
    reviews: tuple[str, ...]
    scores: tuple[float | None, ...]
    score_spread: float | None
    calibrated: float | None
    polarity: float | None
    aspects: dict[str, int]
    uncovered: tuple[str, ...]
    disputes: tuple[Dispute, ...]


def disputes(tagged: Sequence[TaggedReview]) -> tuple[Dispute, ...]:
    """What the reviews of one paper disagree on: some mostly positive, some mostly negative."""
    found = []
    for aspect in (OVERALL, *tagged[0].presence):
        positions = tuple(filter(None, (_position(each, aspect) for each in tagged)))
        signs = [position.polarity for position in positions]
        if len(signs) > 1 and max(signs) > 0 > min(signs):
            found.append(Dispute(aspect, round(max(signs) - min(signs), 3), positions))
    return tuple(sorted(found, key=lambda dispute: (-dispute.spread, dispute.aspect)))


def _position(tagged: TaggedReview, aspect: str) -> Position | None:
    """None where the review says nothing good or bad about the aspect."""
    numbers: dict[str, list[int]] = {"positive": [], "negative": []}
    for number, each in enumerate(tagged.sentences):
        about = not each.sentence.is_heading and (aspect == OVERALL or aspect in each.aspects)
        if about and each.polarity in numbers:
            numbers[each.polarity].append(number)
    polarity = balance(len(numbers["positive"]), len(numbers["negative"]))
    if polarity is None:
        return None
    return Position(tagged.review.id, round(polarity, 3), tuple(numbers["positive"]), tuple(numbers["negative"]))
