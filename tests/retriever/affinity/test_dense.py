"""The affinity models `dense` and `hybrid`: what they add up, which encoders they take, what they encode."""

import numpy as np
import pytest
from affinity_support import PAPERS, SUBMISSIONS, load_words
from indexing_support import HashingEncoder, WordEncoder

from panelist.errors import InputError, ModelError
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.hybrid import HybridModel


def test_hybrid_is_the_weighted_sum_of_its_parts():
    profiles = [[PAPERS["nets"]], [PAPERS["bees"]]]

    def score(weight):
        return HybridModel("words", pooling="max", breadth=0, weight=weight, load=load_words).score(
            SUBMISSIONS, profiles
        )

    dense = DenseModel("words", pooling="max", load=load_words).score(SUBMISSIONS, profiles)
    np.testing.assert_allclose(score(0), dense, atol=1e-6)
    np.testing.assert_allclose(score(0.25), 0.75 * dense + 0.25 * score(1), atol=1e-6)
    with pytest.raises(InputError, match=r"weight .*lexical .*from 0 to 1, received"):
        HybridModel(weight=2)


def test_two_encoders_score_the_mean_of_their_cosines():
    encoders = {"words": WordEncoder("words", 512, "1"), "few": HashingEncoder("few", 16, "1")}
    profiles = [[PAPERS["nets"]], [PAPERS["bees"], PAPERS["ants"]]]
    one, other, both = (
        DenseModel(name, load=encoders.__getitem__, pooling="max").score(SUBMISSIONS, profiles[:1])
        for name in ("words", "few", "words+few")
    )
    np.testing.assert_allclose(both, (one + other) / 2, atol=1e-6)
    hybrid = HybridModel("few+words", load=encoders.__getitem__).score(SUBMISSIONS, profiles)
    assert hybrid.shape == (2, 2)
    for name in ("words+", "words+words"):
        with pytest.raises(InputError, match="encoders are written a"):
            DenseModel(name)


def test_texts_are_encoded_once():
    encoder = HashingEncoder("words", 16, "1")
    profiles = [[PAPERS["nets"], PAPERS["bees"]], [PAPERS["bees"]]]
    for _ in range(2):
        DenseModel("words", load=lambda name: encoder).score(SUBMISSIONS, profiles)
    assert encoder.encoded == 4


def test_an_encoder_that_returns_nonsense_is_named():
    class Broken(HashingEncoder):
        def encode(self, texts, progress=None):
            return np.full((len(texts), self.dimension), np.nan, dtype=np.float32)

    with pytest.raises(ModelError, match="encoder 'broken' returned"):
        DenseModel("broken", load=lambda name: Broken(name, 16, "1")).score(SUBMISSIONS, [[PAPERS["nets"]]])
