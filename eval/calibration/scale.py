"""Reviewers who use a narrow or a wide part of the scale: a factor aⱼ for each, an extension of the model.

    y_ij = c + aⱼ (f_i + b_j + ε_ij − c),        log aⱼ ~ N(0, τ²),        c the mean of all scores.

The rescaled scores z = c + (y − c)/aⱼ follow the plain model, so that

    −log p(y, a) = −log p(z) + Σⱼ nⱼ log aⱼ + Σⱼ (log aⱼ)²/2τ²,

minimised in turns over the factors (L-BFGS, the variance ratios and so the factorisation being fixed) and over the
variances (Newton, the factors being fixed). τ is the user's choice; hold-out likelihood tells whether it helps.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from eval.calibration.model import Evaluation, Floats, MixedModel
from eval.calibration.optimise import maximise

REVIEWER = 1
"""The position of the reviewers among the groupings of the model."""
_MAX_TURNS = 50
_TOLERANCE = 1e-6


def fit_scales(model: MixedModel, absent: NDArray[np.bool_], prior_sd: float) -> tuple[Evaluation, Floats, int]:
    """The fitted model of the rescaled scores, every reviewer's log aⱼ, and the number of Newton steps in all."""
    evaluation, steps = maximise(model, absent)
    logs = np.zeros(model.design.sizes[REVIEWER])
    objective = np.inf
    for _ in range(_MAX_TURNS):
        found = minimize(penalised, logs, args=(model, evaluation, prior_sd), jac=True, method="L-BFGS-B")
        logs = np.asarray(found.x, dtype=np.float64)
        rescaled = rescale(model.scores, logs[model.design.groupings[REVIEWER]], float(model.scores.mean()))
        evaluation, more = maximise(replace(model, scores=rescaled), absent, start=evaluation.ratios)
        steps += more
        previous, objective = objective, penalised(logs, model, evaluation, prior_sd)[0]
        if previous - objective < _TOLERANCE:
            return evaluation, logs, steps
    raise FloatingPointError(f"the reviewers' scales did not settle within {_MAX_TURNS} turns")


def rescale(scores: Floats, logs: Floats, centre: float) -> Floats:
    """The scores z on the common scale, `logs` being each review's log aⱼ."""
    return np.asarray(centre + (scores - centre) * np.exp(-logs))


def penalised(logs: Floats, model: MixedModel, evaluation: Evaluation, prior_sd: float) -> tuple[float, Floats]:
    """−log p(y, a) up to a constant, and its gradient in log a, at the variance ratios of `evaluation`."""
    codes = model.design.groupings[REVIEWER]
    centre = float(model.scores.mean())
    current = evaluation.at_scores(rescale(model.scores, logs[codes], centre))
    slope = current.weighted - current.weighted.mean()  # a plain mean moves with the scores
    pull = slope * (centre - current.model.scores) / current.sigma2
    value = current.nll + float(logs[codes].sum()) + float(logs @ logs) / (2 * prior_sd**2)
    gradient = np.bincount(codes, pull + 1, len(logs)) + logs / prior_sd**2
    return value, gradient
