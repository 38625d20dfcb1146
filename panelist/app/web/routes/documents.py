"""`POST /pdf`, `/bibliography` and `/records`: a submission from files, a DOI, an id or a record."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter
from pydantic import BaseModel, Field, StringConstraints

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.manuscripts import TYPES, extract
from panelist.app.web.bodies import BINARY, body_of, described_body, named_content_of
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.responses import InstitutionOut, PersonOut
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.corpus.manuscripts.lines import Sure
from panelist.corpus.pasted import Identifier, Record, read_pasted
from panelist.corpus.readers.bibliography import read_bibliography
from panelist.corpus.readers.bibliography.printed import as_line
from panelist.http.client import Client, FetchError

KINDS = {
    "application/x-bibtex": "bibliography.bib",
    "application/x-research-info-systems": "bibliography.ris",
    "application/nbib": "bibliography.nbib",
    "application/octet-stream": "bibliography",
}
"""Files of references by their content types; the content of the last tells its format."""

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


class Manuscript(BaseModel):
    """What was read from a PDF file; empty where nothing was found."""

    title: str
    authors: list[str]
    abstract: str
    references: list[str]
    pages: int
    sure: dict[Literal["title", "authors", "abstract", "references"], Sure] = Field(
        description="How sure each part is: read by its heading or letters, by its place alone, a guess, or not found."
    )


@router.post("/manuscript", summary="Read a manuscript", openapi_extra=described_body(BINARY, *TYPES))
@in_threads("heavy")
def read_manuscript(content: Annotated[bytes, body_of("the manuscript", *TYPES)], state: StateOf) -> Manuscript:
    """Title, authors, abstract and references: a guess, to be checked by eye. The file is not stored."""
    return Manuscript(**extract(content))


class BibliographyOut(BaseModel):
    """The references of a file as printed lines, its format, and how many entries were left out, by reason."""

    references: list[str]
    format: str
    left_out: dict[str, int]


@router.post("/bibliography", summary="Read what a manuscript cites", openapi_extra=described_body(BINARY, *KINDS))
@in_threads("heavy")
def read_references(
    file: Annotated[tuple[bytes, str], named_content_of("the bibliography", KINDS)], state: StateOf
) -> BibliographyOut:
    """What any tool exports as printed lines, for the `references` of a submission. It is not stored."""
    read = read_bibliography(*file).cut(limits.REFERENCES)
    lines = [as_line(reference)[: limits.REFERENCE] for reference in read.references]
    return BibliographyOut(references=lines, format=read.format, left_out=read.left_out)


_SECONDS = 15.0  # until a catalogue must have answered


class PastedIn(Request):
    """What was pasted; with `elsewhere`, the host that an earlier answer named is asked."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limits.RECORD)]
    elsewhere: bool = False


class RecordOut(BaseModel):
    """A submission's fields; `source` says where they are from: the corpus, what was pasted, or a host."""

    title: str
    abstract: str
    authors: list[PersonOut]
    author_names: list[str]
    institutions: list[InstitutionOut]
    references: list[str]
    year: int | None
    source: str


class ResolvedOut(BaseModel):
    """What was found; where nothing was, `host` is who could be asked, null where the server is offline."""

    kind: Literal["doi", "openalex", "semanticscholar", "record"]
    found: RecordOut | None
    host: str | None = Field(description="Nothing is sent there before `elsewhere` is true; then the identifier is.")


@router.post(
    "/records", summary="A submission from a DOI or a record", dependencies=[needs(Permission.DESK, Permission.EDIT)]
)
@in_threads("records")
def resolve_record(request: PastedIn, state: StateOf) -> ResolvedOut:
    """A DOI or an id is looked for in the corpus; a record is read as it is. Nothing is stored."""
    pasted = read_pasted(request.text)
    if isinstance(pasted, Record):
        return ResolvedOut(kind="record", found=_out(state, pasted, "what was pasted"), host=None)
    with state.service.finder() as finder:
        paper = pasted.find(finder.corpus)
    if paper is not None:
        return ResolvedOut(kind=pasted.kind, found=_out(state, Record(paper), "the corpus"), host=None)
    host = urlsplit(pasted.catalogue).hostname if state.online else None
    answer = None
    if request.elsewhere:
        if host is None:
            raise ProblemError(403, "this server asks nobody else: whoever runs it did not allow it")
        record = _fetch(pasted, host)
        answer = None if record is None else _out(state, record, host)
    return ResolvedOut(kind=pasted.kind, found=answer, host=host)


def _fetch(identifier: Identifier, host: str) -> Record | None:
    with Client(attempts=2, timeout=_SECONDS, host=host, largest=limits.RECORD_ELSEWHERE) as client:
        try:
            return identifier.fetch(client)
        except FetchError as error:
            raise ProblemError(503, str(error), {"Retry-After": "10"}) from error


def _out(state: ServerState, record: Record, source: str) -> RecordOut:
    paper = record.paper
    with state.service.finder() as finder:
        authors, names = record.authors(finder.corpus)
    if max(len(authors), len(names), len(record.institutions())) > limits.AUTHORS:
        raise ProblemError(
            422,
            f"this paper has more than {limits.AUTHORS} authors, too many to look for their conflicts here: give it to "
            "'panelist find' as a file",
        )
    return RecordOut(
        title=paper.title[: limits.TITLE],
        abstract=paper.abstract[: limits.ABSTRACT],
        authors=list(map(PersonOut.of, authors)),
        author_names=names,
        institutions=list(map(InstitutionOut.of, record.institutions())),
        references=list(paper.references[: limits.REFERENCES]),
        year=paper.year,
        source=source,
    )
