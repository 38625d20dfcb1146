"""The sparse algebra against the textbook: every formula written out with the n × n covariance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.elimination import Factor, elimination_order
from eval.calibration.model import Design, MixedModel
from eval.calibration.posterior import posterior, sample_papers
from eval.calibration.reviews import table_of
from panelist.records import Review


class DenseModel:
    """The model as it is written down, for one vector of variances (α_f, α_b, …, σ²)."""

    def __init__(self, model, variances):
        design = model.design
        self.y, self.n = model.scores, len(model.scores)
        *components, sigma2 = variances
        indicators = [np.eye(size)[codes] for codes, size in zip(design.groupings, design.sizes, strict=True)]
        self.noise = sigma2 * np.diag(1 / design.weights)
        self.parts = [v * z @ z.T for v, z in zip(components, indicators, strict=True)]
        self.k = self.noise + sum(self.parts)
        self.indicators, self.components = indicators, components
        self.kinv = np.linalg.inv(self.k)
        self.reml = model.method == "reml"
        ones = np.ones(self.n)
        self.precision = ones @ self.kinv @ ones
        self.mu = self.y.mean() if model.mean == "plain" else ones @ self.kinv @ self.y / self.precision
        self.r = self.y - self.mu

    def nll(self):
        value = self.n * np.log(2 * np.pi) + np.linalg.slogdet(self.k)[1] + self.r @ self.kinv @ self.r
        return 0.5 * (value + (np.log(self.precision) - np.log(2 * np.pi) if self.reml else 0))

    def effect(self, k):
        cross = self.components[k] * self.indicators[k].T
        variance = self.components[k] * np.eye(len(cross)) - cross @ self.kinv @ cross.T
        return cross @ self.kinv @ self.r, np.sqrt(np.diag(variance))

    def calibrated(self):
        """μ_s and Σ_s of the reviews."""
        k_s = self.parts[0] + self.noise
        return self.mu + k_s @ self.kinv @ self.r, k_s - k_s @ self.kinv @ k_s


def random_model(seed, papers=12, reviewers=9, extra=False, weighted=False, **options):
    rng = np.random.default_rng(seed)
    pairs = [(p, r) for p in range(papers) for r in rng.choice(reviewers, rng.integers(1, 5), replace=False)]
    p, r = (np.unique(column, return_inverse=True)[1] for column in zip(*pairs, strict=True))
    groupings = [p, r]
    if extra:
        groupings.append(np.unique(rng.integers(0, 3, len(p)), return_inverse=True)[1])
    y = rng.normal(5, 1, len(p)) + rng.normal(0, 1, papers)[p] + rng.normal(0, 1, reviewers)[r]
    weights = rng.uniform(0.3, 2, len(p)) if weighted else np.ones(len(p))
    sizes = tuple(int(g.max()) + 1 for g in groupings)
    return MixedModel(y, Design(tuple(groupings), sizes, weights), **options)


designs = pytest.mark.parametrize(
    "design",
    [
        {},
        {"papers": 6, "reviewers": 20},
        {"extra": True},
        {"weighted": True},
        {"extra": True, "weighted": True},
        {"method": "reml"},
        {"mean": "plain"},
        {"method": "reml", "weighted": True},
    ],
    ids=str,
)


@designs
@pytest.mark.parametrize("seed", range(5))
def test_likelihood_mean_scale_and_gradient(design, seed):
    model = random_model(seed, **design)
    ratios = np.random.default_rng(seed + 100).uniform(0.05, 3, len(model.design.sizes))
    found = model.evaluate(ratios)
    dense = DenseModel(model, [*(ratios * found.sigma2), found.sigma2])
    assert found.mean == pytest.approx(dense.mu, abs=1e-6)
    assert found.nll == pytest.approx(dense.nll(), abs=1e-6)
    # the scale has a closed form: no other one is better
    for factor in (0.99, 1.01):
        assert DenseModel(model, dense_scaled(ratios, found.sigma2 * factor)).nll() > dense.nll()
    for k in range(len(ratios)):
        step = np.where(np.arange(len(ratios)) == k, 1e-5, 0.0)
        numeric = (model.evaluate(ratios + step).nll - model.evaluate(ratios - step).nll) / 2e-5
        assert found.gradient[k] == pytest.approx(numeric, abs=1e-5)


def dense_scaled(ratios, sigma2):
    return [*(ratios * sigma2), sigma2]


@pytest.mark.parametrize(
    "design", [{}, {"papers": 6, "reviewers": 20}, {"extra": True}, {"extra": True, "weighted": True}]
)
@pytest.mark.parametrize("seed", range(5))
def test_posterior_agrees_with_dense_algebra(design, seed):
    model = random_model(seed, **design)
    ratios = np.random.default_rng(seed + 200).uniform(0.05, 3, len(model.design.sizes))
    evaluation = model.evaluate(ratios)
    dense = DenseModel(model, dense_scaled(ratios, evaluation.sigma2))
    found = posterior(evaluation)
    for k in range(len(ratios)):
        mean, sd = dense.effect(k)
        np.testing.assert_allclose(found.effects[k], mean, atol=1e-6)
        np.testing.assert_allclose(found.effect_sd[k], sd, atol=1e-6)
    mean, covariance = dense.calibrated()
    np.testing.assert_allclose(found.score, mean, atol=1e-6)
    np.testing.assert_allclose(found.score_sd, np.sqrt(np.diag(covariance)), atol=1e-6)
    average = dense.indicators[0].T * model.design.weights
    average /= average.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.paper_score, average @ mean, atol=1e-6)
    np.testing.assert_allclose(found.paper_score_sd**2, np.diag(average @ covariance @ average.T), atol=1e-6)


@pytest.mark.parametrize("quality", [False, True])
def test_samples_have_the_posterior_as_their_distribution(quality):
    model = random_model(3)
    evaluation = model.evaluate(np.array([0.8, 0.5]))
    dense = DenseModel(model, dense_scaled(evaluation.ratios, evaluation.sigma2))
    samples = sample_papers(evaluation, 40_000, seed=1, quality=quality)
    if quality:
        cross = dense.components[0] * dense.indicators[0].T
        mean = dense.mu + cross @ dense.kinv @ dense.r
        covariance = dense.components[0] * np.eye(len(cross)) - cross @ dense.kinv @ cross.T
    else:
        average = dense.indicators[0].T / dense.indicators[0].sum(axis=0)[:, None]
        review_mean, review_covariance = dense.calibrated()
        mean, covariance = average @ review_mean, average @ review_covariance @ average.T
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=5 * np.sqrt(covariance.max() / 40_000))
    np.testing.assert_allclose(np.cov(samples), covariance, atol=5 * covariance.max() * np.sqrt(2 / 40_000))


@pytest.mark.parametrize("method", ["ml", "reml"])
@pytest.mark.parametrize("seed", range(4))
def test_the_estimate_beats_its_neighbours_in_the_dense_likelihood(seed, method):
    rng = np.random.default_rng(seed)
    f, b = rng.normal(5, 1, 40), rng.normal(0, 0.7, 15)
    reviews = [
        Review(f"p{p}", f"r{r}", float(f[p] + b[r] + rng.normal()))
        for p in range(40)
        for r in rng.choice(15, 3, replace=False)
    ]
    fitted = ReviewCalibrator(method=method).fit(reviews)
    table = table_of(reviews)
    codes, sizes = (table.papers.codes, table.reviewers.codes), (40, len(table.reviewers.names))
    model = MixedModel(table.scores, Design(codes, sizes, np.ones(len(table))), method)
    best = np.array([fitted.alpha_f_, fitted.alpha_b_, fitted.sigma2_])
    at_best = DenseModel(model, best).nll()
    assert fitted.nll_ == pytest.approx(at_best, abs=1e-6)
    for k in range(3):
        for factor in (0.98, 1.02):
            assert DenseModel(model, np.where(np.arange(3) == k, best * factor, best)).nll() > at_best


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 60), density=st.floats(0.01, 0.3))
def test_nested_elimination_is_a_cholesky_factorisation(seed, size, density):
    from scipy import sparse

    rng = np.random.default_rng(seed)
    half = sparse.random_array((size, size), density=density, rng=rng).toarray()
    dense = half @ half.T + np.diag(rng.uniform(0.5, 2, size))
    matrix = sparse.csr_array(dense)
    first = np.array([0])
    order, sizes = elimination_order(matrix, first, dense_size=5, dense_fill=0.6)
    matrix = matrix[order][:, order].tocsr()
    dense = matrix.toarray()
    factor = Factor(matrix, sizes)
    right = rng.normal(size=(size, 3))
    inverse = np.linalg.inv(dense)
    assert factor.log_determinant() == pytest.approx(np.linalg.slogdet(dense)[1], abs=1e-9)
    np.testing.assert_allclose(factor.solve(right), inverse @ right, atol=1e-9)
    root = factor.sample(np.eye(size))
    np.testing.assert_allclose(root @ root.T, inverse, atol=1e-9)
    np.testing.assert_allclose(factor.inverse_on_pattern().toarray()[dense != 0], inverse[dense != 0], atol=1e-9)
