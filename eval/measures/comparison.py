"""Several systems against the first of them, measure by measure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eval.measures.ranking import Measure
from eval.measures.significance import holm, randomisation_test, t_test

Comparison = dict[str, dict[str, dict[str, float]]]


def compare(values: Mapping[str, Mapping[Measure, NDArray[np.float64]]], permutations: int, seed: int) -> Comparison:
    """Paired tests of each system against the first; p-values of one measure are corrected together (`…_holm`).

    Args:
        values: {system: {measure: (queries,) scores}}, over the same queries.
        permutations: of the randomisation test.
        seed: of the randomisation test.

    Returns:
        {system: {measure: {delta, p_randomisation, p_randomisation_holm, p_t, p_t_holm}}}, without the first system.
    """
    (_, baseline), *others = values.items()
    found: Comparison = {name: {} for name, _ in others}
    for measure, reference in baseline.items():
        pairs = [(scores[measure], reference) for _, scores in others]
        tests = {
            "p_randomisation": np.array([randomisation_test(*pair, permutations, seed) for pair in pairs]),
            "p_t": np.array([t_test(*pair) for pair in pairs]),
        }
        corrected = {f"{name}_holm": holm(p) for name, p in tests.items()}
        for number, (system, scores) in enumerate(others):
            figures = {name: float(p[number]) for name, p in (tests | corrected).items()}
            found[system][str(measure)] = {"delta": float((scores[measure] - reference).mean()), **figures}
    return found
