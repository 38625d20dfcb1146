"""Is the difference of two systems on the same queries more than chance? Paired tests, on arrays.

Fisher's randomisation test makes no assumption on the distribution; Student's t agrees with it closely on means of
IR measures (Smucker, Allan & Carterette 2007, https://doi.org/10.1145/1321440.1321528). Where several systems are
compared with one baseline, correct their p-values together with Holm's step-down method.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1_000  # permutations drawn at a time


def randomisation_test(
    first: NDArray[np.float64], second: NDArray[np.float64], permutations: int = 10_000, seed: int = 0
) -> float:
    """Two-sided p-value of Fisher's paired randomisation test on the difference of means.

    Under the null hypothesis the two scores of a query may be exchanged, so each difference may change its sign:
    p = (1 + #{|Σ ±dᵢ| ≥ |Σ dᵢ|}) / (1 + permutations).

    Args:
        first: (queries,) scores of one system.
        second: (queries,) scores of the other, same queries.
        permutations: how many random signings to draw.
        seed: of the signings.
    """
    differences = first - second
    observed = abs(differences.sum()) - 1e-12 * np.abs(differences).sum()  # sums in another order must still tie
    generator = np.random.default_rng(seed)
    extreme = 0
    for start in range(0, permutations, _BLOCK):
        size = (min(_BLOCK, permutations - start), len(differences))
        signs = generator.integers(0, 2, size, dtype=np.int8) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ differences) >= observed))
    return (1 + extreme) / (1 + permutations)


def t_test(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Two-sided p-value of Student's paired t-test; 1 where the systems do not differ on any query."""
    from scipy.special import stdtr

    differences = first - second
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
