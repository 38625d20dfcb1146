"""RIS, and PubMed's format, which has the same lines under other tags."""

import re
from collections.abc import Iterator

from panelist.corpus.dois import bare_doi
from panelist.corpus.names import first_name_first
from panelist.corpus.readers.bibliography.printed import doi_in, year_of
from panelist.records import Reference

_LINE = re.compile(r"^\s?([A-Z][A-Z0-9]{1,3})\s*-(?:\s(.*))?$")
_TITLES, _AUTHORS, _YEARS, _DOIS = (
    ("TI", "T1", "CT"),
    ("FAU", "AU", "A1"),
    ("PY", "Y1", "DP", "DA"),
    ("DO", "LID", "AID"),
)


def read_ris(text: str) -> Iterator[Reference]:
    """The records with a title, in order."""
    for record in _records(text):
        title = _first(record, _TITLES)
        if title:
            names = next((record[tag] for tag in _AUTHORS if tag in record), [])
            doi = bare_doi(_first(record, _DOIS).removesuffix("[doi]")) or doi_in(" ".join(record.get("UR", ())))
            year = next(filter(None, (year_of(value) for tag in _YEARS for value in record.get(tag, ()))), None)
            line = f"{title}. doi:{doi}" if doi else title
            yield Reference(title, tuple(map(first_name_first, names)), year, doi, line)


def _records(text: str) -> Iterator[dict[str, list[str]]]:
    """The values by tag; a line without a tag continues the one before it."""
    record: dict[str, list[str]] = {}
    values: list[str] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            if line.strip() and values:
                values[-1] = f"{values[-1]} {line.strip()}".strip()
            continue
        tag, value = match[1], " ".join((match[2] or "").split())
        if tag in ("TY", "ER", "PMID") and record:
            yield record
            record, values = {}, []
        if tag != "ER" and (value or tag in _TITLES):
            values = record.setdefault(tag, [])
            values.append(value)
    yield record


def _first(record: dict[str, list[str]], tags: tuple[str, ...]) -> str:
    values = (value for tag in tags for value in record.get(tag, ()))
    if tags == _DOIS:  # identifiers of publishers stand under the same tags
        return next((value for value in values if doi_in(value)), "")
    return next(filter(None, values), "")
