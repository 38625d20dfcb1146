"""`panelist eval reproduce`: run every command with a golden number, and fail on any miss."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from eval.reports.table import Column, Table
from panelist.app.cli.eval.results import Output
from panelist.app.cli.options import spread
from panelist.app.cli.output import show_progress
from panelist.errors import InputError, PanelistError

if TYPE_CHECKING:
    from eval.reproduce import GoldenCheck


@spread
def reproduce(
    only: Annotated[
        str | None, typer.Option(help="Only commands that contain this (shell pattern) or have this tag, e.g. fast.")
    ] = None,
    *,
    output: Output,
) -> None:
    """Run every command that has published or recorded figures, compare, and exit with 1 on any miss.

    The benchmarks' files are found through PANELIST_DATA; every figure says which data set it needs, and where that is
    not there, how to get it (`panelist fetch`). Figures of a model that has to be trained first (`acl`) are not
    available until then, nor where another model was trained; neither counts as a miss.

    **Examples**

        panelist eval reproduce

        panelist eval reproduce --only fast

        panelist eval reproduce --only goldstandard --json
    """
    from eval.reproduce import check, read_golden, run

    chosen = [golden for golden in read_golden() if only is None or golden.matches(only)]
    if not chosen:
        raise InputError(f"no golden command matches '{only}'")
    checks: list[GoldenCheck] = []
    printed: dict[str, Any] = {}
    with show_progress("commands") as progress:
        for number, golden in enumerate(chosen):
            progress("reproducing", number, len(chosen))
            if golden.command not in printed:  # several sources may give figures of one command
                printed[golden.command] = run(golden, _invoke)
            checks.extend(check(golden, printed[golden.command]))
    missed = sum(one.available and not one.passed for one in checks)
    reproduced = sum(one.passed for one in checks)
    columns = (*map(Column, ("command", "data", "figure", "expected", "actual")), Column("±", "g"), Column("passed"))
    rows = (
        (one.command, ", ".join(one.data), one.key, one.expected, one.actual, one.tolerance, _verdict(one))
        for one in checks
    )
    table = Table(f"{reproduced} of {len(checks)} figures reproduced", columns, tuple(rows))
    output.show([{**asdict(one), "passed": one.passed} for one in checks], table)
    if missed:
        raise typer.Exit(1)


def _verdict(check: GoldenCheck) -> str:
    if check.passed:
        return "yes"
    return f"NO {check.failure}" if check.available else f"not available: {check.failure}"


def _invoke(arguments: Sequence[str]) -> Any:
    """What another command prints as JSON. It runs in this process: kernels are compiled and data parsed once."""
    from panelist.app.cli.main import command_line

    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            code = command_line(arguments)(args=list(arguments), prog_name="panelist", standalone_mode=False)
    except typer.TyperException as error:
        raise PanelistError(error.format_message()) from error
    if code:
        raise PanelistError(f"exit code {code}")
    return orjson.loads(printed.getvalue())
