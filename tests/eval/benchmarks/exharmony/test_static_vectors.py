"""Doc2Vec and Word Mover's Distance, trained on a small collection."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import wasserstein_distance_nd

from eval.benchmarks.exharmony.static_vectors import StaticVectors
from panelist import extras
from panelist.errors import InputError, MissingDependencyError

SEA = "coral reef bleaching harms coral larvae in warm sea water"
SKY = "stars form in dense clouds and galaxies of stars collide"
TEXTS = [SEA, SKY, "warm sea water and coral reef larvae", "dense clouds of stars in galaxies", "qqq"] * 6
PRINTED = f"""
from eval.benchmarks.exharmony.static_vectors import StaticVectors
vectors = StaticVectors(dimension=8, epochs=3).fit({TEXTS!r})
print(*vectors.infer({SEA!r}), vectors.texts_.sum(), *vectors.distances({SEA!r}, __import__("numpy").arange(3)))
"""


@pytest.fixture(scope="module")
def fitted():
    return StaticVectors(dimension=12, epochs=40).fit(TEXTS)


def test_similar_texts_have_similar_vectors(fitted):
    sea = fitted.infer("coral larvae in warm water")
    assert np.linalg.norm(sea) == pytest.approx(1)
    scores = fitted.texts_ @ sea
    assert min(scores[0], scores[2]) > max(scores[1], scores[3])


def test_inference_does_not_depend_on_what_was_inferred_before(fitted):
    first = fitted.infer(SEA)
    fitted.infer(SKY)
    np.testing.assert_array_equal(fitted.infer(SEA), first)


def test_another_process_learns_the_same_whatever_its_hash_seed(capsys):
    """gensim's own inference starts from Python's hash of the text: that moves all numbers by more than rounding."""
    exec(PRINTED, {})
    other = {"PYTHONHASHSEED": "1", "PATH": "", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    there = subprocess.run([sys.executable, "-c", PRINTED], env=other, capture_output=True, text=True, check=True)
    learned, expected = (np.array(printed.split(), float) for printed in (there.stdout, capsys.readouterr().out))
    assert len(learned) == 8 + 1 + 3
    np.testing.assert_allclose(learned, expected, atol=2e-3)


def test_words_move_as_far_as_linear_programming_says(fitted):
    texts = np.arange(4)
    found = fitted.distances(SEA, texts)
    words, shares = fitted._bag([str(word) for word in fitted._vocabulary.read(SEA)])
    for text, distance in zip(texts, found, strict=True):
        theirs, their_shares = fitted._bags[text]
        vectors = fitted._words.astype(np.float64)
        expected = wasserstein_distance_nd(vectors[words], vectors[theirs], shares, their_shares)
        assert distance == pytest.approx(expected, abs=1e-3)
    assert found[0] == pytest.approx(0, abs=1e-3)
    assert found[2] < found[1]


def test_a_text_without_known_words_is_far_from_everything(fitted):
    assert not fitted.infer("zzz").any()
    assert np.isinf(fitted.distances("zzz", np.arange(2))).all()


def test_a_collection_without_recurring_words_is_refused():
    with pytest.raises(InputError, match=r"no word.*nothing to train"):
        StaticVectors().fit(["one two", "three four"])


def test_absent_packages_are_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "ot" else object())
    with pytest.raises(MissingDependencyError, match=r"needs ot, .*\[eval\]"):
        StaticVectors().fit(TEXTS)
