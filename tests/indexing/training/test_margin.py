"""One step of learning subword vectors, against slow twins: loops in numpy, and torch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from indexing.encoders.acl import Bags
from indexing.training.margin import MarginLearner, margin_loss, split_halves


def cosine(a, b):
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def slow_loss(first, second, margin):
    total = 0.0
    for i, a in enumerate(first):
        hardest = max(cosine(a, b) for j, b in enumerate(second) if j != i)
        total += max(0.0, margin - cosine(a, second[i]) + hardest)
    return total


def torch_loss(first, second, margin):
    cosines = torch.nn.functional.normalize(first) @ torch.nn.functional.normalize(second).T
    others = cosines.masked_fill(torch.eye(len(first), dtype=torch.bool), -2)
    return torch.relu(margin - cosines.diagonal() + others.max(dim=1).values).sum()


def bags(random, texts, subwords):
    lengths = random.integers(2, 9, texts)
    tokens = random.integers(0, subwords, lengths.sum()).astype(np.int32)
    return Bags(tokens, np.concatenate([[0], np.cumsum(lengths)]))


def step(learner, first, second):
    return learner.step(first, second, 0.4, 0.01)


@given(seed=st.integers(0, 1 << 30), pairs=st.integers(2, 12), margin=st.sampled_from([0.0, 0.4, 2.0]))
def test_the_loss_is_that_of_a_loop(seed, pairs, margin):
    first, second = np.random.default_rng(seed).standard_normal((2, pairs, 6), dtype=np.float32)
    loss, _, _ = margin_loss(first, second, margin)
    assert loss == pytest.approx(slow_loss(first, second, margin), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_gradients_are_those_of_torch(seed):
    first, second = np.random.default_rng(seed).standard_normal((2, 9, 5), dtype=np.float32)
    a, b = (torch.tensor(side, requires_grad=True) for side in (first, second))
    torch_loss(a, b, 0.4).backward()
    _, by_first, by_second = margin_loss(first, second, 0.4)
    np.testing.assert_allclose(by_first, a.grad.numpy(), atol=1e-5)
    np.testing.assert_allclose(by_second, b.grad.numpy(), atol=1e-5)


@pytest.mark.parametrize("hardest", [1, 2, 3])
def test_only_the_counterpart_and_the_hardest_negative_are_moved(hardest):
    first = np.eye(5, dtype=np.float32)[[0, 2, 3, 4]]
    second = np.eye(5, dtype=np.float32)[[1, 2, 3, 4]]  # all but the first text are right on their counterparts
    second[1:, 0] = 0.1
    second[hardest, 0] = 0.2
    loss, by_first, by_second = margin_loss(first, second, 0.4)
    assert loss == pytest.approx(0.4 + 0.2 / np.hypot(1, 0.2), abs=1e-6)
    assert np.flatnonzero(by_first.any(axis=1)).tolist() == [0]
    assert np.flatnonzero(by_second.any(axis=1)).tolist() == [0, hardest]
    assert by_second[hardest, 0] > 0 > by_second[0, 0]  # against the gradient: away with the one, here with the other


def test_pairs_beyond_the_margin_have_no_loss_and_no_gradient():
    apart = np.eye(4, dtype=np.float32)
    loss, by_first, by_second = margin_loss(apart, apart, 0.4)
    assert loss == 0
    assert not by_first.any()
    assert not by_second.any()


def test_steps_are_those_of_sparse_adam_in_torch():
    random = np.random.default_rng(3)
    learner = MarginLearner.new(30, 8, seed=1)
    weights = torch.nn.Embedding(30, 8, sparse=True, _weight=torch.tensor(learner.vectors.copy()))
    optimiser = torch.optim.SparseAdam(weights.parameters(), lr=0.01)
    for _ in range(20):
        first, second = bags(random, 5, 30), bags(random, 5, 30)
        loss = step(learner, first, second)
        sides = [
            torch.stack(
                [weights(torch.tensor(part).long()).mean(0) for part in np.split(side.tokens, side.starts[1:-1])]
            )
            for side in (first, second)
        ]
        expected = torch_loss(*sides, 0.4)
        optimiser.zero_grad()
        expected.backward()
        optimiser.step()
        assert loss == pytest.approx(expected.item(), abs=1e-4)
    np.testing.assert_allclose(learner.vectors, weights.weight.detach().numpy(), atol=1e-4)
    assert learner.steps == 20


@given(seed=st.integers(0, 1 << 30), data=st.data())
def test_halves_are_a_partition_at_random(seed, data):
    random = np.random.default_rng(seed)
    texts = bags(random, 6, 40)
    chosen = np.array(data.draw(st.permutations(range(6)))[:4])
    halves = split_halves(texts, chosen, random)
    for place, text in enumerate(chosen):
        own = np.sort(texts.tokens[texts.starts[text] : texts.starts[text + 1]])
        parts = [half.tokens[half.starts[place] : half.starts[place + 1]] for half in halves]
        assert (np.sort(np.concatenate(parts)) == own).all()
        assert 0 <= len(parts[1]) - len(parts[0]) <= 1


def test_halves_differ_from_draw_to_draw():
    texts = Bags(np.arange(20, dtype=np.int32), np.array([0, 20]))
    random = np.random.default_rng(0)
    draws = [frozenset(split_halves(texts, np.array([0]), random)[0].tokens.tolist()) for _ in range(20)]
    assert len(set(draws)) == 20
    assert set.union(*map(set, draws)) == set(range(20))
