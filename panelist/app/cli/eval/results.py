"""What the commands of `panelist eval` do with their results: print them in one of five formats, write a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eval.reports.table import Table
from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, print_table
from panelist.errors import InputError

if TYPE_CHECKING:
    from eval.reports.page import Report

DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Directory of the benchmark's files [default: in $PANELIST_DATA].", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How intervals are found."""

    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples of participants or queries.")] = 1_000
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 0


@dataclass(frozen=True, kw_only=True)
class Output:
    """The format of what is printed, by default tables for people; several are refused before any work is done."""

    json: JsonOption = False
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with full precision.")] = False
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False

    def __post_init__(self) -> None:
        if self.json + self.csv + self.latex + self.markdown > 1:
            raise InputError("several output formats were asked for: give one of --json, --csv, --latex, --markdown")

    def show(self, figures: Any, *tables: Table) -> None:
        """Print `figures` as JSON, or one table after the other."""
        if self.json:
            print_json(figures)
            return
        for number, table in enumerate(tables):
            if not (self.csv or self.latex or self.markdown):
                names = [column.name for column in table.columns]
                print_table(names, table.cells(), table.title, table.note or None)
                continue
            typer.echo("\n" if number else "", nl=False)
            typer.echo(table.csv() if self.csv else table.latex() if self.latex else table.markdown(), nl=False)


@dataclass(frozen=True, kw_only=True)
class OutputAndReport(Output):
    """The same, and a page, whose directory is made before any work is done."""

    report: Annotated[
        Path | None,
        typer.Option(
            help="Write a page with tables and plots to this directory (index.html, and the plots as PNG).",
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.report is not None:
            from eval.reports.page import Report

            Report.check(self.report)

    def write(self, page: Report) -> None:
        """Write the page that `--report` asked for, and say where on stderr."""
        if self.report is not None:
            typer.echo(f"report: {page.write(self.report)}", err=True)
