"""The shape of a leaderboard: systems in rows, and for each measure a figure with its interval and paired difference.

A system that could not be run has no figures and says why: nothing is ever 0 for want of a model. Differences are taken
on the same resamples of the participants or queries, so that their intervals are those of a paired comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from eval.measures.bootstrap import Ratio, interval
from eval.reports.table import Cell, Column, Table
from panelist.errors import MissingDependencyError, ModelError

T = TypeVar("T")
Interval = tuple[float, float]
Source = Literal["panelist", "predictions", "printed"]
"""Where scores come from: a model run here, predictions released by others, or only figures printed by others."""

SOURCES: dict[Source, str] = {
    "panelist": "run here",
    "predictions": "published predictions",
    "printed": "as published",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A measure of one system; None where something is not known."""

    value: float
    interval: Interval | None = None
    delta: float | None = None
    delta_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One system: its figures by measure, or none and a note that says why."""

    system: str
    source: Source
    figures: Mapping[str, Figure] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Board:
    """Systems on one benchmark.

    Attributes:
        title: what was measured.
        measures: which measures there are, the one that decides first.
        baseline: which system differences are taken from.
        rows: the systems, in order.
        note: how to read it.
    """

    title: str
    measures: tuple[str, ...]
    baseline: str
    rows: tuple[Row, ...]
    note: str = ""

    def ranked(self, *, descending: bool) -> Board:
        """The same with rows in order of the first measure; those without figures come last."""

        def key(row: Row) -> tuple[bool, float]:
            figure = row.figures.get(self.measures[0])
            return figure is None, 0.0 if figure is None else -figure.value if descending else figure.value

        rows = tuple(sorted(self.rows, key=key))
        return Board(self.title, self.measures, self.baseline, rows, self.note)

    def as_json(self) -> dict[str, Any]:
        """For machines: rows by the name of the system."""
        rows = {row.system: {"source": row.source, "figures": row.figures, "note": row.note} for row in self.rows}
        return {"title": self.title, "baseline": self.baseline, "rows": rows, "note": self.note}

    def table(self, measure: str, *others: str) -> Table:
        """One measure with interval and difference, others beside it as plain figures."""
        columns = (
            Column("system"),
            Column(measure, ".3f"),
            Column("95% CI", ".3f"),
            Column("Δ", "+.3f"),
            Column("Δ 95% CI", "+.3f"),
            *(Column(other, ".3f") for other in others),
            Column("scores"),
        )
        rows = tuple(self._cells(row, measure, others) for row in self.rows)
        notes = [f"Δ from {self.baseline}, paired.", self.note]
        if any(row.source == "printed" for row in self.rows):
            notes.append("As published: two decimals, and no predictions, so no Δ.")
        return Table(self.title, columns, rows, " ".join(filter(None, notes)))

    def _cells(self, row: Row, measure: str, others: tuple[str, ...]) -> tuple[Cell, ...]:
        shown = row.figures.get(measure)
        main: tuple[Cell, ...] = (None,) * 4
        if shown is not None:
            main = (shown.value, shown.interval, shown.delta, shown.delta_interval)
        beside = (None if other not in row.figures else row.figures[other].value for other in others)
        return (row.system, *main, *beside, row.note or SOURCES[row.source])


def measured(
    statistics: Mapping[str, Ratio], baseline: Mapping[str, Ratio] | None, counts: NDArray[np.float64]
) -> dict[str, Figure]:
    """Every statistic with its interval and, where there is a baseline on the same people, the paired difference.

    Args:
        statistics: by measure.
        baseline: the same measures of the system that differences are taken from.
        counts: (resamples, people) from `resampling_counts`.
    """
    figures = {}
    for name, ratio in statistics.items():
        samples = ratio.resampled(counts)
        if baseline is None:
            figures[name] = Figure(ratio.value, interval(samples))
            continue
        difference = samples - baseline[name].resampled(counts)
        figures[name] = Figure(ratio.value, interval(samples), ratio.value - baseline[name].value, interval(difference))
    return figures


def attempt(model: str, work: Callable[[], T]) -> T | str:
    """What running a model gives, or why it cannot be run here: the note of its row."""
    if model == "llm":
        return "not run: needs an endpoint"
    try:
        return work()
    except (ModelError, MissingDependencyError) as error:
        return f"not available: {error}"
