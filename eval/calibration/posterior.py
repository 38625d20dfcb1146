"""What the scores say about papers and reviewers, the fitted variances being given.

The calibrated score of a review is s_ij = f_i + ε_ij = y_ij − (all offsets): given y, it is uncertain exactly as far as
the offsets are. So K_s and Σ_s of the model need not be formed; the posterior of the effects, N(û, σ² Λ M⁻¹ Λ), holds
all of it. The probability that a paper is accepted comes from joint samples of all papers' scores.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from eval.calibration.model import RATIO_FLOOR, Evaluation, Floats
from panelist.errors import InputError

PAPER = 0
"""The position of the papers among the groupings of the model; all others are offsets to be removed."""
_BLOCK = 250
GREY_ZONE = (0.1, 0.9)
"""Between these probabilities a decision is a toss-up: papers that deserve the chairs' time."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """Posterior means and standard deviations.

    `effects[k]`, `effect_sd[k]`: by group, for each grouping k (papers first, without the mean). `score`, `score_sd`:
    by review. `paper_score`, `paper_score_sd`: the mean of a paper's calibrated scores (weighted as the reviews are).
    """

    effects: tuple[Floats, ...]
    effect_sd: tuple[Floats, ...]
    score: Floats
    score_sd: Floats
    paper_score: Floats
    paper_score_sd: Floats


def posterior(evaluation: Evaluation) -> Posterior:
    """The exact posterior at a fitted model."""
    model, design = evaluation.model, evaluation.design
    inverse = evaluation.inverse
    inverse.sort_indices()
    variance = evaluation.sigma2 * evaluation.scale**2 * inverse.diagonal()
    groupings = design.columns
    present = evaluation.ratios > RATIO_FLOOR
    kept = list(zip(groupings, present, strict=True))
    effects = tuple(np.where(is_kept, evaluation.effects[columns], 0.0) for columns, is_kept in kept)
    sd = tuple(np.sqrt(variance[columns]) * is_kept for columns, is_kept in kept)

    rows = [columns[codes] for columns, codes in zip(groupings, design.groupings, strict=True)]  # of every review
    offsets = range(1, len(rows))
    score = model.scores - sum(effects[k][design.groupings[k]] for k in offsets)
    scales = np.sqrt(evaluation.ratios) * present
    score_variance = np.zeros(len(model.scores))
    for k in offsets:
        for j in offsets:
            score_variance += scales[k] * scales[j] * _entries(inverse, rows[k], rows[j])

    # Given the offsets, f_i is normal about shrink_i · (mean of y − offset − μ), so that its covariance with their mean
    # is −shrink_i times the variance we look for; and that covariance lies on the pattern of M.
    papers = design.groupings[PAPER]
    total = np.bincount(papers, design.weights)
    crossed = sum(scales[k] * _entries(inverse, rows[PAPER], rows[k]) for k in offsets)
    ratio = evaluation.ratios[PAPER]
    crossed = np.bincount(papers, design.weights * crossed) / total
    paper_variance = -crossed * (1 + ratio * total) / (np.sqrt(ratio) * total)
    return Posterior(
        effects,
        sd,
        score,
        np.sqrt(evaluation.sigma2 * np.maximum(score_variance, 0)),
        np.bincount(papers, design.weights * score) / total,
        np.sqrt(evaluation.sigma2 * np.maximum(paper_variance, 0)),
    )


def sample_papers(evaluation: Evaluation, samples: int, seed: int, *, quality: bool) -> Floats:
    """Joint posterior samples of all papers, shape (papers, samples): f_i, or the mean of s_ij over its reviews."""
    model, design = evaluation.model, evaluation.design
    papers = design.columns[PAPER]
    present = (evaluation.ratios > RATIO_FLOOR)[design.member]
    spread = np.sqrt(evaluation.sigma2) * evaluation.scale * present
    centre = evaluation.effects * present
    if quality:
        take = sparse.csr_array((np.ones(len(papers)), (np.arange(len(papers)), papers)), (len(papers), len(spread)))
        start = np.full(len(papers), evaluation.mean)
    else:
        numbers = design.groupings[PAPER]
        shares = design.weights / np.bincount(numbers, design.weights)[numbers]
        average: Any = sparse.csr_array((shares, (numbers, np.arange(len(numbers)))))  # of a paper's reviews
        take = -(average @ design.matrix @ sparse.diags_array(1.0 * (design.member != PAPER))).tocsr()
        start = average @ model.scores
    random = np.random.default_rng(seed)
    result = np.empty((len(papers), samples))
    for start_of_block in range(0, samples, _BLOCK):
        block = result[:, start_of_block : start_of_block + _BLOCK]
        effects = evaluation.factor.sample(random.standard_normal((len(spread), block.shape[1])))
        effects *= spread[:, None]
        effects += centre[:, None]
        block[:] = start[:, None] + take @ effects
    return result


def _entries(matrix: Any, rows: Any, columns: Any) -> Floats:
    return np.asarray(matrix[rows, columns], dtype=np.float64)


def accepted_count(accept: float, papers: int) -> int:
    """How many papers are accepted: a fraction below one, or a number of papers."""
    count = round(accept * papers) if 0 < accept < 1 else accept
    if not 1 <= count <= papers or count != int(count):
        raise InputError(
            f"cannot accept {accept:g} of {papers} papers: give a fraction between 0 and 1 that makes at least "
            f"one paper, or a number from 1 to {papers}"
        )
    return int(count)


def acceptance_probability(samples: Floats, count: int) -> Floats:
    """The share of `samples` (papers × samples) in which a paper is among the best `count`; they sum to `count`.

    Papers that tie at the threshold (as raw means do where reviewers have no offsets) share the places left equally.
    """
    papers = len(samples)
    tolerance = 1e-9 * max(1.0, float(np.abs(samples).max()))
    probability = np.zeros(papers)
    for column in samples.T:
        threshold = np.partition(column, papers - count)[papers - count]
        above = column > threshold + tolerance
        tied = np.abs(column - threshold) <= tolerance
        probability += above + tied * ((count - above.sum()) / tied.sum())
    shares: Floats = probability / samples.shape[1]
    return shares
