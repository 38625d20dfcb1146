"""Who asks, and what they may do: proven before a request is read, and compared with what its route declares."""

from urllib.parse import urlsplit

from fastapi import Request
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from panelist.app.access.roles import SAFE, Permission, Viewer, permission_of
from panelist.app.access.users import Users
from panelist.app.web.problems import ProblemError, problem
from panelist.app.web.security import OPEN, Attempts, address_of, bearer

COOKIE = "panelist-session"
SESSION = "/api/v1/session"
_CHALLENGE = {"www-authenticate": 'Session realm="panelist"'}


class SignedIn:
    """Finds out who asks, as soon as there are users: by a session, a personal token, or a trusted proxy.

    Without users nothing happens here. `scope["viewer"]` is None for who has not signed in.
    """

    def __init__(self, app: ASGIApp, users: Users, trusted: tuple[str, str] | None = None) -> None:
        self.app, self._users, self._trusted = app, users, trusted
        self._attempts = Attempts("personal token")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or not self._users.exist():
            await self.app(scope, receive, send)
            return
        headers, token = Headers(scope=scope), bearer(scope)
        scope["viewer"] = None
        if scope["path"].startswith("/api/") and scope["path"] not in OPEN:
            if token is not None:
                scope["viewer"] = self._users.by_secret(token.decode("latin-1"), session=False)
                if scope["viewer"] is None:
                    await self._attempts.refuse(address_of(scope))
            else:
                if scope["method"] not in SAFE and not _same_origin(headers):
                    detail = "this change was not asked for by a page of this server: programs need a personal token"
                    await problem(403, detail)(scope, receive, send)
                    return
                scope["viewer"] = self._by_proxy(scope, headers)
                if scope["viewer"] is None and (secret := session_of(headers)):
                    scope["viewer"] = self._users.by_secret(secret, session=True)
            if scope["viewer"] is None and not f"{scope['path']}/".startswith(f"{SESSION}/"):
                detail = "sign in first, or give a personal token as 'Authorization: Bearer …'"
                await problem(401, detail, headers=_CHALLENGE)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _by_proxy(self, scope: Scope, headers: Headers) -> Viewer | None:
        if self._trusted is None or address_of(scope) != self._trusted[1]:
            return None
        return self._users.by_name(headers.get(self._trusted[0], ""))


def session_of(headers: Headers) -> str:
    """The secret of the session that a request belongs to; empty where there is none."""
    return cookie_parser(headers.get("cookie", "")).get(COOKIE, "")


def _same_origin(headers: Headers) -> bool:
    """Whether a browser says that a page of this server asks; older ones say the origin only."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin", "")
    return site == "same-origin" if site is not None else urlsplit(origin).netloc == headers.get("host", "-")


async def enforce(request: Request) -> None:
    """Refuse who may not do what the route declares; the one place where that is decided.

    Raises:
        ProblemError: they may not do it.
    """
    if "viewer" not in request.scope:  # no users: this machine, or the shared token
        return
    permission, viewer = permission_of(request.scope["route"], request.method), request.scope["viewer"]
    if permission is Permission.OPEN:
        return
    if permission is None or not viewer.may(permission, request.path_params.get("conference")):
        what = permission.value if permission else "do this"
        raise ProblemError(403, f"'{viewer.name}' may not {what} here: ask an administrator for a role that may")
