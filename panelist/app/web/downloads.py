"""Files to download: their media types, how a browser keeps one, and how the API describes one."""

from __future__ import annotations

from typing import Any

from fastapi import Response

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
