"""`panelist serve` and `users`: the pages and the JSON API of a workspace, and who may use them."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from panelist.app.access.roles import WORKSPACE, Role
from panelist.app.cli.options import QueryEncoding, WorkspaceOption, group, option
from panelist.app.cli.output import Answer, note
from panelist.config import openid, server_token, stay_offline, trusted_header
from panelist.errors import InputError
from panelist.extras import EXTRAS, require
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.app.access.users import Users

Name = Annotated[str, typer.Argument(help="By which the user signs in.")]


def serve(
    host: str = option("Address to serve on.", default="127.0.0.1"),
    port: int = option("Port; 0 takes a free one.", "-p", default=8000, min=0, max=65535),
    workspace: WorkspaceOption = None,
    workers: int = option("Processes that look up reviewers.", default=1, min=1, max=64),
    online: bool = option(
        "Let the server download a model that is missing, and ask OpenAlex or Semantic Scholar for a "
        "record whenever an editor says so."
    ),
    *,
    encoding: QueryEncoding,
    log_level: Literal["debug", "info", "warning", "error"] = option(
        "What is logged to stderr; info has a line for every request.", default="warning"
    ),
    log_format: Literal["text", "json"] = option("Lines of text, or JSON.", default="text"),
) -> None:
    """Serve the pages and the JSON API over the workspace's index.

    A new index is served as soon as its build is finished, the first one too. On an address that others can reach,
    there must be users ('panelist users add'), or the environment variable PANELIST_TOKEN, or the file that
    PANELIST_TOKEN_FILE names, must hold a secret; the pages ask for it. Ctrl-C stops.

    Examples:
        panelist serve
        panelist serve --workspace panelist.demo --port 8080
        PANELIST_TOKEN_FILE=token.txt panelist serve --host 0.0.0.0 --log-level info --log-format json
    """
    import uvicorn

    from panelist.app.access.users import Users
    from panelist.app.web.app import create_app
    from panelist.app.web.connections import BACKLOG, GuardedProtocol, allow_descriptors
    from panelist.app.web.observing import set_up_logs
    from panelist.app.web.security import check_address
    from panelist.app.web.service import FinderService

    set_up_logs(log_level, log_format)
    if not online:
        stay_offline()
    secret = server_token()
    users, trusted = Users(Workspace.at(workspace)), trusted_header()
    check_address(host, secret, users=users.exist())
    provider = None
    if (settings := openid()) is not None:
        require("signing in at an OpenID Connect provider", *EXTRAS["oidc"])
        if not users.exist():
            raise InputError(
                "PANELIST_OIDC_ISSUER is set, but there is no user who could sign in: 'panelist users add'"
            )
        from panelist.app.web.oidc import Provider

        provider = Provider(settings)
    allow_descriptors()
    listener = _listen(host, port)
    service = FinderService(Workspace.at(workspace), load=encoding.loader())
    if not service.start(wait=True):
        note("there is no index yet: it is served as soon as 'panelist index build' has made one")
    number = listener.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    note(f"Panelist is at http://{name}:{number} (workspace {service.workspace.path}); Ctrl-C stops it")
    config = uvicorn.Config(
        create_app(service, secret, online=online, users=users, trusted=trusted, provider=provider, workers=workers),
        http=GuardedProtocol,
        ws="none",
        backlog=BACKLOG,
        log_config=None,  # ours
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=trusted is None,  # else the address would be what a header says, not the proxy's own
        timeout_graceful_shutdown=8,  # seconds; Docker kills what takes more than ten
    )
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens, so that a port that is taken is a clear line."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)  # so that a reader of our line can connect immediately
    except OSError as error:
        listener.close()
        raise InputError(
            f"cannot serve on {host}, port {port}: {error.strerror}; choose another with --port"
        ) from error
    return listener


def add(
    name: Name,
    role: Role = option("What they may do.", default=Role.READER),
    conference: str = option("Where the role holds: the id of a conference [default: everywhere].", default=WORKSPACE),
    person: list[str] | None = option("Id of the person in the corpus, a committee or ORCID; may be repeated."),
    elsewhere: bool = option("They have no password: a provider or a proxy signs them in."),
    workspace: WorkspaceOption = None,
) -> None:
    """Add a user, or a role and ids to one who is there. The password is asked for, or read from standard input.

    Whoever has a conflict of interest with a paper sees nothing of it but its title: so say who the user is.

    Examples:
        panelist users add ada --role administrator
        panelist users add ada@example.org --role editor --elsewhere
        panelist users add grace --role chair --conference Xk3P0aQ2b1Zr --person 0000-0002-1825-0097
    """
    if _users(workspace).add(name, None if elsewhere else _password, role, scope=conference, people=person or ()):
        note(f"added: {name}, {role.value}")
    else:
        note(f"{name} is {role.value}, too")


def list_(workspace: WorkspaceOption = None) -> Answer:
    """List the users with their roles.

    Examples:
        panelist users list
        panelist users list --json
    """
    from msgspec import to_builtins

    users = _users(workspace).list()
    lines = []
    for user in users:
        roles = [
            role + (f" of {conference}" if conference else "")
            for conference, granted in user.roles.items()
            for role in sorted(granted)
            if role is not Role.EDITOR or conference == WORKSPACE  # not every kept submission
        ]
        state = "disabled" if user.disabled else ", ".join(roles)
        lines.append(f"{user.name}  {state}  {' '.join(user.people)}".rstrip())
    fields = ("name", "people", "roles", "disabled")  # all of each: records leave out what is empty
    records = [{field: to_builtins(getattr(user, field), order="deterministic") for field in fields} for user in users]
    return Answer(records, lines or ["no users: the pages are open to whoever reaches them ('panelist users add')"])


def disable(name: Name, undo: bool = option("Let them sign in again."), workspace: WorkspaceOption = None) -> None:
    """End a user's sessions and tokens for good; what they did stays in the history under their name.

    Examples:
        panelist users disable grace
    """
    _users(workspace).disable(name, undo=undo)


def password(name: Name, workspace: WorkspaceOption = None) -> None:
    """Give a user another password; their sessions and tokens end.

    Examples:
        panelist users password grace
    """
    _users(workspace).set_password(name, _password)


def token(
    name: Name,
    label: str = option("What it is for.", default=""),
    scope: Literal["read", "write"] = option("What it allows.", default="read"),
    days: int = option("Until it ends.", default=90, min=1, max=3650),
    workspace: WorkspaceOption = None,
) -> None:
    """Make a token for a user's programs. It is printed once; only its digest is kept.

    Examples:
        panelist users token grace --label backup --scope read --days 30
    """
    typer.echo(_users(workspace).make_token(name, label, writes=scope == "write", days=days))


def _users(workspace: Path | None) -> Users:
    from panelist.app.access.users import Users

    return Users(Workspace.at(workspace))


def _password() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\n")


_ABOUT = "Add users, after which everybody signs in; list and disable them; make tokens for programs."
app = group(_ABOUT, add, list_, disable, password, token)
