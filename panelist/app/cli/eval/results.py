"""What the commands of `panelist eval` do with their results: print them in one of five formats, write a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eval.reports.table import Table
from panelist.app.cli.options import JsonOption, option
from panelist.app.cli.output import note, print_json, print_table
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
class Output:
    """The format of what is printed, by default tables for people; several are refused before any work is done."""

    json: JsonOption = False
    csv: bool = option("Print CSV with full precision.")
    latex: bool = option("Print a LaTeX table (booktabs).")
    markdown: bool = option("Print a Markdown table.")

    def __post_init__(self) -> None:
        if sum(map(bool, (self.json, self.csv, self.latex, self.markdown))) > 1:
            raise InputError("several output formats were asked for: give one of --json, --csv, --latex, --markdown")

    def show(self, figures: Any, *tables: Table) -> None:
        """Print `figures` as JSON, or one table after the other."""
        if self.json:
            print_json(figures)
            return
        for number, table in enumerate(tables):
            if not (self.csv or self.latex or self.markdown):
                print_table(table)
                continue
            typer.echo("\n" if number else "", nl=False)
            typer.echo(table.csv() if self.csv else table.latex() if self.latex else table.markdown(), nl=False)


@dataclass(frozen=True, kw_only=True)
class OutputAndReport(Output):
    """The same, and a page, whose directory is made before any work is done."""

    report: Path | None = option(
        "Write a page with tables and plots to this directory (index.html, and the plots as PNG)."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.report is not None:
            from eval.reports.page import Report

            Report.check(self.report)

    def write(self, page: Report) -> None:
        """Write the page that `--report` asked for, and say where on stderr."""
        if self.report is not None:
            note(f"report: {page.write(self.report)}")
