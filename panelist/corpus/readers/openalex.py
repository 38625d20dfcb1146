"""OpenAlex works, the native format: JSON lines, plain or gzipped, in one file or a directory of parts.

The snapshot's parts, pages of the API and files of the same shape are read alike. Format:
https://docs.openalex.org/api-entities/works/work-object
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from panelist.corpus.readers.fields import FieldError, count, fields, identifier, identifiers, items, string, text, year
from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.reader import Reader
from panelist.corpus.readers.report import ReadReport, type_name
from panelist.records import Author, Authorship, Institution, Paper


def _works(path: Path, report: ReadReport) -> Iterator[tuple[int, Any]]:
    """The works of a file; a page of the API counts as its works."""
    for number, record in read_json_lines(path, report):
        for work in record["results"] if type(record.get("results")) is list else (record,):
            yield number, work


def to_paper(work: Any, report: ReadReport | None = None) -> Paper:
    """One work as a paper."""
    if type(work) is not dict:
        raise FieldError(f"expected an object, received {type_name(work)}")
    paper_id = identifier(work.get("id"))
    title = text(work, "title") or text(work, "display_name")
    index = fields(work, "abstract_inverted_index")
    abstract = text_of_index(index) if index else text(work, "abstract")
    if not title and not abstract:
        raise FieldError("neither title nor abstract")
    return Paper(
        paper_id,
        title,
        abstract,
        year(work, "publication_year"),
        tuple(_authorships(items(work, "authorships"), report)),
        _venue(work),
        text(work, "doi") or None,
        identifiers(work, "referenced_works"),
        count(work, "cited_by_count"),
        tuple(dict.fromkeys((*_names(work, "topics"), *_names(work, "keywords")))),
        work.get("is_retracted") is True,
    )


def to_work(paper: Paper) -> dict[str, Any]:
    """A paper as a work; `to_paper` is the inverse."""
    index: dict[str, list[int]] = {}
    for position, word in enumerate(paper.abstract.split()):
        index.setdefault(word, []).append(position)
    return {
        "id": paper.id,
        "doi": paper.doi,
        "title": paper.title,
        "publication_year": paper.year,
        "type": "article",
        "language": "en",
        "abstract_inverted_index": index or None,
        "authorships": [
            {
                "author": {"id": entry.author.id, "display_name": entry.author.name, "orcid": entry.author.orcid},
                "institutions": [*map(_to_institution, entry.institutions)],
            }
            for entry in paper.authorships
        ],
        "primary_location": {"source": {"display_name": paper.venue}} if paper.venue else None,
        "referenced_works": list(paper.references),
        "cited_by_count": paper.cited_by_count,
        "topics": [{"display_name": topic} for topic in paper.topics],
    }


def _to_institution(institution: Institution) -> dict[str, Any]:
    lineage = institution.lineage.split()
    record = {"ror": institution.ror, "display_name": institution.name, "country_code": institution.country}
    return record | ({"id": lineage[0], "lineage": lineage} if lineage else {})


def write_works(path: Path, papers: Iterable[Paper]) -> None:
    """Write papers as works, one per line."""
    with path.open("wb") as file:
        file.writelines(orjson.dumps(to_work(paper), option=orjson.OPT_APPEND_NEWLINE) for paper in papers)


def text_of_index(index: dict[str, list[int]]) -> str:
    """The text of an inverted index `{word: [positions]}`: its words in the order of their positions.

    Holes close up, and words that share a position follow each other in the order of the index.
    """
    with suppress(IndexError, KeyError, TypeError):  # a hole, a doubled position or a wrong type: take the slow way
        words: list[Any] = [None] * sum(map(len, index.values()))
        for word, positions in index.items():
            for position in positions:
                words[position] = word
        return " ".join(words)
    placed: list[tuple[int, str]] = []
    for word, positions in index.items():
        if type(positions) is not list or not all(type(position) is int for position in positions):
            raise FieldError(f"abstract_inverted_index: the positions of {word[:40]!r} are not a list of numbers")
        placed.extend((position, word) for position in positions)
    placed.sort(key=lambda pair: pair[0])
    return " ".join(word for _, word in placed)


def _authorships(entries: list[Any], report: ReadReport | None) -> list[Authorship]:
    authorships, seen = [], set()
    try:
        for entry in entries:
            author = entry.get("author") or {}
            author_id = author.get("id")
            if not author_id:  # a name alone does not identify anybody
                if report:
                    report.unidentified_authors += 1
            elif author_id not in seen:
                seen.add(author_id)
                name = author.get("display_name") or entry.get("raw_author_name")
                person = _author(author_id, name, author.get("orcid"))
                authorships.append(Authorship(person, _institutions(entry.get("institutions") or ())))
    except (TypeError, AttributeError):  # cheaper than asking for every type beforehand
        raise FieldError("authorships: an entry is not of the form {author: {…}, institutions: [{…}]}") from None
    return authorships


def _institutions(entries: Iterable[Any]) -> tuple[Institution, ...]:
    institutions = (
        _institution(entry.get("display_name"), entry.get("ror"), entry.get("country_code"), _lineage(entry))
        for entry in entries
    )
    return tuple(dict.fromkeys(filter(None, institutions)))


def _author(author_id: Any, name: Any, orcid: Any) -> Author:
    author_id = identifier(author_id, "author id")
    return Author(author_id, string(name, "author name") or author_id, string(orcid, "orcid") or None)


# Institutions recur all the time: remembering the last ones spares checking and building them. Authors do not, and a
# table of them large enough to help would crowd everything else out of the processor's cache.
@lru_cache(maxsize=1 << 12)
def _institution(name: Any, ror: Any, country: Any, lineage: str) -> Institution | None:
    ror = string(ror, "ror") or None
    name = string(name, "institution name") or ror
    return Institution(name, ror, string(country, "country_code") or None, lineage) if name else None


def _lineage(institution: dict[str, Any]) -> str:
    """The id of an institution, then those of the institutions that it is part of."""
    id_, lineage = institution.get("id"), institution.get("lineage")
    return " ".join(dict.fromkeys([id_, *lineage])) if id_ and type(lineage) is list else ""


def _names(work: dict[str, Any], field: str) -> list[str]:
    try:
        return [name for entry in items(work, field) if (name := text(entry, "display_name"))]
    except AttributeError:
        raise FieldError(f"{field}: expected a list of objects") from None


def _venue(work: dict[str, Any]) -> str | None:
    location = fields(work, "primary_location")
    if location and (source := fields(location, "source")):
        return text(source, "display_name") or None
    venue = work.get("venue")
    if type(venue) is list:
        venue = next(iter(venue), None)
    return venue if type(venue) is str and venue else None


_READER = Reader((".jsonl", ".ndjson", ".gz"), _works, to_paper)
find, read = _READER.find, _READER.read
