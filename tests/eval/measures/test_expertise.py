"""The pairwise and top-k measures of expertise against loops that follow the formulae word by word."""

from itertools import combinations
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.measures.expertise import (
    Ratings,
    easy_accuracy,
    hard_accuracy,
    kendall_loss,
    kendall_loss_at,
    mrr_at,
    ndcg_at,
    precision_at,
)

GRADES = st.sampled_from([1.0, 2.0, 2.25, 4.0, 4.25, 5.0])
SCORES = st.sampled_from([0.0, 0.1, 0.5, 0.9])
PEOPLE = st.lists(st.lists(st.tuples(GRADES, SCORES), min_size=2, max_size=6), min_size=1, max_size=5)


def ratings_of(people):
    """Ratings and one draw of scores from [[(expertise, score), …], …]; ids run against the order of naming."""
    given = {f"r{n}": {f"p{9 - i}": e for i, (e, _) in enumerate(papers)} for n, papers in enumerate(people)}
    ratings = Ratings.of(given)
    scores = np.full((1, *ratings.expertise.shape), np.nan)
    for n, papers in enumerate(people):
        scores[0, n, : len(papers)] = [score for _, score in papers]
    return ratings, scores


def predicted_order(papers):
    return sorted(range(len(papers)), key=lambda i: (-papers[i][1], 9 - i))


def reported_order(papers):
    return sorted(range(len(papers)), key=lambda i: (-papers[i][0], i))


def slow_loss(people, k=None):
    lost = total = 0.0
    for papers in people:
        top = predicted_order(papers)[:k]
        for i, j in combinations(range(len(papers)), 2):
            if k is not None and i not in top and j not in top:
                continue
            (e1, s1), (e2, s2) = papers[i], papers[j]
            total += abs(e1 - e2)
            agreement = (s1 - s2) * (e1 - e2)
            lost += abs(e1 - e2) * (1.0 if agreement < 0 else 0.5 if agreement == 0 else 0.0)
    return lost / total if total else np.nan


def slow_accuracy(people, wanted):
    right = count = 0
    for papers in people:
        for one, other in combinations(papers, 2):
            high, low = max(one, other), min(one, other)
            if high[0] != low[0] and wanted(high[0], low[0]):
                count += 1
                right += high[1] > low[1]
    return right / count if count else np.nan


@given(PEOPLE)
def test_losses_and_accuracies_agree_with_the_formulae(people):
    ratings, scores = ratings_of(people)
    assert kendall_loss(ratings, scores).value == pytest.approx(slow_loss(people), nan_ok=True)
    for k in (1, 3):
        assert kendall_loss_at(ratings, scores, k).value == pytest.approx(slow_loss(people, k), nan_ok=True)
    easy = slow_accuracy(people, lambda high, low: high >= 4 and low <= 2)
    hard = slow_accuracy(people, lambda high, low: low >= 4)
    assert easy_accuracy(ratings, scores).value == pytest.approx(easy, nan_ok=True)
    assert hard_accuracy(ratings, scores).value == pytest.approx(hard, nan_ok=True)


@given(PEOPLE, st.sampled_from([1, 3, 5, 7]))
def test_top_k_measures_agree_with_the_formulae(people, k):
    ratings, scores = ratings_of(people)
    mrr, ndcg, precision = [], [], []
    for papers in people:
        predicted, reported = predicted_order(papers), reported_order(papers)
        top = reported[:k]
        mrr.append(sum(1 / (1 + predicted.index(p)) for p in top) / len(top))
        ideal = sum(papers[p][0] / log2(i + 2) for i, p in enumerate(top))
        ndcg.append(sum(papers[p][0] / log2(i + 2) for i, p in enumerate(predicted[:k])) / ideal)
        precision.append(len(set(top) & set(predicted[:k])) / k)
    assert mrr_at(ratings, scores, k).value == pytest.approx(np.mean(mrr))
    assert ndcg_at(ratings, scores, k).value == pytest.approx(np.mean(ndcg))
    assert precision_at(ratings, scores, k).value == pytest.approx(np.mean(precision))


def test_the_loss_is_zero_for_the_truth_one_for_its_reverse_and_half_for_no_opinion():
    ratings, _ = ratings_of([[(5.0, 0), (1.0, 0), (3.0, 0)], [(2.0, 0), (4.0, 0)]])
    truth = ratings.expertise[None]
    assert kendall_loss(ratings, truth).value == 0.0
    assert kendall_loss(ratings, -truth).value == 1.0
    assert kendall_loss(ratings, np.ones_like(truth)).value == 0.5


def test_the_loss_is_pooled_not_a_mean_over_participants():
    ratings, scores = ratings_of([[(5.0, 0.1), (1.0, 0.9)], [(4.0, 0.9), (3.0, 0.1)]])
    assert kendall_loss(ratings, scores).value == pytest.approx(4 / 5)


@given(PEOPLE)
def test_the_loss_depends_on_the_order_of_scores_only(people):
    ratings, scores = ratings_of(people)
    assert kendall_loss(ratings, np.exp(3 * scores)).value == pytest.approx(
        kendall_loss(ratings, scores).value, nan_ok=True
    )


def test_the_mean_over_draws_is_taken_of_pooled_losses():
    ratings, first = ratings_of([[(5.0, 0.9), (1.0, 0.1)]])
    both = np.concatenate([first, -first])
    assert kendall_loss(ratings, both).value == 0.5


def test_restricting_ratings_drops_those_left_without_any():
    ratings, _ = ratings_of([[(5.0, 0), (1.0, 0)], [(2.0, 0), (4.0, 0)]])
    fewer, rows = ratings.restrict(np.array([[True, True], [False, False]]))
    assert fewer.participants == ("r0",)
    assert rows.tolist() == [0]
    assert len(fewer) == 2
