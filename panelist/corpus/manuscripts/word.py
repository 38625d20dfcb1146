"""The paragraphs of a Word file (.docx) as lines: title, authors and abstract are told as in other manuscripts."""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from xml.etree.ElementTree import Element

from panelist.corpus.manuscripts.front_matter import FrontMatter, front_matter
from panelist.corpus.manuscripts.headings import ABSTRACT, REFERENCES
from panelist.corpus.manuscripts.lines import MARK, Line, clean_text
from panelist.corpus.readers.catalogues.xml import elements_of

_TITLE_SIZE, _SIZE, _APART = 20.0, 10.0, 18.0  # points: what styles without a size have, and between two paragraphs
_SHORTEST = 15  # letters of a reference


def read_word(document: bytes) -> tuple[FrontMatter, list[str]]:
    """Front matter and references of `word/document.xml`; `ValueError` where it is not XML."""
    paragraphs = list(_paragraphs(document))
    lines = [line for _, line in paragraphs]
    start = next((row for row, line in enumerate(lines) if ABSTRACT.match(line.text)), 0)
    end = next(
        (row for row, (style, _) in enumerate(paragraphs) if row > start + 1 and style.startswith("heading")), None
    )
    front = front_matter(lines[:end])
    if not front.title and lines:  # all letters have one size: the first paragraph is the title
        largest = Line(lines[0].text, top=lines[0].top, end_top=lines[0].top, size=_TITLE_SIZE, marked=lines[0].marked)
        front = front_matter([largest, *lines[1:end]])
    return front, _references(paragraphs)


def _paragraphs(document: bytes) -> Iterator[tuple[str, Line]]:
    """The style and the text of each paragraph that has one, from top to bottom."""
    top = 1e6
    for paragraph in elements_of(document, ("p",)):
        style = next((_value(element) for element in paragraph.iter("pStyle")), "").lower()
        sizes = [float(size) / 2 for size in map(_value, paragraph.iter("sz")) if size.isdigit()]
        size = max(sizes, default=_TITLE_SIZE if style == "title" else _SIZE)
        plain, marked = (_text(paragraph, raised) for raised in (False, True))
        for text, with_marks in zip(plain.split("\n"), marked.split("\n"), strict=True):
            if text.strip():
                top -= _APART
                yield style, Line(clean_text(text), 0, 0.0, 500.0, top, top, size, with_marks, f"{style} {size:.0f}")


def _text(paragraph: Element, marks: bool) -> str:
    """The text of a paragraph, with line breaks; `marks` stand for raised letters."""
    pieces = []
    for run in paragraph.iter("r"):
        raised = any(_value(alignment) == "superscript" for alignment in run.iter("vertAlign"))
        for element in run:
            if element.tag == "t":
                pieces.append(MARK if marks and raised else (element.text or "").replace("\n", " "))
            elif element.tag in ("br", "cr", "tab"):
                pieces.append("\t" if element.tag == "tab" else "\n")
    return "".join(pieces)


def _references(paragraphs: Sequence[tuple[str, Line]]) -> list[str]:
    """The paragraphs below the last heading of references, up to the next heading: lists number themselves."""
    rows = [row for row, (_, line) in enumerate(paragraphs) if REFERENCES.match(line.text)]
    below = paragraphs[rows[-1] + 1 :] if rows else ()
    entries = takewhile(lambda entry: not entry[0].startswith("heading"), below)
    return [line.text for _, line in entries if len(line.text) >= _SHORTEST]


def _value(element: Element) -> str:
    return next((value for name, value in element.attrib.items() if name.rpartition(":")[2] == "val"), "")
