"""`/session`: sign in, sign out, and who is signed in."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi import Request as HttpRequest
from pydantic import BaseModel, StringConstraints

from panelist.app.access.enforcing import COOKIE, session_of
from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.access.users import ABSOLUTE, LONGEST_NAME, LONGEST_PASSWORD
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.routes.state import StateOf
from panelist.app.web.security import address_of

router = APIRouter(tags=["session"], responses=documented(503), dependencies=[needs(Permission.OPEN)])


class SignInBody(Request):
    """Name and password of a user."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
    password: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PASSWORD)]


class SessionOut(BaseModel):
    """Who is signed in: empty where nobody is, or where there are no users."""

    name: str


@router.get("/session", summary="Who is signed in")
async def session(request: HttpRequest) -> SessionOut:
    """Needs no token."""
    viewer = request.scope.get("viewer")
    return SessionOut(name=viewer.name if viewer else "")


@router.post("/session", summary="Sign in", status_code=204)
async def sign_in(wanted: SignInBody, request: HttpRequest, state: StateOf) -> Response:
    """A cookie is the session. A wrong name and a wrong password are answered alike, the later the more there were."""
    secret = None
    if state.users.exist():
        secret = await state.sign_ins.run(lambda: state.users.sign_in(wanted.name, wanted.password))
    # Not the name itself: some people type their password there, and logs are no place for it.
    origins = address_of(request.scope), f"name {sha256(wanted.name.encode()).hexdigest()[:12]}"
    if secret is None:
        await state.wrong_passwords.refuse(*origins)
        raise ProblemError(401, "name and password do not belong together, or the user is disabled")
    for origin in origins:
        state.wrong_passwords.forget(origin)
    answer = Response(status_code=204)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, secret, max_age=int(ABSOLUTE), httponly=True, samesite="strict", secure=secure)
    return answer


@router.delete("/session", summary="Sign out", status_code=204)
def sign_out(request: HttpRequest, state: StateOf) -> Response:
    """The session ends, wherever its cookie has been copied to."""
    if state.users.exist():
        state.users.sign_out(session_of(request.headers))
    answer = Response(status_code=204)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
