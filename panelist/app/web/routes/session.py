"""`/session`: sign in, here or at a provider; sign out; and who is signed in."""

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi import Request as HttpRequest
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, StringConstraints

from panelist.app.access.roles import Permission, needs
from panelist.app.access.users import ABSOLUTE, LONGEST_NAME, LONGEST_PASSWORD
from panelist.app.web.oidc import Provider
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.app.web.security import COOKIE, address_of, session_of

router = APIRouter(tags=["session"], responses=documented(404, 503), dependencies=[needs(Permission.OPEN)])

_PAGE = r"^/([A-Za-z0-9][^\s\\]*)?$"  # of this server: //elsewhere is an address of its own
Next = Annotated[str, Query(max_length=2_000, pattern=_PAGE, alias="next", description="Where to go then.")]


class SignInBody(Request):
    """Name and password of a user."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
    password: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PASSWORD)]


class SessionOut(BaseModel):
    """Who is signed in, empty where nobody is or there are no users; the provider where one may sign in, if any."""

    name: str
    provider: str


@router.get("/session", summary="Who is signed in")
async def session_state(state: StateOf) -> SessionOut:
    """Needs neither a token nor a session."""
    viewer, provider = state.viewer, state.provider
    return SessionOut(name=viewer.name if viewer else "", provider=provider.settings.issuer if provider else "")


@router.post("/session", summary="Sign in", status_code=204)
async def sign_in(credentials: SignInBody, request: HttpRequest, state: StateOf) -> Response:
    """A cookie is the session. A wrong name and a wrong password are answered alike, the later the more there were."""
    secret = None
    if state.users.exist():
        secret = await state.sign_ins.run(lambda: state.users.sign_in(credentials.name, credentials.password))
    # Not the name itself: some people type their password there, and it does not belong into logs.
    origins = address_of(request.scope), f"name {sha256(credentials.name.encode()).hexdigest()[:12]}"
    if secret is None:
        await state.wrong_passwords.refuse(*origins)
        raise ProblemError(401, "name and password do not belong together, or the user is disabled")
    for origin in origins:
        state.wrong_passwords.forget(origin)
    return _with_session(Response(status_code=204), secret, request)


@router.get("/session/provider", summary="Sign in at the provider", response_class=RedirectResponse, status_code=302)
async def sign_in_elsewhere(request: HttpRequest, state: StateOf, page: Next = "/") -> Response:
    """For browsers: sends them to the OpenID Connect provider, which sends them back to `/session/callback`."""
    provider = _provider(state)
    request.session["next"] = page
    return await provider.begin(request)


@router.get("/session/callback", summary="Back from the provider", response_class=RedirectResponse, status_code=303)
async def signed_in_elsewhere(request: HttpRequest, state: StateOf) -> Response:
    """For browsers: what the provider says is verified, and must name a user."""
    name = await _provider(state).finish(request)
    secret = state.users.begin_session(name)
    if secret is None:
        raise ProblemError(403, f"'{name}' is not a user here, or is disabled: ask an administrator")
    return _with_session(RedirectResponse(request.session.pop("next", "/"), 303), secret, request)


@router.delete("/session", summary="Sign out", status_code=204)
def sign_out(request: HttpRequest, state: StateOf) -> Response:
    """The session ends, wherever its cookie has been copied to."""
    if state.users.exist():
        state.users.sign_out(session_of(request.headers))
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _with_session(answer: Response, secret: str, request: HttpRequest) -> Response:
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=int(ABSOLUTE), httponly=True, samesite="strict", secure=secure)
    return answer


def _provider(state: ServerState) -> Provider:
    if state.provider is None:
        raise ProblemError(404, "this server knows no provider: sign in with name and password")
    return state.provider
