"""The sentences of a paper that matter for a review, chosen by the cross-entropy method; nothing is generated.

Yuan et al. (2021), Appendix A.9: of the first 250 sentences those with one of 48 keywords are candidates, and at most
30 of them are chosen so that the words of the choice have the greatest entropy −Σ p(w) log p(w). The search draws N =
1,000 random choices, keeps the best ρ = 5 %, and moves the probabilities towards them with α = .7 until the threshold
has not changed three times. Where the description leaves a choice:

- p(w) is the share of w among the words of the choice, w running over *different* words (equation 8 sums over words; a
  sum over tokens would count a word as often as it occurs and reward repetition).
- The paper says that all probabilities start at ½ and that this is lowered 'slightly' above 90 candidates. A draw of
  more than 30 sentences is thrown away, so ½ fails long before that: here it starts at the smaller of ½ and 24/n.
- The threshold is a quantile of the draws that were *not* thrown away. The best choice so far is kept.
- 'We can sample from the converged p': instead, the best choice that was ever drawn is taken. It is never worse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence, split

DRAWS, ELITE, STEP = 1_000, 0.05, 0.7
MOST_READ, MOST_CHOSEN = 250, 30
_STARTING_SIZE = 24.0
_PATIENCE, _ROUNDS = 3, 200

_TABLE_11 = """
find prove examine address suggest baseline optimize outperform show design explore analyze achieve maximize efficient
generalize imply reduce propose explain perform minimize effective understand study metric observe benefit improve
increase introduce investigate bound better present compare dataset decrease interpret demonstrate apply result develop
measure evaluate discover experiment state-of-the-art
"""
KEYWORDS = tuple(_TABLE_11.split())
"""Table 11 of the paper."""

_IRREGULAR = (
    "found",
    "shown",
    "understood",
    "bounds",
    "proven",
    "optimis",
    "analys",
    "generalis",
    "maximis",
    "minimis",
)
_WORD = re.compile(r"[a-z][a-z'-]*[a-z]|[a-z]")


@dataclass(frozen=True, slots=True)
class Brief:
    """What was chosen.

    Attributes:
        sentences: in the order of the paper, with their positions in its text.
        numbers: which sentences of the paper they are, from 0.
        entropy: of the words of the choice, in nats.
        candidates: how many sentences had a keyword.
        read: how many sentences were looked at.
    """

    sentences: tuple[Sentence, ...]
    numbers: tuple[int, ...]
    entropy: float
    candidates: int
    read: int


def brief(text: str, most: int = MOST_CHOSEN, seed: int = 0) -> Brief:
    """Choose at most `most` sentences of a paper's text."""
    sentences = [sentence for sentence in split(text) if not sentence.is_heading][:MOST_READ]
    candidates = [number for number, sentence in enumerate(sentences) if has_keyword(sentence.text)]
    counts = _counts([sentences[number].text for number in candidates])
    chosen, entropy = choose(counts, most, seed)
    numbers = tuple(candidates[row] for row in chosen)
    return Brief(tuple(sentences[n] for n in numbers), numbers, entropy, len(candidates), len(sentences))


def introduction(text: str) -> list[Sentence]:
    """The sentences under the heading 'introduction', up to the next numbered or known heading."""
    start = re.search(r"(?im)^\s*(?:1|I)?\.?\s*introduction\s*:?\s*$", text)
    if start is None:
        return []
    end = re.compile(
        r"(?im)^\s*(?:(?:2|II)\.?\s+[A-Z][^\n]{2,60}|related work|background|methods?|preliminaries|model)\s*:?\s*$"
    ).search(text, start.end())
    return [s for s in split(text[start.end() : end.start() if end else len(text)]) if not s.is_heading]


def has_keyword(text: str) -> bool:
    """Whether one of the keywords, or one of their inflections, is in a text."""
    return _KEYWORD.search(text) is not None


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
    stems = {word[:-1] if word.endswith("e") or word.endswith("y") else word for word in KEYWORDS}
    endings = r"(?:e|es|ed|ing|er|s|y|ies|ied|ier|ization|ation|ment|t|n|able|d|ly|r|rs|ions?)?"
    return re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, stems | set(_IRREGULAR)), key=len, reverse=True))}){endings}\b", re.I
    )


_KEYWORD = _pattern()
