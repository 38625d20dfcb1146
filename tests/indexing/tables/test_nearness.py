"""What near means: the scale of an encoder, recorded or measured."""

import numpy as np
import pytest

from indexing.tables.nearness import RECORDED, Nearness, measure_nearness


def clusters(spread, dice, count=400, dimension=32):
    """Vectors of twenty topics, of which every two are similar by `spread`."""
    topics = dice.standard_normal((20, dimension)) + spread * np.ones(dimension)
    vectors = topics[dice.integers(20, size=count)] + 0.3 * dice.standard_normal((count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_the_scale_is_from_random_papers_to_nearest_neighbours():
    scale = Nearness((0.0, 0.2, 0.4), (0.5, 0.7, 0.9))
    assert scale.scaled(np.array([0.2, 0.45, 0.7, -0.3])).tolist() == pytest.approx([0, 0.5, 1, -1])


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_encoders_with_other_cosines_agree_on_what_is_near(spread):
    vectors = clusters(spread, np.random.default_rng(0))
    scale = measure_nearness(vectors)
    cosines = vectors @ vectors.T
    assert scale.scaled(np.median(cosines[np.triu_indices(len(vectors), 1)])) == pytest.approx(0, abs=0.05)
    np.fill_diagonal(cosines, -1)
    assert scale.scaled(np.median(cosines.max(axis=1))) == pytest.approx(1, abs=0.05)


def test_a_scale_of_one_paper_or_of_equal_papers_divides_by_nothing():
    alone = np.ones((1, 4), np.float32) / 2
    for vectors in (alone, np.repeat(alone, 5, axis=0)):
        assert np.isfinite(measure_nearness(vectors).scaled(np.array([0.0, 1.0]))).all()


def test_an_index_knows_the_scale_of_its_encoder(demo_finder):
    index = demo_finder.index
    assert index.manifest.encoder.name not in RECORDED
    assert index.nearness == index.manifest.nearness == measure_nearness(index.vectors)
