"""Bodies of requests and answers: content types, descriptions, JSON that a thread reads, files to download."""

from collections.abc import Mapping
from typing import Any, TypeVar

from fastapi import Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from panelist.app.web.problems import ProblemError

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


def check_type(request: Request, noun: str, *types: str) -> str:
    """The content type of a request, one of these types.

    Others are refused: a page elsewhere can make a browser send plain types only, without asking us first.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in types:
        raise ProblemError(415, f"send {noun} as {' or '.join(types)}, received '{kind or 'no content type'}'")
    return kind


def read_request(model: type[Model], content: bytes) -> Model:
    """A large request, read by a route in a thread: megabytes of it would keep the event loop from everybody else."""
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error


JSON, ZIP = "application/json", "application/zip"
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ics": "text/calendar; charset=utf-8",
    "json": JSON,
    **dict.fromkeys(("run", "trec"), "text/plain; charset=utf-8"),
    "xml": "application/xml",
    "zip": ZIP,
}
"""The media types of files by the endings of their names."""


def download(content: bytes | str, name: str, media_type: str = "") -> Response:
    """An answer that a browser stores as a file of this name, by whose ending its media type is told."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type or MEDIA_TYPES[name.rpartition(".")[2]], headers=headers)


def described_file(
    description: str, *types: str, json: dict[str, str] | None = None
) -> dict[int | str, dict[str, Any]]:
    """A file as the answer of a route, in the words of OpenAPI: text of these types, or JSON of this schema."""
    schemas = dict.fromkeys(types, TEXT) | ({} if json is None else {JSON: json})
    return {
        200: {"description": description, "content": {kind: {"schema": schema} for kind, schema in schemas.items()}}
    }


def file_answer(description: str, *types: str, json: dict[str, str] | None = None) -> dict[str, Any]:
    """The settings of a route that answers with a file only."""
    return {"response_class": Response, "responses": described_file(description, *types, json=json)}


CSV_FILE = file_answer("A CSV file", "text/csv")
HTML_FILE = file_answer("A self-contained page", "text/html")


def body_of(noun: str, *types: str) -> Any:
    """The body of a request of one of these content types, as a dependency of its route."""

    async def read(request: Request) -> bytes:
        check_type(request, noun, *types)
        return await request.body()

    return Depends(read)


def named_content_of(noun: str, names: Mapping[str, str]) -> Any:
    """The body of a request, and the file name that its content type has here, as a dependency of its route."""

    async def read(request: Request) -> tuple[bytes, str]:
        name = names[check_type(request, noun, *names)]
        return await request.body(), name

    return Depends(read)
