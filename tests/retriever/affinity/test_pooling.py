"""How the similarities of a profile become a score: against look-up's rule, breadth, and filling short profiles up."""

from itertools import product

import numpy as np
import pytest
from affinity_support import PAPERS, load_words, models
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from panelist.errors import InputError
from panelist.records import Paper, Submission
from retriever.affinity.models.bm25 import Bm25Model
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.pooling import ProfilePooling
from retriever.pooling import Pooling

RULES = ["max", "mean", "sum", "combmnz", "top:3", "top:1", "percentile:75", "percentile:20", "discounted"]
ANIMALS, VERBS = ("bees", "ants", "wasps", "flies", "moths"), ("dance", "sing", "dig")


@pytest.mark.parametrize("rule", RULES)
@given(
    scores=st.integers(1, 40).flatmap(
        lambda n: arrays(np.float32, (n, 5), elements=st.floats(-1, 1, width=32, allow_subnormal=False))
    )
)
@settings(max_examples=25)
def test_the_kernel_agrees_with_the_rule_of_look_up(rule, scores):
    n, columns = scores.shape
    pooled = ProfilePooling.parse(rule).plan(n)(scores)
    ordered = -np.sort(-scores.T, axis=1)
    expected = Pooling.parse(rule).pool(ordered.ravel(), np.arange(columns + 1, dtype=np.int64) * n, mean=True)
    np.testing.assert_allclose(pooled, expected, rtol=1e-5, atol=1e-5)  # the kernel adds up in float32


def test_breadth_leads_from_the_mean_to_the_sum():
    scores = np.array([[0.5], [0.3], [0.1]], dtype=np.float32)
    mean = (0.5 + 0.15 + 0.1 / 3) / (1 + 1 / 2 + 1 / 3)
    full = sum(1 / i for i in range(1, 21))
    for breadth in (0.0, 0.5, 1.0):
        pooled = ProfilePooling.parse("discounted", breadth).plan(3)(scores).item()
        assert pooled == pytest.approx(mean * ((1 + 1 / 2 + 1 / 3) / full) ** breadth)


@pytest.mark.parametrize(
    ("rule", "breadth", "fill"),
    [("votes", 0.0, 0), ("median", 0.0, 0), ("top:0", 0.0, 0), ("max", 1.5, 0), ("max", 0.0, -1), ("max", 0.0, 2.5)],
)
def test_rules_that_make_no_sense_are_refused(rule, breadth, fill):
    with pytest.raises(InputError, match=r"pooling|breadth|filled up"):
        ProfilePooling.parse(rule, breadth, fill)


def test_a_short_profile_is_filled_up_and_a_long_one_is_not():
    plan = ProfilePooling.parse("discounted", fill=5).plan(2)
    full = 1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5
    scores = np.array([[0.2], [0.6]], dtype=np.float32)
    assert plan(scores).item() == pytest.approx((0.6 + 0.1) / full)
    assert plan.missing == pytest.approx((1 / 3 + 1 / 4 + 1 / 5) / full)
    assert ProfilePooling.parse("discounted", fill=5).plan(5).missing == 0
    assert ProfilePooling.parse("max", fill=5).plan(1).missing == 0  # only the best paper counts


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid"])
def test_filling_up_agrees_with_loops_whatever_the_order_of_reviewers(name):
    papers = [Paper(f"p{n}", f"{animal} {verb}") for n, (animal, verb) in enumerate(product(ANIMALS, VERBS))]
    profiles = [papers[:1], papers[1:4], papers[4:12], papers[12:13]]
    submissions = [Submission("s", "bees dance and sing"), Submission("t", "ants dig")]

    def make(**parameters):
        return (
            Bm25Model(**parameters) if name == "bm25" else type(models()[name])("words", load=load_words, **parameters)
        )

    def similarities(documents):
        """(documents, papers), rarity of terms learned from the same papers as below."""
        rest = [[paper] for paper in papers[:13]]
        return make(pooling="max", fill=0).score(documents, rest)

    among = similarities([Submission(paper.id, paper.title) for paper in papers[:13]])
    background = np.median(among[~np.eye(13, dtype=bool)])
    scores = make(fill=5).score(submissions, profiles)
    for row, near in enumerate(similarities(submissions)):
        for column, rows in enumerate((slice(0, 1), slice(1, 4), slice(4, 12), slice(12, 13))):
            best = np.sort(near[rows])[::-1]
            filled = np.append(best, np.full(max(0, 5 - len(best)), background))
            discounts = 1 / np.arange(1, len(filled) + 1)
            assert scores[row, column] == pytest.approx(filled @ discounts / discounts.sum(), abs=1e-5)
    turned = make(fill=5).score(submissions, profiles[::-1])
    np.testing.assert_allclose(turned[:, ::-1], scores, atol=1e-6)


def test_filling_up_does_not_change_the_order_of_one_reviewers_submissions():
    submissions = [Submission(paper.id, paper.title, paper.abstract) for paper in PAPERS.values()]
    plain, filled = (
        HybridModel("words", load=load_words, fill=fill).score(submissions, [[PAPERS["bees"]], [PAPERS["ants"]]])
        for fill in (0, 5)
    )
    assert (plain.argsort(axis=0, kind="stable") == filled.argsort(axis=0, kind="stable")).all()
