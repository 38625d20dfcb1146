"""BM25 computed slowly from the words, for tests of everything that scores by it."""

import math
from collections import Counter

import numpy as np

from indexing.lexical import K1, B


def slow_bm25(documents, query, length=len):
    """Every document's score: Σ ln(1 + (N − df + .5)/(df + .5)) · tf / (tf + k1·(1 − b + b·len/avg)).

    The sum is over the distinct words of the query: one that is repeated counts once. `length` is what an engine takes
    for the length of a document.
    """
    counts = [Counter(document) for document in documents]
    average = sum(map(len, documents)) / len(documents)
    scores = np.zeros(len(documents))
    for word in set(query):
        frequency = sum(word in count for count in counts)
        idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
        for number, (document, count) in enumerate(zip(documents, counts, strict=True)):
            scores[number] += idf * count[word] / (count[word] + K1 * (1 - B + B * length(document) / average))
    return scores
