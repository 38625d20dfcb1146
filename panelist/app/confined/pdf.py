"""Title, authors, abstract and references of a PDF file, guessed from its text, or its whole text."""

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from math import cos
from statistics import median
from typing import Any

import orjson

from panelist.app import limits
from panelist.app.confined import run, work
from panelist.app.grobid import read_by_grobid
from panelist.config import grobid_url
from panelist.corpus.manuscripts.front_matter import front_matter
from panelist.corpus.manuscripts.lines import MARK, Line, clean_text, join_fragments
from panelist.corpus.manuscripts.reference_list import split_references
from panelist.errors import InputError

_Box = tuple[float, float, float, float]  # left, right, bottom, top
_ALL_PAGES = 60
_SECONDS, _MEMORY = 10, 1 << 30  # of processor time: what a file costs on any machine, however busy
_DEADLINE = 120  # seconds, for what does not even compute


def is_pdf(content: bytes) -> bool:
    """Whether this is a PDF file, by its first bytes."""
    return content.lstrip().startswith(b"%PDF-")


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
    }


def full_text(content: bytes) -> str:
    """The text of the first pages, as many as a long paper has, with words divided at line ends joined again."""
    return str(_read_elsewhere(content, "text", "give the paper as text"))


def _read_elsewhere(content: bytes, task: str, instead: str) -> Any:
    """Read a file in a process of its own: a PDF can be made to keep its reader busy forever."""
    if not is_pdf(content):
        raise InputError(f"this is not a PDF file: choose the manuscript as PDF, or {instead}")
    try:
        return orjson.loads(run("pdf", content, "PDF file", task, seconds=_DEADLINE))
    except InputError as error:
        raise InputError(f"{error}; {instead} instead") from error


def guess(content: bytes) -> dict[str, Any]:
    """Title, authors, abstract, references and number of pages."""
    lines, title, pages = _lines(content)
    own_title, authors, abstract = front_matter(lines)
    return {
        "title": own_title or clean_text(title),
        "authors": authors,
        "abstract": abstract,
        "references": split_references(lines),
        "pages": pages,
    }


def _lines(content: bytes) -> tuple[list[Line], str, int]:
    """The lines that are not rotated (a stamp in the margin is), the title of the file's properties, and the pages."""
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        pages = (_page_lines(document[number], number) for number in range(min(len(document), _ALL_PAGES)))
        lines = list(join_fragments(chain.from_iterable(pages)))
        return lines, document.get_metadata_value("Title"), len(document)


def _page_lines(page: Any, number: int) -> Iterator[Line]:
    from pypdfium2 import raw

    text = page.get_textpage()
    count = raw.FPDFText_CountChars(text)
    letters = [chr(raw.FPDFText_GetUnicode(text, position)) for position in range(count)]
    rectangle = raw.FS_RECTF()

    def box(position: int) -> _Box:
        raw.FPDFText_GetLooseCharBox(text, position, rectangle)
        return rectangle.left, rectangle.right, rectangle.bottom, rectangle.top

    for begin, end in _line_ends(letters, box):
        seen = [position for position in range(begin, end) if not letters[position].isspace()]
        if not seen or abs(cos(raw.FPDFText_GetCharAngle(text, seen[0])) - 1) > 0.1:
            continue
        sample = seen if number == 0 else [seen[0], seen[len(seen) // 2], seen[-1]]
        boxes = {position: box(position) for position in sample}
        first, last = boxes[seen[0]], boxes[seen[-1]]
        size = median(top - bottom for _, _, bottom, top in boxes.values())
        base = median(bottom for _, _, bottom, _ in boxes.values())
        raised = {
            position
            for position, (_, _, bottom, top) in boxes.items()
            if top - bottom < 0.85 * size and bottom > base + 0.1 * size
        }
        marked = "".join(MARK if position in raised else letters[position] for position in range(begin, end))
        line = "".join(letters[begin:end])
        yield Line(line, number, first[0], last[1], first[3], last[3], round(size, 1), marked if number == 0 else "")


def _line_ends(letters: list[str], box: Callable[[int], _Box]) -> Iterator[tuple[int, int]]:
    """Where lines begin and end: at line breaks, and at spaces after which the text goes on further down and left."""
    begin = 0
    for position, letter in enumerate(letters):
        if letter in "\r\n":
            yield begin, position
            begin = position + 1
        elif letter == " " and begin < position < len(letters) - 1:
            left, _, bottom, top = box(position - 1)
            next_left, _, next_bottom, next_top = box(position + 1)
            if next_top < (bottom + top) / 2 and next_left < left and next_bottom < bottom:
                yield begin, position
                begin = position + 1
    yield begin, len(letters)


def _read(content: bytes, arguments: list[str]) -> bytes:
    if arguments == ["text"]:
        return orjson.dumps("\n".join(clean_text(line.text) for line in _lines(content)[0]))
    return orjson.dumps(guess(content))


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_SECONDS, memory=_MEMORY))
