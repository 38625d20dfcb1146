"""What is pasted instead of a title: a DOI, the id of a paper, a record in JSON, or an entry of BibTeX or RIS."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

import orjson
from msgspec.structs import replace

from panelist.config import openalex_key, openalex_url, semanticscholar_url
from panelist.corpus.fetch.openalex import FIELDS
from panelist.corpus.readers import openalex, semanticscholar
from panelist.corpus.readers.bibliography import read_bibliography
from panelist.corpus.readers.bibliography.bibtex import plain_latex
from panelist.corpus.readers.fields import FieldError, items, objects
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import to_submission
from panelist.corpus.reference_keys import bare_doi
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.http.client import Client, FetchError
from panelist.records import Author, Authorship, Institution, Paper

_S2_FIELDS = "paperId,title,abstract,year,venue,authors,externalIds,citationCount,fieldsOfStudy,references.paperId"
_PASTED = "pasted"  # the id of a record without one
_ENTRY = re.compile(r"@\s*\w+\s*[{(]|TY\s+- ")
_ABSTRACT = re.compile(
    r"\babstract\s*=\s*(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|\"([^\"]*)\")|^(?:AB|N2)\s+- (.*)", re.I | re.M
)
Kind = Literal["doi", "openalex", "semanticscholar"]

# No part of a DOI is a dot or two: the address that is asked must not lead elsewhere.
_FORMS: tuple[tuple[str, Kind, Callable[[str], str]], ...] = (
    (r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/(?!(?:\S*/)?\.\.?(?:/|$))\S+)", "doi", bare_doi),
    (r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?)?(W\d+)", "openalex", str.upper),
    (
        r"(?:https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/\s]+/)?)?([0-9a-f]{40})(?:[?#]\S*)?",
        "semanticscholar",
        str.lower,
    ),
    (r"corpusid:\s*(\d+)", "semanticscholar", "CorpusId:{}".format),
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier as its catalogue wants it: `10.1234/abc`, `W123`, 40 hexadecimal digits or `CorpusId:123`."""

    kind: Kind
    value: str

    def find(self, corpus: CorpusStore) -> Paper | None:
        """The paper of the corpus that it means."""
        if self.kind == "doi":
            return next(iter(corpus.find_doi(self.value)), None)
        ids = [f"https://openalex.org/{self.value}", self.value]
        papers = corpus.papers(ids)
        return next((papers[identifier] for identifier in ids if identifier in papers), None)

    @property
    def catalogue(self) -> str:
        """The address of the API that knows such identifiers."""
        return (semanticscholar_url() if self.kind == "semanticscholar" else openalex_url()).rstrip("/")

    def fetch(self, client: Client) -> "Record | None":
        """The record of the catalogue; None where it has none."""
        if self.kind == "semanticscholar":
            path, parameters = f"paper/{quote(self.value, safe=':')}", {"fields": _S2_FIELDS}
        else:
            path = f"works/{'doi:' if self.kind == 'doi' else ''}{quote(self.value, safe=':/')}"
            parameters = {"select": FIELDS} | ({"api_key": secret} if (secret := openalex_key()) else {})
        try:
            return read_record(client.get_json(f"{self.catalogue}/{path}", parameters))
        except FetchError as error:
            if error.status == 404:
                return None
            raise


@dataclass(frozen=True, slots=True)
class Record:
    """A paper with the names of those authors whom its record names without an id."""

    paper: Paper
    names: tuple[str, ...] = ()

    def authors(self, corpus: CorpusStore) -> tuple[list[Author], list[str]]:
        """The authors with their ids and ORCIDs, as the corpus calls them if it knows them; names of those without."""
        record_authors = [authorship.author for authorship in self.paper.authorships]
        stored = corpus.authors([author.id for author in record_authors])
        pairs = ((author, stored.get(author.id, author)) for author in record_authors)
        authors = [replace(author, name=match.name, orcid=author.orcid or match.orcid) for author, match in pairs]
        return authors, [*self.names]

    def institutions(self) -> tuple[Institution, ...]:
        """Where the authors work."""
        return tuple(
            dict.fromkeys(institution for entry in self.paper.authorships for institution in entry.institutions)
        )


def read_pasted(text: str) -> Identifier | Record:
    """What a pasted text is; `InputError` where it is neither an identifier nor a record."""
    text = text.strip()
    if text.startswith(("{", "[")):
        try:
            return read_record(orjson.loads(text))
        except orjson.JSONDecodeError as error:
            raise InputError(f"this is not a whole JSON record ({error}): paste all of it") from error
    if _ENTRY.match(text):
        return _read_entry(text)
    for pattern, kind, form in _FORMS:
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            return Identifier(kind, form(match[1]))
    raise InputError(
        f"'{text[:80]}' is neither a DOI (10.1234/abc), an OpenAlex id (W123), a Semantic Scholar id (40 hexadecimal "
        "digits, or CorpusId:123), a JSON record nor BibTeX or RIS: paste one of these, or give title and abstract"
    )


def _read_entry(text: str) -> Record:
    entries = read_bibliography(text.encode(), "what was pasted").references
    if len(entries) > 1:
        raise InputError(f"this holds {len(entries)} entries: paste one, or drop the file to say what is cited")
    (entry,) = entries
    abstract = _ABSTRACT.search(text)
    abstract_text = plain_latex(next(filter(None, abstract.groups()), "")) if abstract else ""
    return Record(Paper(_PASTED, entry.title, abstract_text, entry.year, doi=entry.doi), entry.authors)


def read_record(record: Any) -> Record:
    """A record of OpenAlex or Semantic Scholar; a page of results with one record counts as this."""
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
            authors = [entry for entry in items(record, "authors") if type(entry) is dict]
            names = [author.get("name") for author in authors if not author.get("authorId")]
        elif not record.keys() & {"authorships", "abstract_inverted_index"}:
            entry = to_submission({"id": _PASTED, **record})
            team = tuple(Authorship(author, entry.institutions) for author in entry.authors)
            return Record(Paper(entry.id, entry.title, entry.abstract, entry.year, team), entry.author_names)
        else:
            paper = openalex.to_paper({"id": _PASTED, **record})
            entries = [(entry, entry.get("author") or {}) for entry in objects(record, "authorships")]
            unknown = [(entry, author) for entry, author in entries if not author.get("id")]
            names = [author.get("display_name") or entry.get("raw_author_name") for entry, author in unknown]
    except FieldError as error:
        raise InputError(f"this record cannot be used: {error}") from error
    return Record(paper, tuple(name for name in names if type(name) is str and name.strip()))
