"""The cross-entropy method: rows whose words together have the greatest entropy.

Yuan et al. (2021), Appendix A.9. The search draws N = 1,000 random choices, keeps the best ρ = 5 %, and moves the
probabilities towards them with α = .7 until the threshold has not changed three times. Where the description leaves a
choice:

- p(w) is the share of w among the words of the choice, w running over *different* words (equation 8 sums over words; a
  sum over tokens would count a word as often as it occurs and reward repetition).
- The paper says that all probabilities start at ½ and that this is lowered 'slightly' above 90 candidates. A draw of
  more than 30 sentences is thrown away, so ½ fails long before that: here it starts at the smaller of ½ and 24/n.
- The threshold is a quantile of the draws that were *not* thrown away. The best choice so far is kept.
- 'We can sample from the converged p': instead, the best choice that was ever drawn is taken. It is never worse.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

DRAWS, ELITE, STEP = 1_000, 0.05, 0.7
MOST_CHOSEN = 30
_STARTING_SIZE = 24.0
_PATIENCE, _ROUNDS = 3, 200


def choose(counts: sp.csr_matrix, most: int = MOST_CHOSEN, seed: int = 0) -> tuple[list[int], float]:
    """The rows whose summed word counts have the greatest entropy, at most `most`, by the cross-entropy method."""
    size = counts.shape[0]
    if size == 0:
        return [], 0.0
    generator = np.random.default_rng(seed)
    probabilities = np.full(size, min(0.5, _STARTING_SIZE * most / MOST_CHOSEN / size))
    best, best_value, threshold, unchanged = np.zeros(size, bool), -1.0, -1.0, 0
    for _ in range(_ROUNDS):
        drawn = generator.random((DRAWS, size)) < probabilities
        drawn = drawn[(drawn.sum(axis=1) <= most) & drawn.any(axis=1)]
        if not len(drawn):
            probabilities *= 0.9
            continue
        values = entropies(drawn, counts)
        top = int(values.argmax())
        if values[top] > best_value:
            best, best_value = drawn[top], float(values[top])
        new = float(np.sort(values)[int(np.ceil((1 - ELITE) * len(values))) - 1])
        unchanged = unchanged + 1 if abs(new - threshold) < 1e-9 else 0
        threshold = new
        if unchanged == _PATIENCE:
            break
        probabilities = STEP * drawn[values >= threshold].mean(axis=0) + (1 - STEP) * probabilities
    return np.flatnonzero(best).tolist(), best_value


def entropies(choices: NDArray[np.bool_], counts: sp.csr_matrix) -> NDArray[np.float64]:
    """−Σ p log p over the words of each choice: (choices, sentences) and (sentences, words) to (choices,)."""
    totals = np.asarray((sp.csr_matrix(choices.astype(np.float32)) @ counts).todense())
    lengths = totals.sum(axis=1, dtype=np.float64)
    logs = np.zeros_like(totals)
    np.log(totals, out=logs, where=totals > 0)
    weighted = np.einsum("ij,ij->i", totals, logs, dtype=np.float64)
    # −Σ (c/L) log(c/L) = log L − Σ c log c / L
    return np.where(lengths > 0, np.log(np.maximum(lengths, 1)) - weighted / np.maximum(lengths, 1), 0.0)
