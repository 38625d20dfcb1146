"""The affinity model `bm25` is BM25's formula."""

import math
from collections import Counter

import pytest
from affinity_support import PAPERS, SUBMISSIONS

from panelist.errors import InputError
from retriever.affinity.models.bm25 import Bm25Model


def test_bm25_is_the_formula():
    profiles = [[PAPERS["nets"]], [PAPERS["bees"], PAPERS["ants"]]]
    texts = {"nets": "train neural network deep neural network train gradient".split()}  # noqa: SIM905
    texts["bees"] = "danc honei bee honei bee danc tell where flower".split()  # noqa: SIM905
    texts["ants"] = "trail ant ant follow trail nest".split()  # noqa: SIM905
    query = Counter("how bee find flower bee danc".split())  # noqa: SIM905
    k1, b = 0.9, 0.4
    mean = sum(map(len, texts.values())) / 3

    def rarity(term):
        frequency = sum(term in text for text in texts.values())
        return math.log(1 + (3 - frequency + 0.5) / (frequency + 0.5))

    def score(text):
        total = 0.0
        for term, times in query.items():
            count = text.count(term)
            total += times * rarity(term) * count / (count + k1 * (1 - b + b * len(text) / mean))
        return total / sum(times * rarity(term) for term, times in query.items())

    found = Bm25Model(pooling="max").score(SUBMISSIONS[1:], profiles)
    assert found[0, 0] == pytest.approx(score(texts["nets"]), abs=1e-6)
    assert found[0, 1] == pytest.approx(score(texts["bees"]), rel=1e-5)
    with pytest.raises(InputError, match="BM25 needs k1"):
        Bm25Model(k1=-1)
