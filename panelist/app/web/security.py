"""Who may ask, how much they may send, and what browsers are told: small layers around the application."""

import asyncio
import hmac
import ipaddress
import logging
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from panelist.app import limits
from panelist.app.access.roles import SAFE, Permission, permission_of
from panelist.app.access.users import Users
from panelist.app.web.problems import ProblemError, problem
from panelist.errors import InputError

logger = logging.getLogger(__name__)

# No inline script or style, nothing from elsewhere, no frames: what a paper's title says can never run.
POLICY = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY.format(scripts="", styles=""),
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
COOKIE = "panelist-session"
SESSION = "/api/v1/session"


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
        addresses = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InputError(f"cannot serve on '{host}': there is no such address ({error.strerror})") from error
    return all(ipaddress.ip_address(str(address[4][0]).partition("%")[0]).is_loopback for address in addresses)


def http_layer(answer: Callable[..., Awaitable[None]]) -> Callable[..., ASGIApp]:
    """A layer around an application, from a function of the application, scope, receive, send and settings (ASGI)."""

    def wrap(app: ASGIApp, **settings: Any) -> ASGIApp:
        async def layer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await answer(app, scope, receive, send, **settings)
            else:
                await app(scope, receive, send)

        return layer

    return wrap


@http_layer
async def security_headers(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Tell browsers to run and show nothing but what this server sends."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            # Answers are for whoever asked; pages and scripts are asked for again each time.
            headers["Cache-Control"] = "no-store" if scope["path"].startswith("/api/") else "no-cache"
        await send(message)

    await app(scope, receive, sending)


@http_layer
async def head_as_get(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer HEAD as GET; the server leaves out the body."""
    await app({**scope, "method": "GET"} if scope["method"] == "HEAD" else scope, receive, send)


@http_layer
async def limit_body(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Stop reading a body that is larger than its path allows."""
    limit, read = limits.body_limit(scope["path"]), 0
    detail = f"the request's body is larger than {limit:,} bytes, the most that '{scope['path']}' takes"
    closing = {"connection": "close"}

    async def receiving() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise ProblemError(413, detail, closing)
        return message

    announced = Headers(scope=scope).get("content-length", "")
    too_large = announced.isdigit() and int(announced) > limit
    await (problem(413, detail, headers=closing) if too_large else app)(scope, receiving, send)


class Attempts:
    """Counts and logs wrong secrets by where they came from, and says how long the next answer has to wait."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._wrong: OrderedDict[str, int] = OrderedDict()

    async def refuse(self, *origins: str) -> None:
        """Count a wrong secret at each of its origins, and wait before it is refused."""
        await asyncio.sleep(max(map(self._count, origins)))

    def _count(self, origin: str) -> float:
        times = self._wrong[origin] = self._wrong.pop(origin, 0) + 1
        if len(self._wrong) > _ADDRESSES:
            self._wrong.popitem(last=False)
        if times in (1, 10, 100, 1_000) or times % 10_000 == 0:  # not one line per wrong one: that would fill the log
            logger.warning("wrong %s from %s, %d in all", self._secret, origin, times)
        return min(_LONGEST_WAIT, 0.1 * times)

    def forget(self, origin: str) -> None:
        """Begin again: the right secret came."""
        self._wrong.pop(origin, None)


def address_of(scope: Scope) -> str:
    """Where a request came from."""
    return str(scope["client"][0]) if scope.get("client") else "an unknown address"


@http_layer
async def gate(
    app: ASGIApp, scope: Scope, receive: Receive, send: Send, *, token: bytes | None, attempts: Attempts
) -> None:
    """Let in requests with the token; where there is no token, requests to a name of this machine.

    Without a token the server listens on loopback. A page elsewhere could let a name of its own point there: so the
    name in the request must be this machine's. A wrong token is logged; the more come from an address, the longer
    each waits for its answer.
    """
    refusal = None
    if "viewer" in scope:  # there are users, and `sign_in` has looked for theirs
        pass
    elif token is None:
        if not _is_local_name(Headers(scope=scope).get("host", "")):
            refusal = problem(403, "this server answers on localhost only: set PANELIST_TOKEN to serve it elsewhere")
    elif scope["path"].startswith("/api/") and scope["path"] not in OPEN:
        secret = bearer(scope)
        if secret is None or not hmac.compare_digest(secret, token):
            if secret is not None:
                await attempts.refuse(address_of(scope))
            challenge = {"www-authenticate": 'Bearer realm="panelist"'}
            refusal = problem(401, "give the server's token as 'Authorization: Bearer …'", headers=challenge)
    await (refusal or app)(scope, receive, send)


@http_layer
async def sign_in(
    app: ASGIApp,
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    users: Users,
    trusted: tuple[str, str] | None,
    attempts: Attempts,
) -> None:
    """Identify the user by a session, a personal token, or a trusted proxy, where there are users.

    Without users nothing happens here. `scope["viewer"]` is None where nobody has signed in.
    """
    refusal = None
    if users.exist():
        scope["viewer"] = None
        if scope["path"].startswith("/api/") and scope["path"] not in OPEN:
            headers, token = Headers(scope=scope), bearer(scope)
            if token is not None:
                scope["viewer"] = users.by_secret(token.decode("latin-1"), session=False)
                if scope["viewer"] is None:
                    await attempts.refuse(address_of(scope))
            elif scope["method"] in SAFE or _same_origin(headers):
                if trusted is not None and address_of(scope) == trusted[1]:
                    scope["viewer"] = users.by_name(headers.get(trusted[0], ""))
                if scope["viewer"] is None and (secret := session_of(headers)):
                    scope["viewer"] = users.by_secret(secret, session=True)
            else:
                detail = "this change was not asked for by a page of this server: programs need a personal token"
                refusal = problem(403, detail)
            if refusal is None and scope["viewer"] is None and not f"{scope['path']}/".startswith(f"{SESSION}/"):
                detail = "sign in first, or give a personal token as 'Authorization: Bearer …'"
                refusal = problem(401, detail, headers={"www-authenticate": 'Session realm="panelist"'})
    await (refusal or app)(scope, receive, send)


async def enforce(request: Request) -> None:
    """Refuse users without the permission that the route declares: nothing else decides that."""
    if "viewer" not in request.scope:  # no users: this machine, or the shared token
        return
    permission, viewer = permission_of(request.scope["route"], request.method), request.scope["viewer"]
    if permission is Permission.OPEN:
        return
    if permission is None or not viewer.may(permission, request.path_params.get("conference")):
        action = permission.value if permission else "do this"
        raise ProblemError(403, f"'{viewer.name}' may not {action} here: ask an administrator for a role that may")


def bearer(scope: Scope) -> bytes | None:
    """The token of a request, empty in another scheme, None without any; schemes are in any case (RFC 9110)."""
    scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    return None if not scheme else token.encode("latin-1") if scheme.lower() == "bearer" else b""


def session_of(headers: Headers) -> str:
    """The secret of the session that a request belongs to; empty where there is none."""
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _same_origin(headers: Headers) -> bool:
    """Whether a browser says that a page of this server asks; older ones say the origin only."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin", "")
    return site == "same-origin" if site is not None else urlsplit(origin).netloc == headers.get("host", "-")


def _is_local_name(host: str) -> bool:
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    name = name.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
