"""Errors as `application/problem+json` (RFC 9457): what was wrong, with the name of each field that is."""

import errno
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
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

# What is wrong with a field, in the words of whoever filled it in, instead of those of the checking library.
_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is missing",
    "extra_forbidden": lambda _: "is not known here: look for a misspelling",
    "string_too_short": lambda of: "is empty" if of["min_length"] == 1 else f"needs {of['min_length']:,} characters",
    "string_too_long": lambda of: f"is too long: at most {of['max_length']:,} characters fit",
    "too_short": lambda of: f"needs at least {counted(of['min_length'], 'entry', 'entries')}",
    "too_long": lambda of: f"is too long: at most {counted(of['max_length'], 'entry', 'entries')} fit",
    "greater_than_equal": lambda of: f"give {of['ge']:,} or more",
    "greater_than": lambda of: f"give more than {of['gt']:,}",
    "less_than_equal": lambda of: f"give {of['le']:,} or less",
    "less_than": lambda of: f"give less than {of['lt']:,}",
    "finite_number": lambda _: "give a number that is not infinite",
    "literal_error": lambda of: f"use one of {of['expected']}",
    "enum": lambda of: f"use one of {of['expected']}",
}
_KINDS = {
    "int": "give a whole number",
    "float": "give a number",
    "bool": "say true or false",
    "string": "give text",
    "list": "give a list",
    "tuple": "give a list",
    "dict": "give an object with fields",
    "model_attributes": "give an object with fields",
    "date": "give a day as 2026-11-17",
    "date_from_datetime": "give a day as 2026-11-17",
}
_PATTERNS = {
    r"^\S+$": "must have no blanks in it",
    r"^[A-Za-z]{2}$": "use codes of two letters for countries, such as DE or JP",
}


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
    listed = [FieldProblem(field=_cut(field), message=_cut(message)) for field, message in errors]
    body = ProblemDetails(title=HTTPStatus(status).phrase, status=status, detail=_cut(detail), errors=listed)
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


async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
    wrong = error.errors()
    if isinstance(wrong[0].get("input"), bytes):  # FastAPI leaves what is not sent as JSON as it is
        kind = request.headers.get("content-type") or "no content type"
        return problem(415, f"send the request as application/json, received '{kind}'")
    errors = [(_field(part["loc"]), _in_words(part)) for part in wrong[:_MOST]]
    more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
    return problem(422, ": ".join(filter(None, errors[0])) + more, errors)


def _field(location: Sequence[Any]) -> str:
    """`("body", "submission", "authors", 0, "id")` as `submission.authors[0].id`."""
    if location and location[0] in ("body", "query", "path", "header"):
        location = location[1:]
    name = ""
    for part in location:
        name += f"[{part}]" if isinstance(part, int) else f"{'.' if name else ''}{part}"
    return name


def _in_words(error: Mapping[str, Any]) -> str:
    """What one error of a check says to somebody who does not know the library that made it."""
    kind, context = error["type"], error.get("ctx", {})
    if kind == "json_invalid":
        return f"not JSON: {context.get('error', error['msg'])}"
    if kind in _WORDS:
        return _WORDS[kind](context)
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], "is not written as expected")
    what = kind.removesuffix("_parsing").removesuffix("_type").removesuffix("_inexact").removesuffix("_from_float")
    if what in _KINDS:
        return _KINDS[what]
    if kind != "value_error":  # our own checks speak for themselves
        return "is not written as expected"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


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
    full = _is_full(error) or _is_full(error.__cause__)
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


def _is_full(error: BaseException | None) -> bool:
    """Whether this is the system's or SQLite's word for a disk that is full."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)
    return isinstance(error, OSError) and error.errno in _FULL


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
