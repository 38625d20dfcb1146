"""The sentences of a paper that matter for a review, chosen by the cross-entropy method; nothing is generated.

Yuan et al. (2021), Appendix A.9: of the first 250 sentences those with one of 48 keywords are candidates, and at most
30 of them are chosen so that the words of the choice have the greatest entropy. The search draws N = 1,000 random
choices, takes the best ρ = 5 %, and moves the probabilities towards them with α = .7 until the threshold has not
changed three times. Where the description leaves a choice:

- p(w) is the share of w among the words of the choice, w running over *different* words (equation 8 sums over words; a
  sum over tokens would count a word as often as it occurs and reward repetition).
- The paper says that all probabilities start at ½ and that this is lowered 'slightly' above 90 candidates. A draw of
  more than 30 sentences is thrown away, so ½ fails long before that: here it starts at the smaller of ½ and 24/n.
- The threshold is a quantile of the draws that were *not* thrown away.
- 'We can sample from the converged p': instead, the best choice that was ever drawn is taken. It is never worse.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence, split

MOST_READ = 250  # sentences of a paper
MOST_CHOSEN = 30
DRAWS, ELITE, STEP = 1_000, 0.05, 0.7
_STARTING_SIZE = 24.0
_PATIENCE, _ROUNDS = 3, 200  # unchanged thresholds that end the search, and its longest duration

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
_STEMS = {word[:-1] if word.endswith(("e", "y")) else word for word in KEYWORDS} | set(_IRREGULAR)
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _STEMS), key=len, reverse=True))
_ENDINGS = r"(?:e|es|ed|ing|er|s|y|ies|ied|ier|ization|ation|ment|t|n|able|d|ly|r|rs|ions?)?"
_KEYWORD = re.compile(rf"\b(?:{_LONGEST_FIRST}){_ENDINGS}\b", re.IGNORECASE)
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
    """The sentences of a paper that were chosen, and which ones they are."""

    sentences: tuple[Sentence, ...]
    numbers: tuple[int, ...]
    entropy: float  # of their words, in nats
    candidates: int  # sentences with a keyword, or in the introduction where that is taken
    read: int  # sentences that were looked at


def make_brief(text: str, most: int = MOST_CHOSEN, seed: int = 0, by: Method = "cross-entropy") -> Brief:
    """Choose sentences of a paper's text by one of the three methods that Yuan et al. compare.

    The cross-entropy method chooses `most` sentences at the most; `abstract` adds those of the abstract, `introduction`
    takes only that part. A paper without such a part has no sentences of it.
    """
    start, end = _span(text, by) if by in _PARTS else (0, 0)
    # The part is split by itself: a heading without a full stop ends where its part begins.
    sentences = [
        replace(sentence, start=sentence.start + low, end=sentence.end + low)
        for low, high in pairwise((0, start, end, len(text)))
        for sentence in split(text[low:high])
        if not sentence.is_heading
    ]
    if by != "introduction":
        sentences = sentences[:MOST_READ]
    numbers = [number for number, sentence in enumerate(sentences) if start <= sentence.start < end]
    candidates = numbers
    if by != "introduction":
        candidates = [number for number, sentence in enumerate(sentences) if has_keyword(sentence.text)]
        rows, _ = choose(_counts([sentences[number].text for number in candidates]), most, seed)
        numbers = sorted({*numbers, *(candidates[row] for row in rows)})
    chosen = tuple(sentences[number] for number in numbers)
    counts = _counts([sentence.text for sentence in chosen])
    entropy = float(entropies(np.ones((1, len(chosen)), bool), counts)[0]) if chosen else 0.0
    return Brief(chosen, tuple(numbers), entropy, len(candidates), len(sentences))


def _span(text: str, name: str) -> tuple[int, int]:
    """Where the abstract or the introduction is: from its heading to the next one that is known or numbered."""
    begin, end = _PARTS[name]
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


def choose(counts: sp.csr_matrix, most: int = MOST_CHOSEN, seed: int = 0) -> tuple[list[int], float]:
    """The rows whose summed word counts have the greatest entropy, at most `most`, by the cross-entropy method."""
    size = counts.shape[0]
    if size == 0:
        return [], 0.0
    generator = np.random.default_rng(seed)
    probabilities = np.full(size, min(0.5, _STARTING_SIZE * most / MOST_CHOSEN / size))
    best, best_value, threshold, unchanged = np.zeros(size, bool), -1.0, -1.0, 0
    for _ in range(_ROUNDS):
        drawn = generator.random((DRAWS, size)) < probabilities
        drawn = drawn[(drawn.sum(axis=1) <= most) & drawn.any(axis=1)]
        if not len(drawn):
            probabilities *= 0.9
            continue
        values = entropies(drawn, counts)
        top = int(values.argmax())
        if values[top] > best_value:
            best, best_value = drawn[top], float(values[top])
        new = float(np.sort(values)[int(np.ceil((1 - ELITE) * len(values))) - 1])
        unchanged = unchanged + 1 if abs(new - threshold) < 1e-9 else 0
        threshold = new
        if unchanged == _PATIENCE:
            break
        probabilities = STEP * drawn[values >= threshold].mean(axis=0) + (1 - STEP) * probabilities
    return np.flatnonzero(best).tolist(), best_value


def entropies(choices: NDArray[np.bool_], counts: sp.csr_matrix) -> NDArray[np.float64]:
    """−Σ p log p over the words of each choice: (choices, sentences) and (sentences, words) to (choices,)."""
    totals = np.asarray((sp.csr_matrix(choices.astype(np.float32)) @ counts).todense())
    lengths = totals.sum(axis=1, dtype=np.float64)
    logs = np.zeros_like(totals)
    np.log(totals, out=logs, where=totals > 0)
    weighted = np.einsum("ij,ij->i", totals, logs, dtype=np.float64)
    # −Σ (c/L) log(c/L) = log L − Σ c log c / L
    return np.where(lengths > 0, np.log(np.maximum(lengths, 1)) - weighted / np.maximum(lengths, 1), 0.0)
