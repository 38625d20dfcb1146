"""What the commands of `panelist eval` do with their results: print them in one of five formats, write a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from eval.reports.table import Table, table_of
from panelist.app.cli.options import option
from panelist.app.cli.output import Answer, AnswerFormat, note
from panelist.errors import InputError

if TYPE_CHECKING:
    from eval.reports.page import Report

_DATA = "Directory of the benchmark's files [default: in $PANELIST_DATA]."
DataOption = Annotated[Path | None, typer.Option("--data", help=_DATA)]


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How intervals are found."""

    resamples: int = option("Bootstrap resamples of participants or queries.", default=1_000, min=1)
    seed: int = option("Seed of the resamples.", default=0, min=0)


@dataclass(frozen=True, kw_only=True)
class FiguresFormat(AnswerFormat):
    """The format of what is printed, by default tables for people; several are refused before any work is done."""

    csv: bool = option("Print CSV with full precision.")
    latex: bool = option("Print a LaTeX table (booktabs).")
    markdown: bool = option("Print a Markdown table.")

    def __post_init__(self) -> None:
        if sum(map(bool, (self.json, self.csv, self.latex, self.markdown))) > 1:
            raise InputError("several output formats were asked for: give one of --json, --csv, --latex, --markdown")

    def print_for_people(self, answer: Answer) -> None:
        """Print one table after the other."""
        if not (self.csv or self.latex or self.markdown):
            super().print_for_people(answer)
            return
        texts = (
            table.csv() if self.csv else table.latex() if self.latex else table.markdown() for table in answer.parts
        )
        typer.echo("\n".join(texts), nl=False)


@dataclass(frozen=True)
class Figures(Answer):
    """Figures for programs, and tables of them for people and papers."""

    format: ClassVar[type[AnswerFormat]] = FiguresFormat


@dataclass(frozen=True)
class PageOptions:
    """The page with the results, whose directory is made before any work is done."""

    report: Path | None = option("Write a page with tables and plots to this directory (index.html, plots as PNG).")

    def __post_init__(self) -> None:
        if self.report is not None:
            from eval.reports.page import Report

            Report.check(self.report)

    def write(self, page: Report) -> None:
        """Write the page that `--report` asked for, and say where on stderr."""
        if self.report is not None:
            note(f"report: {page.write(self.report)}")


def figures_table(
    title: str, name: str, figures: Mapping[str, Mapping[str, Any]], form: str = ".4f", note: str = ""
) -> Table:
    """Make a table with a row for each entry, whose first column has this name, and a column for each figure."""
    columns = list(dict.fromkeys(column for row in figures.values() for column in row))
    rows = ((key, *(row.get(column) for column in columns)) for key, row in figures.items())
    return table_of(title, ((name, ""), *((column, form) for column in columns)), rows, note)
