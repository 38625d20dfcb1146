"""The sentences of a paper that matter for a review, chosen by the cross-entropy method; nothing is generated.

Yuan et al. (2021), Appendix A.9: of the first 250 sentences those with one of 48 keywords are candidates, and at most
30 of them are chosen so that the words of the choice have the greatest entropy; see `crossentropy.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import scipy.sparse as sp

from eval.reviews.reading.sentences import Sentence, split
from eval.reviews.writing.crossentropy import MOST_CHOSEN, choose, entropies

MOST_READ = 250  # sentences of a paper

_TABLE_11 = """
find prove examine address suggest baseline optimize outperform show design explore analyze achieve maximize efficient
generalize imply reduce propose explain perform minimize effective understand study metric observe benefit improve
increase introduce investigate bound better present compare dataset decrease interpret demonstrate apply result develop
measure evaluate discover experiment state-of-the-art
"""
KEYWORDS = tuple(_TABLE_11.split())
"""Table 11 of the paper."""

_IRREGULAR = (
    "found", "shown", "understood", "bounds", "proven", "optimis", "analys", "generalis", "maximis", "minimis",
)  # fmt: skip
_WORD = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]")

_PARTS = {
    "abstract": (
        re.compile(r"(?im)^\W*abstract\b[\s.:—–-]*"),
        re.compile(r"(?im)^\s*(?:(?:1|I)?[\s.]*introduction\b|key\s?words\b|index terms\b)"),
    ),
    "introduction": (
        re.compile(r"(?im)^\s*(?:1|I)?\.?\s*introduction\s*:?\s*$"),
        re.compile(
            r"(?im)^\s*(?:(?:2|II)\.?\s+[A-Z][^\n]{2,60}|related work|background|methods?|preliminaries|model)\s*:?\s*$"
        ),
    ),
}
"""Where a part of a paper begins and ends."""

Method = Literal["cross-entropy", "abstract", "introduction"]


@dataclass(frozen=True, slots=True)
class Brief:
    """What was chosen.

    Attributes:
        sentences: in the order of the paper, with their positions in its text.
        numbers: which sentences of the paper they are, from 0.
        entropy: of the words of the choice, in nats.
        candidates: how many sentences had a keyword, or are in the introduction where that is taken.
        read: how many sentences were looked at.
    """

    sentences: tuple[Sentence, ...]
    numbers: tuple[int, ...]
    entropy: float
    candidates: int
    read: int


def brief(text: str, most: int = MOST_CHOSEN, seed: int = 0, by: Method = "cross-entropy") -> Brief:
    """Choose sentences of a paper's text.

    Args:
        text: of the paper.
        most: sentences that the cross-entropy method may choose.
        seed: of its search.
        by: `cross-entropy`; `abstract`, the abstract and what the cross-entropy method chooses; or `introduction`.
            These are the three that the paper compares. A paper without such a part has no sentences of it.
    """
    start, end = _span(text, by) if by in _PARTS else (0, 0)
    # The part is split by itself: a heading without a full stop ends where its part begins.
    sentences = [
        replace(sentence, start=sentence.start + low, end=sentence.end + low)
        for low, high in pairwise((0, start, end, len(text)))
        for sentence in split(text[low:high])
        if not sentence.is_heading
    ]
    part = {number for number, sentence in enumerate(sentences) if start <= sentence.start < end}
    if by == "introduction":
        numbers = sorted(part)
        return _brief(sentences, numbers, len(numbers), len(sentences))
    sentences = sentences[:MOST_READ]
    candidates = [number for number, sentence in enumerate(sentences) if has_keyword(sentence.text)]
    chosen, _ = choose(_counts([sentences[number].text for number in candidates]), most, seed)
    numbers = sorted({candidates[row] for row in chosen} | {number for number in part if number < len(sentences)})
    return _brief(sentences, numbers, len(candidates), len(sentences))


def _brief(sentences: Sequence[Sentence], numbers: Sequence[int], candidates: int, read: int) -> Brief:
    chosen = tuple(sentences[number] for number in numbers)
    counts = _counts([sentence.text for sentence in chosen])
    entropy = float(entropies(np.ones((1, len(chosen)), bool), counts)[0]) if chosen else 0.0
    return Brief(chosen, tuple(numbers), entropy, candidates, read)


def _span(text: str, part: str) -> tuple[int, int]:
    """Where the abstract or the introduction is: from its heading to the next one that is known or numbered."""
    begin, end = _PARTS[part]
    start = begin.search(text)
    if start is None:
        return 0, 0
    stop = end.search(text, start.end())
    return start.end(), stop.start() if stop else len(text)


def has_keyword(text: str) -> bool:
    """Whether one of the keywords, or one of their inflections, is in a text."""
    return _KEYWORD.search(text) is not None


def _counts(texts: Sequence[str]) -> sp.csr_matrix:
    """(sentences, words): counts of words in lower case, without punctuation and stop words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    if not texts:
        return sp.csr_matrix(np.zeros((0, 0), np.float32))

    def words(text: str) -> list[str]:
        return [word for word in _WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS]

    try:
        return sp.csr_matrix(CountVectorizer(analyzer=words, dtype=np.float32).fit_transform(texts))
    except ValueError:  # nothing but stop words
        return sp.csr_matrix(np.zeros((len(texts), 1), np.float32))


def _pattern() -> re.Pattern[str]:
    stems = {word[:-1] if word.endswith(("e", "y")) else word for word in KEYWORDS} | set(_IRREGULAR)
    longest_first = "|".join(sorted(map(re.escape, stems), key=len, reverse=True))
    endings = r"(?:e|es|ed|ing|er|s|y|ies|ied|ier|ization|ation|ment|t|n|able|d|ly|r|rs|ions?)?"
    return re.compile(rf"\b(?:{longest_first}){endings}\b", re.IGNORECASE)


_KEYWORD = _pattern()
