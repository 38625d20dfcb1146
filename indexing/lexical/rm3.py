"""RM3: a query expanded by the words of the documents it finds first, as Anserini computes it.

Abdul-Jaleel et al., UMass at TREC 2004: Novelty and HARD. With documents D of scores s_D and words w of a query Q:

    P(w|R)  ∝  Σ_D s_D · P(w|D)  over the FEEDBACK_TERMS most frequent words of each D, cut to FEEDBACK_TERMS words
    P'(w)   =  ORIGINAL_WEIGHT · P(w|Q) + (1 − ORIGINAL_WEIGHT) · P(w|R)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

FEEDBACK_UNITS = 10
FEEDBACK_TERMS = 10
ORIGINAL_WEIGHT = 0.5

_WORD = re.compile(r"[a-z0-9]{2,20}")


def expanded(
    query: Iterable[str], feedback: Iterable[tuple[float, Mapping[str, int]]], is_common: Callable[[str], bool]
) -> dict[str, float]:
    """The words of the expanded query and their weights, which sum to 1.

    Args:
        query: the words of the query, repeated as they occur.
        feedback: score and word counts of each document to learn from.
        is_common: whether a word occurs in so many documents that it tells nothing; asked only where it matters.
    """
    model: Counter[str] = Counter()
    for score, counts in feedback:
        frequent = _first((word for word in _ranked(counts) if _WORD.fullmatch(word) and not is_common(word)), counts)
        length = sum(frequent.values())
        for word, count in frequent.items():
            model[word] += score * count / length  # type: ignore[assignment]  # a Counter of floats
    relevance = _first(_ranked(model), model)
    mass = sum(relevance.values())
    words = Counter(query)
    weights = {word: ORIGINAL_WEIGHT * count / words.total() for word, count in words.items()}
    for word, weight in relevance.items():
        weights[word] = weights.get(word, 0.0) + (1 - ORIGINAL_WEIGHT) * weight / mass
    return weights


def _ranked(weights: Mapping[str, float]) -> list[str]:
    return sorted(weights, key=lambda word: (-weights[word], word))


def _first(words: Iterable[str], weights: Mapping[str, float]) -> dict[str, float]:
    return {word: weights[word] for word in islice(words, FEEDBACK_TERMS)}
