"""The probability that a paper is accepted, from joint posterior samples of all papers' scores."""

from __future__ import annotations

import numpy as np

from eval.calibration.model import Floats
from panelist.errors import InputError

GREY_ZONE = (0.1, 0.9)
"""Between these probabilities a decision is a toss-up: papers that deserve the chairs' time."""


def accepted_count(accept: float, papers: int) -> int:
    """How many papers are accepted: a fraction below one, or a number of papers.

    Raises:
        InputError: it is neither a fraction between 0 and 1 nor a whole number of papers up to all of them.
    """
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
