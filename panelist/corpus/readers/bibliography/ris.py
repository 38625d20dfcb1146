"""RIS, and PubMed's format, which has the same lines under other tags."""

import re
from collections.abc import Iterator

from panelist.corpus.names import first_name_first
from panelist.corpus.readers.bibliography.printed import doi_in, year_of
from panelist.corpus.reference_keys import bare_doi
from panelist.records import Reference

_LINE = re.compile(r"^\s?([A-Z][A-Z0-9]{1,3})\s*-(?:\s(.*))?$")
_TITLES, _AUTHORS = ("TI", "T1", "CT"), ("FAU", "AU", "A1")
_YEARS, _DOIS = ("PY", "Y1", "DP", "DA"), ("DO", "LID", "AID")


def read_ris(text: str) -> Iterator[Reference]:
    """The records with a title, in order."""
    for record in _records(text):
        title = next(filter(None, _values(record, _TITLES)), "")
        if title:
            names = next((record[tag] for tag in _AUTHORS if tag in record), [])
            # Identifiers of publishers stand under the same tags.
            stated = next(filter(doi_in, _values(record, _DOIS)), "")
            doi = bare_doi(stated.removesuffix("[doi]")) or doi_in(" ".join(record.get("UR", ())))
            year = next(filter(None, map(year_of, _values(record, _YEARS))), None)
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


def _values(record: dict[str, list[str]], tags: tuple[str, ...]) -> Iterator[str]:
    return (value for tag in tags for value in record.get(tag, ()))
