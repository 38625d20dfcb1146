"""`panelist eval reproduce`: run every command with a golden number, and fail on any miss."""

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import asdict
from typing import Any

import orjson
import typer

from eval.reports.table import table_of
from panelist.app.cli.eval.results import Figures
from panelist.app.cli.options import option
from panelist.app.cli.output import show_progress
from panelist.errors import InputError, PanelistError
from panelist.progress import followed


def reproduce(
    only: str | None = option("Only commands that contain this (shell pattern) or have this tag, e.g. fast."),
) -> Figures:
    """Run every command that has published or recorded figures, compare, and exit with 1 on any miss.

    The benchmarks' files are found through PANELIST_DATA; every figure says which data set it needs, and where that is
    not there, how to get it (`panelist fetch`). Figures of a model that has to be trained first (`acl`) are not
    available until then, nor where another model was trained; neither counts as a miss.

    Examples:
        panelist eval reproduce
        panelist eval reproduce --only fast
        panelist eval reproduce --only goldstandard --json
    """
    from eval.reproduce import check_golden, read_golden, run_golden

    chosen = [golden for golden in read_golden() if only is None or golden.matches(only)]
    if not chosen:
        raise InputError(f"no golden command matches '{only}'")
    printed: dict[str, Any] = {}  # several sources may give figures of a command
    with show_progress("commands") as progress:
        for golden in followed(chosen, progress, "reproducing"):
            if golden.command not in printed:
                printed[golden.command] = run_golden(golden, _invoke)
    checks = [figure for golden in chosen for figure in check_golden(golden, printed[golden.command])]
    rows = []
    for row in checks:
        verdict = "yes" if row.passed else f"NO {row.failure}" if row.available else f"not available: {row.failure}"
        rows.append((row.command, ", ".join(row.data), row.key, row.expected, row.actual, row.tolerance, verdict))
    columns = ("command", "data", "figure", "expected", "actual", ("±", "g"), "passed")
    title = f"{sum(row.passed for row in checks)} of {len(checks)} figures reproduced"
    figures = [{**asdict(row), "passed": row.passed} for row in checks]
    missed = any(row.available and not row.passed for row in checks)
    return Figures(figures, [table_of(title, columns, rows)], code=missed)


def _invoke(arguments: Sequence[str]) -> Any:
    """Return what another command prints as JSON. It runs in this process: kernels and data are loaded once."""
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
