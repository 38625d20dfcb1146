"""Does an extension of the model help? Ask it for the probability of reviews that it has not seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eval.calibration.calibrator import ReviewCalibrator
from eval.calibration.model import Floats
from eval.calibration.reviews import ReviewTable
from panelist.errors import InputError


@dataclass(frozen=True, slots=True)
class Judgement:
    """Log-likelihood per held-out review, of a model and of the plain one, and how sure their difference is."""

    log_likelihood: float
    plain_log_likelihood: float
    difference: float
    standard_error: float
    folds: int

    def describe(self) -> str:
        """Say the comparison in one line."""
        return (
            f"{self.log_likelihood:.4f}, without covariates, confidence and scales {self.plain_log_likelihood:.4f}: "
            f"difference {self.difference:+.4f} ± {self.standard_error:.4f} ({self.folds} folds)"
        )


def judge(calibrator: ReviewCalibrator, reviews: ReviewTable, *, folds: int = 5, seed: int = 0) -> Judgement:
    """Compare a calibrator to the same one without its extensions, on the same folds."""
    extended, plain = (
        holdout_log_likelihood(parameters, reviews, folds=folds, seed=seed)
        for parameters in (
            calibrator.get_params(),
            calibrator.get_params() | {"covariates": (), "confidence": None, "scale": None},
        )
    )
    gain = extended - plain
    return Judgement(
        float(extended.mean()), float(plain.mean()), float(gain.mean()), float(gain.std(ddof=1) / folds**0.5), folds
    )


def holdout_log_likelihood(
    parameters: Mapping[str, Any], reviews: ReviewTable, *, folds: int = 5, seed: int = 0
) -> Floats:
    """Cross-validated log p(held-out reviews | the others) per held-out review, one figure a fold; higher is better.

    Each fold is judged by its joint density: log p(all; θ) − log p(seen; θ), with μ and the variances θ learned from
    the seen reviews only. Two sets of parameters are compared fold by fold, with the same `folds` and `seed`.
    """
    if not 2 <= folds <= len(reviews):
        raise InputError(f"folds must be between 2 and the number of reviews ({len(reviews)}), received {folds}")
    parts = np.array_split(np.random.default_rng(seed).permutation(len(reviews)), folds)
    gains = []
    for part in parts:
        seen = reviews.take(np.setdiff1d(np.arange(len(reviews)), part))
        fitted = ReviewCalibrator(**parameters).fit(seen)
        gains.append((fitted.log_likelihood(reviews) - fitted.log_likelihood(seen)) / len(part))
    return np.array(gains)
