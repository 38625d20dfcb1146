"""Submissions, in whichever shape a venue has them: OpenReview's `submissions.json`, a CSV file, JSON lines."""

import logging
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from panelist.corpus.readers import openalex, openreview, tables
from panelist.corpus.readers.fields import (
    FieldError,
    day,
    fields,
    identifier,
    identifiers,
    items,
    string,
    title_and_abstract,
    year,
)
from panelist.corpus.readers.lines import read_blocks, read_json, read_json_lines
from panelist.corpus.readers.people import read_institution, read_person, sorted_people, split_people
from panelist.corpus.readers.reader import converted
from panelist.corpus.readers.report import ReadReport, note_columns, type_name
from panelist.errors import InputError
from panelist.records import Submission
from panelist.words import counted

_log = logging.getLogger(__name__)

FILES = ("submissions.json", "submissions.jsonl", "submissions.csv", "submission.csv")
"""What a file of submissions is called in a folder; the last one is EasyChair's."""

_FIELDS = (
    *("id", "pid", "title", "abstract", "authors", "author_names", "contacts", "institutions", "references"),
    *("year", "pc_conflicts", "not_authors", "received", "bibliography"),
)
_SHAPES = {"content", "authorids", "authorships", "abstract_inverted_index"}
"""Fields of notes and works, which have many others by design."""


def find_submissions(folder: Path) -> Path | None:
    """The file of submissions in a folder or below it; None where there is none."""
    files = (path for name in FILES for path in sorted(folder.rglob(name)) if path.is_file())
    return next(files, None)


def read_submissions(path: Path) -> list[Submission]:
    """All submissions of a file: `.json` (OpenReview, HotCRP), `.csv`/`.tsv`, else JSON lines; or of a folder.

    A line of JSON is a submission (`id`, `title`, `abstract`, and optionally `authors` as names or `{id, name,
    orcid, email}`, `author_names`, `not_authors`, `institutions`, `references`, `year`,
    `received`), an OpenReview note or an
    OpenAlex work. Where something cannot be used, or an id comes twice, that is an `InputError`.
    """
    report = ReadReport()
    path = (find_submissions(path) or path / FILES[0]) if path.is_dir() else path
    submissions = [submission for _, submission in numbered_submissions(path, report)]
    if report.left_out:
        _log.warning("%s in '%s' left out: marked as deleted", counted(report.left_out, "submission"), path)
    if report.rejected:
        raise InputError(f"{report.example()}: correct the submissions and try again")
    return submissions


def numbered_submissions(path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    """The submissions of a file with the line of each, 0 where the format has no lines of its own."""
    if not path.is_file():
        raise InputError(f"no such file: '{path}'")
    name = path.name.removesuffix(".gz")
    if name.endswith((".csv", ".tsv")):
        numbered = tables.read_submissions(path, report)
    elif name.endswith(".json"):
        numbered = _read_document(path, report)
    elif name.endswith(".jsonl") or next(read_blocks(path, report, []), b"{").lstrip(b"\xef\xbb\xbf \n").startswith(
        b"{"
    ):
        numbered = _converted(read_json_lines(path, report), path, report)
    else:
        raise InputError(f"'{path}' is no file of submissions: give a table (.csv, .tsv), .json, or JSON lines")
    seen: set[str] = set()
    for number, submission in numbered:
        if submission.id in seen:
            report.reject(path, number, f"the id {submission.id!r} comes twice")
        else:
            seen.add(submission.id)
            yield number, submission


def _read_document(path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    """One JSON value: an object of notes by id, as OpenReview writes it, a list of them, or a single submission.

    A single one may do without an id: nothing has to tell it from others.
    """
    for document in read_json(path, report):
        if type(document) is dict:
            single = document.keys() & {"id", "title", "abstract"}
            document = [{"id": "submission", **document}] if single else list(document.values())
        if type(document) is list:
            yield from _converted(((0, record) for record in document), path, report)
        else:
            report.reject(path, 0, f"expected an object or a list of submissions, received {type_name(document)}")


def _converted(records: Iterable[tuple[int, Any]], path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    def noted(record: Any) -> Submission:
        if type(record) is dict and _SHAPES.isdisjoint(record):
            note_columns(path, record, _FIELDS)
        return to_submission(record)

    return converted(records, noted, path, report)


def to_submission(record: Any) -> Submission:
    """A JSON object as a submission."""
    if type(record) is not dict:
        raise FieldError(f"expected an object, received {type_name(record)}")
    if "content" in record or "authorids" in record:
        return openreview.to_submission(record if "content" in record else {**record, "content": record})
    if "authorships" in record or "abstract_inverted_index" in record:
        return _from_work(record)
    title, abstract = title_and_abstract(record)
    value = record.get("authors")
    people = [read_person(entry) for entry in ([value] if type(value) is str else items(record, "authors"))]
    named_people = [split_people(string(name, "author_names")) for name in items(record, "author_names")]
    authors, names = sorted_people(chain.from_iterable([*(persons for persons, _ in people), *named_people]))
    contacts, _ = sorted_people(chain.from_iterable(read_person(entry)[0] for entry in items(record, "contacts")))
    authors += tuple(contact for contact in contacts if contact.id not in {author.id for author in authors})
    places = chain(map(read_institution, items(record, "institutions")), *(places for _, places in people))
    references = tuple(string(reference, "references") for reference in items(record, "references"))
    key = identifier(record.get("id", record.get("pid")))  # HotCRP's name
    institutions = tuple(dict.fromkeys(places))
    submission = Submission(key, title, abstract, authors, names, institutions, references, year(record, "year"))
    stated = fields(record, "pc_conflicts")  # HotCRP's: address -> why
    conflicts = tuple(person for person, why in stated.items() if why not in (False, None, "none"))
    not_authors, received = identifiers(record, "not_authors"), day(record, "received")
    return replace(submission, not_authors=not_authors, conflicts=conflicts, received=received)


def _from_work(work: dict[str, Any]) -> Submission:
    paper = openalex.to_paper(work)
    authors = tuple(authorship.author for authorship in paper.authorships)
    institutions = tuple(dict.fromkeys(home for entry in paper.authorships for home in entry.institutions))
    return Submission(
        paper.id, paper.title, paper.abstract, authors, (), institutions, paper.references, year=paper.year
    )
