"""`ReviewCalibrator`: fit the Gaussian-process model to review scores and ask it about papers and reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eval.calibration.model import RATIO_CEILING, RATIO_FLOOR, Design, Evaluation, Floats, Mean, Method, MixedModel
from eval.calibration.optimise import Surface, fit_scales, likelihood_surface, maximise, rescale
from eval.calibration.posterior import PAPER, acceptance_probability, accepted_count, posterior, sample_papers
from eval.calibration.reviews import Grouping, ReviewTable, paper_components, read_reviews, table_of
from panelist.errors import InputError
from panelist.records import Review

Target = Literal["reviews", "quality"]
Optimizer = Literal["newton", "grid"]
_CHOICES = {"method": ("ml", "reml"), "mean": ("gls", "plain"), "optimizer": ("newton", "grid")}


@dataclass(kw_only=True, eq=False)
class ReviewCalibrator:
    """y_ij = f_i + b_j + ε_ij with f_i ~ N(μ, α_f), b_j ~ N(0, α_b), ε_ij ~ N(0, σ²).

    The model of NIPS 2013 and 2014 (N. Lawrence, *Reviewer Calibration for NIPS*, 2014), by exact sparse algebra.

    Args:
        method: "ml" maximises the likelihood, "reml" the restricted likelihood.
        mean: "gls" estimates μ with the variances, "plain" takes the mean of all scores, as the original did.
        optimizer: "newton", or "grid" for the best point of a grid of α_b/α_f and σ²/α_f, as the original did.
        covariates: further columns whose values shift scores (e.g. seniority), each a variance component of its own.
        confidence: a further column of positive weights; a review's noise has variance σ² / confidence.
        scale: give every reviewer a scale of their own; this is the prior standard deviation of its logarithm (0.2 is
            a fair start). Scores, offsets and variances are then on the common scale.

    Attributes:
        mu_, alpha_f_, alpha_b_, sigma2_: the estimates; `covariate_variances_` by column.
        nll_: −log likelihood (restricted likelihood with "reml") at the estimates.
        boundary_: names of variances that were estimated as zero, or set to it.
        messages_: what the user should know about this fit, one line each.
        papers_, reviews_per_paper_, raw_mean_, quality_, quality_sd_: by paper; quality is f_i.
        score_, score_sd_: by paper, the mean of its calibrated scores s_ij = f_i + ε_ij.
        component_: by paper, its connected component (0 the largest).
        reviewers_, bias_, bias_sd_, review_count_: by reviewer; bias is b_j.
        scale_: by reviewer, the factor of their scale (all one unless `scale` is given).
        review_score_, review_score_sd_: by review, s_ij.
        covariate_effects_: by column, the effect and standard deviation of each value.
        surface_: the grid, where that was asked for.
    """

    method: Method = "ml"
    mean: Mean = "gls"
    optimizer: Optimizer = "newton"
    covariates: Sequence[str] = ()
    confidence: str | None = None
    scale: float | None = None

    def get_params(self) -> dict[str, Any]:
        """The parameters as they were given."""
        return {parameter.name: getattr(self, parameter.name) for parameter in fields(self)}

    def fit(self, reviews: ReviewTable | Iterable[Review] | Path | str) -> ReviewCalibrator:
        """Learn from reviews: a table, records, or a CSV file with the columns `paper,reviewer,score`.

        Raises:
            InputError: the parameters or the reviews cannot be used.
        """
        self._check_parameters()
        table = _as_table(reviews)
        if len(table) < 3:
            raise InputError(f"nothing to calibrate: at least 3 reviews are needed, received {len(table)}")
        if np.ptp(table.scores) == 0:
            raise InputError(f"nothing to calibrate: all {len(table)} scores equal {table.scores[0]:g}")
        groupings = self._groupings(table)
        absent, messages = _confounded(groupings)
        if self.optimizer == "grid" and absent.any():
            raise InputError(f"{messages[0]}, which a grid cannot do: use optimizer='newton'")
        model = self._model(table, list(groupings.values()), self.method)
        self.surface_: Surface | None = None
        logs = np.zeros(len(table.reviewers.names))
        try:
            if self.scale is not None:
                evaluation, logs = fit_scales(model, absent, self.scale)
            elif self.optimizer == "grid":
                self.surface_ = likelihood_surface(model)
                row, column = self.surface_.best()
                noise = self.surface_.sigma2_ratios[column]
                evaluation = model.evaluate(np.array([1 / noise, self.surface_.alpha_b_ratios[row] / noise]))
            else:
                evaluation = maximise(model, absent)
        except (FloatingPointError, np.linalg.LinAlgError) as error:
            raise InputError(f"the model cannot be fitted to these {len(table)} reviews: {error}") from error
        self._learn(table, groupings, evaluation, absent, messages)
        self.scale_ = np.exp(logs)
        self.nll_ += float(logs[table.reviewers.codes].sum())  # the density of the scores as they were given
        self._centre = float(table.scores.mean())
        return self

    def acceptance(
        self,
        accept: float = 0.25,
        *,
        target: Target = "reviews",
        samples: int = 1000,
        seed: int = 0,
        lower_is_better: bool = False,
    ) -> Floats:
        """The probability that each paper is accepted; the probabilities sum to the number accepted.

        Args:
            accept: a fraction of the papers, or a number of papers.
            target: rank papers by the mean of the calibrated scores of their own reviewers ("reviews", as NIPS 2014
                did), or by their underlying quality f_i ("quality").
            samples: joint posterior samples.
            seed: of the random numbers.
            lower_is_better: the best score is the lowest, as at the NIH.

        Raises:
            InputError: an argument cannot be used, or `fit` was not called.
        """
        drawn = self.sample(samples, target=target, seed=seed)
        return acceptance_probability(-drawn if lower_is_better else drawn, accepted_count(accept, len(drawn)))

    def sample(self, samples: int = 1000, *, target: Target = "reviews", seed: int = 0) -> Floats:
        """Joint posterior samples of the papers' scores, shape (papers, samples)."""
        evaluation = self._fitted()
        if target not in ("reviews", "quality"):
            raise InputError(f"target must be 'reviews' or 'quality', received {target!r}")
        if samples < 1:
            raise InputError(f"samples must be at least 1, received {samples}")
        return sample_papers(evaluation, samples, seed, quality=target == "quality")

    def log_likelihood(self, reviews: ReviewTable | Iterable[Review] | Path | str) -> float:
        """Log p(reviews) under the learned mean, variances and scales; the reviews need not be those of `fit`."""
        learned = self._fitted()
        table = _as_table(reviews)
        log_scales = dict(zip(self.reviewers_, np.log(self.scale_).tolist(), strict=True))
        logs = np.array([log_scales.get(name, 0.0) for name in table.reviewers.names])[table.reviewers.codes]
        groupings = [table.papers, table.reviewers, *(table.grouped_by(column) for column in self.covariates)]
        model = replace(self._model(table, groupings, "ml"), scores=rescale(table.scores, logs, self._centre))
        evaluation = Evaluation(model, learned.ratios, mean=learned.mean, sigma2=learned.sigma2)
        return -float(evaluation.nll) - float(logs.sum())

    def likelihood_surface(self, points: int = 15) -> Surface:
        """−log likelihood over a grid of α_b/α_f and σ²/α_f around the estimate: points² factorisations."""
        evaluation = self._fitted()
        return likelihood_surface(evaluation.model, points, around=evaluation)

    def _fitted(self) -> Evaluation:
        if not hasattr(self, "_evaluation"):
            raise InputError("this calibrator has not seen reviews yet: call fit first")
        return self._evaluation

    def _check_parameters(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, received {getattr(self, name)!r}")
        if self.method == "reml" and self.mean == "plain":
            raise InputError("method 'reml' estimates the mean by generalised least squares: use mean='gls'")
        if self.optimizer == "grid" and (self.covariates or self.scale is not None):
            raise InputError("the grid has two ratios, without covariates or scales: use optimizer='newton'")
        if self.scale is not None and not 0 < self.scale <= 100:
            raise InputError(
                f"scale must be a positive number up to 100 (the prior spread of log scales), received {self.scale}"
            )

    def _groupings(self, table: ReviewTable) -> dict[str, Grouping]:
        groupings = {"paper": table.papers, "reviewer": table.reviewers}
        for column in self.covariates:
            grouping = table.grouped_by(column)
            if len(grouping.names) == 1:
                raise InputError(f"covariate '{column}' has one value, '{grouping.names[0]}': leave it out")
            for name, other in groupings.items():
                if np.array_equal(grouping.codes, other.codes):
                    raise InputError(f"covariate '{column}' groups the reviews exactly as '{name}' does: leave it out")
            groupings[column] = grouping
        return groupings

    def _model(self, table: ReviewTable, groupings: list[Grouping], method: Method) -> MixedModel:
        weights = np.ones(len(table)) if self.confidence is None else table.numbers_of(self.confidence)
        codes = tuple(grouping.codes for grouping in groupings)
        sizes = tuple(len(grouping.names) for grouping in groupings)
        return MixedModel(table.scores, Design(codes, sizes, weights), method, self.mean)

    def _learn(
        self,
        table: ReviewTable,
        groupings: dict[str, Grouping],
        evaluation: Evaluation,
        absent: NDArray[np.bool_],
        messages: list[str],
    ) -> None:
        self._evaluation = evaluation
        beliefs = posterior(evaluation)
        on_floor = evaluation.ratios <= RATIO_FLOOR
        variances = np.where(on_floor, 0.0, evaluation.ratios * evaluation.sigma2)
        self.mu_, self.sigma2_, self.nll_ = evaluation.mean, evaluation.sigma2, float(evaluation.nll)
        self.alpha_f_, self.alpha_b_ = float(variances[0]), float(variances[1])
        self.covariate_variances_ = dict(zip(self.covariates, map(float, variances[2:]), strict=True))

        self.papers_, self.reviews_per_paper_ = table.papers.names, table.papers.counts()
        self.raw_mean_ = np.bincount(table.papers.codes, table.scores) / self.reviews_per_paper_
        self.quality_, self.quality_sd_ = evaluation.mean + beliefs.effects[PAPER], beliefs.effect_sd[PAPER]
        self.score_, self.score_sd_ = beliefs.paper_score, beliefs.paper_score_sd
        self.component_ = paper_components(table)
        self.reviewers_, self.review_count_ = table.reviewers.names, table.reviewers.counts()
        self.bias_, self.bias_sd_ = beliefs.effects[1], beliefs.effect_sd[1]
        self.review_score_, self.review_score_sd_ = beliefs.score, beliefs.score_sd
        self.covariate_effects_ = {}
        for name, effects, sds in zip(groupings, beliefs.effects, beliefs.effect_sd, strict=True):
            if name in self.covariates:
                pairs = zip(effects.tolist(), sds.tolist(), strict=True)
                self.covariate_effects_[name] = dict(zip(groupings[name].names, pairs, strict=True))
        symbols = ["alpha_f", "alpha_b", *self.covariates]
        self.boundary_ = tuple(symbol for symbol, low in zip(symbols, on_floor, strict=True) if low)
        estimated = [symbol for symbol, low in zip(symbols, on_floor & ~absent, strict=True) if low]
        self.messages_ = (*messages, *self._remarks(evaluation.ratios, estimated))

    def _remarks(self, ratios: Floats, estimated_as_zero: list[str]) -> Iterable[str]:
        components = np.bincount(self.component_)
        if len(components) > 1:
            shown = ", ".join(f"{size:,}" for size in components[:5]) + (", …" if len(components) > 5 else "")
            yield (
                f"the assignment falls into {len(components):,} groups without a common reviewer ({shown} papers): "
                "scores of papers in different groups are compared by the model's prior only, not by data"
            )
        meanings = {
            "alpha_f": (
                "papers are",
                "good",
                "that one is above another says little; more reviews of each would say more",
            ),
            "alpha_b": ("reviewers are", "generous", "no score is corrected for who gave it"),
        }
        for symbol in estimated_as_zero:
            who, what, so = meanings.get(
                symbol, (f"values of '{symbol}' are", "high", "no score is corrected for them")
            )
            yield f"by these scores all {who} equally {what}, but for noise ({symbol} is estimated as 0): {so}"
        if (ratios >= RATIO_CEILING).any():
            yield "sigma2 is at its lower bound: the scores are explained without noise, which is too good to trust"
        grid = self.surface_
        if grid is not None and any(i in (0, size - 1) for i, size in zip(grid.best(), grid.nll.shape, strict=True)):
            yield "the best point lies on the edge of the grid: use the Newton optimizer"


def _as_table(reviews: ReviewTable | Iterable[Review] | Path | str) -> ReviewTable:
    if isinstance(reviews, ReviewTable):
        return reviews
    return read_reviews(Path(reviews)) if isinstance(reviews, str | Path) else table_of(reviews)


def _confounded(groupings: dict[str, Grouping]) -> tuple[NDArray[np.bool_], list[str]]:
    """Which groupings have a single review in every group, so that their effects cannot be told from noise."""
    absent = np.array([len(grouping.names) == len(grouping.codes) for grouping in groupings.values()])
    if absent[0] and absent[1]:
        raise InputError(
            "nothing to calibrate: every paper and every reviewer has a single review, so that quality, offset and "
            "noise cannot be told apart"
        )
    messages = []
    for name in (name for name, is_absent in zip(groupings, absent, strict=True) if is_absent):
        symbol = {"paper": "alpha_f", "reviewer": "alpha_b"}.get(name, name)
        messages.append(
            f"every {name} has a single review: how they differ cannot be told from noise, and they count as equal "
            f"({symbol} is set to 0)"
        )
    return absent, messages
