"""Errors as `application/problem+json` (RFC 9457): what was wrong, with the name of each field that is."""

import errno
import logging
import re
import sqlite3
import tomllib
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from panelist.app.desk.conference.findings import RefusedError
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.app.web.pages import MISSING, SIGN_IN, render
from panelist.errors import InputError, PanelistError
from panelist.words import counted, printable, without_directories

logger = logging.getLogger(__name__)

_MEDIA_TYPE = "application/problem+json"
OUR_FAULT = "something went wrong on our side; the server's log has the details"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SIGNING_IN = "/api/v1/session/"  # where a provider sends browsers: what is wrong stands on the page
_MOST = 100  # fields that are listed
_LONGEST = 1_000  # characters of a message: what was received may be megabytes

_WORDS = tomllib.loads((Path(__file__).parent / "problems.toml").read_text(encoding="utf-8"))


class FieldProblem(BaseModel):
    """What is wrong with one field of the request."""

    field: str = Field(description="Where it is, such as `options.size`; empty for the request as a whole.")
    message: str


class ProblemDetails(BaseModel):
    """Why a request was not answered."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldProblem] = []


class ProblemError(HTTPException):
    """A request that cannot be answered."""


def problem(
    status: int, detail: str, errors: Sequence[tuple[str, str]] = (), headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """The response for a problem; errors are fields with messages."""
    fields = [FieldProblem(field=_cut(field), message=_cut(message)) for field, message in errors]
    body = ProblemDetails(title=HTTPStatus(status).phrase, status=status, detail=_cut(detail), errors=fields)
    return JSONResponse(body.model_dump(), status, headers, media_type=_MEDIA_TYPE)


def _cut(text: str) -> str:
    """One line of a bearable length, whatever was received."""
    text = " ".join(printable(text).splitlines())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problems that a route may answer with, for its description; invalid input and a missing token always."""
    schema = {"$ref": "#/components/schemas/ProblemDetails"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {_MEDIA_TYPE: {"schema": schema}}}
        for status in (400, 401, 403, 413, 415, 422, *statuses)
    }


async def _invalid(request: Request, invalid: RequestValidationError) -> JSONResponse:
    errors = invalid.errors()
    if isinstance(errors[0].get("input"), bytes):  # FastAPI leaves what is not sent as JSON as it is
        kind = request.headers.get("content-type") or "no content type"
        return problem(415, f"send the request as application/json, received '{kind}'")
    fields = [(_field(error["loc"]), _in_words(error)) for error in errors[:_MOST]]
    suffix = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
    return problem(422, ": ".join(filter(None, fields[0])) + suffix, fields)


def _field(location: Sequence[Any]) -> str:
    """`("body", "submission", "authors", 0, "id")` as `submission.authors[0].id`."""
    if location and location[0] in ("body", "query", "path", "header"):
        location = location[1:]
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).removeprefix(".")


def _in_words(error: Mapping[str, Any]) -> str:
    """What one error of a check says to somebody who does not know the library that made it."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return f"not JSON: {context.get('error', error['msg'])}"
    if kind == "value_error":  # our own checks speak for themselves
        message = str(error["msg"]).removeprefix("Value error, ")
        return message[:1].lower() + message[1:]
    if kind == "string_pattern_mismatch":
        words = _WORDS["patterns"].get(context["pattern"])
    else:
        words = _WORDS["words"].get(re.sub("_(parsing|type|inexact|from_float)$", "", kind))
    entries = counted(context.get("min_length", context.get("max_length", 0)), "entry", "entries")
    return str(words or "is not written as expected").format(**context, entries=entries)


async def _http(request: Request, error: HTTPException) -> Response:
    """What Starlette refuses, in our words; browsers get a page where there is none."""
    status, path = error.status_code, request.url.path
    for_programs = path.startswith(("/api/", "/static/"))
    if status == 404 and "text/html" in request.headers.get("accept", "") and not for_programs:
        return HTMLResponse(render(MISSING), 404)
    details = {404: f"there is nothing at '{path}'", 405: f"'{path}' does not take {request.method}"}
    return problem(status, details.get(status, error.detail), headers=error.headers)


async def _refused(request: Request, error: ProblemError) -> Response:
    if request.url.path.startswith(_SIGNING_IN) and "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(render(SIGN_IN, {"refused": error.detail}), error.status_code)
    return problem(error.status_code, error.detail, headers=error.headers)


async def _failed(request: Request, error: PanelistError | OSError) -> JSONResponse:
    """What the user gave is their problem; a full disk, or an index or a model that cannot be used, is the server's."""
    message = without_directories(str(error))
    if isinstance(error, NotFoundError):
        return problem(404, message)
    if isinstance(error, RevisionConflictError):
        return problem(409, message)
    full = is_full(error)
    if not full and isinstance(error, InputError | FileNotFoundError) and (gone := _forgotten(request)):
        return problem(404, gone)
    if not full and isinstance(error, InputError):
        findings = error.findings if isinstance(error, RefusedError) else ()
        return problem(422, message, [(finding.position, finding.text) for finding in findings] or [("", message)])
    bug = not full and isinstance(error, OSError)
    logger.error("%s %s: %s", request.method, printable(request.url.path), error, exc_info=error if bug else None)
    if full:
        return problem(507, "the server's disk is full; nothing was changed: free some space first")
    return problem(500, OUR_FAULT) if bug else problem(503, message, headers={"Retry-After": "10"})


def is_full(error: BaseException | None) -> bool:
    """Whether this, or what it was raised from, is the system's or SQLite's word for a disk that is full."""
    causes: list[BaseException] = []
    while error is not None and error not in causes:  # some libraries raise an error from itself
        causes.append(error)
        if isinstance(error, sqlite3.Error):
            return getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__
    return False


def _forgotten(request: Request) -> str:
    """That the conference of this request is not there any more, if so: its files may go while they are read."""
    conference = request.path_params.get("conference")
    try:
        if conference is not None:
            request.app.state.panelist.conferences.get(conference)
    except NotFoundError as gone:
        return str(gone)
    return ""


async def _bug(request: Request, error: Exception) -> JSONResponse:
    return problem(500, OUR_FAULT)


HANDLERS: dict[Any, Any] = {
    RequestValidationError: _invalid,
    HTTPException: _http,
    ProblemError: _refused,
    PanelistError: _failed,
    OSError: _failed,
    Exception: _bug,
}
"""Every error of the application is answered as a problem."""
