"""The references of a manuscript: where their list begins and ends, and how it divides into entries."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from panelist.corpus.manuscripts.headings import AFTER_REFERENCES, BIOGRAPHY, REFERENCES
from panelist.corpus.manuscripts.lines import Line, Sure, clean_text

_FORMS = (r"^\s*\[(\d{1,3})\]\s*", r"^\s*(\d{1,3})\.\s+", r"^\s*\((\d{1,3})\)\s+", r"^(\d{1,3})\s+(?=[A-Z])")
_NUMBERS = tuple(map(re.compile, _FORMS))
_KEY = re.compile(r"^\s*\[[^\W\d][\w+*&’' -]{1,20}\]\s*")
_NAME = re.compile(
    r"^(?:[A-ZÀ-Þ]\.[ -]?)*[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)?(?:,|\s+[A-ZÀ-Þ]{1,3}\b|\s+and\s|\s*&)"
)
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d[a-z]?\b|\b(?:in press|to appear|forthcoming)\b")
_SHORTEST, _LONGEST = 15, 3_000  # characters of a reference
_FEW = 3  # entries that make a list below a heading; without one it takes more
_MANY = 5
_GAP = 1.15  # times the usual distance of lines: so far apart are entries without an indent


def split_references(lines: Sequence[Line]) -> tuple[list[str], Sure]:
    """The entries of the list of references, each as one line, numbers and keys left out; and how sure they are."""
    lines = _without_running_heads(lines)
    headings = [row for row, line in enumerate(lines) if REFERENCES.match(clean_text(line.text))]
    # Tables of contents and running heads have the same words: the list is where most entries are.
    lists = [_until_end(lines[row + 1 :]) for row in reversed(headings)]
    numbered = max((_numbered(below, _FEW) for below in lists), key=len, default=[])
    unnumbered = (_keyed(below) or _hanging(below) or _spaced(below) for below in lists)
    entries = numbered or max(unnumbered, key=len, default=[])
    sure: Sure = "high" if numbered else "low"
    if len(entries) < _FEW:
        entries = _numbered(lines, _MANY) or entries
    texts = [clean_text("\n".join(line.text for line in entry)) for entry in entries]
    texts = [text for text in (_KEY.sub("", text, count=1) for text in texts) if len(text) >= _SHORTEST]
    if sure == "low" and sum(bool(_YEAR.search(text)) for text in texts) > 0.8 * len(texts):
        sure = "fair"  # nearly every entry has a year
    return [text[:_LONGEST] for text in texts], sure if texts else "none"


def _without_running_heads(lines: Sequence[Line]) -> list[Line]:
    """The lines but for page numbers and what stands at the same place of several pages."""
    places = Counter((re.sub(r"\d+", "", line.text), round(line.top)) for line in lines if line.top)
    remaining = []
    for line in lines:
        number = line.text.strip().isdigit() and line.top and places["", round(line.top)] > 1
        if not number and (not line.top or places[re.sub(r"\d+", "", line.text), round(line.top)] < 3):
            remaining.append(line)
    return remaining


def _until_end(lines: Sequence[Line]) -> list[Line]:
    """The lines up to what follows the references: a heading by its words, or by larger letters. No footnotes."""
    size = median([line.size for line in lines[:40]] or [0])
    remaining = []
    for row, line in enumerate(lines):
        larger = row > _FEW and line.size > size + 1.5 and len(line.text) > _FEW
        if larger or AFTER_REFERENCES.match(line.text) or BIOGRAPHY.match(line.text):
            break
        if line.size > size - 0.8 or not line.text[:1].isdigit():
            remaining.append(line)
    return remaining


def _numbered(lines: Sequence[Line], fewest: int) -> list[list[Line]]:
    """Entries that begin with 1, 2, 3 …, in the form of number that gives the longest list; of equals the last."""
    best: list[int] = []
    form = _NUMBERS[0]
    for pattern in _NUMBERS if fewest == _FEW else _NUMBERS[:1]:
        numbers = [(row, int(match[1])) for row, line in enumerate(lines) if (match := pattern.match(line.text))]
        for start in (index for index, (_, number) in enumerate(numbers) if number == 1):
            rows, previous = [numbers[start][0]], 1
            for row, number in numbers[start + 1 :]:
                if previous < number <= previous + 2:  # one may be lost
                    rows.append(row)
                    previous = number
            if len(rows) > len(best) or (len(rows) == len(best) and pattern is form):
                best, form = rows, pattern
    if len(best) < fewest:
        return []
    entries = [list(lines[row:end]) for row, end in zip(best, [*best[1:], len(lines)], strict=True)]
    entries[-1] = list(_last_entry(entries[-1]))
    return [[Line(form.sub("", entry[0].text, count=1)), *entry[1:]] for entry in entries]


def _last_entry(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of the last entry: as long as they follow each other closely, in letters of the same size."""
    for row, line in enumerate(lines):
        previous = lines[row - 1]
        if row and previous.page == line.page and not 0 <= previous.end_top - line.top < 1.8 * line.size:
            return
        if row and (abs(line.size - previous.size) > 1 or row > 8 or previous.page != line.page):
            return
        yield line


def _keyed(lines: Sequence[Line]) -> list[list[Line]]:
    """Entries that begin with a key such as [Lov43]."""
    keyed = [bool(_KEY.match(line.text)) for line in lines]
    return _divide(lines, keyed) if sum(keyed) >= _FEW else []


def _hanging(lines: Sequence[Line]) -> list[list[Line]]:
    """Entries whose first lines begin further to the left than the others of their column."""
    margins: dict[tuple[int, bool], float] = {}
    # The right column begins in the middle of what is printed.
    left_edge = min((line.left for line in lines), default=0)
    right_edge = max((line.right for line in lines), default=0)
    columns = [(line.page, line.left > left_edge + 0.45 * (right_edge - left_edge)) for line in lines]
    for line, column in zip(lines, columns, strict=True):
        margins[column] = min(margins.get(column, line.left), line.left)
    begins = [line.left < margins[column] + 3 for line, column in zip(lines, columns, strict=True)]
    return _divide(lines, begins) if 0.1 < sum(begins) / max(len(begins), 1) < 0.8 else []


def _spaced(lines: Sequence[Line]) -> list[list[Line]]:
    """Entries with a little space between them; at the top of a column one begins with a name after a full stop."""
    distances = [previous.end_top - line.top for previous, line in pairwise(lines)]
    near = sorted(gap for gap in distances if 0 < gap < 40)
    usual = (
        near[len(near) // 10] if near else 0.0
    )  # within entries; where most have one line, few gaps are of this kind
    spaced = usual > 0 and sum(gap > _GAP * usual for gap in near) >= _FEW
    begins = [True]
    for (previous, line), distance in zip(pairwise(lines), distances, strict=True):
        ended = bool(re.search(r"[.\d/]$", previous.text)) and bool(_NAME.match(line.text))
        begins.append(distance > _GAP * usual if spaced and 0 < distance < 40 else ended)
    return _divide(lines, begins)


def _divide(lines: Sequence[Line], begins: Sequence[bool]) -> list[list[Line]]:
    entries: list[list[Line]] = []
    for line, begin in zip(lines, begins, strict=False):
        if begin or not entries:
            entries.append([])
        entries[-1].append(line)
    return entries
