"""Title, authors and abstract, from the lines of a manuscript's first pages."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from statistics import median

from msgspec import Struct

from panelist.corpus.manuscripts.authors import find_authors
from panelist.corpus.manuscripts.headings import ABSTRACT, AFTER_ABSTRACT, PROSE, is_cover
from panelist.corpus.manuscripts.lines import Line, Sure, clean_text
from panelist.corpus.names import names_in_line

_FOOTNOTE = re.compile(r"(?<=[^\W\d][,.;])\d{1,2}(?=\s)")
_COLLABORATION = re.compile(r"\bcollaborations?\b", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"^\W*(?:research|original|review|full)?\s*(?:article|paper|letter|contribution)s?\W*$|^arxiv:", re.IGNORECASE
)
_LONGEST_TITLE, _REGION, _LONGEST_ABSTRACT = 400, 90, 60
_SAME = 0.6  # points by which letters of one size differ


class FrontMatter(Struct, frozen=True):
    """What the first pages say; empty where there is none to be told."""

    title: str
    authors: list[str]
    abstract: str
    sure: dict[str, Sure]


def front_matter(lines: Sequence[Line]) -> FrontMatter:
    """Title, names of the authors, and abstract; pages that a repository put before the paper are left out."""
    lines = _without_covers(lines)
    start = lines[0].page if lines else 0
    title, below = _title([line for line in lines if line.page == start])
    text_row = next((row for row, line in enumerate(below) if _is_text(line)), len(below))
    region = below[: min(text_row, _REGION)]
    authors, certain = find_authors(region)
    if not authors and any(_COLLABORATION.search(line.text) for line in region):
        authors = list(dict.fromkeys(_members(lines)))
    opening = [line for line in lines if line.page < start + 2]
    abstract, sure = _abstract(opening, below[_paragraph(below, text_row) :])
    certainty: dict[str, Sure] = {
        "title": "high" if title else "none",
        "authors": ("high" if certain and title else "fair" if title else "low") if authors else "none",
        "abstract": sure,
    }
    return FrontMatter(clean_text(title), authors, abstract, certainty)


def _without_covers(lines: Sequence[Line]) -> Sequence[Line]:
    for page in (0, 1):
        pages_below = [line for line in lines if line.page > page]
        if not pages_below or not is_cover([line for line in lines if line.page == page]):
            return lines
        lines = pages_below
    return lines


def _is_text(line: Line) -> bool:
    """Whether a line is the heading of an abstract, or a sentence."""
    return bool(ABSTRACT.match(line.text)) or len(set(PROSE.findall(line.text.lower()))) >= 3


def _paragraph(lines: Sequence[Line], row: int) -> int:
    """The first row of the paragraph that has this row: not every line of a text has three little words."""
    while 0 < row < len(lines):
        above, line = lines[row - 1], lines[row]
        near = 0 < above.end_top - line.top < 1.6 * line.size and abs(above.size - line.size) < _SAME
        if not near or above.font != line.font or AFTER_ABSTRACT.match(above.text) or names_in_line(above.marked):
            break
        row -= 1
    return row


def _title(lines: Sequence[Line]) -> tuple[str, Sequence[Line]]:
    """The uppermost words in the largest letters, as many as a title has; and the lines below them."""
    middle = max((line.top for line in lines), default=0) / 2
    rows = [row for row, line in enumerate(lines) if line.top >= middle]
    if len({line.size for line in lines}) < 2:
        return "", lines
    for start in sorted(rows, key=lambda row: -lines[row].size):
        size, block = lines[start].size, [lines[start]]
        for line in lines[start + 1 :]:
            if abs(line.size - size) > _SAME or not 0 <= block[-1].end_top - line.top < 2.2 * size:
                break
            block.append(line)
        text = "\n".join((line.marked or line.text).replace("\t", " ") for line in block).rstrip("†*∗ ")
        words = [word for word in text.split() if word.strip("†,.:").isalpha()]
        formula = 2 * len(words) <= len(text.split()) or len(text.split()) < 2  # formulas are large, too
        if 12 <= len(text) <= _LONGEST_TITLE and not formula and not _NO_TITLE.match(text):
            return text.replace("†", ""), lines[start + len(block) :]
    return "", lines


def _members(lines: Sequence[Line]) -> Iterator[str]:
    """The members of a collaboration, from the list at the end of its paper."""
    listing = False
    for line in lines:
        if line.page > 0 and _COLLABORATION.search(line.text) and len(line.text) < 60:
            listing = True
        elif listing:
            yield from names_in_line(re.sub(r"\d+[a-z]?\b(?:,\s?(?:\d+[a-z]?|[a-z])\b)*", "†", clean_text(line.text)))


def _abstract(lines: Sequence[Line], below: Sequence[Line]) -> tuple[str, Sure]:
    """From the heading to the next one; without a heading the first sentences below the authors."""
    for row, line in enumerate(lines):
        if ABSTRACT.match(line.text) and not names_in_line(line.text):
            opening = ABSTRACT.sub("", line.text)
            column = _column(lines[row + 1 :], line if not opening else None)
            texts = [opening, *(text.text for text in _until_end(column))]
            text = _joined(texts)
            if len(text) > 20:
                return text, "high" if len(texts) <= _LONGEST_ABSTRACT else "fair"
    if not below or AFTER_ABSTRACT.match(below[0].text):
        return "", "none"
    size, texts = below[0].size, []
    for line in _until_end(below):
        if abs(line.size - size) > _SAME and not line.text[:1].islower():
            break
        texts.append(line.text)
    text = _joined(texts)
    return text, "low" if text else "none"


def _column(lines: Sequence[Line], heading: Line | None) -> Sequence[Line]:
    """The lines below a heading in its column: where two headings stand side by side, both come before either text."""
    if heading is None or not lines or not AFTER_ABSTRACT.match(lines[0].text):
        return lines
    columns = [
        line
        for line in lines
        if line.page == heading.page
        and line.top < heading.top
        and line.left < heading.right
        and line.right > heading.left
    ]
    width = median(line.right - line.left for line in columns[:9]) if columns else 0.0
    left_edge = min((line.left for line in columns[:9]), default=0.0)
    return [line for line in lines if line.page == heading.page and left_edge - 9 < line.left < left_edge + width / 2]


def _joined(texts: Sequence[str]) -> str:
    return clean_text(_FOOTNOTE.sub("", "\n".join(texts)[:5_000]))


def _until_end(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines up to the next heading, or to what follows a full stop in smaller letters: a footnote."""
    previous: Line | None = None
    for line in takewhile(lambda line: not AFTER_ABSTRACT.match(line.text), lines[:_LONGEST_ABSTRACT]):
        if previous is not None and line.size < previous.size - 0.9 and previous.text.rstrip().endswith("."):
            return
        previous = line
        yield line
