"""Who may ask, how much they may send, and what browsers are told: small layers around the application."""

import asyncio
import hmac
import ipaddress
import logging
import socket
from collections import OrderedDict
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from panelist.app.web.problems import ProblemError, problem
from panelist.errors import InputError

logger = logging.getLogger(__name__)

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
_SHORTEST_TOKEN = 16
_LONGEST_WAIT = 5.0  # seconds
_ADDRESSES = 1_000  # whose wrong tokens are counted
OPEN = ("/api/v1/health", "/api/v1/ready")
"""What may be asked without a token: whether the server lives, and whether it can answer."""


def check_address(host: str, token: str | None, *, users: bool = False) -> None:
    """Refuse to serve on an address that others can reach without token and users, and a token that can be guessed."""
    if token is not None and len(token) < _SHORTEST_TOKEN:
        raise InputError(
            f"PANELIST_TOKEN has {len(token)} characters, which can be guessed: give at least {_SHORTEST_TOKEN}, "
            "such as python -c 'import secrets; print(secrets.token_urlsafe())' prints"
        )
    if token is None and not users and not is_loopback(host):
        raise InputError(
            f"'{host}' can be reached by others: set PANELIST_TOKEN to a secret that they have to give, add users "
            "('panelist users add'), or serve on 127.0.0.1"
        )


def is_loopback(host: str) -> bool:
    """Whether an address or name means this machine only."""
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
                    headers.setdefault(name, value)
                # Answers are for whoever asked; pages are asked for again, and not sent again where unchanged.
                headers["Cache-Control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
            await send(message)

        await self.app(scope, receive, sending if scope["type"] == "http" else send)


class Attempts:
    """Counts and logs wrong secrets by where they came from, and says how long the next answer has to wait."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._wrong: OrderedDict[str, int] = OrderedDict()

    async def refuse(self, *origins: str) -> None:
        """Count a wrong secret at each of its origins, and wait before it is refused."""
        await asyncio.sleep(max(map(self._count, origins)))

    def _count(self, origin: str) -> float:
        times = self._wrong[origin] = self._wrong.pop(origin, 0) + 1
        if len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)
        if times in (1, 10, 100, 1_000) or times % 10_000 == 0:  # not one line per wrong one: that would fill the log
            logger.warning("wrong %s from %s, %d in all", self._what, origin, times)
        return min(_LONGEST_WAIT, 0.1 * times)

    def forget(self, origin: str) -> None:
        """Begin again: the right secret came."""
        self._wrong.pop(origin, None)


def address_of(scope: Scope) -> str:
    """Where a request came from."""
    return str(scope["client"][0]) if scope.get("client") else "an unknown address"


class Gate:
    """Lets in who has the token; where there is none, only who asks for this very machine.

    Without a token the server is on loopback, and a page elsewhere could reach it through a name of its own that it
    lets point there: so the name that was asked for must be this machine's. A wrong token is logged, and answered the
    later the more of them came from its address.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self.app = app
        self._token = None if token is None else token.encode()
        self._attempts = Attempts("token")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or "viewer" in scope:  # where there are users, they were asked for already
            await self.app(scope, receive, send)
        elif self._token is None:
            if _is_local_name(Headers(scope=scope).get("host", "")):
                await self.app(scope, receive, send)
            else:
                detail = "this server answers on localhost only: set PANELIST_TOKEN to serve it elsewhere"
                await problem(403, detail)(scope, receive, send)
        elif not scope["path"].startswith("/api/") or scope["path"] in OPEN:
            await self.app(scope, receive, send)
        else:
            given = bearer(scope)
            if given is not None and hmac.compare_digest(given, self._token):
                await self.app(scope, receive, send)
                return
            if given is not None:
                await self._attempts.refuse(address_of(scope))
            detail = "give the server's token as 'Authorization: Bearer …'"
            await problem(401, detail, headers={"www-authenticate": 'Bearer realm="panelist"'})(scope, receive, send)


def bearer(scope: Scope) -> bytes | None:
    """The token that was given, empty in another scheme, None without any; schemes are in any case (RFC 9110)."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.partition(b" ")
            return bytes(token) if scheme.lower() == b"bearer" else b""
    return None


class HeadAnswers:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, sending)


class BodyLimit:
    """Stops reading a body that is larger than its path allows."""

    def __init__(self, app: ASGIApp, limit: Callable[[str], int]) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit(scope["path"])
        detail = f"the request's body is larger than {limit:,} bytes, the most that '{scope['path']}' takes"

        async def refuse() -> None:
            await problem(413, detail, headers={"connection": "close"})(scope, receive, send)

        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdigit() and int(announced) > limit:
            await refuse()
            return
        read = 0

        async def receiving() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise ProblemError(413, detail)
            return message

        async def sending(message: Message) -> None:
            if read <= limit:  # else the application tells of a body that it could not read
                await send(message)

        await self.app(scope, receiving, sending)
        if read > limit:
            await refuse()


def _is_local_name(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
