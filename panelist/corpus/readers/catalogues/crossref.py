"""Crossref's works: pages of its API, parts of its public data file, or JSON lines, plain or gzipped.

Format: https://api.crossref.org/swagger-ui/index.html. A notice that retracts another work says so in `update-to`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from panelist.corpus.readers.fields import FieldError, check_text, count, fields, identifier, items, string, text
from panelist.corpus.readers.lines import read_json, read_json_lines
from panelist.corpus.readers.people import distinct_authors, make_author
from panelist.corpus.readers.reader import Reader
from panelist.corpus.readers.report import ReadReport, type_name
from panelist.corpus.reference_keys import doi_key, title_key
from panelist.records import Authorship, Institution, Paper

_TAG = re.compile(r"<[^>]+>")
_RETRACTIONS = ("retraction", "removal", "withdrawal")


def _works(path: Path, report: ReadReport) -> Iterator[tuple[int, Any]]:
    """The works of a file that is one JSON document (`.json`), else of its lines; a page counts as its works."""
    is_document = path.name.removesuffix(".gz").endswith(".json")
    documents = [(0, value) for value in read_json(path, report)] if is_document else read_json_lines(path, report)
    for line, document in documents:
        for record in document if type(document) is list else [document]:
            page = record["message"] if type(record) is dict and type(record.get("message")) is dict else record
            for work in page["items"] if type(page) is dict and type(page.get("items")) is list else (page,):
                yield line, work


def to_paper(work: Any, report: ReadReport) -> Paper:
    """One work as a paper; what it retracts is noted in the report."""
    if type(work) is not dict:
        raise FieldError(f"expected a JSON object, received {type_name(work)}")
    doi = text(work, "DOI")
    title = " ".join(_TAG.sub("", _first_text(work, "title")).split())
    abstract = " ".join(_TAG.sub(" ", text(work, "abstract")).split()).removeprefix("Abstract ")
    check_text(title, abstract)
    notices = filter(_is_retraction, _objects(work, "update-to"))
    retracts = [string(notice.get("DOI"), "update-to") for notice in notices]
    report.retractions.update(map(doi_key, filter(None, retracts)))
    return Paper(
        identifier(doi_key(doi) if doi else None, "DOI"),
        title,
        abstract,
        _year(work),
        distinct_authors(map(_author, _objects(work, "author")), report),
        _first_text(work, "container-title") or None,
        doi,
        tuple(dict.fromkeys(filter(None, map(_cited, _objects(work, "reference"))))),
        count(work, "is-referenced-by-count"),
        tuple(subject for subject in items(work, "subject") if type(subject) is str),
        bool(retracts) or any(map(_is_retraction, _objects(work, "updated-by"))),
    )


def _is_retraction(notice: dict[str, Any]) -> bool:
    return text(notice, "type") in _RETRACTIONS


def _objects(record: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [item for item in items(record, name) if type(item) is dict]


def _first_text(work: dict[str, Any], name: str) -> str:
    return next((string(item, name) for item in items(work, name) if item), "")


def _year(work: dict[str, Any]) -> int | None:
    for name in ("issued", "published", "created"):
        parts = items(fields(work, name), "date-parts")
        if parts and type(parts[0]) is list and parts[0] and type(parts[0][0]) is int and 1000 <= parts[0][0] <= 9999:
            return int(parts[0][0])
    return None


def _author(entry: dict[str, Any]) -> Authorship | None:
    author = make_author(f"{text(entry, 'given')} {text(entry, 'family')}", text(entry, "ORCID"))
    return Authorship(author, tuple(_institutions(entry))) if author else None


def _institutions(author: dict[str, Any]) -> Iterator[Institution]:
    for affiliation in _objects(author, "affiliation"):
        ror = next((text(key, "id") for key in _objects(affiliation, "id") if text(key, "id-type") == "ROR"), None)
        if text(affiliation, "name"):
            yield Institution(text(affiliation, "name"), ror)


def _cited(reference: dict[str, Any]) -> str:
    doi = text(reference, "DOI")
    return doi_key(doi) if doi else title_key(text(reference, "article-title"))


READER = Reader((".json", ".jsonl", ".json.gz", ".jsonl.gz"), _works, to_paper)
