"""`panelist serve`: the pages and the JSON API."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from panelist.app.cli.options import DeviceOption, PrecisionOption, WorkspaceOption
from panelist.config import openid, stay_offline, token, trusted_header
from panelist.errors import InputError
from panelist.extras import EXTRAS, require
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.app.access.users import Users
    from panelist.app.web.oidc import Provider


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="Port; 0 takes a free one.")] = 8000,
    workspace: WorkspaceOption = None,
    online: Annotated[
        bool,
        typer.Option(
            "--online",
            help="Let the server download a model that is missing, and ask OpenAlex or Semantic Scholar for a "
            "record whenever an editor says so.",
        ),
    ] = False,
    device: DeviceOption = "cpu",
    precision: PrecisionOption = "float32",
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option("--log-level", help="What is logged to stderr; info has a line for every request."),
    ] = "warning",
    log_format: Annotated[
        Literal["text", "json"], typer.Option("--log-format", help="Lines of text, or JSON.")
    ] = "text",
) -> None:
    """Serve the pages and the JSON API over the workspace's index.

    A new index is served as soon as its build is finished, the first one too. On an address that others can reach,
    there must be users ('panelist users add'), or the environment variable PANELIST_TOKEN, or the file that
    PANELIST_TOKEN_FILE names, must hold a secret; the pages ask for it. Ctrl-C stops.

    **Examples**

        panelist serve

        panelist serve --workspace panelist.demo --port 8080

        PANELIST_TOKEN_FILE=token.txt panelist serve --host 0.0.0.0 --log-level info --log-format json
    """
    import uvicorn

    from indexing.encoders.cache import EncoderLoader
    from panelist.app.access.users import Users
    from panelist.app.web.app import create_app
    from panelist.app.web.connections import BACKLOG, GuardedProtocol, allow_descriptors
    from panelist.app.web.observing import set_up_logs
    from panelist.app.web.security import check_address
    from panelist.app.web.service import FinderService

    set_up_logs(log_level, log_format)
    if not online:
        stay_offline()
    secret = token()
    users, trusted = Users(Workspace.at(workspace)), trusted_header()
    check_address(host, secret, users=users.exist())
    provider = _provider(users)
    allow_descriptors()
    listener = _listen(host, port)
    service = FinderService(Workspace.at(workspace), load=EncoderLoader(device, precision))
    if not service.start(wait=True):
        typer.echo("there is no index yet: it is served as soon as 'panelist index build' has made one", err=True)
    number = listener.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    typer.echo(f"Panelist is at http://{name}:{number} (workspace {service.workspace.path}); Ctrl-C stops it", err=True)
    config = uvicorn.Config(
        create_app(service, secret, online=online, users=users, trusted=trusted, provider=provider),
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


def _provider(users: Users) -> Provider | None:
    """The OpenID Connect provider that the environment names, if any."""
    if (settings := openid()) is None:
        return None
    require("signing in at an OpenID Connect provider", *EXTRAS["oidc"])
    if not users.exist():
        raise InputError("PANELIST_OIDC_ISSUER is set, but there is no user who could sign in: 'panelist users add'")
    from panelist.app.web.oidc import Provider

    return Provider(settings)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is one clear line."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
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
