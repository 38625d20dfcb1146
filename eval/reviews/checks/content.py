"""What one review says: aspects it has and leaves out, strengths, weaknesses, requests, questions, pointers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.reviews.tagging.tagger import TaggedReview, TaggedSentence

_POINTERS = {
    "sections": re.compile(
        r"\b(?:sec(?:tion)?s?|appendix|paragraph|introduction|abstract)\b\.?(?:\s*§?\d[\w.]*)?", re.I
    ),
    "figures": re.compile(r"\bfig(?:ure)?s?\b\.?\s*\d", re.I),
    "tables": re.compile(r"\btab(?:le)?s?\b\.?\s*\d", re.I),
    "equations": re.compile(r"\b(?:eq(?:uation|n)?s?|theorem|lemma|proposition|algorithm)\b\.?\s*\(?\d", re.I),
    "lines": re.compile(r"\b(?:lines?|pages?|pp?\.|l\.)\s*\d", re.I),
}
_USUAL_LENGTH = (0.05, 0.95)  # quantiles of the venue between which a length is nothing to remark on
_FEWEST_FOR_LENGTHS = 20  # reviews


@dataclass(frozen=True, slots=True)
class ReviewContent:
    """One review in figures. Sentences are counted, headings are not."""

    review: str
    paper: str
    reviewer: str
    score: float | None
    words: int
    length_quantile: float | None  # the share of the venue's reviews that are shorter; None in files of few reviews
    sentences: int
    aspects: dict[str, int]
    omitted: dict[str, float]  # aspects that it leaves out, with the probability that this is so
    undecided: tuple[str, ...]  # aspects of which the tagger does not say whether it has them
    strengths: int
    weaknesses: int
    requests: int
    questions: int
    unsure: int  # sentences whose polarity the tagger does not say
    pointers: dict[str, int]  # how often it points to sections, figures, tables, equations and lines
    polarity: float | None  # (strengths − weaknesses) / (strengths + weaknesses); None where there are neither
    flags: tuple[str, ...]


def contents(tagged: Sequence[TaggedReview], decided: Mapping[str, Any]) -> list[ReviewContent]:
    """The content of every review; `decided` are the tagger's decisions about aspects."""
    lengths = np.sort([review.review.words for review in tagged if review.review.tagged])
    return [_content(review, decided, lengths) for review in tagged]


def body(tagged: TaggedReview) -> list[TaggedSentence]:
    """The sentences that are not headings."""
    return [tag for tag in tagged.sentences if not tag.sentence.is_heading]


def balance(positive: int, negative: int) -> float | None:
    """(positive − negative) / both, from −1 to 1; None where there is neither."""
    return (positive - negative) / (positive + negative) if positive + negative else None


def _content(tagged: TaggedReview, decided: Mapping[str, Any], lengths: Any) -> ReviewContent:
    review, sentences = tagged.review, body(tagged)
    signs = [tag.polarity for tag in sentences]
    aspects = {name: sum(name in tag.aspects for tag in sentences) for name in tagged.presence}
    limits = decided["presence"]["aspects"]
    omitted = {
        name: round(1 - chance, 3)
        for name, chance in tagged.presence.items()
        if sentences and chance < limits[name]["absent"] and not aspects[name]
    }
    undecided = tuple(name for name in tagged.presence if sentences and not aspects[name] and name not in omitted)
    flags = list(review.flags)
    quantile = None
    if review.tagged and len(lengths) >= _FEWEST_FOR_LENGTHS:
        quantile = float(np.searchsorted(lengths, review.words) / len(lengths))
        if not _USUAL_LENGTH[0] <= quantile <= _USUAL_LENGTH[1]:
            word, share = ("shorter", 1 - quantile) if quantile < 0.5 else ("longer", quantile)
            flags.append(f"{review.words:,} words: {word} than {share:.0%} of the venue's reviews")
    return ReviewContent(
        review.id,
        review.paper,
        review.reviewer,
        review.score,
        review.words,
        quantile,
        len(sentences),
        {name: count for name, count in aspects.items() if count},
        omitted,
        undecided,
        signs.count("positive"),
        signs.count("negative"),
        sum(tag.pragmatics == "Todo" for tag in sentences),
        sum("?" in tag.sentence.text for tag in sentences),
        signs.count("unsure"),
        {name: len(pattern.findall(review.text)) for name, pattern in _POINTERS.items()},
        balance(signs.count("positive"), signs.count("negative")),
        tuple(flags),
    )
