"""Manuscripts that somebody uploads, told by their content: PDF files, Word files, LaTeX sources."""

from typing import Any

import orjson

from panelist.app import limits
from panelist.app.confined import run
from panelist.app.grobid import read_by_grobid
from panelist.config import grobid_url
from panelist.errors import InputError

TYPES = (
    "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/x-tex",
    "application/zip",
    "application/gzip",
)
"""The content types of manuscripts; the content decides."""

_DEADLINE = 120  # seconds, for what does not even compute
_SOURCES = (b"PK\x03\x04", b"\x1f\x8b")  # zip and gzip


def is_pdf(content: bytes) -> bool:
    """Whether this is a PDF file, by its first bytes."""
    return content.lstrip().startswith(b"%PDF-")


def is_source(content: bytes) -> bool:
    """Whether this is a Word file or LaTeX sources, by its first bytes or its first command."""
    return content.startswith(_SOURCES) or b"\\documentclass" in content[:50_000]


def extract(content: bytes) -> dict[str, Any]:
    """Guess title, authors, abstract and references; a GROBID server does, where its address is given."""
    parts: dict[str, Any]
    if (address := grobid_url()) and is_pdf(content):
        parts = read_by_grobid(content, address)
    else:
        parts = _read_elsewhere(content, "guess", "paste its title and abstract")
    return {
        "title": parts["title"][: limits.TITLE],
        "authors": [name[: limits.NAME] for name in parts["authors"][: limits.AUTHORS]],
        "abstract": parts["abstract"][: limits.ABSTRACT],
        "references": [reference[: limits.REFERENCE] for reference in parts["references"][: limits.REFERENCES]],
        "pages": parts["pages"],
        "sure": parts["sure"],
    }


def full_text(content: bytes) -> str:
    """The text of the first pages, as many as a long paper has, with words divided at line ends joined again."""
    return str(_read_elsewhere(content, "text", "give the paper as text"))


def _read_elsewhere(content: bytes, task: str, alternative: str) -> Any:
    """Read a file in a process of its own: a file can be made to keep its reader busy forever."""
    if not is_pdf(content) and (task == "text" or not is_source(content)):
        kinds = "as PDF" if task == "text" else "as PDF, Word file (.docx) or LaTeX source"
        raise InputError(f"this is not a PDF file: choose the manuscript {kinds}, or {alternative}")
    module, kind = ("pdf", "PDF file") if is_pdf(content) else ("sources", "manuscript")
    try:
        return orjson.loads(run(module, content, kind, task, seconds=_DEADLINE))
    except InputError as error:
        raise InputError(f"{error}; {alternative} instead") from error
