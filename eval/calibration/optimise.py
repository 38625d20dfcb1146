"""Maximise the likelihood over the variance ratios: Newton steps inside bounds, from a start by moments."""

from __future__ import annotations

import logging

import numpy as np
from numpy.typing import NDArray

from eval.calibration.model import RATIO_CEILING, RATIO_FLOOR, Evaluation, Floats, MixedModel

logger = logging.getLogger(__name__)

TOLERANCE = 1e-8
"""Stop where a Newton step would gain less than this in −log L: some 1e-4 of a standard error from the optimum."""
MAX_STEPS = 100


def moment_ratios(model: MixedModel) -> Floats:
    """A start: the variance within groups of one kind lacks just that kind's own component.

    E[pooled variance within papers] = α_b + σ², within reviewers = α_f + σ², overall = α_f + α_b + σ².
    """
    total = float(model.scores.var(ddof=1))
    components = []
    for codes, size in zip(model.design.groupings, model.design.sizes, strict=True):
        means = np.bincount(codes, model.scores, size) / np.bincount(codes, minlength=size)
        freedom = len(codes) - size
        within = float(np.sum((model.scores - means[codes]) ** 2)) / freedom if freedom else 0.0
        components.append(total - within)
    shares = np.clip(np.array(components) / total, 0.01, 0.9)
    noise = max(1 - shares.sum(), 0.05)
    return np.asarray(shares / noise)


def maximise(model: MixedModel, absent: NDArray[np.bool_], start: Floats | None = None) -> tuple[Evaluation, int]:
    """The evaluation at the maximum of the likelihood, and the number of steps it took.

    A projected Newton method with the average information as curvature: a ratio at a bound stays there as long as the
    gradient presses it outwards, and a step is halved until it gains. The ratios of `absent` groupings stay zero.

    Raises:
        FloatingPointError: no maximum was found; the likelihood has none, or the data are degenerate.
    """
    current = model.at(np.where(absent, 0.0, moment_ratios(model) if start is None else start))
    for step_count in range(MAX_STEPS):
        if not np.isfinite(current.nll):
            raise FloatingPointError("the likelihood is not finite")
        gradient = current.gradient
        at_floor = (current.ratios <= RATIO_FLOOR) & (gradient > 0)
        at_ceiling = (current.ratios >= RATIO_CEILING) & (gradient < 0)
        free = ~(at_floor | at_ceiling | absent)
        if not free.any():
            return current, step_count
        step = np.zeros_like(gradient)
        curvature = current.curvature[np.ix_(free, free)]
        ridge = 1e-12 * np.trace(curvature) * np.eye(len(curvature))
        step[free] = -np.linalg.solve(curvature + ridge, gradient[free])
        if gradient @ step > 0:  # the curvature was lost to rounding, as where there is no noise: go straight down
            step[free] = -gradient[free] * current.ratios[free] ** 2
        logger.debug("step %d: ratios %s, -log L %.9f, gradient %s", step_count, current.ratios, current.nll, gradient)
        if -gradient @ step < 2 * TOLERANCE:
            return current, step_count
        following = _line_search(current, step)
        if following is None:  # no gain to the last digit of the likelihood: this is the maximum
            return current, step_count
        current = following
    raise FloatingPointError(f"the likelihood has no maximum within {MAX_STEPS} Newton steps")


def _line_search(current: Evaluation, step: Floats) -> Evaluation | None:
    length = 1.0
    while length > 1e-8:
        ratios = np.clip(current.ratios + length * step, RATIO_FLOOR, RATIO_CEILING)
        trial = current.model.at(ratios)
        if trial.nll < current.nll + 1e-4 * float(current.gradient @ (ratios - current.ratios)):
            return trial
        length /= 2
    return None
