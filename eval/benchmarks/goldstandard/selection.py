"""Honest model selection: nobody is scored with hyper-parameters that were chosen with their help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.measures.bootstrap import Ratio


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The configuration chosen for each participant: (participants,) ordinals of configurations."""

    chosen: NDArray[np.int64]

    def combine(self, ratios: list[Ratio]) -> Ratio:
        """A statistic with every participant's parts taken from the configuration that the others chose."""
        participants = np.arange(len(self.chosen))
        numerators = np.stack([ratio.numerators for ratio in ratios])[self.chosen, :, participants].T
        denominators = np.stack([ratio.denominators for ratio in ratios])[self.chosen, :, participants].T
        return Ratio(numerators, denominators)


def select(losses: list[Ratio]) -> Selection:
    """For each participant the configuration with the lowest pooled loss on all the other participants.

    Args:
        losses: one for each configuration, over the same draws and participants; of equal ones the first is chosen.
    """
    numerators = np.stack([loss.numerators for loss in losses])
    denominators = np.stack([loss.denominators for loss in losses])
    above = numerators.sum(axis=-1, keepdims=True) - numerators
    below = denominators.sum(axis=-1, keepdims=True) - denominators
    pooled = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0).mean(axis=1)
    # Round off what summation order leaves, so that equal configurations tie and the first is chosen.
    return Selection(np.argmin(np.round(np.nan_to_num(pooled, nan=np.inf), 12), axis=0))
