"""Bodies of requests and answers: content types, descriptions, JSON that a thread reads, files to download."""

from functools import partial
from typing import Any, TypeVar

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from panelist.app.web.problems import ProblemError
from panelist.app.web.workers import Threads

Model = TypeVar("Model", bound=BaseModel)

TEXT = {"type": "string"}
BINARY = {"type": "string", "format": "binary"}


def schema_of(model: type[BaseModel]) -> dict[str, str]:
    """Where the API describes a model."""
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def described_body(schema: dict[str, str], *types: str, description: str = "") -> dict[str, Any]:
    """The body of a route in the words of OpenAPI: FastAPI does not see what a route reads itself."""
    content = {kind: {"schema": schema} for kind in types}
    return {"requestBody": {"required": True, "description": description, "content": content}}


def check_type(request: Request, what: str, *wanted: str) -> str:
    """The content type of a request, one of those wanted.

    Others are refused: a page elsewhere can make a browser send plain types only, without asking us first.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in wanted:
        raise ProblemError(415, f"send {what} as {' or '.join(wanted)}, received '{kind or 'no content type'}'")
    return kind


async def read_json(request: Request, what: str, model: type[Model], workers: Threads) -> Model:
    """A large request, checked in a thread: megabytes of it would keep the event loop from everybody else.

    Raises:
        ProblemError: it has another content type, or the workers are busy.
        RequestValidationError: it does not fit the model.
    """
    check_type(request, what, "application/json")
    return await workers.run(partial(_checked, model, await request.body()))


def _checked(model: type[Model], content: bytes) -> Model:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error


CSV = "text/csv; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json"
PLAIN = "text/plain; charset=utf-8"
XML = "application/xml"
ZIP = "application/zip"


def download(content: bytes | str, media_type: str, name: str) -> Response:
    """An answer that a browser keeps as a file of this name."""
    return Response(content, media_type=media_type, headers=as_file(name))


def as_file(name: str) -> dict[str, str]:
    """The header that makes a browser keep an answer as a file of this name."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def described_file(description: str, *types: str) -> dict[int | str, dict[str, Any]]:
    """A file as the answer of a route, in the words of OpenAPI."""
    return {200: {"description": description, "content": {kind: {"schema": {"type": "string"}} for kind in types}}}
