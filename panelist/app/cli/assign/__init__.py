"""`panelist assign`: from scores to an assignment. Without a subcommand it assigns."""

from typing import Any

import typer
from typer.core import TyperGroup

from panelist.app.cli.assign.make import make
from panelist.app.cli.assign.questions import check, compare, why

_ASSIGN = "make"


class _AssignByDefault(TyperGroup):
    """A group whose first command is meant where none is named: `panelist assign scores.csv -o assignment.csv`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = [_ASSIGN, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_AssignByDefault, help="From scores to an assignment: who reviews what.")
app.command(_ASSIGN)(make)
app.command()(check)
app.command()(compare)
app.command()(why)
