"""`POST /pdf`, `/bibliography` and `/records`: a submission from files, a DOI, an id or a record."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field, StringConstraints

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.confined.pdf import extract
from panelist.app.web.bodies import BINARY, check_type, described_body
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.responses import InstitutionOut, PersonOut
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.config import openalex_key, openalex_url, semanticscholar_url
from panelist.corpus.fetch.single import fetch_s2_paper, fetch_work
from panelist.corpus.pasted import Identifier, Kind, Record, read_pasted, read_record
from panelist.corpus.readers.bibliography import parse_bibliography
from panelist.corpus.readers.bibliography.printed import as_line
from panelist.http.client import Client, FetchError

KINDS = {
    "application/x-bibtex": ".bib",
    "application/x-research-info-systems": ".ris",
    "application/nbib": ".nbib",
}
"""Files of references by their content types."""

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


class Manuscript(BaseModel):
    """What was read from a PDF file; empty where nothing was found."""

    title: str
    authors: list[str]
    abstract: str
    references: list[str]
    pages: int


@router.post(
    "/pdf",
    summary="Read title, authors, abstract and references from a PDF file",
    openapi_extra=described_body(BINARY, "application/pdf"),
)
async def pdf(request: HttpRequest, state: StateOf) -> Manuscript:
    """A guess to be checked by eye. The file is read by a process of its own with little time and memory, not kept."""
    check_type(request, "the manuscript", "application/pdf")
    content = await request.body()
    return Manuscript(**await state.heavy.run(lambda: extract(content)))


@router.post(
    "/bibliography",
    summary="Read what a manuscript cites from BibTeX, RIS or PubMed's format",
    openapi_extra=described_body(BINARY, *KINDS),
)
async def bibliography(request: HttpRequest, state: StateOf) -> list[str]:
    """The references as printed lines, for the `references` of a submission. The file is not kept."""
    suffix = KINDS[check_type(request, "the bibliography", *KINDS)]
    content = await request.body()
    found = await state.heavy.run(lambda: parse_bibliography(content, f"bibliography{suffix}", suffix))
    return [as_line(one)[: limits.REFERENCE] for one in found[: limits.REFERENCES]]


_SECONDS = 15.0
"""Until a catalogue must have answered."""


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
    "/records",
    summary="A submission from a DOI or a record",
    dependencies=[needs(Permission.DESK, Permission.EDIT)],
)
async def resolve(request: PastedIn, state: StateOf) -> ResolvedOut:
    """A DOI or an id is looked for in the corpus; a record is read as it is. Nothing is kept."""

    def work() -> ResolvedOut:
        pasted = read_pasted(request.text)
        if isinstance(pasted, Record):
            return ResolvedOut(kind="record", found=_out(state, pasted, "what was pasted"), host=None)
        with state.service.finder() as finder:
            paper = pasted.find(finder.corpus)
        if paper is not None:
            return ResolvedOut(kind=pasted.kind.value, found=_out(state, Record(paper), "the corpus"), host=None)
        host = urlsplit(_catalogue(pasted)).hostname if state.online else None
        found = None
        if request.elsewhere:
            if host is None:
                raise ProblemError(403, "this server asks nobody else: whoever runs it did not allow it")
            record = _fetch(pasted)
            found = None if record is None else _out(state, record, host)
        return ResolvedOut(kind=pasted.kind.value, found=found, host=host)

    return await state.records.run(work)


def _catalogue(identifier: Identifier) -> str:
    """The address of the API that knows such identifiers."""
    return semanticscholar_url() if identifier.kind is Kind.SEMANTIC_SCHOLAR else openalex_url()


def _fetch(identifier: Identifier) -> Record | None:
    host = urlsplit(_catalogue(identifier)).hostname
    with Client(attempts=2, timeout=_SECONDS, host=host, largest=limits.RECORD_ELSEWHERE) as client:
        try:
            match identifier.kind:
                case Kind.SEMANTIC_SCHOLAR:
                    record = fetch_s2_paper(client, semanticscholar_url(), identifier.value)
                case Kind.DOI:
                    record = fetch_work(client, openalex_url(), f"doi:{identifier.value}", openalex_key())
                case Kind.OPENALEX:
                    record = fetch_work(client, openalex_url(), identifier.value, openalex_key())
        except FetchError as error:
            raise ProblemError(503, str(error), {"Retry-After": "10"}) from error
    return None if record is None else read_record(record)


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
        authors=[PersonOut.of(author) for author in authors],
        author_names=names,
        institutions=[InstitutionOut.of(one) for one in record.institutions()],
        references=list(paper.references[: limits.REFERENCES]),
        year=paper.year,
        source=source,
    )
