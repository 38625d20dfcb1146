"""References of a manuscript, from BibTeX, RIS or the text of its last pages: each becomes one line of text.

A line holds the title at least, and the DOI where one is given. Which paper of a corpus a line means is decided by
`retriever.references`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from panelist.errors import InputError

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
_ENTRY = re.compile(r"@(\w+)\s*\{")
_FIELD = re.compile(r"\b(\w+)\s*=\s*")
_WORD_END = re.compile(r"[,\s}]|\Z")
_DIVIDED = re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])")
_SHORTEST = 20  # characters of a reference


def read_bibliography(path: Path) -> tuple[str, ...]:
    """The references of a file: `.bib`, `.ris`, or text with one per line.

    Raises:
        InputError: the file cannot be read, or holds no reference.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read references from '{path}': {error}") from error
    readers = {".bib": _bibtex, ".ris": _ris}
    found = tuple(readers.get(path.suffix.lower(), _lines)(text))
    if not found:
        raise InputError(f"'{path}' holds no reference: give BibTeX (.bib), RIS (.ris) or text with one per line")
    return found


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


def _bibtex(text: str) -> Iterator[str]:
    starts = [found for found in _ENTRY.finditer(text) if found[1].lower() not in ("comment", "string", "preamble")]
    ends = [*(one.start() for one in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):  # a file without entries has an end
        fields = dict(_fields(text[start.end() : end]))
        if fields.get("title"):
            yield _line(fields["title"], fields.get("doi", ""))


def _fields(entry: str) -> Iterator[tuple[str, str]]:
    """The fields of a BibTeX entry; what looks like a field inside a value is part of that value."""
    position = 0
    while found := _FIELD.search(entry, position):
        value, position = _value(entry, found.end())
        yield found[1].lower(), value


def _value(text: str, start: int) -> tuple[str, int]:
    """The value that begins here, in braces, in quotation marks, or a bare word; and where it ends."""
    if not text.startswith(("{", '"'), start):
        word = next(_WORD_END.finditer(text, start))
        return text[start : word.start()], word.start()
    depth, closing = 0, "}" if text[start] == "{" else '"'
    for position in range(start, len(text)):
        character = text[position]
        if position > start and character == closing and depth <= (1 if closing == "}" else 0):
            return " ".join(re.sub(r"\\[a-zA-Z]+\s?|[{}\\$]", "", text[start + 1 : position]).split()), position + 1
        depth += (character == "{") - (character == "}")
    return "", start + 1  # it is never closed: the fields after its beginning count


def _ris(text: str) -> Iterator[str]:
    for record in re.split(r"^ER\s*-.*$", text, flags=re.MULTILINE):
        fields = dict(re.findall(r"^([A-Z][A-Z0-9])\s*-\s*(.+?)\s*$", record, flags=re.MULTILINE))
        title = next((fields[tag] for tag in ("TI", "T1", "CT") if tag in fields), "")
        if title:
            yield _line(title, fields.get("DO", ""))


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _line(title: str, doi: str) -> str:
    return f"{title}. doi:{doi}" if doi else title
