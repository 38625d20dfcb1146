"""`panelist train`: models that learn from papers."""

from __future__ import annotations

import typer

app = typer.Typer(help="Train models on papers.", no_args_is_help=True)
