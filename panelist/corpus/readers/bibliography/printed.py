"""References as they are printed: how a text divides into entries, and what an entry says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from panelist.records import Reference

_HEADING = re.compile(
    r"^[\W\d]*(?:references?(?: cited| and notes)?|bibliography|literature cited|works cited)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(
    r"^[\W\d]*(?:appendix\b.*|appendices|supplementa\w+ \w+.*|acknowledge?ments?\W*|author contributions\W*)$",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETED = re.compile(r"^\s*\[\w{1,12}\]\s*", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d{1,3}\.\s+(?=\S)", re.MULTILINE)
_NAME = re.compile(r"^[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)?(?:,|\s+[A-ZÀ-Þ]{1,3}\b|\s+and\s|\s*&)")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
_YEAR = re.compile(r"(?<![\w./:-])(1[6-9]\d\d|20\d\d)(?!\.?\d)")
_YEAR_IN_PARENTHESES = re.compile(r"\((?:[A-Za-z]+\.? )?(1[6-9]\d\d|20\d\d)[a-z]?\b[^()]{0,12}\)")
_DIVIDED = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_SHORTEST = 20  # characters of a reference


def read_entry(entry: str) -> Reference:
    """A printed reference with what can be told of it."""
    text = " ".join(entry.split())
    return Reference(year=year_of(text), doi=doi_in(text), text=text)


def doi_in(text: str) -> str | None:
    """The DOI that a text holds, in lower case."""
    found = _DOI.search(text)
    return found[0].rstrip(".,;:)]}").lower() if found else None


def year_of(text: str) -> int | None:
    """The year that a text holds: the last one in parentheses, else the last one."""
    found = _YEAR_IN_PARENTHESES.findall(text) or _YEAR.findall(text)
    return int(found[-1]) if found else None


def split_references(text: str) -> list[str]:
    """The references of a manuscript's text: what follows its last heading 'References', divided into entries."""
    headings = list(_HEADING.finditer(text))
    if not headings:
        return []
    rest = text[headings[-1].end() :]
    end = _END.search(rest)
    rest = rest[: end.start()] if end else rest
    for marker in (_BRACKETED, _NUMBERED):
        if len(marker.findall(rest)) > 2:
            return _long_enough(marker.split(rest)[1:])
    return _long_enough(_by_names(rest))


def join_divided(text: str) -> str:
    """A text with the words joined that a hyphen divides at the end of a line."""
    return _DIVIDED.sub("", text)


def _by_names(text: str) -> Iterator[str]:
    """Entries without numbers: one begins with a name, after a line that ends like the end of an entry."""
    entry: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if entry and _NAME.match(line) and re.search(r"[.\d/]$", entry[-1]):
            yield "\n".join(entry)
            entry = []
        entry.append(line)
    yield "\n".join(entry)


def _long_enough(entries: Iterator[str] | list[str]) -> list[str]:
    joined = (" ".join(join_divided(entry).split()) for entry in entries)
    return [entry for entry in joined if len(entry) >= _SHORTEST]
