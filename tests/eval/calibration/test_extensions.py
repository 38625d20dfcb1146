"""Covariates, confidence and reviewers' scales: each finds what was put in, and hold-out tells whether it helps."""

import numpy as np
import pytest

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.model import Design, MixedModel
from eval.calibration.optimise import penalised
from eval.calibration.reviews import Grouping, ReviewTable
from eval.calibration.summary import holdout_log_likelihood, judge
from panelist.errors import InputError


def simulate(seed, papers=150, reviewers=40, load=4, shift=0.0, noisy=False, spread=0.0):
    """Reviews with a shift of junior reviewers, with noise that follows confidence, with scales: as asked for."""
    rng = np.random.default_rng(seed)
    paper = np.repeat(np.arange(papers), load)
    reviewer = np.argsort(rng.random((papers, reviewers)), axis=1)[:, :load].ravel()
    confidence = rng.choice([0.2, 1.0, 5.0], len(paper))
    noise = rng.normal(0, 1, len(paper)) / (np.sqrt(confidence) if noisy else 1)
    log_scale = rng.normal(0, spread, reviewers) if spread else np.zeros(reviewers)
    latent = rng.normal(0, 1, papers)[paper] + rng.normal(0, 0.5, reviewers)[reviewer] + noise
    junior = rng.random(len(paper)) < 0.5
    scores = 5 + np.exp(log_scale)[reviewer] * (latent + shift * junior)
    columns = {
        "seniority": tuple(np.where(junior, "junior", "senior")),
        "confidence": tuple(map(str, confidence)),
        "coin": tuple(rng.choice(["heads", "tails"], len(paper))),
        "again": tuple(f"again {r}" for r in reviewer),
        "constant": ("same",) * len(paper),
    }
    groupings = Grouping.of(f"p{p}" for p in paper), Grouping.of(f"r{r}" for r in reviewer)
    names = [int(name[1:]) for name in groupings[1].names]
    return ReviewTable(*groupings, scores, columns), log_scale[names]


def test_a_covariate_takes_up_its_shift():
    table, _ = simulate(0, shift=2.0)
    fitted = ReviewCalibrator(covariates=("seniority",)).fit(table)
    effects = fitted.covariate_effects_["seniority"]
    assert effects["junior"][0] - effects["senior"][0] == pytest.approx(2, abs=0.25)
    assert fitted.covariate_variances_["seniority"] == pytest.approx(1, rel=0.4)
    assert fitted.sigma2_ < ReviewCalibrator().fit(table).sigma2_ - 0.5
    found = judge(ReviewCalibrator(covariates=("seniority",)), table, folds=3)
    assert found.difference > 5 * found.standard_error > 0


def test_a_covariate_of_no_effect_is_of_no_help():
    table, _ = simulate(1)
    found = judge(ReviewCalibrator(covariates=("coin",)), table, folds=3)
    assert found.difference < 0.002
    assert "without covariates, confidence and scales" in found.describe()


def test_confidence_helps_where_noise_follows_it_and_harms_where_not():
    table, _ = simulate(2, noisy=True)
    assert judge(ReviewCalibrator(confidence="confidence"), table, folds=3).difference > 0.05
    table, _ = simulate(2, noisy=False)
    assert judge(ReviewCalibrator(confidence="confidence"), table, folds=3).difference < -0.05


def test_scales_are_found_and_help_where_reviewers_have_them():
    table, log_scale = simulate(3, papers=300, reviewers=30, spread=0.4)
    fitted = ReviewCalibrator(scale=0.4).fit(table)
    assert np.corrcoef(np.log(fitted.scale_), log_scale)[0, 1] > 0.9
    assert fitted.nll_ < ReviewCalibrator().fit(table).nll_ - 10
    assert fitted.log_likelihood(table) == pytest.approx(-fitted.nll_, abs=1e-6)
    assert judge(ReviewCalibrator(scale=0.4), table, folds=2).difference > 0.01


def test_without_scales_every_factor_is_one():
    table, _ = simulate(4)
    fitted = ReviewCalibrator().fit(table)
    assert (fitted.scale_ == 1).all()
    assert ReviewCalibrator(scale=1e-4).fit(table).nll_ == pytest.approx(fitted.nll_, abs=1e-3)


@pytest.mark.parametrize(("method", "mean"), [("ml", "gls"), ("reml", "gls"), ("ml", "plain")])
def test_the_gradient_of_the_scales(method, mean):
    table, _ = simulate(5, papers=12, reviewers=6)
    groupings = table.papers, table.reviewers
    design = Design(tuple(g.codes for g in groupings), tuple(len(g.names) for g in groupings), np.ones(len(table)))
    model = MixedModel(table.scores, design, method, mean)
    evaluation = model.evaluate(np.array([0.7, 0.3]))
    logs = np.random.default_rng(0).normal(0, 0.3, 6)
    _, gradient = penalised(logs, model, evaluation, 0.5)
    for j, step in enumerate(1e-6 * np.eye(6)):
        up, down = (penalised(logs + sign * step, model, evaluation, 0.5)[0] for sign in (1, -1))
        assert gradient[j] == pytest.approx((up - down) / 2e-6, abs=1e-5)


def test_holdout_likelihood_is_the_conditional_density():
    table, _ = simulate(6, papers=8, reviewers=5, load=3)
    found = holdout_log_likelihood({}, table, folds=2, seed=3)
    parts = np.array_split(np.random.default_rng(3).permutation(len(table)), 2)
    for value, held in zip(found, parts, strict=True):
        seen = np.setdiff1d(np.arange(len(table)), held)
        fitted = ReviewCalibrator().fit(table.take(seen))
        same = [g.codes[:, None] == g.codes for g in (table.papers, table.reviewers)]
        k = fitted.alpha_f_ * same[0] + fitted.alpha_b_ * same[1] + fitted.sigma2_ * np.eye(len(table))
        gain = k[np.ix_(held, seen)] @ np.linalg.inv(k[np.ix_(seen, seen)])
        mean = fitted.mu_ + gain @ (table.scores[seen] - fitted.mu_)
        covariance = k[np.ix_(held, held)] - gain @ k[np.ix_(seen, held)]
        r = table.scores[held] - mean
        log_density = -0.5 * (
            len(held) * np.log(2 * np.pi) + np.linalg.slogdet(covariance)[1] + r @ np.linalg.solve(covariance, r)
        )
        assert value == pytest.approx(log_density / len(held), abs=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"covariates": ("again",)}, r"'again' .*'reviewer' .*leave it out"),
        ({"covariates": ("constant",)}, r"'constant' .*'same': leave it out"),
        ({"covariates": ("age",)}, "no column 'age'"),
        ({"confidence": "seniority"}, r"review 1: .*'seniority' .*positive .*received"),
    ],
)
def test_unusable_covariate_and_confidence_columns_are_refused(parameters, message):
    with pytest.raises(InputError, match=message):
        ReviewCalibrator(**parameters).fit(simulate(0)[0])


def test_single_fold_is_refused():
    with pytest.raises(InputError, match="folds must be between 2"):
        holdout_log_likelihood({}, simulate(0)[0], folds=1)
