"""`panelist serve`: the pages and the JSON API."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from panelist.app.cli.options import WorkspaceOption


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
) -> None:
    """Serve the pages and the JSON API over the workspace's index.

    A new index is served as soon as its build is finished. On an address that others can reach, the
    environment variable PANELIST_TOKEN must hold a secret; the pages ask for it. Ctrl-C stops.

    **Examples**

        panelist serve

        panelist serve --workspace panelist.demo --port 8080

        PANELIST_TOKEN=$(cat token.txt) panelist serve --host 0.0.0.0
    """
    import uvicorn

    from panelist.app.web.app import create_app
    from panelist.app.web.connections import BACKLOG, GuardedProtocol, allow_descriptors
    from panelist.app.web.security import check_address
    from panelist.app.web.service import FinderService
    from panelist.config import stay_offline, token
    from panelist.workspace import Workspace

    if not online:
        stay_offline()
    secret = token()
    check_address(host, secret)
    allow_descriptors()
    listener = _listen(host, port)
    service = FinderService(Workspace.at(workspace))
    service.start()
    number = listener.getsockname()[1]
    name = f"[{host}]" if ":" in host else host
    typer.echo(f"Panelist is at http://{name}:{number} (workspace {service.workspace.path}); Ctrl-C stops it", err=True)
    config = uvicorn.Config(
        create_app(service, secret, online=online),
        http=GuardedProtocol,
        ws="none",
        backlog=BACKLOG,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=8,  # seconds; Docker kills what takes more than ten
    )
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is one clear line."""
    from panelist.errors import InputError

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
