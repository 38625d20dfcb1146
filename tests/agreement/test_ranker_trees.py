"""Trees that score all people at once against LightGBM, which walks down each of them."""

import lightgbm
import numpy as np
import pytest

from retriever.ranking.trees import MOST_LEAVES, Trees


def grown(leaves, seed=0, people=600, **more):
    dice = np.random.default_rng(seed)
    described = dice.integers(0, 9, (people, 5)).astype(np.float32) / np.float32(3)  # many values are equal
    wanted = described[:, 0] * described[:, 1] + dice.random(people)
    parameters = {"num_leaves": leaves, "min_data_in_leaf": 2, "verbosity": -1, "num_threads": 1, **more}
    return described, lightgbm.train(parameters, lightgbm.Dataset(described, wanted), 12)


@pytest.mark.parametrize("leaves", [2, 3, 15, MOST_LEAVES])
def test_scores_are_those_of_lightgbm(leaves):
    described, model = grown(leaves, seed=leaves)
    trees = Trees.parse(model.model_to_string())
    assert np.diff(trees.leaf_starts).max() == leaves
    others = np.random.default_rng(1).random((301, 5)).astype(np.float32) * 3
    for people in (described, others, others[:1], others[:0]):
        expected = model.predict(people) if len(people) else []
        np.testing.assert_allclose(trees.score(people), expected, rtol=1e-12, atol=1e-12)


def test_trees_of_a_single_leaf_give_everybody_the_same():
    described, model = grown(4, min_data_in_leaf=600)
    np.testing.assert_allclose(Trees.parse(model.model_to_string()).score(described), model.predict(described))


def test_larger_trees_are_left_to_lightgbm():
    _, model = grown(MOST_LEAVES + 1)
    assert Trees.parse(model.model_to_string()) is None
