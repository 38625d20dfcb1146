"""A calibration as records, from which all outputs come: one for the fit, one per paper and one per reviewer.

Whether an extension of the model helps is asked of reviews that it has not seen: how probable does it find them?
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from eval.calibration.calibrator import ReviewCalibrator, Target
from eval.calibration.model import Floats
from eval.calibration.posterior import GREY_ZONE, accepted_count
from eval.calibration.reviews import ReviewTable
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.spreadsheet import table_text


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper: `score` is the mean of its calibrated review scores, `quality` what the model believes of the paper.

    `p_accept` is the probability that it is among those accepted. `rank` orders by the target of the calibration;
    `rank_change` is positive for a paper that rises.
    """

    paper: str
    reviews: int
    raw_mean: float
    score: float
    score_sd: float
    quality: float
    quality_sd: float
    p_accept: float
    raw_rank: int
    rank: int
    rank_change: int
    component: int

    def calibrated(self, target: Target) -> tuple[float, float]:
        """The figure that papers are ranked by, and its standard deviation."""
        return (self.score, self.score_sd) if target == "reviews" else (self.quality, self.quality_sd)


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """A reviewer: `bias` is how far their scores lie above those of others on the same papers.

    `scale` is the factor of their scale, one unless the model has scales.
    """

    reviewer: str
    reviews: int
    bias: float
    bias_sd: float
    scale: float


@dataclass(frozen=True, slots=True)
class CalibrationSummary:
    """The estimates and both tables, papers from the best to the worst, reviewers by rising bias."""

    mu: float
    alpha_f: float
    alpha_b: float
    sigma2: float
    nll: float
    covariates: dict[str, dict[str, Any]]
    boundary: tuple[str, ...]
    messages: tuple[str, ...]
    accepted: int
    target: Target
    lower_is_better: bool
    samples: int
    seed: int
    settings: dict[str, Any]
    reviews: int
    components: int
    papers: tuple[PaperRow, ...]
    reviewers: tuple[ReviewerRow, ...]

    @property
    def grey_zone(self) -> tuple[PaperRow, ...]:
        """The papers whose acceptance is open, the most open first."""
        low, high = GREY_ZONE
        grey = [row for row in self.papers if low <= row.p_accept <= high]
        return tuple(sorted(grey, key=lambda row: (abs(row.p_accept - 0.5), row.paper)))

    def as_json(self) -> dict[str, Any]:
        """Everything, with the ids of the grey zone beside it."""
        return asdict(self) | {"grey_zone": [row.paper for row in self.grey_zone]}


def summarise(
    fitted: ReviewCalibrator,
    *,
    accept: float = 0.25,
    target: Target = "reviews",
    samples: int = 1000,
    seed: int = 0,
    lower_is_better: bool = False,
) -> CalibrationSummary:
    """Everything worth telling about a fitted calibrator."""
    count = accepted_count(accept, len(fitted.papers_))
    p_accept = fitted.acceptance(count, target=target, samples=samples, seed=seed, lower_is_better=lower_is_better)
    ranked = fitted.score_ if target == "reviews" else fitted.quality_
    sign = -1 if lower_is_better else 1
    raw_rank, rank = (_ranks(sign * values, fitted.papers_) for values in (fitted.raw_mean_, ranked))
    review_counts = fitted.reviews_per_paper_
    columns = (
        review_counts, fitted.raw_mean_, fitted.score_, fitted.score_sd_, fitted.quality_, fitted.quality_sd_, p_accept,
        raw_rank, rank, raw_rank - rank, fitted.component_,
    )  # fmt: skip
    papers = [PaperRow(*row) for row in zip(fitted.papers_, *(column.tolist() for column in columns), strict=True)]
    by_reviewer = (fitted.review_count_, fitted.bias_, fitted.bias_sd_, fitted.scale_)
    reviewers = [
        ReviewerRow(*row) for row in zip(fitted.reviewers_, *(column.tolist() for column in by_reviewer), strict=True)
    ]
    covariates = {
        name: {
            "variance": fitted.covariate_variances_[name],
            "effects": {value: {"effect": e, "sd": sd} for value, (e, sd) in effects.items()},
        }
        for name, effects in fitted.covariate_effects_.items()
    }
    return CalibrationSummary(
        fitted.mu_, fitted.alpha_f_, fitted.alpha_b_, fitted.sigma2_, fitted.nll_, covariates, fitted.boundary_,
        fitted.messages_, count, target, lower_is_better, samples, seed, fitted.get_params(), int(review_counts.sum()),
        int(fitted.component_.max()) + 1,
        tuple(sorted(papers, key=lambda row: row.rank)),
        tuple(sorted(reviewers, key=lambda row: (row.bias, row.reviewer))),
    )  # fmt: skip


def write_csv(rows: Sequence[PaperRow] | Sequence[ReviewerRow], path: Path) -> None:
    """Write a table for people, with a header and full precision."""
    names = [field.name for field in fields(rows[0])]
    write_whole(path, table_text(names, map(astuple, rows)).encode())


def _ranks(values: Floats, names: Sequence[str]) -> Any:
    """1 for the highest value; ties (to nine digits) by name."""
    order = np.lexsort((np.array(names), -np.round(values, 9)))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.arange(1, len(values) + 1)
    return ranks


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
    gains = []
    for held_out in np.array_split(np.random.default_rng(seed).permutation(len(reviews)), folds):
        seen = reviews.take(np.setdiff1d(np.arange(len(reviews)), held_out))
        fitted = ReviewCalibrator(**parameters).fit(seen)
        gains.append((fitted.log_likelihood(reviews) - fitted.log_likelihood(seen)) / len(held_out))
    return np.array(gains)
