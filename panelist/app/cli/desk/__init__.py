"""`panelist desk`: what the desks keep, to take away or to erase."""

from __future__ import annotations

import typer

from panelist.app.cli.desk import export, forget

app = typer.Typer(help="Export or erase what the editor's desk keeps.", no_args_is_help=True)
app.command()(export.export)
app.command()(forget.forget)
