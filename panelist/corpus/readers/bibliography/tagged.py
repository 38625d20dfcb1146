"""References in tagged lines: RIS, PubMed's format, and that of ISI and the Web of Science."""

import re
from collections.abc import Iterator

from panelist.corpus.names import first_name_first
from panelist.corpus.readers.bibliography.printed import doi_in, reference_of, year_of
from panelist.records import Reference

_LINE = re.compile(r"^\s?([A-Z][A-Z0-9]{1,3})\s*-(?:\s(.*))?$")
_ISI_LINE = re.compile(r"^([A-Z][A-Z0-9])(?: (.*))?$")
_TITLES, _AUTHORS = ("TI", "T1", "CT"), ("FAU", "AF", "AU", "A1")
_YEARS, _DOIS = ("PY", "Y1", "DP", "DA"), ("DO", "DI", "LID", "AID")


def read_ris(text: str) -> Iterator[Reference]:
    """The records, in order."""
    return map(_reference, _records(text))


def read_isi(text: str) -> Iterator[Reference]:
    """The records of a file of the Web of Science: a line without a tag is one more author, or continues a text."""
    record: dict[str, list[str]] = {}
    tag = ""
    for line in text.splitlines():
        match = _ISI_LINE.match(line)
        tag, value = (match[1], (match[2] or "").strip()) if match else (tag, line.strip())
        if tag == "ER" and record:
            yield _reference(record)
            record, tag = {}, ""
        elif value and tag not in ("", "FN", "VR", "EF", "ER"):
            values = record.setdefault(tag, [])
            if match or tag in _AUTHORS:
                values.append(value)
            else:
                values[-1] += f" {value}"
    if record:
        yield _reference(record)


def _reference(record: dict[str, list[str]]) -> Reference:
    title = next(filter(None, _values(record, _TITLES)), "")
    names = next((record[tag] for tag in _AUTHORS if tag in record), [])
    # Identifiers of publishers stand under the same tags.
    stated = next(filter(doi_in, _values(record, _DOIS)), "")
    doi = stated.removesuffix("[doi]") or doi_in(" ".join(record.get("UR", ()))) or ""
    year = next(filter(None, map(year_of, _values(record, _YEARS))), None)
    return reference_of(title, map(first_name_first, names), year, doi)


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
    if record:
        yield record


def _values(record: dict[str, list[str]], tags: tuple[str, ...]) -> Iterator[str]:
    return (value for tag in tags for value in record.get(tag, ()))
