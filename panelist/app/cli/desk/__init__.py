"""`panelist desk`: what the desks keep, to take away or to erase."""

from __future__ import annotations

import typer

from panelist.app.cli.desk import export, forget, listing

app = typer.Typer(help="List, export or erase what the desks keep.", no_args_is_help=True)
app.command("list")(listing.listing)
app.command()(export.export)
app.command()(forget.forget)
