"""Who may ask, how much they may send, and what browsers are told: three small layers around the application."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Mapping
from http import HTTPStatus

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from panelist.app.web.problems import MEDIA_TYPE, Problem
from panelist.errors import InputError

# No inline script or style, nothing from elsewhere, no frames: what a paper's title says can never run.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OPEN = ("/api/v1/health",)
"""What may be asked without a token: whether the server lives."""


def check_address(host: str, token: str | None) -> None:
    """Refuse to serve on an address that others can reach without a token.

    Raises:
        InputError: there is no such address, or there is no token for it.
    """
    if token is None and not is_loopback(host):
        raise InputError(
            f"'{host}' can be reached by others: set PANELIST_TOKEN to a secret that they have to give, "
            "or serve on 127.0.0.1"
        )


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine only.

    Raises:
        InputError: there is no such address.
    """
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InputError(f"cannot serve on '{host}': there is no such address ({error.strerror})") from error
    return all(ipaddress.ip_address(str(address[4][0]).partition("%")[0]).is_loopback for address in found)


class SecurityHeaders:
    """Tells browsers to run and show nothing but what this server sends."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                # Answers are for whoever asked; pages are asked for again, and not sent again where unchanged.
                headers["Cache-Control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)


class Gate:
    """Lets in who has the token; where there is none, only who asks for this very machine.

    Without a token the server is on loopback, and a page elsewhere could reach it through a name of its own that it
    lets point there: so the name that was asked for must be this machine's.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self.app = app
        self._wanted = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and (refusal := self._refuse(scope)) is not None:
            status, detail, headers = refusal
            await _answer(send, status, detail, headers)
        else:
            await self.app(scope, receive, send)

    def _refuse(self, scope: Scope) -> tuple[int, str, Mapping[str, str]] | None:
        headers = Headers(scope=scope)
        if self._wanted is None:
            if not _is_local_name(headers.get("host", "")):
                return 403, "this server answers on localhost only: set PANELIST_TOKEN to serve it elsewhere", {}
        elif scope["path"].startswith("/api/") and scope["path"] not in _OPEN:
            given = headers.get("authorization", "").encode("latin-1")
            if not hmac.compare_digest(given, self._wanted):
                detail = "give the server's token as 'Authorization: Bearer …'"
                return 401, detail, {"www-authenticate": 'Bearer realm="panelist"'}
        return None


class BodyLimit:
    """Stops reading a body that is larger than its path allows."""

    def __init__(self, app: ASGIApp, limits: Mapping[str, int], other: int) -> None:
        self.app, self.limits, self.other = app, limits, other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limits.get(scope["path"], self.other)
        detail = f"the request's body is larger than {limit:,} bytes, the most that '{scope['path']}' takes"
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > limit:
            await _answer(send, 413, detail, {"connection": "close"})
            return
        read = 0

        async def receiving() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise ValueError(detail)
            return message

        async def sending(message: Message) -> None:
            if read <= limit:  # else the application tells of a body that it could not read
                await send(message)

        await self.app(scope, receiving, sending)
        if read > limit:
            await _answer(send, 413, detail, {"connection": "close"})


def _is_local_name(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


async def _answer(send: Send, status: int, detail: str, headers: Mapping[str, str]) -> None:
    body = orjson.dumps(Problem(title=HTTPStatus(status).phrase, status=status, detail=detail).model_dump())
    raw = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    raw += [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
