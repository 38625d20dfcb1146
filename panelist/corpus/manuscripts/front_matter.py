"""Title, authors and abstract, from the lines of a manuscript's first pages."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from panelist.corpus.manuscripts.lines import Line, clean_text
from panelist.corpus.names import names_in_line

_ABSTRACT = re.compile(r"^\W*(?:abstract|summary)\b[\s.:—–-]*", re.IGNORECASE)
_END = re.compile(
    r"^\W*(?:(?:\d+|I)?[\s.]*introduction\b|key\s?words\b|index terms\b|ccs concepts\b|significance statement\b"
    r"|\d+(?:\.\d+)*\s+[A-Z][a-z]+$)",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?<=[^\W\d][,.;])\d{1,2}(?=\s)")
_COLLABORATION = re.compile(r"\bcollaborations?\b", re.IGNORECASE)
# Words of sentences, which names and addresses lack; three of them in a line make it a sentence.
_PROSE = re.compile(
    r"\b(?:an?|are|as|be|because|been|by|can|from|has|have|in|is|it|our|that|the|these|they|this|to|was|were|we|which|with)\b"
)
_LONGEST_TITLE, _REGION = 400, 90
_SAME = 0.6  # points by which letters of one size differ


def front_matter(lines: Sequence[Line]) -> tuple[str, list[str], str]:
    """Title, names of the authors, and abstract; empty where there is none to be told."""
    first = [line for line in lines if line.page == 0]
    title, rest = _title(first)
    texts = [line.text for line in rest]
    prose = (_ABSTRACT.match(text) or len(set(_PROSE.findall(text.lower()))) >= 3 for text in texts)
    end = next((row for row, begins in enumerate(prose) if begins), len(rest))
    region = rest[: min(end, _REGION)]
    authors = list(dict.fromkeys(_authors(region)))
    if not authors and any(_COLLABORATION.search(line.text) for line in region):
        authors = list(dict.fromkeys(_members(lines)))
    return clean_text(title), authors, _abstract(lines, first, rest[end:])


def _title(lines: Sequence[Line]) -> tuple[str, Sequence[Line]]:
    """The uppermost words in the largest letters, as many as a title has; and the lines below them."""
    middle = max((line.top for line in lines), default=0) / 2
    sizes = sorted({line.size for line in lines if line.top >= middle}, reverse=True)
    if len({line.size for line in lines}) > 1:
        for size in sizes:
            start = next(row for row, line in enumerate(lines) if line.size == size and line.top >= middle)
            block = [lines[start]]
            for line in lines[start + 1 :]:
                if abs(line.size - size) > _SAME or not 0 <= block[-1].end_top - line.top < 2.2 * size:
                    break
                block.append(line)
            text = "\n".join(line.marked or line.text for line in block).rstrip("†*∗ ")
            words = [word for word in text.split() if word.strip("†,.:").isalpha()]
            if 12 <= len(text) <= _LONGEST_TITLE and 2 * len(words) > len(text.split()) > 1:  # formulas are large, too
                return text.replace("†", ""), lines[start + len(block) :]
    return "", lines


def _authors(region: Sequence[Line]) -> Iterator[str]:
    """The names in lines of the size in which the first one is printed."""
    size = None
    for line in region:
        if size is None or abs(line.size - size) < _SAME:
            names = names_in_line(clean_text(line.marked or line.text))
            if names and size is None:
                size = line.size
            yield from names


def _members(lines: Sequence[Line]) -> Iterator[str]:
    """The members of a collaboration, from the list at the end of its paper."""
    listing = False
    for line in lines:
        if line.page > 0 and _COLLABORATION.search(line.text) and len(line.text) < 60:
            listing = True
        elif listing:
            yield from names_in_line(re.sub(r"\d+[a-z]?\b(?:,\s?(?:\d+[a-z]?|[a-z])\b)*", "†", clean_text(line.text)))


def _abstract(lines: Sequence[Line], first: Sequence[Line], below: Sequence[Line]) -> str:
    """From the heading 'Abstract' to the next one; without a heading the first sentences below the authors."""
    start = next((row for row, line in enumerate(lines) if line.page < 2 and _ABSTRACT.match(line.text)), None)
    if start is not None:
        opening = _ABSTRACT.sub("", lines[start].text)
        texts = [opening, *(line.text for line in _until_end(lines[start + 1 :]))]
    else:
        size = below[0].size if below else 0
        texts = []
        for line in _until_end(below):
            if abs(line.size - size) > _SAME and not line.text[:1].islower():
                break
            texts.append(line.text)
    return clean_text(_FOOTNOTE.sub("", "\n".join(texts)[:5_000]))


def _until_end(lines: Sequence[Line]) -> Iterator[Line]:
    return takewhile(lambda line: not _END.match(line.text), lines[:60])
