"""`GET /authors/…`, `/profiles/…` and `/papers/…`: what the corpus knows of a person or a paper."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, StringConstraints

from indexing.tables.units import NO_YEAR
from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.responses import Answer, AuthorOut, InstitutionOut, PaperOut, PersonOut
from panelist.app.web.routes.editor.submissions import AS_IT_IS, ContactOut, PersonId, contacts
from panelist.app.web.routes.state import StateOf, in_threads
from panelist.corpus.emails import Email, latest_email
from panelist.corpus.readers.committee import people_list
from panelist.corpus.readers.people import sorted_people, split_people
from panelist.records import Author, Paper
from retriever.careers import Careers
from retriever.conference.matching import PeopleMatcher, State
from retriever.finder import Finder
from retriever.profiles import LONGEST, Theme, YearCount, by_year, coauthors, terms, topics

router = APIRouter(tags=["people and papers"], responses=documented(404), dependencies=[needs(Permission.LOOK)])

_LATEST, _MOST = 50, 50  # papers shown of an author, and namesakes

AnyId = Annotated[str, Path(min_length=1, max_length=limits.ID, description=AS_IT_IS)]


@router.get("/authors", summary="People of a name")
def namesakes(state: StateOf, name: Annotated[str, Query(min_length=1, max_length=limits.NAME)]) -> list[AuthorOut]:
    """Everybody of exactly this name, up to case, accents, spacing and titles: namesakes are different people."""
    with state.service.finder() as finder:
        return describe(finder, finder.corpus.find_authors(name)[:_MOST])


class PeopleIn(Request):
    """A list of authors as somebody pasted it."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=limits.PEOPLE)]


class PeopleOut(BaseModel):
    """The people of a list: those with an id, an ORCID or an e-mail address, and the names of the others."""

    authors: list[PersonOut]
    author_names: list[str]


@router.post("/authors/split", summary="The people of a pasted list")
def split_people_list(request: PeopleIn) -> PeopleOut:
    """Names and ids, however they are separated: semicolons, bars, line breaks, commas, "and"."""
    authors, names = sorted_people(split_people(request.text))
    return PeopleOut(authors=list(map(PersonOut.of, authors)), author_names=list(names))


class ListedIn(Answer):
    """A line of a list, as it was read."""

    line: int
    name: str
    email: str | None
    orcid: str | None
    institution: str
    id: str | None
    role: str


class CandidateOut(Answer):
    """Somebody of the corpus who may be the person, and why."""

    author: PersonOut
    evidence: tuple[str, ...]
    papers: int
    first_year: int | None
    last_year: int | None
    institution: str
    titles: tuple[str, ...] = Field(description="Of the latest papers.")


class ListedOut(Answer):
    """Somebody of a list, with all who may be meant; `chosen` are the ids that are the person, where that is known."""

    person: ListedIn
    state: State
    profiles: tuple[CandidateOut, ...]
    chosen: tuple[str, ...]


class CommitteeOut(BaseModel):
    """The people of a list."""

    people: list[ListedOut]


@router.post("/committee", summary="The people of a committee in the corpus")
@in_threads("lookups")
def match_committee(request: PeopleIn, state: StateOf) -> CommitteeOut:
    """Names, addresses, ORCIDs, affiliations in any order of columns, or one person per line; open ones need an answer.

    An id, an ORCID or an address is `certain`, a name with support `probable`, several or a mere name `open`.
    """
    people = people_list(request.text)
    with state.service.finder() as finder:
        matches = PeopleMatcher(finder.index, finder.corpus).match(people)
    return CommitteeOut(people=list(map(ListedOut.of, matches)))


class WholeAuthorOut(AuthorOut):
    """A person of the corpus with their latest papers; the e-mail address only where it was asked for."""

    papers: list[PaperOut]
    email: Email | None = None


@router.get("/authors/{author_id:path}", summary="A person")
def author_with_papers(
    author_id: AnyId,
    state: StateOf,
    email: Annotated[bool, Query(description="Give the newest e-mail address that a paper of theirs prints.")] = False,
) -> WholeAuthorOut:
    """A person with their latest papers."""
    with state.service.finder() as finder:
        described, papers = person_and_papers(finder, author_id)
        printed = latest_email(author_id, papers) if email else None
        shown = list(map(PaperOut.of, papers[:_LATEST]))
        return WholeAuthorOut(**dict(described), papers=shown, email=printed)


class WholePaperOut(PaperOut):
    """A paper with its abstract and its authors."""

    abstract: str
    authors: list[PersonOut]
    topics: list[str]


@router.get("/papers/{paper_id:path}", summary="A paper")
def paper_with_authors(paper_id: AnyId, state: StateOf) -> WholePaperOut:
    """A paper with its abstract and authors."""
    with state.service.finder() as finder:
        record = finder.corpus.papers([paper_id]).get(paper_id)
    if record is None:
        raise ProblemError(404, f"there is no paper with the id '{paper_id}' in the corpus")
    authors = [PersonOut.of(authorship.author) for authorship in record.authorships]
    return WholePaperOut.of(record, abstract=record.abstract, authors=authors, topics=list(record.topics))


def person_and_papers(finder: Finder, person: str) -> tuple[AuthorOut, list[Paper]]:
    """Somebody of the corpus, and all their papers, the latest first."""
    author = finder.corpus.authors([person]).get(person)
    if author is None:
        raise ProblemError(404, f"there is nobody with the id '{person}' in the corpus")
    written = finder.corpus.papers_of([person]).get(person, ())
    papers = finder.corpus.papers(list(written)).values()
    return describe(finder, [author])[0], sorted(papers, key=lambda paper: (-(paper.year or 0), paper.id))


def describe(finder: Finder, people: Sequence[Author]) -> list[AuthorOut]:
    """These people with what the index knows of their careers; nothing of those who are not indexed yet."""
    numbers = finder.index.ownership.author_ids.find([person.id for person in people])
    careers = Careers.of(finder.index, numbers[numbers >= 0])
    rows = zip(*(column.tolist() for column in careers.columns()), strict=True)
    described = []
    for person, number in zip(people, numbers.tolist(), strict=True):
        papers, citations, first, last, workplace = next(rows) if number >= 0 else (0, 0, NO_YEAR, NO_YEAR, -1)
        answer = AuthorOut(
            author=PersonOut.of(person),
            institutions=[InstitutionOut.of(finder.index.affiliations[workplace])] if workplace >= 0 else [],
            paper_count=papers,
            citation_count=citations,
            first_year=None if first == NO_YEAR else first,
            last_year=None if last == NO_YEAR else last,
        )
        described.append(answer)
    return described


_COAUTHORS, _TOPICS, _TERMS = 50, 10, 30


class CoauthorOut(Answer):
    """Somebody who wrote with the person."""

    author: PersonOut
    papers: int
    last_year: int | None


class ProfileOut(AuthorOut):
    """A person: papers, the latest first; topics as the papers are labelled; terms as they are written."""

    papers: list[PaperOut]
    papers_in_corpus: int
    years: tuple[YearCount, ...]
    topics: list[Theme]
    terms: list[Theme]
    coauthors: list[CoauthorOut]
    coauthor_count: int
    contact: ContactOut | None


@router.get("/profiles/{person:path}", summary="A person's work")
def profile_of_person(person: PersonId, state: StateOf) -> ProfileOut:
    """Papers, topics and terms over the years, and co-authors, as far as the corpus knows; of the latest 500 papers."""
    with state.service.finder() as finder:
        described, written = person_and_papers(finder, person)
        papers = written[:LONGEST]
        phrases = terms(papers, finder.rarity, _TERMS)
        reached = contacts(state, finder.corpus, [person])
    together = coauthors(person, papers)
    return ProfileOut(
        **dict(described),
        papers=list(map(PaperOut.of, papers)),
        papers_in_corpus=len(written),
        years=by_year(papers),
        topics=topics(papers, _TOPICS),
        terms=phrases,
        coauthors=list(map(CoauthorOut.of, together[:_COAUTHORS])),
        coauthor_count=len(together),
        contact=reached.get(person),
    )
