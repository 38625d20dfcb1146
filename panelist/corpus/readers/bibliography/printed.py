"""References as they are printed: what an entry says."""

import re
from collections.abc import Iterable, Iterator

from panelist.corpus.names import leading_names
from panelist.corpus.reference_keys import bare_doi
from panelist.records import Reference

_QUOTED = re.compile(r"[“\"]([^”\"]{8,400})[”\"]")
_OPENING_GROUP = re.compile(r"^\([^)]{2,60}\),?\s*(?=\D)")
_ABBREVIATION = re.compile(r",\s(?:(?:[A-Z]\w+\s){0,2}[A-Z]\w{0,5}|(?:1[6-9]|20)\d\d)$")
_OPENING_YEAR = re.compile(r"^[\s.,]*\(?(?:1[6-9]|20)\d\d[a-z]?(?:,\s\w+(?:\s\d+)?)?\)?[.,:]?\s*")
_SENTENCE_END = re.compile(r"[.?!](?=\s+(?:[a-z]?[A-ZÀ-Þ\d(]|arXiv|bioRxiv|doi|http))")
_NO_TITLE = re.compile(
    r"\b(?:\d+\s?\((?:\d[\d–-]*\)|suppl|pt\b)|\d+:\d+|vol\.|pp\.)|\b\d{2,},\s\d+|^\W*(?:arXiv|http|doi)"
    r"|\.\s(?:Rev|Lett|Phys|J)\b",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+")
_YEAR = re.compile(r"(?<![\w./:-])(1[6-9]\d\d|20\d\d)(?!\.?\d)")
_YEAR_IN_PARENTHESES = re.compile(r"\((?:[A-Za-z]+\.? )?(1[6-9]\d\d|20\d\d)[a-z]?\b[^()]{0,12}\)")


def read_entry(entry: str) -> Reference:
    """A printed reference with what can be told of it: names, title, year and DOI, whatever its style."""
    text = " ".join(entry.split())
    names, remainder = leading_names(text)
    return Reference(_title(remainder), tuple(names), year_of(text), doi_in(text), text)


def reference_of(title: str, names: Iterable[str], year: int | None, doi: str) -> Reference:
    """A reference from its fields; its line is title and DOI."""
    title, number = " ".join(title.split()), bare_doi(doi) or None
    people = tuple(filter(None, (" ".join(name.split()) for name in names)))
    return Reference(title, people, year, number, f"{title}. doi:{number}" if number else title)


_NUMBERED = re.compile(r"^\s*(?:\[\d{1,4}\]|\(\d{1,4}\)|\d{1,4}[.)])\s+")


def read_text(text: str) -> Iterator[Reference]:
    """One reference per line; where lines are numbered, those without a number continue the one before."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbered = [bool(_NUMBERED.match(line)) for line in lines]
    if len(lines) > 1 and numbered[0] and sum(numbered) > 1:
        entries: list[str] = []
        for line, begins in zip(lines, numbered, strict=True):
            if begins:
                entries.append(_NUMBERED.sub("", line))
            else:
                entries[-1] += f" {line}"
        lines = entries
    return map(read_entry, lines)


def as_line(reference: Reference) -> str:
    """A reference as a line from which `read_entry` reads the same: as it was printed where it shows no title."""
    if reference.text and not reference.title:
        return reference.text
    names = (" ".join(reversed(name.split(", ", 1))) for name in reference.authors)
    year = str(reference.year) if reference.year else ""
    doi = f"doi:{reference.doi}" if reference.doi else ""
    return ". ".join(filter(None, (", ".join(names), reference.title.rstrip("."), year, doi)))


def _title(text: str) -> str:
    """The title that follows the names: what is quoted, else the first sentence of some words that is not a journal."""
    if quoted := _QUOTED.search(text):
        return quoted[1].strip(" ,.")
    text = _OPENING_YEAR.sub("", _OPENING_GROUP.sub("", text)).lstrip(" .,:")
    end = _SENTENCE_END.search(text)
    title = text[: end.start() + 1 if end and text[end.start()] in "?!" else end.start()] if end else text
    title = _ABBREVIATION.sub("", title)
    # Journals are abbreviated, and volumes are numbers: 'Phys. Rev. D 86, 073016' is not a title.
    return title.strip() if len(title.split()) >= 3 and not _NO_TITLE.search(title) else ""


def doi_in(text: str) -> str | None:
    """The DOI that a text holds, in lower case."""
    match = _DOI.search(text)
    return match[0].rstrip(".,;:)]}").lower() if match else None


def year_of(text: str) -> int | None:
    """The year that a text holds: the last one in parentheses, else the last one."""
    years = _YEAR_IN_PARENTHESES.findall(text) or _YEAR.findall(text)
    return int(years[-1]) if years else None
