"""Title, abstract and references of a PDF file, guessed from its text, or its whole text."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import orjson

from panelist.app.confined import run, work
from panelist.app.web import limits
from panelist.corpus.readers.bibliography.printed import join_divided, split_references
from panelist.errors import InputError

_PAGES = 2
_ALL_PAGES = 60
_SECONDS, _MEMORY = 10, 1 << 30  # of processor time: what a file costs on any machine, however busy
_DEADLINE = 120  # seconds, for what does not even compute
_ABSTRACT = re.compile(r"^\W*(?:abstract|summary)\b[\s.:—–-]*", re.IGNORECASE | re.MULTILINE)
_END = re.compile(
    r"^\W*(?:(?:\d+|I)?[\s.]*introduction\b|key\s?words\b|index terms\b|ccs concepts\b|significance statement\b)",
    re.IGNORECASE | re.MULTILINE,
)


def is_pdf(content: bytes) -> bool:
    """Whether this is a PDF file, by its first bytes."""
    return content.lstrip().startswith(b"%PDF-")


def extract(content: bytes) -> dict[str, Any]:
    """Guess title, abstract and references.

    Raises:
        InputError: it is not a PDF file, cannot be read, or takes too long.
    """
    found: dict[str, Any] = _read_elsewhere(content, "guess", "paste its title and abstract")
    return found


def full_text(content: bytes) -> str:
    """The text of the first pages, as many as a long paper has, with words divided at line ends joined again.

    Raises:
        InputError: it is not a PDF file, cannot be read, or takes too long.
    """
    found: str = _read_elsewhere(content, "text", "give the paper as text")
    return found


def _read_elsewhere(content: bytes, task: str, instead: str) -> Any:
    """Read a file in a process of its own: a PDF can be made to keep its reader busy forever."""
    if not is_pdf(content):
        raise InputError(f"this is not a PDF file: choose the manuscript as PDF, or {instead}")
    try:
        return orjson.loads(run("pdf", content, "PDF file", task, seconds=_DEADLINE))
    except InputError as error:
        raise InputError(f"{error}; {instead} instead") from error


def text(content: bytes) -> str:
    """The text of all pages that are read."""
    from pypdf import PdfReader

    pages = PdfReader(io.BytesIO(content)).pages[:_ALL_PAGES]
    joined = "\n".join(page.extract_text() for page in pages)
    return join_divided(joined).replace("\x00", " ")


def guess(content: bytes) -> dict[str, Any]:
    """Title, abstract, references and number of pages."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content))
    pieces: list[tuple[float, str]] = []
    texts = []
    for number, page in enumerate(reader.pages[:_PAGES]):

        def visit(text: str, user: list[float], matrix: list[float], font: Any, size: float) -> None:
            if text.strip():
                # The size that is seen: the font's, scaled by the text matrix and the page's.
                scale = abs(matrix[3] or matrix[0] or 1) * abs(user[3] or user[0] or 1)
                pieces.append((round(size * scale, 1), text))

        texts.append(page.extract_text(visitor_text=visit if number == 0 else None))
    text = "\n".join(texts)
    rest = "\n".join(page.extract_text() for page in reader.pages[_PAGES:_ALL_PAGES])
    references = split_references(f"{text}\n{rest}")[: limits.REFERENCES]
    title = _largest(pieces) or _line(str((reader.metadata or {}).get("/Title") or ""))
    return {
        "title": title[: limits.TITLE],
        "abstract": _abstract(text)[: limits.ABSTRACT],
        "references": [one[: limits.REFERENCE] for one in references],
        "pages": len(reader.pages),
    }


def _largest(pieces: list[tuple[float, str]]) -> str:
    """The words in the largest letters, if they are as many as a title has and not everything is of one size."""
    sizes = {size for size, _ in pieces}
    for size in sorted(sizes, reverse=True) if len(sizes) > 1 else ():
        text = _line(" ".join(piece for own, piece in pieces if own == size))
        if 12 <= len(text) <= 400 and len(text.split()) > 1:
            return text
    return ""


def _abstract(text: str) -> str:
    """From the heading 'Abstract' to the next one; nothing where there is no such heading."""
    found = _ABSTRACT.search(text)
    if found is None:
        return ""
    rest = text[found.end() :]
    end = _END.search(rest)
    return _line(rest[: end.start() if end else 3_000])


def _line(text: str) -> str:
    """One line, words that were divided at the end of a line joined again."""
    return " ".join(join_divided(text).replace("\x00", " ").split())


def _read(content: bytes, arguments: list[str]) -> bytes:
    found = text(content) if arguments == ["text"] else guess(content)
    return orjson.dumps(found)


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_SECONDS, memory=_MEMORY))
