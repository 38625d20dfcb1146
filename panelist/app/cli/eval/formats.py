"""The output formats that the commands of `panelist eval` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.errors import InputError

if TYPE_CHECKING:
    from eval.reports.table import Table

CsvOption = Annotated[bool, typer.Option("--csv", help="Print CSV with full precision.")]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")]
MarkdownOption = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Directory of the benchmark's files [default: in $PANELIST_DATA].", show_default=False),
]


def check_formats(json: bool, csv: bool, latex: bool, markdown: bool) -> None:
    """Refuse more than one format, before any work is done.

    Raises:
        InputError: several formats were asked for.
    """
    if json + csv + latex + markdown > 1:
        raise InputError("several output formats were asked for: give one of --json, --csv, --latex, --markdown")


def show(table: Table, figures: Any, json: bool, csv: bool, latex: bool, markdown: bool) -> None:
    """Print a result in the format asked for, by default as a table for people; `figures` are what JSON gets."""
    from panelist.app.cli.output import console, print_json

    if json:
        print_json(figures)
    elif csv or latex or markdown:
        typer.echo(table.csv() if csv else table.latex() if latex else table.markdown(), nl=False)
    else:
        from rich import box
        from rich.table import Table as RichTable

        drawn = RichTable(
            title=table.title,
            caption=table.note or None,
            box=box.SIMPLE_HEAD,
            title_justify="left",
            padding=(0, 1, 0, 0),
        )
        cells = table.cells()
        for number, column in enumerate(table.columns):
            # Where the screen is narrow, headings and names fold; figures never do.
            widest = max((len(row[number]) for row in cells), default=1) if number else 1
            drawn.add_column(column.name, justify="right" if number else "left", overflow="fold", min_width=widest)
        for row in cells:
            drawn.add_row(*row)
        screen = console()
        if not screen.is_terminal:  # a file or a pipe has no width to fit
            screen.width = 200
        screen.print(drawn)
