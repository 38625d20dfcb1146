"""Re-ranking for diversity: each step is the best one, λ = 0 changes nothing, and members of the panel stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.diversity import ALGORITHMS, rerank, spread
from retriever.stages import UNKNOWN, Candidates, Contenders, RankedAuthors

WEIGHTS = st.floats(0, 1)


def contenders(relevance, topics, labels, together=(), votes=None):
    """`together`: pairs who have written together; `votes`: the matching papers of each, equally shared."""
    count = len(relevance)
    topics = np.array(topics, dtype=np.float32)
    papers = votes or [[row] for row in range(count)]

    def coauthors(row):
        return np.array([(row, other) in together or (other, row) in together for other in range(count)])

    def shares(row):
        return np.array(papers[row]), np.full(len(papers[row]), 1 / len(papers[row]))

    labels = np.array(labels).reshape(count, -1).T.copy()
    return Contenders(np.arange(count), np.array(relevance, float), topics, labels, coauthors, shares)


@st.composite
def random_contenders(draw):
    count = draw(st.integers(1, 12))
    relevance = sorted(draw(st.lists(st.floats(0.01, 5), min_size=count, max_size=count)), reverse=True)
    seed = draw(st.integers(0, 1000))
    generator = np.random.default_rng(seed)
    topics = generator.normal(size=(count, 4))
    topics /= np.linalg.norm(topics, axis=1, keepdims=True)
    labels = generator.integers(-1, 3, size=(count, 3))
    votes = [generator.choice(8, size=generator.integers(1, 4), replace=False).tolist() for _ in range(count)]
    return contenders(relevance, topics, labels, {(0, count - 1)}, votes)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(random_contenders(), st.integers(0, 15))
def test_weight_zero_is_the_plain_ranking(algorithm, pool, size):
    assert rerank(pool, size, 0, algorithm).tolist() == list(range(min(size, len(pool))))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(random_contenders(), WEIGHTS, st.integers(1, 15))
def test_a_panel_has_no_one_twice_and_a_smaller_one_is_its_beginning(algorithm, pool, weight, size):
    chosen = rerank(pool, size, weight, algorithm).tolist()
    assert len(set(chosen)) == len(chosen) == min(size, len(pool))
    assert rerank(pool, size - 1, weight, algorithm).tolist() == chosen[: size - 1] or size > len(pool)


def slow_coverage_value(pool, chosen, weight):
    relevance = sum(pool.relevance[row] for row in chosen) / pool.relevance[0]
    total = 0.0
    for facet in range(len(pool.labels)):
        present = [pool.labels[facet, row] for row in chosen if pool.labels[facet, row] != UNKNOWN]
        total += sum(np.sqrt(present.count(label)) for label in set(present))
    papers = {}
    for row in chosen:
        for paper, share in zip(*pool.votes(row), strict=True):
            papers[paper] = papers.get(paper, 0) + share
    total += sum(np.sqrt(share) for share in papers.values())
    return (1 - weight) * relevance + weight * total / (1 + len(pool.labels))


@given(random_contenders(), st.floats(0.05, 1), st.integers(1, 6))
def test_every_step_of_coverage_is_the_best_step(pool, weight, size):
    chosen = rerank(pool, size, weight, "coverage").tolist()
    for step, row in enumerate(chosen):
        before = chosen[:step]
        others = [other for other in range(len(pool)) if other not in before]
        reached = slow_coverage_value(pool, [*before, row], weight)
        assert reached >= max(slow_coverage_value(pool, [*before, other], weight) for other in others) - 1e-9


@given(random_contenders(), st.floats(0.05, 1), st.integers(1, 6))
def test_every_step_of_mmr_is_the_best_step(pool, weight, size):
    def same(i, j):
        if pool.coauthors(i)[j]:
            return 1.0
        equal = sum(a == b != UNKNOWN for a, b in zip(pool.labels[:, i], pool.labels[:, j], strict=True))
        return (float(np.clip(pool.topics[i] @ pool.topics[j], 0, 1)) + equal) / 4

    def value(row, before):
        redundancy = max((same(row, other) for other in before), default=0.0)
        return (1 - weight) * pool.relevance[row] / pool.relevance[0] - weight * redundancy

    chosen = rerank(pool, size, weight, "mmr").tolist()
    for step, row in enumerate(chosen):
        before = chosen[:step]
        others = [other for other in range(len(pool)) if other not in before]
        assert value(row, before) >= max(value(other, before) for other in others) - 1e-6


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_variety_is_preferred_where_relevance_is_close(algorithm):
    same_topic, other_topic = [1, 0], [0, 1]
    pool = contenders(
        [1.0, 0.99, 0.98],
        [same_topic, same_topic, other_topic],
        [[1, 1, 1], [1, 1, 1], [2, 2, 2]],
        votes=[[0, 1], [0, 1], [2]],
    )
    assert rerank(pool, 2, 0.5, algorithm).tolist() == [0, 2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_coauthors_are_redundant(algorithm):
    pool = contenders([1.0, 0.99, 0.98], np.eye(3), [[1, 1, 1], [2, 2, 2], [3, 3, 3]], {(0, 1)}, votes=[[0], [0], [1]])
    assert rerank(pool, 2, 0.5, algorithm).tolist() == [0, 2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(random_contenders(), st.floats(0.05, 1), st.integers(2, 8), st.integers(1, 4))
def test_a_panel_is_completed_as_it_was_begun(algorithm, pool, weight, size, begun):
    whole = rerank(pool, size, weight, algorithm).tolist()
    begun = min(begun, len(whole))
    rest = rerank(pool, size - begun, weight, algorithm, whole[:begun]).tolist()
    assert rest == whole[begun:]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weight", [0, 0.5])
def test_members_are_not_chosen_again_and_their_kind_is_avoided(algorithm, weight):
    same, other = [0, 0, 0], [1, 1, 1]
    pool = contenders([1.0, 0.9, 0.8], np.eye(3), [same, same, other])
    assert rerank(pool, 2, weight, algorithm, [0]).tolist() == ([1, 2] if weight == 0 else [2, 1])
    assert rerank(pool, 5, weight, algorithm, [2, 0, 1]).tolist() == []


def ranking(papers):
    """People in order, each with one paper."""
    count = len(papers)
    units = np.array(sorted(set(papers)), dtype=np.int64)
    found = Candidates(units, np.ones(len(units), np.float32), np.ones(len(units), np.uint8))
    votes = np.searchsorted(units, papers).astype(np.int64)
    scores = np.linspace(1, 0.5, count)
    ones = np.ones(count, np.float32)
    return RankedAuthors(found, np.arange(count, dtype=np.int32), scores, None, np.arange(count + 1), votes, ones)


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(1, 4), st.integers(0, 12))
def test_a_paper_speaks_for_few_people_unless_nobody_else_is_left(papers, most, size):
    kept, others = [], []
    for row, paper in enumerate(papers):
        (kept if sum(papers[one] == paper for one in kept) < most else others).append(row)
    wanted = sorted([*kept, *others[: max(0, size - len(kept))]])
    assert spread(ranking(papers), np.arange(len(papers)), most, size).tolist() == wanted
