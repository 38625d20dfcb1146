"""`panelist users`: who may use the server of a workspace."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from panelist.app.access.roles import WORKSPACE, Role
from panelist.app.cli.options import JsonOption, WorkspaceOption

if TYPE_CHECKING:
    from panelist.app.access.users import Users

app = typer.Typer(
    help="Add users, after which everybody signs in; list and disable them; make tokens for programs.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(help="By which the user signs in.")]


@app.command()
def add(
    name: Name,
    role: Annotated[Role, typer.Option("--role", help="What they may do.")] = Role.READER,
    conference: Annotated[
        str, typer.Option("--conference", help="Where the role holds: the id of a conference [default: everywhere].")
    ] = WORKSPACE,
    person: Annotated[
        list[str] | None,
        typer.Option("--person", help="Id of the person in the corpus, a committee or ORCID; may be repeated."),
    ] = None,
    elsewhere: Annotated[
        bool, typer.Option("--elsewhere", help="They have no password: a provider or a proxy signs them in.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Add a user, or a role and ids to one who is there. The password is asked for, or read from standard input.

    Whoever has a conflict of interest with a paper sees nothing of it but its title: so say who the user is.

    **Examples**

        panelist users add ada --role administrator

        panelist users add ada@example.org --role editor --elsewhere

        panelist users add grace --role chair --conference Xk3P0aQ2b1Zr --person 0000-0002-1825-0097
    """
    if _users(workspace).add(name, None if elsewhere else _password, role, place=conference, people=person or ()):
        typer.echo(f"added: {name}, {role.value}", err=True)
    else:
        typer.echo(f"{name} is {role.value}, too", err=True)


@app.command("list")
def listing(json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the users with their roles.

    **Examples**

        panelist users list

        panelist users list --json
    """
    from msgspec import to_builtins

    from panelist.app.cli.output import print_json, say

    users = _users(workspace).list()
    if json:
        print_json(to_builtins(users, order="deterministic"))
        return
    for one in users:
        roles = [
            role + (f" of {place}" if place else "")
            for place, own in one.roles.items()
            for role in sorted(own)
            if role is not Role.EDITOR or place == WORKSPACE  # not every kept submission
        ]
        say(f"{one.name}  {'disabled' if one.disabled else ', '.join(roles)}  {' '.join(one.people)}".rstrip())


@app.command()
def disable(
    name: Name,
    undo: Annotated[bool, typer.Option("--undo", help="Let them sign in again.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """End a user's sessions and tokens for good; what they did stays in the history under their name.

    **Examples**

        panelist users disable grace
    """
    _users(workspace).disable(name, undo=undo)


@app.command()
def password(name: Name, workspace: WorkspaceOption = None) -> None:
    """Give a user another password; their sessions and tokens end.

    **Examples**

        panelist users password grace
    """
    _users(workspace).set_password(name, _password)


@app.command()
def token(
    name: Name,
    label: Annotated[str, typer.Option("--label", help="What it is for.")] = "",
    scope: Annotated[Literal["read", "write"], typer.Option("--scope", help="What it allows.")] = "read",
    days: Annotated[int, typer.Option("--days", min=1, max=3650, help="Until it ends.")] = 90,
    workspace: WorkspaceOption = None,
) -> None:
    """Make a token for a user's programs. It is printed once; only its digest is kept.

    **Examples**

        panelist users token grace --label backup --scope read --days 30
    """
    typer.echo(_users(workspace).make_token(name, label, writes=scope == "write", days=days))


def _users(workspace: Path | None) -> Users:
    from panelist.app.access.users import Users
    from panelist.workspace import Workspace

    return Users(Workspace.at(workspace))


def _password() -> str:
    if sys.stdin.isatty():
        given: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
        return given
    return sys.stdin.readline().rstrip("\n")
