"""OpenReview's layout: a directory with `archives/~ID.jsonl`, the notes of each reviewer, and `submissions.json`.

A note is `{"id": …, "content": {"title": …, "abstract": …}}`; since version 2 of OpenReview's API each value in
`content` is wrapped as `{"value": …}`. The name of an archive is the id of its owner, whose papers these are.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from panelist.corpus.names import normalise_name, openreview_name
from panelist.corpus.readers.fields import FieldError, fields, identifier, items, string, text, title_and_abstract, year
from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.people import name_of, read_person, sorted_people, split_ids, split_people
from panelist.corpus.readers.reader import find_parts, unite_papers
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper, Submission


def find(directory: Path) -> list[Path]:
    """The archives that `read` will read."""
    archives = directory / "archives"
    if not archives.is_dir():
        raise InputError(f"'{directory}' has no directory 'archives': give the directory that contains it")
    return find_parts([archives], (".jsonl", ".jsonl.gz"))


def owner(archive: Path) -> str:
    """Whose archive this is."""
    return archive.name.removesuffix(".gz").removesuffix(".jsonl")


def read(directory: Path, report: ReadReport, *, coauthors: bool = False) -> Iterator[Paper]:
    """The papers of all archives; one that is in several archives comes once, with all their owners as authors.

    With `coauthors`, those whom the note names follow.
    """
    find(directory)
    return unite_papers(lambda report: read_archives(directory, report), report, coauthors=coauthors)


def read_archives(directory: Path, report: ReadReport) -> Iterator[tuple[Author, Paper]]:
    """Every paper of every archive with its owner; its authors are all whom the note names."""
    for archive in find(directory):
        for number, note in read_json_lines(archive, report):
            try:
                content = content_of(note)
                team, venue = _team(content), text(content, "venue") or None
                texts = title_and_abstract(content)
                paper = Paper(identifier(note.get("id")), *texts, year(content, "year"), team, venue)
                name = identifier(owner(archive), "archive name")
                owner_name = next((member.author.name for member in team if member.author.id == name), name)
                yield Author(name, owner_name), paper
            except FieldError as error:
                report.reject(archive, number, str(error))


def content_of(note: dict[str, Any]) -> dict[str, Any]:
    """The content of a note, its values unwrapped."""
    return {
        name: value["value"] if type(value) is dict and "value" in value else value
        for name, value in fields(note, "content").items()
    }


def to_submission(note: dict[str, Any]) -> Submission:
    """A note as a submission. Its authors are known by id where `authorids` says so, else by name only."""
    content = content_of(note)
    title, abstract = title_and_abstract(content)
    authors, names = sorted_people(_people(content))
    references = tuple(string(reference, "references") for reference in items(content, "references"))
    return Submission(
        identifier(note.get("id")), title, abstract, authors, names, (), references, year(content, "year")
    )


def _people(content: dict[str, Any]) -> list[Author | str]:
    """The authors: ids and names side by side; where these are not as many, all of both, but for names in the ids."""
    authors = content.get("authors")
    people: list[Author | str] = split_people(authors) if type(authors) is str else []
    for entry in items(content, "authors") if type(authors) is not str else ():
        people += read_person(entry)[0] if type(entry) is dict else [string(entry, "authors")]
    people, ids = [person for person in people if person], split_ids(content.get("authorids"))
    if len(ids) == len(people):
        return [Author(key, name_of(person)) for key, person in zip(ids, people, strict=True)]
    matched = {*ids, *(normalise_name(openreview_name(key)) for key in ids)}
    unidentified = (
        entry for entry in people if (normalise_name(entry) if isinstance(entry, str) else entry.id) not in matched
    )
    return [*(Author(key, openreview_name(key)) for key in ids), *unidentified]


def _team(content: dict[str, Any]) -> tuple[Authorship, ...]:
    """All authors of a paper of an archive. A name without an id is nobody's id: it has whitespace."""
    try:
        people = _people(content)
    except FieldError:  # an archive is a stranger's: what cannot be used is passed over
        return ()
    authors = (Author(f"name: {normalise_name(entry)}", entry) if isinstance(entry, str) else entry for entry in people)
    return tuple(map(Authorship, {author.id: author for author in authors}.values()))
