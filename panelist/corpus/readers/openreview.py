"""OpenReview's layout: a directory with `archives/~ID.jsonl`, the notes of each reviewer, and `submissions.json`.

A note is `{"id": …, "content": {"title": …, "abstract": …}}`; since version 2 of OpenReview's API each value in
`content` is wrapped as `{"value": …}`. The name of an archive is the id of its owner, whose papers these are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from panelist.corpus.readers.fields import FieldError, fields, identifier, items, string, text, title_and_abstract, year
from panelist.corpus.readers.lines import find_parts, read_json_lines
from panelist.corpus.readers.owners import unite
from panelist.corpus.readers.people import split_ids, split_people
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Paper, Submission


def find(directory: Path) -> list[Path]:
    """The archives that `read` will read.

    Raises:
        InputError: there is no directory `archives`, or it is empty.
    """
    archives = directory / "archives"
    if not archives.is_dir():
        raise InputError(f"'{directory}' has no directory 'archives': give the directory that contains it")
    return find_parts([archives], (".jsonl", ".jsonl.gz"))


def read(directory: Path, report: ReadReport) -> Iterator[Paper]:
    """The papers of all archives; one that is in several archives comes once, with all their owners as authors.

    Raises:
        InputError: there is no directory `archives`, or it is empty.
    """
    archives = find(directory)

    def read_archives(report: ReadReport) -> Iterator[tuple[Author, Paper]]:
        for archive in archives:
            owner = archive.name.removesuffix(".gz").removesuffix(".jsonl")
            for number, note in read_json_lines(archive, report):
                try:
                    content = content_of(note)
                    paper = Paper(
                        identifier(note.get("id")),
                        *title_and_abstract(content),
                        year(content, "year"),
                        venue=text(content, "venue") or None,
                    )
                    yield Author(identifier(owner, "archive name"), _name(owner, content)), paper
                except FieldError as error:
                    report.reject(archive, number, str(error))

    return unite(read_archives, report)


def content_of(note: dict[str, Any]) -> dict[str, Any]:
    """The content of a note, its values unwrapped."""
    return {
        name: value["value"] if type(value) is dict and "value" in value else value
        for name, value in fields(note, "content").items()
    }


def to_submission(note: dict[str, Any]) -> Submission:
    """A note as a submission. Its authors are known by id where `authorids` says so, else by name only.

    Raises:
        FieldError: the note has no id or no text, or a field has the wrong type.
    """
    content = content_of(note)
    listed = content.get("authors")
    people = split_people(listed) if type(listed) is str else items(content, "authors")
    names = [one.name if isinstance(one, Author) else one for one in people if isinstance(one, Author | str) and one]
    ids = split_ids(content.get("authorids"))
    if ids and len(names) != len(ids):
        names = ids
    return Submission(
        identifier(note.get("id")),
        *title_and_abstract(content),
        authors=tuple(Author(author_id, name) for author_id, name in zip(ids, names, strict=True)) if ids else (),
        author_names=() if ids else tuple(names),
        references=tuple(string(one, "references") for one in items(content, "references")),
        year=year(content, "year"),
    )


def _name(owner: str, content: dict[str, Any]) -> str:
    """The owner's name where the note gives it beside the id, else the id itself: ids are never taken apart."""
    ids, names = items(content, "authorids"), items(content, "authors")
    if len(ids) == len(names) and owner in ids:
        name = names[ids.index(owner)]
        if type(name) is str and name.strip():
            return name.strip()
    return owner
