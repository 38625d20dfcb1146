"""References in tagged lines: RIS, PubMed's format, and that of ISI and the Web of Science."""

import re
from collections.abc import Collection, Iterator

from panelist.corpus.names import first_name_first
from panelist.corpus.readers.bibliography.printed import doi_in, reference_of, year_of
from panelist.records import Reference

_LINE = re.compile(r"^\s?([A-Z][A-Z0-9]{1,3})\s*-(?:\s(.*))?$")
_ISI_LINE = re.compile(r"^([A-Z][A-Z0-9])(?: (.*))?$")
_TITLES, _AUTHORS = ("TI", "T1", "CT"), ("FAU", "AF", "AU", "A1")
_NO_VALUES = ("ER", "FN", "VR", "EF")
_YEARS, _DOIS = ("PY", "Y1", "DP", "DA"), ("DO", "DI", "LID", "AID")


def read_ris(text: str) -> Iterator[Reference]:
    """The records, in order."""
    return map(_reference, _records(text, _LINE, ("TY", "ER", "PMID")))


def read_isi(text: str) -> Iterator[Reference]:
    """The records of a file of the Web of Science, where a line without a tag may be one more author."""
    return map(_reference, _records(text, _ISI_LINE, ("ER",), _AUTHORS))


def _reference(record: dict[str, list[str]]) -> Reference:
    title = next(filter(None, _values(record, _TITLES)), "")
    names = next((record[tag] for tag in _AUTHORS if tag in record), [])
    # Identifiers of publishers stand under the same tags.
    stated = next(filter(doi_in, _values(record, _DOIS)), "")
    doi = stated.removesuffix("[doi]") or doi_in(" ".join(record.get("UR", ()))) or ""
    year = next(filter(None, map(year_of, _values(record, _YEARS))), None)
    return reference_of(title, map(first_name_first, names), year, doi)


def _records(
    text: str, tagged: re.Pattern[str], boundaries: Collection[str], lists: Collection[str] = ()
) -> Iterator[dict[str, list[str]]]:
    """The values by tag; a line without a tag continues the value before it, or is one more value of a list."""
    record: dict[str, list[str]] = {}
    tag = ""
    for line in text.splitlines():
        match = tagged.match(line)
        value = " ".join(((match[2] or "") if match else line).split())
        if match and match[1] in boundaries and record:
            yield record
            record = {}
        if match:
            tag = "" if match[1] in _NO_VALUES else match[1]
        if tag and (value or (match and tag in _TITLES)):
            values = record.setdefault(tag, [])
            if match or tag in lists or not values:
                values.append(value)
            else:
                values[-1] = f"{values[-1]} {value}".strip()
    if record:
        yield record


def _values(record: dict[str, list[str]], tags: tuple[str, ...]) -> Iterator[str]:
    return (value for tag in tags for value in record.get(tag, ()))
