"""The calibrator as its users see it: recovery, invariances, boundaries, acceptance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.reviews import Grouping, ReviewTable
from panelist.errors import InputError
from panelist.records import Review

TRUTH = {"mu": 5.0, "alpha_f": 1.0, "alpha_b": 0.4, "sigma2": 1.2}


def simulate(seed, papers=60, reviewers=30, load=3, mu=5.0, alpha_f=1.0, alpha_b=0.4, sigma2=1.2):
    """A table of simulated reviews, and the true qualities and offsets in its order of papers and reviewers."""
    rng = np.random.default_rng(seed)
    paper = np.repeat(np.arange(papers), load)
    reviewer = np.argsort(rng.random((papers, reviewers)), axis=1)[:, :load].ravel()
    quality, offset = rng.normal(mu, alpha_f**0.5, papers), rng.normal(0, alpha_b**0.5, reviewers)
    scores = quality[paper] + offset[reviewer] + rng.normal(0, sigma2**0.5, len(paper))
    by_paper, by_reviewer = Grouping.of(map(str, paper)), Grouping.of(map(str, reviewer))
    order = [int(name) for name in by_reviewer.names]
    return ReviewTable(by_paper, by_reviewer, scores), quality, offset[order]


def estimates(fitted):
    return np.array([fitted.mu_, fitted.alpha_f_, fitted.alpha_b_, fitted.sigma2_])


def test_known_parameters_are_recovered_over_200_simulations():
    covered = total = 0
    found = []
    for seed in range(200):
        table, quality, _ = simulate(seed, papers=200, reviewers=120, load=4)
        fitted = ReviewCalibrator().fit(table)
        inside = np.abs(quality - fitted.quality_) < 1.959964 * fitted.quality_sd_
        covered, total = covered + inside.sum(), total + len(inside)
        found.append(estimates(fitted))
    assert 0.93 < covered / total < 0.97
    errors = np.array(found) - np.array(list(TRUTH.values()))
    standard_errors = errors.std(axis=0, ddof=1) / len(errors) ** 0.5
    assert (np.abs(errors.mean(axis=0)) < 3 * standard_errors).all()


@settings(max_examples=15)
@given(shift=st.floats(-100, 100), factor=st.floats(0.1, 20), seed=st.integers(0, 50))
def test_shifting_moves_the_mean_alone_and_scaling_scales(shift, factor, seed):
    table, _, _ = simulate(seed)
    plain = ReviewCalibrator().fit(table)
    moved = ReviewCalibrator().fit(ReviewTable(table.papers, table.reviewers, factor * table.scores + shift))
    assert moved.mu_ == pytest.approx(factor * plain.mu_ + shift, rel=1e-6, abs=1e-6)
    for name in ("alpha_f_", "alpha_b_", "sigma2_"):
        assert getattr(moved, name) == pytest.approx(factor**2 * getattr(plain, name), rel=1e-4, abs=1e-7)
    np.testing.assert_allclose(moved.quality_, factor * plain.quality_ + shift, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(moved.bias_sd_, factor * plain.bias_sd_, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(moved.acceptance(0.3, samples=50), plain.acceptance(0.3, samples=50), atol=0.021)


def test_the_order_of_the_reviews_does_not_matter():
    table, _, _ = simulate(1)
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    one, other = ReviewCalibrator().fit(table), ReviewCalibrator().fit(shuffled)
    np.testing.assert_allclose(estimates(one), estimates(other), rtol=1e-6)
    qualities = dict(zip(other.papers_, other.quality_, strict=True))
    np.testing.assert_allclose(one.quality_, [qualities[name] for name in one.papers_], rtol=1e-6)


def test_a_harsh_reviewer_is_corrected_for():
    reviews = [Review(f"p{p}", f"r{r}", float(p % 5 - (2 if r == 0 else 0))) for p in range(20) for r in (p % 3, 3)]
    fitted = ReviewCalibrator().fit(reviews)
    bias = dict(zip(fitted.reviewers_, fitted.bias_, strict=True))
    assert bias["r0"] < min(bias["r1"], bias["r2"], bias["r3"]) - 1
    score = dict(zip(fitted.papers_, fitted.score_, strict=True))
    raw = dict(zip(fitted.papers_, fitted.raw_mean_, strict=True))
    assert score["p0"] - raw["p0"] > 0.4  # read by r0 and r3
    assert score["p0"] == pytest.approx(score["p5"], abs=0.1)  # of the same quality, read by r2 and r3


@pytest.mark.parametrize("target", ["reviews", "quality"])
@pytest.mark.parametrize("accept", [0.25, 7, 60])
def test_acceptance_probabilities_sum_to_the_number_accepted(target, accept):
    table, _, _ = simulate(2)
    probability = ReviewCalibrator().fit(table).acceptance(accept, target=target, samples=300)
    assert probability.sum() == pytest.approx(15 if accept == 0.25 else accept)
    assert probability.min() >= 0
    assert probability.max() <= 1 + 1e-12


def test_both_targets_agree_on_who_is_good_and_quality_is_less_sure():
    table, _, _ = simulate(3)
    fitted = ReviewCalibrator().fit(table)
    by_reviews, by_quality = (fitted.acceptance(0.25, target=target) for target in ("reviews", "quality"))
    assert np.corrcoef(by_reviews, by_quality)[0, 1] > 0.9
    grey = [((p >= 0.1) & (p <= 0.9)).sum() for p in (by_reviews, by_quality)]
    assert grey[1] > grey[0]
    np.testing.assert_array_equal(by_reviews, fitted.acceptance(0.25))  # the seed is explicit


def test_acceptance_where_the_lowest_score_is_best():
    table, _, _ = simulate(4)
    mirrored = ReviewTable(table.papers, table.reviewers, 10 - table.scores)
    up = ReviewCalibrator().fit(table).acceptance(0.2, samples=2000)
    down = ReviewCalibrator().fit(mirrored).acceptance(0.2, samples=2000, lower_is_better=True)
    np.testing.assert_allclose(up, down, atol=0.08)


def test_ties_at_the_threshold_share_the_places():
    # reviewers do not differ, so that the calibrated scores are the raw ones: one clear winner and three equals
    scores = {"a": (9, 8), "b": (5, 6), "c": (6, 5), "d": (5, 6), "e": (1, 2)}
    reviews = [Review(p, f"r{r}", float(s)) for p, pair in scores.items() for r, s in enumerate(pair)]
    fitted = ReviewCalibrator().fit(reviews)
    assert fitted.alpha_b_ == 0
    assert fitted.acceptance(2) == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 0])


def test_the_boundary_is_reported():
    fits = [ReviewCalibrator().fit(simulate(seed, papers=100, reviewers=40, alpha_b=0.0)[0]) for seed in range(8)]
    on_boundary = [fitted for fitted in fits if fitted.boundary_ == ("alpha_b",)]
    assert on_boundary  # about every second one
    for fitted in on_boundary:
        assert fitted.alpha_b_ == 0
        assert not fitted.bias_.any()
        assert not fitted.bias_sd_.any()
        np.testing.assert_array_equal(fitted.score_, fitted.raw_mean_)
        assert any(
            "reviewers are equally generous, but for noise (alpha_b is estimated as 0)" in message
            for message in fitted.messages_
        )


def test_papers_that_do_not_differ_are_reported():
    fits = [ReviewCalibrator().fit(simulate(seed, alpha_f=0.0)[0]) for seed in range(8)]
    flat = [fitted for fitted in fits if fitted.boundary_ == ("alpha_f",)]
    assert flat
    for fitted in flat:
        np.testing.assert_allclose(fitted.quality_, fitted.mu_)
        assert (fitted.score_sd_ > 0).all()
        assert fitted.score_sd_ == pytest.approx(fitted.sample(4000).std(axis=1), rel=0.1)
        assert fitted.acceptance(0.5, target="quality").sum() == pytest.approx(30)


def test_one_review_per_reviewer_leaves_offsets_out_and_says_so():
    rng = np.random.default_rng(0)
    quality = rng.normal(5, 1, 30)
    reviews = [Review(f"p{p}", f"r{p}-{k}", quality[p] + rng.normal()) for p in range(30) for k in range(3)]
    fitted = ReviewCalibrator().fit(reviews)
    assert fitted.alpha_b_ == 0
    assert fitted.alpha_f_ > 0.3
    assert any("every reviewer has a single review" in message for message in fitted.messages_)


def test_one_review_per_paper_leaves_quality_out_and_says_so():
    rng = np.random.default_rng(0)
    reviews = [Review(f"p{p}", f"r{p % 6}", (p % 6) + rng.normal()) for p in range(60)]
    fitted = ReviewCalibrator().fit(reviews)
    assert fitted.alpha_f_ == 0
    assert fitted.alpha_b_ > 1
    assert any("every paper has a single review" in message for message in fitted.messages_)
    assert not any("estimated as 0" in message for message in fitted.messages_)  # it was set, not estimated
    with pytest.raises(InputError, match=r"alpha_f .*optimizer='newton'"):
        ReviewCalibrator(optimizer="grid").fit(reviews)
    assert np.std(fitted.score_) < np.std(fitted.raw_mean_) / 1.3


def test_disconnected_groups_are_found_and_named():
    reviews = [
        Review(f"p{g}{p}", f"r{g}{r}", float((p * r) % 4 + g)) for g in range(2) for p in range(4) for r in range(3)
    ]
    reviews += [Review("lonely", "hermit", 3.0)]
    fitted = ReviewCalibrator().fit(reviews)
    assert fitted.component_.tolist() == [0] * 4 + [1] * 4 + [2]
    assert any("3 groups without a common reviewer (4, 4, 1 papers)" in message for message in fitted.messages_)
    connected, _, _ = simulate(0)
    assert not ReviewCalibrator().fit(connected).component_.any()


def test_reml_is_less_biased_on_few_papers_and_plain_mean_is_the_mean():
    table, _, _ = simulate(6, papers=12, reviewers=8)
    ml, reml, plain = (ReviewCalibrator(**p).fit(table) for p in ({}, {"method": "reml"}, {"mean": "plain"}))
    assert reml.alpha_f_ > ml.alpha_f_
    assert plain.mu_ == pytest.approx(table.scores.mean())
    assert plain.nll_ > ml.nll_


def test_the_grid_finds_the_neighbourhood_of_the_maximum():
    table, _, _ = simulate(7)
    newton, grid = ReviewCalibrator().fit(table), ReviewCalibrator(optimizer="grid").fit(table)
    assert newton.nll_ < grid.nll_ < newton.nll_ + 0.5
    assert grid.surface_.nll.shape == (25, 25)
    assert grid.nll_ == pytest.approx(grid.surface_.nll.min())
    around = newton.likelihood_surface(points=5)
    assert around.best() == (2, 2)  # the estimate itself, in the middle
    assert around.nll[2, 2] == pytest.approx(newton.nll_, abs=1e-6)


@pytest.mark.parametrize(("papers", "reviewers", "step"), [(8, 4, 2), (6, 5, 1), (3, 3, 1), (20, 6, 1)])
def test_scores_without_noise_are_not_trusted(papers, reviewers, step):
    reviews = [Review(f"p{p}", f"r{r}", float(p + step * r)) for p in range(papers) for r in range(reviewers)]
    fitted = ReviewCalibrator().fit(reviews)
    assert any("too good to trust" in message for message in fitted.messages_)
    assert fitted.sigma2_ < 1e-6 * max(fitted.alpha_f_, fitted.alpha_b_)


@pytest.mark.parametrize(
    ("reviews", "message"),
    [
        ([], r"at least 3 .*received 0"),
        ([Review("p", "r", 1.0), Review("q", "r", 2.0)], r"at least 3 .*received 2"),
        ([Review(f"p{n}", f"r{n % 2}", 4.0) for n in range(6)], "all 6 scores equal 4"),
        ([Review(f"p{n}", f"r{n}", float(n)) for n in range(6)], r"every paper .*every reviewer .*single"),
        ([Review("p", "r", 1.0), Review("p", "r", 2.0)], r"review 2: .*'r' .*'p' already"),
        ([Review("p", "r", float("nan"))], r"review 1: .*score .*received nan"),
    ],
)
def test_reviews_that_cannot_be_calibrated_are_refused(reviews, message):
    with pytest.raises(InputError, match=message):
        ReviewCalibrator().fit(reviews)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "mle"}, r"method .*ml, reml, received 'mle'"),
        ({"optimizer": "adam"}, r"optimizer .*received 'adam'"),
        ({"method": "reml", "mean": "plain"}, "use mean='gls'"),
        ({"optimizer": "grid", "covariates": ("x",)}, "use optimizer='newton'"),
        ({"covariates": ("x",)}, r"no column 'x' .*columns: none"),
        ({"scale": -1.0}, r"scale .*up to 100 .*received -1"),
        ({"scale": 1e300}, r"scale .*up to 100 .*received 1e\+300"),
    ],
)
def test_bad_parameters_of_the_calibrator_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        ReviewCalibrator(**parameters).fit(simulate(0)[0])


@pytest.mark.parametrize("accept", [0, 1.5, 61, -3, 0.001, float("inf"), float("nan")])
def test_impossible_number_of_accepted_papers_is_refused(accept):
    fitted = ReviewCalibrator().fit(simulate(0)[0])
    with pytest.raises(InputError, match="of 60 papers"):
        fitted.acceptance(accept)


def test_acceptance_before_fit_is_refused():
    with pytest.raises(InputError, match="call fit first"):
        ReviewCalibrator().acceptance()


def test_fit_stores_nothing_in_the_parameters():
    calibrator = ReviewCalibrator(method="reml")
    assert repr(calibrator) == (
        "ReviewCalibrator(method='reml', mean='gls', optimizer='newton', covariates=(), confidence=None, scale=None)"
    )
    before = calibrator.get_params()
    assert calibrator.fit(simulate(0)[0]) is calibrator
    assert calibrator.get_params() == before
