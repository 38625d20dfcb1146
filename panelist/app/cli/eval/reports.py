"""The option `--report` that the commands of `panelist eval` share."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eval.reports.page import Report
    from indexing.index import Index

ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report",
        help="Write a page with tables and plots to this directory (index.html, and the plots as PNG).",
        show_default=False,
    ),
]


def check_report(directory: Path | None) -> None:
    """Make the directory of the report, before the work is done.

    Raises:
        InputError: nothing can be written there.
    """
    if directory is not None:
        from eval.reports.page import Report

        Report.check(directory)


def how_made(data: Iterable[Path], index: Index | None = None) -> dict[str, str]:
    """How the report was made."""
    from eval.reports.provenance import provenance
    from panelist.app.cli.typed import typed

    return provenance(typed(), data, index)


def write_report(report: Report, directory: Path) -> None:
    """Write the page and its pictures, and say where on stderr."""
    typer.echo(f"report: {report.write(directory)}", err=True)
