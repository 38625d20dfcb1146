"""Semantic Scholar: papers as JSON lines, and people with their bibliographies where papers name no author ids.

Three shapes are read alike: that of the Semantic Scholar API (`paperId`, `authors: [{authorId, name}]`, `references`,
`externalIds`), that of its bulk data set of papers (`corpusid`; the abstracts are another data set), and that of the
reviewer gold standard (`ssId`, authors by name only), whose `participants` file says who wrote what: `{authorId, name,
papers: [{paperId}]}`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from panelist.corpus.readers.fields import count, fields, identifier, items, objects, text, title_and_abstract, year
from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.reader import Reader, converted, find_parts
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper

_SUFFIXES = (".jsonl", ".jsonl.gz")


def find(paths: Iterable[Path], people: Path | None = None) -> tuple[list[Path], Path | None]:
    """The files of papers, and that of people, that `read` will read.

    A directory that holds `papers.jsonl.gz` (or `.jsonl`) stands for this file and, unless `people` is given, for the
    `participants` file beside it.
    """
    files = []
    for path in paths:
        papers = _named(path, "papers")
        people = people or (_named(path, "participants") if papers else None)
        files += [papers] if papers else find_parts([path], _SUFFIXES)
    if people is not None and not people.is_file():
        raise InputError(f"no such file: '{people}'")
    return files, people


def read(paths: Iterable[Path], report: ReadReport, people: Path | None = None) -> Iterator[Paper]:
    """The papers, with the authors whom they name by id and the people whose bibliographies name them."""
    files, people = find(paths, people)
    owners = _owners(people, report) if people else {}
    reader = Reader(_SUFFIXES, read_json_lines, lambda record, report: to_paper(record, owners, report))
    yield from reader.read(files, report)


def to_paper(record: Mapping[str, Any], owners: Mapping[str, Sequence[Author]], report: ReadReport) -> Paper:
    """One record as a paper, with the authors whom it names by id and those of `owners`, by the paper's id."""
    bulk = record.get("corpusid")
    paper_id = identifier(record.get("paperId") or record.get("ssId") or (bulk and f"CorpusId:{bulk}"), "paperId")
    title, abstract = title_and_abstract(record)
    authors: dict[str, Author] = {}
    for entry in items(record, "authors"):
        if type(entry) is dict and entry.get("authorId"):
            author = _author(entry)
            authors[author.id] = author
    for author in owners.get(paper_id, ()):
        authors.setdefault(author.id, author)
    report.unidentified_authors += max(0, len(items(record, "authors")) - len(authors))
    return Paper(
        paper_id,
        title,
        abstract,
        year(record, "year"),
        tuple(map(Authorship, authors.values())),
        text(record, "venue") or None,
        text(fields(record, "externalIds") or fields(record, "externalids"), "DOI") or None,
        tuple(dict.fromkeys(_paper_ids(record, "references"))),
        count(record, "citationCount") or count(record, "citationcount"),
        tuple(topic for topic in items(record, "fieldsOfStudy") if type(topic) is str),
    )


def read_abstracts(paths: Iterable[Path], report: ReadReport) -> Iterator[tuple[str, str]]:
    """The abstracts of the bulk data set, each with the id of its paper."""

    def abstract(record: Mapping[str, Any], report: ReadReport) -> tuple[str, str]:
        return f"CorpusId:{identifier(record.get('corpusid'), 'corpusid')}", text(record, "abstract")

    return Reader(_SUFFIXES, read_json_lines, abstract).read(paths, report)


def _owners(people: Path, report: ReadReport) -> dict[str, list[Author]]:
    """For each paper id the people in whose bibliographies it is."""

    def bibliography(record: Mapping[str, Any]) -> tuple[Author, list[str]]:
        return _author(record), _paper_ids(record, "papers")

    owners: dict[str, list[Author]] = {}
    for _, (author, papers) in converted(read_json_lines(people, report), bibliography, people, report):
        for paper in papers:
            owners.setdefault(paper, []).append(author)
    return owners


def _author(record: Mapping[str, Any]) -> Author:
    author_id = identifier(record.get("authorId"), "authorId")
    return Author(author_id, text(record, "name") or author_id)


def _paper_ids(record: Mapping[str, Any], name: str) -> list[str]:
    """The ids of a field `[{paperId}]`; entries that Semantic Scholar could not resolve have none."""
    ids = (entry.get("paperId") for entry in objects(record, name))
    return [identifier(paper, "paperId") for paper in ids if paper is not None]


def _named(directory: Path, name: str) -> Path | None:
    return next((path for suffix in _SUFFIXES if (path := directory / f"{name}{suffix}").is_file()), None)
