"""How often a review speaks of each aspect, and how often well of it: from tags, or from a file's own columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval.reviews.checks.content import body
from eval.reviews.measures.bias import GroupedReview
from eval.reviews.reading.records import ReviewText
from eval.reviews.tagging.tagger import TaggedReview
from eval.reviews.tagging.typology import ADVISOR_NAMES, NAMES

_SHARE = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")
_SIGNS = ("positive", "negative")


def tagged_occurrences(tagged: Sequence[TaggedReview], column: str) -> list[GroupedReview]:
    """From tags: the overall polarity and clarity only, because the others do not follow what reviewers score."""
    found = []
    for each in tagged:
        signs = [(s.polarity, bool({"CLA", "PNF"} & set(s.aspects))) for s in body(each) if s.polarity in _SIGNS]
        counts = {
            "overall": (sum(sign == "positive" for sign, _ in signs), len(signs)),
            "clarity": (sum(sign == "positive" for sign, clear in signs if clear), sum(clear for _, clear in signs)),
        }
        found.append(GroupedReview(each.review.paper, each.review.columns.get(column, ""), counts))
    return found


def gold_occurrences(reviews: Sequence[ReviewText], column: str) -> list[GroupedReview] | None:
    """From columns named as aspects that hold positive/all, such as 2/3 (empty: none); None where there are none."""
    aspects = {*NAMES, *NAMES.values(), *ADVISOR_NAMES, *ADVISOR_NAMES.values()}
    given = [
        name
        for name in dict.fromkeys(name for review in reviews for name in review.columns)
        if name in aspects and all(_SHARE.fullmatch(review.columns.get(name) or "0/0") for review in reviews)
    ]
    if not any(_SHARE.fullmatch(review.columns.get(name, "")) for name in given for review in reviews):
        return None
    return [
        GroupedReview(
            review.paper,
            review.columns.get(column, ""),
            {name: _counts(review.columns.get(name) or "0/0") for name in given},
        )
        for review in reviews
    ]


def _counts(text: str) -> tuple[int, int]:
    match = _SHARE.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else (0, 0)
