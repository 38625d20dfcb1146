"""Options that several commands share, with one spelling and one help text each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Directory of the corpus and its index [default: $PANELIST_WORKSPACE or ./panelist.workspace].",
        show_default=False,
    ),
]
BenchmarkWorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Where the benchmark's collection is indexed [default: in the user's cache].",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]
