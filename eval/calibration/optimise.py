"""Maximise the likelihood over the variance ratios: Newton steps inside bounds, from a start by moments.

An extension for reviewers who use a narrow or a wide part of the scale has a factor aⱼ for each:

    y_ij = c + aⱼ (f_i + b_j + ε_ij − c),        log aⱼ ~ N(0, τ²),        c the mean of all scores.

The rescaled scores z = c + (y − c)/aⱼ follow the plain model, so that

    −log p(y, a) = −log p(z) + Σⱼ nⱼ log aⱼ + Σⱼ (log aⱼ)²/2τ²,

minimised in turns over the factors (L-BFGS, the variance ratios and so the factorisation being fixed) and over the
variances (Newton, the factors being fixed). τ is the user's choice; held-out reviews tell whether it helps.
"""

import logging
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from eval.calibration.model import RATIO_CEILING, RATIO_FLOOR, Evaluation, Floats, MixedModel

logger = logging.getLogger(__name__)

TOLERANCE = 1e-8
"""Stop where a Newton step would gain less than this in −log L: some 1e-4 of a standard error from the optimum."""
MAX_STEPS = 100
REVIEWER = 1
"""The position of the reviewers among the groupings of the model."""
_MAX_TURNS = 50
_LEAST_GAIN = 1e-6  # in −log p(y, a), of a turn
GRID_POINTS = 25
GRID_RANGE = (0.01, 10.0)
_SPAN = 8.0  # a surface around an estimate reaches this factor to either side


def moment_ratios(model: MixedModel) -> Floats:
    """A start: the variance within groups of one kind lacks just that kind's own component.

    E[pooled variance within papers] = α_b + σ², within reviewers = α_f + σ², overall = α_f + α_b + σ².
    """
    total = float(model.scores.var(ddof=1))
    components = []
    for codes, size in zip(model.design.groupings, model.design.sizes, strict=True):
        means = np.bincount(codes, model.scores, size) / np.bincount(codes, minlength=size)
        freedom = len(codes) - size
        residual = float(np.sum((model.scores - means[codes]) ** 2)) / freedom if freedom else 0.0
        components.append(total - residual)
    shares = np.clip(np.array(components) / total, 0.01, 0.9)
    noise = max(1 - shares.sum(), 0.05)
    return np.asarray(shares / noise)


def maximise(model: MixedModel, absent: NDArray[np.bool_], start: Floats | None = None) -> Evaluation:
    """The evaluation at the maximum of the likelihood.

    A projected Newton method with the average information as curvature: a ratio at a bound stays there as long as the
    gradient presses it outwards, and a step is halved until it gains. The ratios of `absent` groupings stay zero.

    Raises:
        FloatingPointError: no maximum was found; the likelihood has none, or the data are degenerate.
    """
    current = model.evaluate(np.where(absent, 0.0, moment_ratios(model) if start is None else start))
    for step_count in range(MAX_STEPS):
        if not np.isfinite(current.nll):
            raise FloatingPointError("the likelihood is not finite")
        gradient = current.gradient
        at_floor = (current.ratios <= RATIO_FLOOR) & (gradient > 0)
        at_ceiling = (current.ratios >= RATIO_CEILING) & (gradient < 0)
        free = ~(at_floor | at_ceiling | absent)
        if not free.any():
            return current
        step = np.zeros_like(gradient)
        curvature = current.curvature[np.ix_(free, free)]
        ridge = 1e-12 * np.trace(curvature) * np.eye(len(curvature))
        step[free] = -np.linalg.solve(curvature + ridge, gradient[free])
        if gradient @ step > 0:  # the curvature was lost to rounding, as where there is no noise: go straight down
            step[free] = -gradient[free] * current.ratios[free] ** 2
        logger.debug("step %d: ratios %s, -log L %.9f, gradient %s", step_count, current.ratios, current.nll, gradient)
        if -gradient @ step < 2 * TOLERANCE:
            return current
        following = _line_search(current, step)
        if following is None:  # no gain to the last digit of the likelihood: this is the maximum
            return current
        current = following
    raise FloatingPointError(f"the likelihood has no maximum within {MAX_STEPS} Newton steps")


def _line_search(current: Evaluation, step: Floats) -> Evaluation | None:
    length = 1.0
    while length > 1e-8:
        ratios = np.clip(current.ratios + length * step, RATIO_FLOOR, RATIO_CEILING)
        trial = current.model.evaluate(ratios)
        if trial.nll < current.nll + 1e-4 * float(current.gradient @ (ratios - current.ratios)):
            return trial
        length /= 2
    return None


def fit_scales(model: MixedModel, absent: NDArray[np.bool_], prior_sd: float) -> tuple[Evaluation, Floats]:
    """The fitted model of the rescaled scores, and every reviewer's log aⱼ."""
    evaluation = maximise(model, absent)
    logs = np.zeros(model.design.sizes[REVIEWER])
    objective = np.inf
    for _ in range(_MAX_TURNS):
        optimum = minimize(penalised, logs, args=(model, evaluation, prior_sd), jac=True, method="L-BFGS-B")
        logs = np.asarray(optimum.x, dtype=np.float64)
        rescaled = rescale(model.scores, logs[model.design.groupings[REVIEWER]], float(model.scores.mean()))
        evaluation = maximise(replace(model, scores=rescaled), absent, start=evaluation.ratios)
        previous, objective = objective, penalised(logs, model, evaluation, prior_sd)[0]
        if previous - objective < _LEAST_GAIN:
            return evaluation, logs
    raise FloatingPointError(f"the reviewers' scales did not settle within {_MAX_TURNS} turns")


def rescale(scores: Floats, logs: Floats, centre: float) -> Floats:
    """The scores z on the common scale, `logs` being each review's log aⱼ."""
    return np.asarray(centre + (scores - centre) * np.exp(-logs))


def penalised(logs: Floats, model: MixedModel, evaluation: Evaluation, prior_sd: float) -> tuple[float, Floats]:
    """−log p(y, a) up to a constant, and its gradient in log a, at the variance ratios of `evaluation`."""
    codes = model.design.groupings[REVIEWER]
    centre = float(model.scores.mean())
    rescaled = replace(evaluation.model, scores=rescale(model.scores, logs[codes], centre))
    current = Evaluation(rescaled, evaluation.ratios, factor=evaluation.factor)
    slope = current.weighted - current.weighted.mean()  # a plain mean moves with the scores
    pull = slope * (centre - current.model.scores) / current.sigma2
    value = current.nll + float(logs[codes].sum()) + float(logs @ logs) / (2 * prior_sd**2)
    gradient = np.bincount(codes, pull + 1, len(logs)) + logs / prior_sd**2
    return value, gradient


@dataclass(frozen=True, slots=True)
class Surface:
    """`nll[i, j]` is −log L at `alpha_b_ratios[i]`, `sigma2_ratios[j]`, with the best α_f and μ for that point."""

    alpha_b_ratios: Floats
    sigma2_ratios: Floats
    nll: Floats

    def best(self) -> tuple[int, int]:
        """The row and the column of the highest likelihood."""
        row, column = np.unravel_index(np.argmin(self.nll), self.nll.shape)
        return int(row), int(column)


def likelihood_surface(model: MixedModel, points: int = GRID_POINTS, around: Evaluation | None = None) -> Surface:
    """Evaluate a logarithmic grid: a wide one, or one `around` an estimate, whose further ratios stay."""
    if around is None:
        ranges, held = (GRID_RANGE, GRID_RANGE), np.empty(0)
    else:
        offset, noise = np.clip(np.array([around.ratios[1], 1.0]) / around.ratios[0], 1e-3, 1e3)
        ranges, held = ((offset / _SPAN, offset * _SPAN), (noise / _SPAN, noise * _SPAN)), around.ratios[2:]
    offsets, noises = (np.geomspace(*limits, points) for limits in ranges)
    nll = [[model.evaluate(np.array([1 / noise, offset / noise, *held])).nll for noise in noises] for offset in offsets]
    return Surface(offsets, noises, np.array(nll))
