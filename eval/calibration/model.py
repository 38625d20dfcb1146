"""The Gaussian-process model of review scores, as a sparse mixed model.

Scores y (n reviews) have mean μ and covariance σ² V, with one variance ratio γₖ = σₖ²/σ² for each grouping of the
reviews (by paper, by reviewer, by any further label), and W = diag(w) their weights, all one unless told otherwise:

    V = W⁻¹ + Σₖ γₖ Zₖ Zₖᵀ.

V is n × n and never formed. With Z = [Z₁ Z₂ …], Λ = diag(√γ) and the q × q matrix M = I + Λ Zᵀ W Z Λ,

    log|V| = log|M| − Σ log w        V⁻¹ = W − W Z Λ M⁻¹ Λ Zᵀ W,

and M is as sparse as the assignment. The scale σ² has a closed form, r'V⁻¹r/n, and so has the mean μ; what is left to
optimise are the ratios, with the exact gradient

    ∂(−log L)/∂γₖ = ½ tr(Zₖᵀ V⁻¹ Zₖ) − ½ |Zₖᵀ V⁻¹ r|²/σ²,        tr(Zₖᵀ V⁻¹ Zₖ) = (qₖ − tr (M⁻¹)ₖₖ)/γₖ,

and the average information (Gilmour, Thompson and Cullis, 1995) for the curvature. N. Lawrence's ratios are
α̂_b = α_b/α_f = γ_reviewer/γ_paper and σ̂² = σ²/α_f = 1/γ_paper; his closed form of α_f is σ² γ_paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from eval.calibration.elimination import Factor, elimination_order

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Method = Literal["ml", "reml"]
Mean = Literal["gls", "plain"]

RATIO_FLOOR = 1e-10
"""A variance ratio at this bound means zero: it changes no result, and keeps the gradient defined."""
RATIO_CEILING = 1e8


class Design:
    """Who reviewed what: everything about the reviews but their scores, analysed once.

    For each grouping k, `groupings[k]` is the number of every review's group, and `sizes[k]` how many groups there are.

    Attributes:
        matrix: Z, its columns in the order of elimination.
        member: to which grouping each column of Z belongs.
        gram: ZᵀWZ.
        levels: the sizes of the eliminated blocks.
        columns: for each grouping its columns of Z, in the order of its groups.
    """

    def __init__(self, groupings: tuple[Integers, ...], sizes: tuple[int, ...], weights: Floats) -> None:
        self.groupings, self.sizes, self.weights = groupings, sizes, weights
        starts = np.concatenate([[0], np.cumsum(sizes)])
        columns = np.stack([codes + start for codes, start in zip(groupings, starts, strict=False)], axis=1)
        rows = np.arange(columns.size + 1, step=columns.shape[1])
        matrix = sparse.csr_array((np.ones(columns.size), columns.ravel(), rows), shape=(len(weights), starts[-1]))
        gram = (matrix.T @ sparse.diags_array(weights) @ matrix).tocsr()
        largest = int(np.argmax(sizes))
        order, self.levels = elimination_order(gram, np.arange(starts[largest], starts[largest + 1]))
        self.matrix: Any = matrix[:, order].tocsr()
        self.member = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.gram: Any = gram[order][:, order].tocsr()
        self.gram.sort_indices()
        self.columns = np.split(np.argsort(order), starts[1:-1])


@dataclass(frozen=True, slots=True)
class MixedModel:
    """One data set and what to estimate from it."""

    scores: Floats
    design: Design
    method: Method = "ml"
    mean: Mean = "gls"

    def evaluate(self, ratios: Floats) -> Evaluation:
        """The model at given variance ratios, one for each grouping."""
        return Evaluation(self, np.clip(ratios, RATIO_FLOOR, RATIO_CEILING))


class Evaluation:
    """Likelihood, mean and scale at one point; gradient, curvature and inverse are computed when asked for.

    A `mean`, `sigma2` or `factor` (the factorisation of M at these ratios) that is given is not computed.
    """

    def __init__(
        self,
        model: MixedModel,
        ratios: Floats,
        *,
        mean: float | None = None,
        sigma2: float | None = None,
        factor: Factor | None = None,
    ) -> None:
        self.model, self.design, self.ratios = model, model.design, ratios
        self.scale = np.sqrt(ratios)[self.design.member]  # the diagonal of Λ
        self.factor = factor or self._factorise()
        count = len(model.scores)
        ones = np.ones(count)
        whitened = self.whiten(np.stack([model.scores, ones], axis=1))  # V⁻¹y, V⁻¹1
        self._ones = whitened[:, 1]
        self._precision = float(self._ones.sum())  # 1'V⁻¹1
        if mean is None:
            gls = float(self._ones @ model.scores) / self._precision
            mean = float(model.scores.mean()) if model.mean == "plain" else gls
        self.mean = mean
        self.residual = model.scores - mean
        self.weighted = whitened[:, 0] - mean * self._ones  # V⁻¹r
        self.freedom = count - (model.method == "reml")
        quadratic = float(self.residual @ self.weighted)
        self.sigma2 = quadratic / self.freedom if sigma2 is None else sigma2
        determinant = self.factor.log_determinant() - float(np.log(self.design.weights).sum())
        if model.method == "reml":
            determinant += np.log(self._precision)
        self.nll = 0.5 * (self.freedom * np.log(2 * np.pi * self.sigma2) + determinant + quadratic / self.sigma2)

    def _factorise(self) -> Factor:
        gram = self.design.gram
        rows = np.repeat(np.arange(gram.shape[0]), np.diff(gram.indptr))
        data = gram.data * self.scale[rows] * self.scale[gram.indices]
        data[rows == gram.indices] += 1.0  # every group has a review, so that the diagonal is stored
        return Factor(sparse.csr_array((data, gram.indices, gram.indptr), shape=gram.shape), self.design.levels)

    def whiten(self, right: Floats) -> Floats:
        """V⁻¹ times columns of length n."""
        weighted = self.design.weights[:, None] * right
        inner = self.factor.solve(self.scale[:, None] * (self.design.matrix.T @ weighted))
        outer: Floats = self.design.matrix @ (self.scale[:, None] * inner)
        return weighted - self.design.weights[:, None] * outer

    @cached_property
    def effects(self) -> Floats:
        """The posterior mean of every group's effect: Λ² Zᵀ V⁻¹ r."""
        effects: Floats = self.scale**2 * (self.design.matrix.T @ self.weighted)
        return effects

    @cached_property
    def inverse(self) -> Any:
        """M⁻¹ where M has entries; σ² Λ M⁻¹ Λ is the posterior covariance of the effects."""
        return self.factor.inverse_on_pattern()

    @cached_property
    def gradient(self) -> Floats:
        """The derivative of −log L in the variance ratios, mean and scale being profiled out."""
        groups = len(self.ratios)
        trace = np.bincount(self.design.member, 1 - self.inverse.diagonal(), groups) / self.ratios
        if self.model.method == "reml":
            trace -= self._squares(self._ones) / self._precision
        return 0.5 * (trace - self._squares(self.weighted) / self.sigma2)

    @cached_property
    def curvature(self) -> Floats:
        """The average information of the variance ratios: a positive semi-definite stand-in for the Hessian."""
        groups = len(self.ratios)
        sums = self.design.matrix.T @ self.weighted
        by_grouping = np.where(self.design.member[:, None] == np.arange(groups), sums[:, None], 0.0)
        directions: Floats = self.design.matrix @ by_grouping  # Zₖ Zₖᵀ V⁻¹ r
        projected = self.whiten(directions)
        if self.model.mean == "gls":
            projected -= np.outer(self._ones, self._ones @ directions) / self._precision
        slope = directions.T @ self.weighted / self.sigma2
        information = directions.T @ projected / self.sigma2 - np.outer(slope, slope) / self.freedom
        return 0.5 * (information + information.T) / 2

    def _squares(self, vector: Floats) -> Floats:
        """|Zₖᵀ v|² for every grouping k."""
        sums = self.design.matrix.T @ vector
        return np.bincount(self.design.member, sums**2, len(self.ratios)).astype(np.float64)
