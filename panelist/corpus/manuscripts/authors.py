"""The authors of a manuscript, from the lines between its title and its abstract."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from panelist.corpus.manuscripts.headings import FRONT
from panelist.corpus.manuscripts.lines import Line, clean_text
from panelist.corpus.names import BETWEEN_NAMES, is_name, is_no_name, names_in_line, usual_capitals

_LIST = re.compile(r"[,;·•&]|\band\b|\bet\b|\bund\b|\by\b|\be\b")
_ROLE = re.compile(
    r"[,(]?\s*\b(?:(?:student |senior |graduate |life )*(?:member|fellow)(?:,\s*(?:ieee|acm))?|ieee|ph\.?d\.?|m\.?d\.?"
    r"|m\.?sc\.?|(?:prof|dr|mr|mrs|ms)\.(?:\s?dr\.)?|esq\.)(?!\w)\)?",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*(?:authors?|auteurs?|autoren|autores|by|von|par|por)\s*:?\s+(?=[^\W\d_])", re.IGNORECASE)
_SAME = 0.6  # points by which letters of one size differ


def find_authors(region: Sequence[Line]) -> tuple[list[str], bool]:
    """The names, in lines of the letters of the first one; and whether nothing else stands there."""
    names: list[str] = []
    certain = True
    style: Line | None = None
    marked = False
    for block in _blocks(region):
        if style is not None and not _same_letters(style, block[0]):
            continue
        block_names, strays = _names(block)
        if not block_names:
            continue
        has_marks = any("†" in line.marked for line in block)
        if names and marked and not has_marks and len(names) > 2:  # an address below names that have marks
            continue
        if names and names[0].isupper() and not block_names[0].isupper():
            continue
        style = style or block[0]
        marked = marked or has_marks
        certain = certain and not strays
        names += block_names
    if names and names[0].isupper():  # capitals tell names from addresses in the same line
        names = [usual_capitals(name) for name in names if name.isupper()]
    return list(dict.fromkeys(names)), certain


def _same_letters(line: Line, reference: Line) -> bool:
    return line.font == reference.font if line.font else abs(line.size - reference.size) < _SAME


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines of the same letters that follow each other closely: a list of names that is broken, or an address."""
    block: list[Line] = []
    for line in lines:
        if block:
            below = block[-1].end_top - line.top
            if not (_same_letters(block[-1], line) and -0.5 * line.size < below < 1.9 * line.size):
                yield block
                block = []
        block.append(line)
    if block:
        yield block


def _names(block: Sequence[Line]) -> tuple[list[str], int]:
    """The names of a block, and how many of its items are neither names nor of an address."""
    texts = [line.marked or line.text for line in block]
    joined = texts[0]
    for (line, below), text in zip(pairwise(block), texts[1:], strict=True):
        joined += (" " if _goes_on(line, below, block) else "\n") + text
    names: list[str] = []
    strays = 0
    for text in joined.split("\n"):
        plain = clean_text(text.replace("\t", " ⇥ ")).replace("⇥", "   ")
        if FRONT.match(plain) or (re.match(r"^\s*(?:†|[∗*‡§¶])+\s*[^\W\d_]{2}", plain) and not names):
            continue
        line_names = names_in_line(_ROLE.sub(" , ", _LABEL.sub("", plain)))
        names += line_names
        items = [" ".join(item.split()) for item in BETWEEN_NAMES.split(plain)]
        strays += sum(
            len(item) > 3 and item not in line_names and not is_no_name(item) and "@" not in item for item in items
        )
    return names, strays


def _goes_on(line: Line, below: Line, block: Sequence[Line]) -> bool:
    """Whether a list of names goes on in the line below: its items do not stand in columns, and it is full."""
    text = line.marked or line.text
    if any("\t" in neighbour.marked for neighbour in (line, below)) or not (_LIST.search(text) or "†" in text):
        return False
    items = [" ".join(item.split()) for item in BETWEEN_NAMES.split(text)]
    last_item = next((item for item in reversed(items) if item), "")
    next_word = (below.text.split() or [""])[0]
    acronym = len(next_word.strip(",")) > 2 and next_word.isupper() and not text.isupper()
    if is_no_name(last_item) or acronym or "@" in text or "@" in below.text:
        return False
    room = max(neighbour.right - neighbour.left for neighbour in block) - (line.right - line.left)
    return room < (len(next_word) + 2) * 0.55 * line.size or not is_name(last_item)
