"""What is pasted instead of a title: a DOI, the id of a paper, or a record of OpenAlex or Semantic Scholar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from panelist.corpus.dois import bare_doi
from panelist.corpus.readers import openalex, semanticscholar
from panelist.corpus.readers.fields import FieldError, items
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Author, Institution, Paper

# No part is a dot or two: the address that is asked must not lead elsewhere.
_DOI = re.compile(
    r"^(?:(?:https?://(?:dx\.)?doi\.org/|doi:\s*))?(10\.\d{4,9}/(?!(?:\S*/)?\.\.?(?:/|$))\S+)$", re.IGNORECASE
)
_WORK = re.compile(r"^(?:https?://(?:api\.)?openalex\.org/(?:works/)?)?(W\d+)$", re.IGNORECASE)
_S2 = re.compile(
    r"^(?:https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/\s]+/)?)?([0-9a-f]{40})(?:[?#]\S*)?$", re.IGNORECASE
)
_CORPUS_ID = re.compile(r"^corpusid:\s*(\d+)$", re.IGNORECASE)


class Kind(StrEnum):
    """What an identifier is one of."""

    DOI = "doi"
    OPENALEX = "openalex"
    SEMANTIC_SCHOLAR = "semanticscholar"


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier as its catalogue wants it: `10.1234/abc`, `W123`, 40 hexadecimal digits or `CorpusId:123`."""

    kind: Kind
    value: str

    def find(self, corpus: CorpusStore) -> Paper | None:
        """The paper of the corpus that it means."""
        match self.kind:
            case Kind.DOI:
                return next(iter(corpus.find_doi(self.value)), None)
            case Kind.OPENALEX:
                ids = [f"https://openalex.org/{self.value}", self.value]
            case Kind.SEMANTIC_SCHOLAR:
                ids = [self.value]
        papers = corpus.papers(ids)
        return next((papers[identifier] for identifier in ids if identifier in papers), None)


@dataclass(frozen=True, slots=True)
class Record:
    """A paper with the names of those authors whom its record names without an id."""

    paper: Paper
    names: tuple[str, ...] = ()

    def authors(self, corpus: CorpusStore) -> tuple[list[Author], list[str]]:
        """The authors with their ids and ORCIDs, as the corpus calls them if it knows them; names of those without."""
        own = [authorship.author for authorship in self.paper.authorships]
        stored = corpus.authors([author.id for author in own])
        return [_completed(author, stored.get(author.id)) for author in own], [*self.names]

    def institutions(self) -> tuple[Institution, ...]:
        """Where the authors work."""
        return tuple(dict.fromkeys(one for authorship in self.paper.authorships for one in authorship.institutions))


def _completed(author: Author, stored: Author | None) -> Author:
    return author if stored is None else Author(author.id, stored.name, author.orcid or stored.orcid, author.email)


def read_pasted(text: str) -> Identifier | Record:
    """What a pasted text is.

    Raises:
        InputError: it is neither an identifier nor a record.
    """
    text = text.strip()
    if text.startswith(("{", "[")):
        return read_record(_json(text))
    for pattern, kind, form in _FORMS:
        if match := pattern.match(text):
            return Identifier(kind, form(match[1]))
    raise InputError(
        f"'{text[:80]}' is neither a DOI (10.1234/abc), an OpenAlex id (W123), a Semantic Scholar id (40 hexadecimal "
        "digits, or CorpusId:123) nor a JSON record: paste one of these, or give title and abstract"
    )


def read_record(record: Any) -> Record:
    """A record of OpenAlex or Semantic Scholar; a page of results with one record counts as this.

    Raises:
        InputError: it is another thing, or a field cannot be used.
    """
    for name in ("results", "data"):
        if type(record) is dict and type(record.get(name)) is list:
            record = record[name]
    if type(record) is list and len(record) == 1:
        (record,) = record
    if type(record) is not dict:
        raise InputError("paste one record: a JSON object as OpenAlex or Semantic Scholar has it")
    try:
        if "paperId" in record or "ssId" in record:
            paper = semanticscholar.to_paper(record, {}, ReadReport())
            nameless = [one for one in items(record, "authors") if type(one) is dict and not one.get("authorId")]
            names = [entry.get("name") for entry in nameless]
        else:
            paper = openalex.to_paper(record)
            entries = [authorship for authorship in items(record, "authorships") if type(authorship) is dict]
            unknown = [entry for entry in entries if not (entry.get("author") or {}).get("id")]
            names = [(one.get("author") or {}).get("display_name") or one.get("raw_author_name") for one in unknown]
    except FieldError as error:
        raise InputError(f"this record cannot be used: {error}") from error
    return Record(paper, tuple(name for name in names if type(name) is str and name.strip()))


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"this is not a whole JSON record ({error}): paste all of it") from error


_FORMS: tuple[tuple[re.Pattern[str], Kind, Callable[[str], str]], ...] = (
    (_DOI, Kind.DOI, bare_doi),
    (_WORK, Kind.OPENALEX, str.upper),
    (_S2, Kind.SEMANTIC_SCHOLAR, str.lower),
    (_CORPUS_ID, Kind.SEMANTIC_SCHOLAR, "CorpusId:{}".format),
)
