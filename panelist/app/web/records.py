"""Routes that answer with records: written by msgspec as they are, and described by the type that they return."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from fastapi.routing import APIRoute

from panelist.app.web.bodies import JSON, TEXT, described_file

_REFERENCE = "#/components/schemas/{name}"
_kinds: dict[Any, None] = {}  # of all answers that are described


class RecordRoute(APIRoute):
    """A route whose function returns records, or lists of them: FastAPI neither checks nor copies what is typed."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **settings: Any) -> None:
        kind = get_type_hints(endpoint).get("return")
        if _has_records(kind):
            status = settings.get("status_code") or 200
            answers = {status: described_file("Answered", json=record_schema(kind))[200]}
            settings |= {"response_model": None, "responses": {**(settings.get("responses") or {}), **answers}}
            endpoint = _written(endpoint, status)
        super().__init__(path, endpoint, **settings)


def record_schema(kind: Any) -> dict[str, Any]:
    """Where the API describes records of this type."""
    _kinds[kind] = None
    return _schemas([kind])[0][0]


def record_schemas() -> Mapping[str, Any]:
    """The schemas of all records that routes answer with, by name."""
    return _schemas(_kinds)[1]


def _schemas(kinds: Iterable[Any]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """Schemas of these types; a message is answered in words."""
    return msgspec.json.schema_components(kinds, schema_hook=lambda _: TEXT, ref_template=_REFERENCE)


def _has_records(kind: Any) -> bool:
    names = (kind, get_origin(kind), *get_args(kind))
    return any(isinstance(name, type) and (issubclass(name, msgspec.Struct) or is_dataclass(name)) for name in names)


def _written(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The same function, whose answer is JSON."""

    def write(record: Any) -> Response:
        return Response(msgspec.json.encode(record, enc_hook=str), status, media_type=JSON)

    @wraps(endpoint)
    async def route(**parameters: Any) -> Response:
        if iscoroutinefunction(endpoint):
            return write(await endpoint(**parameters))
        return await run_in_threadpool(lambda: write(endpoint(**parameters)))

    return route
