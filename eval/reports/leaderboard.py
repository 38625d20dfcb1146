"""Leaderboards: systems in rows, for each measure a figure with its interval and paired difference, as table and page.

A system that could not be run has no figures and says why: a missing model never counts as 0. Differences are taken on
the same resamples of the participants or queries, so that their intervals are those of a paired comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from eval.measures.statistics import Figure
from eval.reports.figures import draw_intervals
from eval.reports.page import Prose, Report, Section
from eval.reports.table import Cell, Table, table_of
from panelist.errors import MissingDependencyError, ModelError
from panelist.words import counted

T = TypeVar("T")
Source = Literal["panelist", "predictions", "printed"]
"""Where scores come from: a model run here, predictions released by others, or only figures printed by others."""

SOURCES: dict[Source, str] = {
    "panelist": "run here",
    "predictions": "published predictions",
    "printed": "as published",
}


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One system: its figures by measure, or none and a note that says why."""

    system: str
    source: Source
    figures: Mapping[str, Figure] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Systems on one benchmark, in order. The first measure decides; differences are taken from `baseline`.

    `note` says in a sentence how to read the board, `reading` in paragraphs.
    """

    title: str
    measures: tuple[str, ...]
    baseline: str
    rows: tuple[BoardRow, ...]
    note: str = ""
    reading: tuple[str, ...] = ()

    def ranked(self, *, descending: bool) -> Leaderboard:
        """The same board with its rows in the order of the first measure; those without figures come last."""

        def key(row: BoardRow) -> tuple[bool, float]:
            figure = row.figures.get(self.measures[0])
            return figure is None, 0.0 if figure is None else -figure.value if descending else figure.value

        return replace(self, rows=tuple(sorted(self.rows, key=key)))

    def as_json(self) -> dict[str, Any]:
        """For machines: rows by the name of the system."""
        rows = {row.system: {"source": row.source, "figures": row.figures, "note": row.note} for row in self.rows}
        return {"title": self.title, "baseline": self.baseline, "rows": rows, "note": self.note}

    def table(self, measure: str, *columns: str) -> Table:
        """One measure with interval and difference, others beside it as plain figures."""
        formats = {measure: ".3f", "95% CI": ".3f", "Δ": "+.3f", "Δ 95% CI": "+.3f", **dict.fromkeys(columns, ".3f")}
        rows: list[tuple[Cell, ...]] = []
        for row in self.rows:
            shown = row.figures.get(measure)
            main = (shown.value, shown.interval, shown.delta, shown.delta_interval) if shown else (None,) * 4
            values = (row.figures[other].value if other in row.figures else None for other in columns)
            rows.append((row.system, *main, *values, row.note or SOURCES[row.source]))
        notes = [f"Δ from {self.baseline}, paired.", self.note]
        if any(row.source == "printed" for row in self.rows):
            notes.append("As published: two decimals, and no predictions, so no Δ.")
        return table_of(self.title, ("system", *formats.items(), "scores"), rows, " ".join(filter(None, notes)))


def attempt(model: str, work: Callable[[], T]) -> T | str:
    """What running a model gives, or why it cannot be run here: the note of its row."""
    if model == "llm":
        return "not run: needs an endpoint"
    try:
        return work()
    except (ModelError, MissingDependencyError) as error:
        return f"not available: {error}"


def leaderboard_report(
    boards: Mapping[str, Leaderboard], tables: Mapping[str, Sequence[Table]], facts: Mapping[str, str]
) -> Report:
    """The page about boards and their tables, by the name of the benchmark; `facts` say how."""
    systems = {row.system for board in boards.values() for row in board.rows if row.figures}
    lead = (
        f"{counted(len(systems), 'system')} for matching papers with reviewers, side by side: models that were run "
        "here and what others published. Look at the intervals before the order: a system that leads by less than the "
        "width of its bar may lead by chance."
    )
    sections = tuple(_section(name, board, tables[name]) for name, board in boards.items())
    return Report("Leaderboard", lead, sections, facts)


def _section(name: str, board: Leaderboard, tables: Sequence[Table]) -> Section:
    # A system that gives everything the same score decides nothing: its zeros would only squeeze the others together.
    rows = [row for row in board.rows if row.figures and all(figure.value for figure in row.figures.values())]
    if not rows:
        return Section(board.title, tuple(tables))
    measures = {measure: {row.system: row.figures.get(measure) for row in rows} for measure in board.measures}
    dashed = f" The dashed line is {board.baseline}." if any(row.system == board.baseline for row in rows) else ""
    picture = draw_intervals(name, measures, f"With 95% intervals.{dashed}", board.baseline)
    return Section(board.title, (picture, *map(Prose, board.reading), *tables))
