"""Honest model selection: no participant is scored with hyper-parameters that were chosen with their ratings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.goldstandard.predictions import CUTOFFS, Scored
from eval.benchmarks.goldstandard.report import Summary, as_json, same_ratings
from eval.measures.statistics import Ratio, figures, resampling_counts
from panelist.errors import InputError


def _stacked(ratios: list[Ratio]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Numerators and denominators of configurations: (configurations, draws, participants) each."""
    return np.stack([ratio.numerators for ratio in ratios]), np.stack([ratio.denominators for ratio in ratios])


def combine(chosen: NDArray[np.int64], ratios: list[Ratio]) -> Ratio:
    """A statistic with every participant's parts taken from the configuration that is `chosen` for them."""
    return Ratio(*(parts[chosen, :, np.arange(len(chosen))].T for parts in _stacked(ratios)))


def select(losses: list[Ratio]) -> NDArray[np.int64]:
    """For each participant the ordinal of the configuration with the lowest pooled loss on all other participants.

    Losses are over the same draws and participants; of equal ones the first is chosen.
    """
    numerators, denominators = _stacked(losses)
    above = numerators.sum(axis=-1, keepdims=True) - numerators
    below = denominators.sum(axis=-1, keepdims=True) - denominators
    pooled = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0).mean(axis=1)
    # Round off what summation order leaves, so that equal configurations tie and the first is chosen.
    return np.asarray(np.argmin(np.round(np.nan_to_num(pooled, nan=np.inf), 12), axis=0))


@dataclass(frozen=True, slots=True)
class Selected:
    """What selection reaches, and how many participants got which system.

    `summary` has the figures when each participant is scored by the system with the lowest loss on all the others.
    `best_loss` is optimistic: the system was chosen by the people that it is measured on.
    """

    summary: Summary
    chosen: dict[str, int]
    best: str
    best_loss: float

    def as_json(self) -> dict[str, Any]:
        """For machines: the summary, and beside it what was chosen."""
        return {**as_json(self.summary), "chosen": self.chosen, "best": self.best, "best_loss": self.best_loss}

    def note(self) -> str:
        """What was chosen, in words."""
        chosen = ", ".join(f"{name} for {times}" for name, times in self.chosen.items())
        return f"Chosen by all others: {chosen} participants; lowest loss on everybody: {self.best_loss:.4f}."


def select_among(systems: Mapping[str, Scored], baseline: Scored, resamples: int, seed: int) -> Selected:
    """Score each participant by the system with the lowest loss on all the others; a single draw is used for all."""
    draws = sorted({len(scored.scores) for scored in systems.values()} - {1}) or [1]
    if len(draws) > 1 or not all(same_ratings(scored, baseline) for scored in systems.values()):
        raise InputError(f"a selection needs systems on the same ratings and draws, received {draws} draws")
    shape = (draws[0], *baseline.ratings.expertise.shape)
    aligned = [Scored(scored.ratings, np.broadcast_to(scored.scores, shape)) for scored in systems.values()]
    statistics = [scored.statistics(CUTOFFS) for scored in aligned]
    losses = [of["loss"] for of in statistics]
    selection = select(losses)
    honest = {name: combine(selection, [of[name] for of in statistics]) for name in statistics[0]}
    best_loss, best = min(zip((loss.value for loss in losses), systems, strict=True), key=lambda pair: pair[0])
    frequency = np.bincount(selection, minlength=len(systems)).tolist()
    chosen = {name: times for name, times in zip(systems, frequency, strict=True) if times}
    counts = resampling_counts(len(baseline.ratings.participants), resamples, seed)
    return Selected(figures(honest, baseline.statistics(CUTOFFS), counts), chosen, best, best_loss)
