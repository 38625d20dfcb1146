"""Lucene's and bm25s' BM25 against the formula, computed slowly from the words."""

import numpy as np
import pytest
from bm25_twin import slow_bm25

from indexing.hits import NO_UNIT
from indexing.lexical import open_lexical, write_lexical
from indexing.lexical.tokens import Vocabulary


def corpus(count, seed):
    """Made-up words, short to long texts, Zipfian: common words, rare words and ties."""
    rng = np.random.default_rng(seed)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aiou" for c in ("lm", "rt", "nk", "mp", "zz")]
    weights = 1 / np.arange(1, len(words) + 1)
    lengths = rng.integers(1, 120, size=count)
    return [" ".join(rng.choice(words, size=length, p=weights / weights.sum())) for length in lengths]


def stored_length(document):
    """Lucene keeps a document's length in one byte: exact up to 40, then with four significant bits."""
    length = len(document)
    if length <= 40:
        return length
    shift = max((length - 24).bit_length() - 4, 0)
    return 24 + ((length - 24) >> shift << shift)


@pytest.mark.parametrize(
    ("engine", "length"), [pytest.param("lucene", stored_length, marks=pytest.mark.java), ("bm25s", len)]
)
def test_top_ten_and_scores(tmp_path, engine, length):
    contents, queries = corpus(300, seed=0), corpus(25, seed=1)
    with write_lexical(tmp_path, engine) as writer:
        writer.add(range(300), contents)
    vocabulary = Vocabulary()
    documents = [vocabulary.learn(text) for text in contents]
    with open_lexical(tmp_path, engine) as index:
        hits = index.search(queries, 300)
    for row, query in enumerate(queries):
        expected = slow_bm25(documents, vocabulary.read(query), length)
        units = hits.units[row][hits.units[row] != NO_UNIT]
        assert set(units) == set(np.flatnonzero(expected > 0))
        np.testing.assert_allclose(hits.scores[row, : len(units)], expected[units], rtol=1e-5)
        best = np.lexsort((np.arange(300), -expected))[:10]
        np.testing.assert_allclose(expected[units[:10]], expected[best], rtol=1e-6)  # the same order up to ties


@pytest.mark.java
def test_the_engines_find_nearly_the_same(tmp_path):
    """They differ by Lucene's lengths of one byte only."""
    contents, queries = corpus(500, seed=2), corpus(30, seed=3)
    found = []
    for engine in ("lucene", "bm25s"):
        with write_lexical(tmp_path / engine, engine) as writer:
            writer.add(range(500), contents)
        with open_lexical(tmp_path / engine, engine) as index:
            found.append(index.search(queries, 100).units)
    overlap = np.mean([len(np.intersect1d(a, b)) / 100 for a, b in zip(*found, strict=True)])
    assert overlap >= 0.97
