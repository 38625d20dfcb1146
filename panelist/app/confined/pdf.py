"""Title, authors, abstract and references of a PDF file, guessed from its text, or its whole text."""

import sys
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from math import cos, hypot
from statistics import median
from typing import Any

import orjson
from msgspec.structs import replace

from panelist.app.confined import work
from panelist.corpus.manuscripts.front_matter import front_matter
from panelist.corpus.manuscripts.lines import MARK, Line, clean_text, join_fragments
from panelist.corpus.manuscripts.reference_list import split_references
from panelist.errors import InputError

_Box = tuple[float, float, float, float]  # left, right, bottom, top
_ALL_PAGES = 60
_FRONT_PAGES = 3  # on which title, authors and abstract stand, covers of repositories included
_SECONDS, _MEMORY = 10, 1 << 30  # of processor time: what a file costs on any machine, however busy


def guess(content: bytes) -> dict[str, Any]:
    """Title, authors, abstract, references, number of pages, and how sure each part is."""
    lines, title, pages = _lines(content)
    front = front_matter(lines)
    references, certain = split_references(lines)
    sure = {**front.sure, "references": certain}
    if not front.title and title:
        sure["title"] = "low"
    return {
        "title": front.title or clean_text(title),
        "authors": front.authors,
        "abstract": front.abstract,
        "references": references,
        "pages": pages,
        "sure": sure,
    }


def _lines(content: bytes) -> tuple[list[Line], str, int]:
    """The lines that are not rotated (a stamp in the margin is), the title of the file's properties, and the pages."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if "assword" in str(error):
            raise InputError("this PDF file needs a password: save it without one") from error
        raise
    with document:
        pages = (_page_lines(document[number], number) for number in range(min(len(document), _ALL_PAGES)))
        lines = list(join_fragments(chain.from_iterable(pages)))
        if not any(character.isalpha() for line in lines for character in line.text):
            raise InputError("this PDF file has no text, only pictures of its pages: scanned pages cannot be read")
        return lines, document.get_metadata_value("Title"), len(document)


def _page_lines(page: Any, number: int) -> Iterator[Line]:
    import ctypes

    from pypdfium2 import raw

    text = page.get_textpage()
    letters = [chr(raw.FPDFText_GetUnicode(text, position)) for position in range(raw.FPDFText_CountChars(text))]
    rectangle, matrix, x_origin, baseline = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    name, flags = ctypes.create_string_buffer(80), ctypes.c_int()

    def box(position: int) -> _Box:
        raw.FPDFText_GetLooseCharBox(text, position, rectangle)
        return rectangle.left, rectangle.right, rectangle.bottom, rectangle.top

    def size_of(position: int) -> float:
        raw.FPDFText_GetMatrix(text, position, matrix)
        return float(raw.FPDFText_GetFontSize(text, position) * hypot(matrix.c, matrix.d))

    def origin(position: int) -> float:
        raw.FPDFText_GetCharOrigin(text, position, x_origin, baseline)
        return baseline.value

    def font(position: int) -> str:
        raw.FPDFText_GetFontInfo(text, position, name, len(name), flags)
        return f"{name.value.decode(errors='replace').rpartition('+')[2]} {size_of(position):.0f}"

    for begin, end in _line_ends(letters, box):
        seen = [position for position in range(begin, end) if not letters[position].isspace()]
        if not seen or abs(cos(raw.FPDFText_GetCharAngle(text, seen[0])) - 1) > 0.1:
            continue
        front = number < _FRONT_PAGES
        boxes = {position: box(position) for position in (seen if front else (seen[0], seen[len(seen) // 2], seen[-1]))}
        first, last = boxes[seen[0]], boxes[seen[-1]]
        size = median(map(size_of, boxes))
        right = max(edge for _, edge, _, _ in boxes.values()) if front else last[1]
        line = Line("".join(letters[begin:end]), number, first[0], right, first[3], last[3], round(size, 1))
        if front:
            origins = {position: origin(position) for position in seen}
            base = median(origins.values())
            # A line may be broken within: only what stands a little higher is a mark.
            raised = {index for index, height in origins.items() if 0.12 * size < height - base < 0.8 * size}
            apart = (line + 1 for line, other in pairwise(seen) if boxes[other][0] - boxes[line][1] > 1.1 * size)
            wide = {index for index in apart if letters[index] == " "}
            marked = (
                MARK if position in raised else "\t" if position in wide else letters[position]
                for position in range(begin, end)
            )
            lead = next(
                (index for index in seen if index not in raised and letters[index].isalpha()),
                seen[0],
            )
            line = replace(line, marked="".join(marked), font=font(lead))
        yield line


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
