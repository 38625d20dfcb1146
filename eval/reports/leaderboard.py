"""A report of leaderboards: a section for each benchmark, with a picture and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan

from eval.benchmarks.goldstandard.report import READ_LOSS, READ_TRIPLETS
from eval.benchmarks.leaderboard import Board, Row
from eval.reports.canvas import Picture
from eval.reports.figures import Estimate, draw_intervals
from eval.reports.page import Report, Section, Text
from eval.reports.rankings import READ_MEASURES
from eval.reports.table import Table


def leaderboard_report(
    boards: Mapping[str, Board], tables: Mapping[str, Sequence[Table]], made: Mapping[str, str]
) -> Report:
    """The page about these boards.

    Args:
        boards: by the name of the benchmark.
        tables: of each board.
        made: how the page came about.
    """
    systems = {row.system for board in boards.values() for row in board.rows if row.figures}
    lead = (
        f"{len(systems)} systems that match papers with reviewers, side by side: models that were run here and what "
        "others published. Look at the intervals before the order: a system that leads by less than the width of its "
        "bar may lead by chance."
    )
    sections = tuple(_section(name, board, tables[name]) for name, board in boards.items())
    return Report("Leaderboard", lead, sections, made)


def _section(name: str, board: Board, tables: Sequence[Table]) -> Section:
    reading = [READ_LOSS, READ_TRIPLETS] if "loss" in board.measures else [READ_MEASURES]
    told = [Text(text.format(right="those who really reviewed")) for text in reading]
    pictures = draw_board(name, board)
    return Section(board.title, (*pictures, *(told if pictures else ()), *tables))


def draw_board(name: str, board: Board) -> list[Picture]:
    """Every measure of a board with its intervals, in one picture of this name; none where nothing has figures."""
    # A system that gives everything the same score decides nothing: its zeros would only squeeze the others together.
    rows = [row for row in board.rows if row.figures and not ("easy" in row.figures and not row.figures["easy"].value)]
    if not rows:
        return []
    panels = {measure: {row.system: _estimate(row, measure) for row in rows} for measure in board.measures}
    dashed = f" The dashed line is {board.baseline}." if any(row.system == board.baseline for row in rows) else ""
    return [draw_intervals(name, panels, f"With 95% intervals.{dashed}", board.baseline)]


def _estimate(row: Row, measure: str) -> Estimate:
    figure = row.figures.get(measure)
    if figure is None:
        return nan, nan, nan
    return figure.value, *(figure.interval or (nan, nan))
