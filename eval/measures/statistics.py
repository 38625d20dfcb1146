"""A figure with its interval, and the difference of two systems on the same people or queries.

A pooled loss, an accuracy over triplets and a plain mean over queries are all Σᵥ numeratorᵥ / Σᵥ denominatorᵥ over
participants v, averaged over draws (`Ratio`). Resampling participants with replacement (the bootstrap) is then one
product with a matrix of counts, and the same counts for two systems give the interval of their paired difference.

Beside the bootstrap, paired tests: Fisher's randomisation test makes no assumption on the distribution; Student's t
agrees with it closely on means of IR measures (Smucker, Allan & Carterette 2007,
https://doi.org/10.1145/1321440.1321528). Where several systems are compared with one baseline, their p-values are
corrected together by Holm's step-down method.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from panelist.extras import load_ranx

RESAMPLES = 1_000
SEED = 0
_BLOCK = 1_000  # permutations drawn at once

Interval = tuple[float, float]
Comparison = dict[str, dict[str, dict[str, float]]]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Figure:
    """What one system reached, its 95% interval, and the paired difference from a baseline; None for unknown."""

    value: float
    interval: Interval | None = None
    delta: float | None = None
    delta_interval: Interval | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ratio:
    """A statistic as its per-participant parts, both (draws, participants)."""

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]

    @classmethod
    def mean(cls, values: NDArray[np.float64]) -> Ratio:
        """The mean over participants of (participants) or (draws, participants) values."""
        rows = np.atleast_2d(values)
        return cls(rows, np.ones_like(rows))

    @property
    def value(self) -> float:
        """The mean over draws of the pooled ratio; NaN where there is nothing to pool."""
        return float(self.resampled(np.ones((1, self.numerators.shape[-1])))[0])

    def resampled(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The statistic on each resample: (resamples, participants) counts to (resamples) values."""
        above, below = counts @ self.numerators.T, counts @ self.denominators.T
        ratios = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
        means: NDArray[np.float64] = ratios.mean(axis=1)
        return means

    def figure(self, counts: NDArray[np.float64], baseline: Ratio | None = None) -> Figure:
        """The statistic with its interval, and the paired difference from that of a baseline, where one is given."""
        value, samples = self.value, self.resampled(counts)
        if baseline is None:
            return Figure(value, interval(samples))
        difference = samples - baseline.resampled(counts)
        return Figure(value, interval(samples), value - baseline.value, interval(difference))


def resampling_counts(participants: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.float64]:
    """How often each participant occurs in each resample with replacement: (resamples, participants)."""
    generator = np.random.default_rng(seed)
    shares = np.full(participants, 1 / participants)
    return generator.multinomial(participants, shares, size=resamples).astype(np.float64)


def interval(samples: NDArray[np.float64]) -> Interval:
    """The central 95% percentile interval; resamples on which the statistic is undefined are left out."""
    if np.isnan(samples).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(samples, [0.025, 0.975])
    return float(low), float(high)


def bootstrap_figures(
    statistics: Mapping[str, Ratio], baseline: Mapping[str, Ratio] | None, counts: NDArray[np.float64]
) -> dict[str, Figure]:
    """The figure of every statistic, by name, with the difference from that of `baseline`, if it is another system."""
    reference = {} if baseline is None or baseline is statistics else baseline
    return {name: ratio.figure(counts, reference.get(name)) for name, ratio in statistics.items()}


def compare_systems(
    values: Mapping[str, Mapping[Name, NDArray[np.float64]]], permutations: int, seed: int
) -> Comparison:
    """Test each system, {system: {measure: (queries) scores}}, against the first one, in pairs of the same queries.

    The p-values of one measure are corrected together (`…_holm`).

    Returns:
        {system: {measure: {delta, p_randomisation, p_randomisation_holm, p_t, p_t_holm}}}, without the first system.
    """
    (_, baseline), *compared_systems = values.items()
    tested: Comparison = {name: {} for name, _ in compared_systems}
    for measure, reference in baseline.items():
        pairs = [(scores[measure], reference) for _, scores in compared_systems]
        tests = {
            "p_randomisation": np.array([randomisation_test(*pair, permutations, seed) for pair in pairs]),
            "p_t": np.array([t_test(*pair) for pair in pairs]),
        }
        corrected = {f"{name}_holm": holm(p) for name, p in tests.items()}
        for number, (system, scores) in enumerate(compared_systems):
            p_values = {name: float(p[number]) for name, p in (tests | corrected).items()}
            tested[system][str(measure)] = {"delta": float((scores[measure] - reference).mean()), **p_values}
    return tested


RANX_TESTS = ("fisher", "student", "tukey")


def tested_by_ranx(
    values: Mapping[str, Mapping[Name, NDArray[np.float64]]], test: str, permutations: int, seed: int
) -> dict[str, dict[str, float]]:
    """The p-value of each system and measure against the first system, by one of `RANX_TESTS`.

    Tukey's test (HSD) corrects for the number of systems by itself; the others are not corrected.
    """
    ranx = load_ranx(f"the test '{test}'")
    scores = {system: {str(m): per_query for m, per_query in measured.items()} for system, measured in values.items()}
    baseline, *compared_systems = scores
    settings = {"stat_test": test, "n_permutations": permutations, "random_seed": seed}
    compared = ranx.statistical_tests.compute_statistical_significance(list(scores), scores, **settings)
    tested = {system: compared[frozenset((baseline, system))] for system in compared_systems}
    return {system: {m: float(result["p_value"]) for m, result in tests.items()} for system, tests in tested.items()}


def randomisation_test(
    scores: NDArray[np.float64], reference: NDArray[np.float64], permutations: int = 10_000, seed: int = 0
) -> float:
    """Two-sided p-value of Fisher's paired randomisation test on the difference of means.

    Under the null hypothesis the two scores of a query may be exchanged, so each difference may change its sign:
    p = (1 + #{|Σ ±dᵢ| ≥ |Σ dᵢ|}) / (1 + permutations).
    """
    differences = scores - reference
    observed = abs(differences.sum()) - 1e-12 * np.abs(differences).sum()  # sums in another order must still tie
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, permutations, _BLOCK):
        size = (min(_BLOCK, permutations - start), len(differences))
        signs = generator.integers(0, 2, size, dtype=np.int8) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ differences) >= observed))
    return (1 + extreme) / (1 + permutations)


def t_test(scores: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    """Two-sided p-value of Student's paired t-test; 1 where the systems do not differ on any query."""
    from scipy.special import stdtr

    differences = scores - reference
    if len(differences) < 2 or not differences.any():
        return 1.0
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    if error == 0:
        return 0.0
    return float(2 * stdtr(len(differences) - 1, -abs(differences.mean() / error)))


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down correction: pᵢ' = max over j ≤ i of min(1, (m − j + 1)·pⱼ), in ascending order of p."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected
