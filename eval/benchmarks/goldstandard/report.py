"""The gold standard's figures for any systems: tables shaped like those of its paper, a page, and honest selection.

Tables 3–9 and Figure 2; the page is for a program chair who has to choose a model. In a selection, no participant is
scored with hyper-parameters that were chosen with their ratings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.goldstandard.predictions import CUTOFFS, Scored
from eval.measures.statistics import Figure, Ratio, bootstrap_figures, resampling_counts
from eval.reports.figures import draw_intervals
from eval.reports.page import READING, Block, Folded, Prose, Report, Section
from eval.reports.table import Cell, Table, table_of
from panelist.errors import InputError
from panelist.words import counted

LENGTHS = tuple(range(1, 21))
TABLES = {3: None, 4: None, 5: None, 6: 1, 7: 3, 8: 5, 9: 7}
"""The paper's tables; Tables 6–9 differ by their cut-off."""

Summary = Mapping[str, Figure]
"""The figures of one system by statistic: loss, easy, hard, and wktd, mrr, ndcg and precision at each cut-off."""

_CI = "95% CI"
_SHOWN = (1, 2, 3, 5, 8, 10, 15, 20)
_KINDS = ("easy", "hard")


def summarise_all(
    systems: Mapping[str, Scored], baseline: tuple[str, Scored] | None, resamples: int, seed: int
) -> dict[str, Summary]:
    """The figures of several systems; a difference is given to those scored on the baseline's participants."""
    reference = None if baseline is None else baseline[1].statistics(CUTOFFS)
    summaries: dict[str, Summary] = {}
    for name, scored in systems.items():
        paired = baseline is not None and name != baseline[0] and same_ratings(scored, baseline[1])
        counts = resampling_counts(len(scored.ratings.participants), resamples, seed)
        summaries[name] = bootstrap_figures(scored.statistics(CUTOFFS), reference if paired else None, counts)
    return summaries


def as_json(summary: Summary) -> dict[str, Any]:
    """For machines: every figure with its interval (`…_ci`), and the paired difference in loss (`delta`)."""
    plain: dict[str, Any] = {}
    for name, figure in summary.items():
        plain |= {name: figure.value, f"{name}_ci": figure.interval}
    loss = summary["loss"]
    return plain if loss.delta is None else {**plain, "delta": loss.delta, "delta_ci": loss.delta_interval}


def loss_table(summaries: Mapping[str, Summary], baseline: str, title: str, note: str = "") -> Table:
    """Loss and paired difference, with intervals: Tables 3 and 4."""
    columns = ("loss", _CI, (f"Δ {baseline}", "+.4f"), (f"Δ {_CI}", "+.4f"))
    losses = {name: summary["loss"] for name, summary in summaries.items()}
    cells = {name: (loss.value, loss.interval, loss.delta, loss.delta_interval) for name, loss in losses.items()}
    return _table(title, columns, cells, f"Weighted Kendall-tau loss, lower is better. {note}".strip())


def triplet_table(summaries: Mapping[str, Summary], title: str) -> Table:
    """Accuracy on easy and hard triplets: Table 5."""
    pairs = {name: (summary["easy"], summary["hard"]) for name, summary in summaries.items()}
    cells = {name: (easy.value, easy.interval, hard.value, hard.interval) for name, (easy, hard) in pairs.items()}
    columns = ("easy", f"easy {_CI}", "hard", f"hard {_CI}")
    return _table(title, columns, cells, "Share of triplets in the right order, higher is better.")


def cutoff_table(summaries: Mapping[str, Summary], k: int, title: str) -> Table:
    """WKTD@k, MRR@k, NDCG@k and Precision@k: Tables 6–9."""
    names = [f"{name}@{k}" for name in ("wktd", "mrr", "ndcg", "precision")]
    cells = {system: tuple(summary[name].value for name in names) for system, summary in summaries.items()}
    return _table(title, names, cells, "WKTD: lower is better; the others: higher is better.")


def _table(
    title: str, columns: Iterable[str | Sequence[str]], cells: Mapping[str, tuple[Cell, ...]], note: str
) -> Table:
    """One row for each system."""
    return table_of(title, ("system", *columns), ((name, *row) for name, row in cells.items()), note)


def length_table(curves: Mapping[str, Sequence[float]]) -> Table:
    """Loss by the number of papers in a profile, at some of `LENGTHS`: Figure 2."""
    columns = [(str(length), ".3f") for length in _SHOWN]
    cells = {system: tuple(losses[length - 1] for length in _SHOWN) for system, losses in curves.items()}
    title = "Gold standard, loss by the number of most recent papers in a profile"
    return _table(title, columns, cells, "Weighted Kendall-tau loss, lower is better.")


def same_ratings(scored: Scored, other: Scored) -> bool:
    """Whether two systems were scored on the same participants and ratings."""
    return scored.ratings.participants == other.ratings.participants and len(scored.ratings) == len(other.ratings)


def goldstandard_report(
    summaries: Mapping[str, Summary], baseline: str, participants: int, facts: Mapping[str, str]
) -> Report:
    """The page about systems and their summaries, of `summarise_all`; `facts` say how."""
    ordered = sorted(summaries.items(), key=lambda pair: pair[1]["loss"].value)
    summaries, (best, leading) = dict(ordered), ordered[0]
    low, high = leading["loss"].interval or (nan, nan)
    lead = (
        f"{counted(len(summaries), 'system')} for matching papers with reviewers, judged by what "
        f"{counted(participants, 'researcher')} said of their own expertise. "
        f"{'Its loss is' if len(summaries) == 1 else f'{best} has the lowest loss:'} "
        f"{leading['loss'].value:.3f}, with a 95% interval from {low:.3f} to {high:.3f}."
    )
    deciding = {
        name: summary for name, summary in summaries.items() if any(summary[kind].value for kind in _KINDS)
    } or summaries
    accuracy = {
        f"{kind} decisions right": {name: summary[kind] for name, summary in deciding.items()} for kind in _KINDS
    }
    losses = {name: summary["loss"] for name, summary in ordered}
    silent = "".join(f" Not drawn, since it decides nothing: {name}." for name in summaries if name not in deciding)
    dashed = f" The dashed line is {baseline}." if baseline in summaries else ""
    by_measure = {"weighted Kendall-tau loss (lower is better)": losses}
    loss = draw_intervals("loss", by_measure, f"Loss with 95% intervals.{dashed}", baseline)
    caption = f"Share of decisions in the right order, with 95% intervals.{silent}"
    triplets = draw_intervals("triplets", accuracy, caption)
    tops = (Folded(f"Measures of the top {k}", cutoff_table(summaries, k, "")) for k in CUTOFFS)
    blocks: dict[str, tuple[Block, ...]] = {
        "How much each system gets wrong": (loss, Prose(READING["loss"]), loss_table(summaries, baseline, "")),
        "Easy and hard decisions": (triplets, Prose(READING["triplets"]), triplet_table(summaries, "")),
        "The top of the list": (Prose(READING["top"]), *tops),
    }
    return Report("Gold standard of reviewing expertise", lead, tuple(starmap(Section, blocks.items())), facts)


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
    losses = [ratios["loss"] for ratios in statistics]
    selection = select(losses)
    honest = {name: combine(selection, [ratios[name] for ratios in statistics]) for name in statistics[0]}
    best_loss, best = min(zip((loss.value for loss in losses), systems, strict=True), key=lambda pair: pair[0])
    frequency = np.bincount(selection, minlength=len(systems)).tolist()
    chosen = {name: times for name, times in zip(systems, frequency, strict=True) if times}
    counts = resampling_counts(len(baseline.ratings.participants), resamples, seed)
    return Selected(bootstrap_figures(honest, baseline.statistics(CUTOFFS), counts), chosen, best, best_loss)
