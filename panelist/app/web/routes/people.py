"""`GET /authors/…`, `/profiles/…` and `/papers/…`: what the corpus knows of a person or a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, StringConstraints

from indexing.tables.units import NO_YEAR
from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import Request
from panelist.app.web.responses import (
    Answer,
    AuthorOut,
    CareerOut,
    EmailOut,
    InstitutionOut,
    PaperOut,
    PersonOut,
    WholeAuthorOut,
    WholePaperOut,
)
from panelist.app.web.routes.editor.submissions import ContactOut, PersonId, contacts
from panelist.app.web.routes.state import StateOf
from panelist.corpus.emails import latest_email
from panelist.corpus.readers.people import sorted_people, split_people
from panelist.records import Author, Paper
from retriever.careers import Careers
from retriever.finder import Finder
from retriever.profiles import LONGEST, Theme, coauthors, terms, topics

router = APIRouter(tags=["people and papers"], responses=documented(404), dependencies=[needs(Permission.LOOK)])

_LATEST = 50
"""Papers shown of an author."""
_MOST = 50
"""Namesakes shown."""
_NOTHING_KNOWN = CareerOut(institutions=[], paper_count=0, citation_count=0, first_year=None, last_year=None)

AnyId = Annotated[str, Path(min_length=1, max_length=limits.ID, description="An id, as it is; it may hold slashes.")]


@router.get("/authors", summary="People of a name")
def namesakes(state: StateOf, name: Annotated[str, Query(min_length=1, max_length=limits.NAME)]) -> list[AuthorOut]:
    """Everybody of exactly this name, up to case, accents and spacing: namesakes are different people."""
    with state.service.finder() as finder:
        found = finder.corpus.find_authors(name)[:_MOST]
        return describe(finder, found)


class PeopleIn(Request):
    """A list of authors as somebody pasted it."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, max_length=limits.PEOPLE)]


class PeopleOut(BaseModel):
    """The people of a list: those with an id, an ORCID or an e-mail address, and the names of the others."""

    authors: list[PersonOut]
    author_names: list[str]


@router.post("/authors/split", summary="The people of a pasted list")
def split(request: PeopleIn) -> PeopleOut:
    """Names and ids, however they are separated: semicolons, bars, line breaks, commas, "and"."""
    authors, names = sorted_people(split_people(request.text))
    return PeopleOut(authors=[PersonOut.of(one) for one in authors], author_names=list(names))


@router.get("/authors/{author_id:path}", summary="A person")
def author(
    author_id: AnyId,
    state: StateOf,
    email: Annotated[bool, Query(description="Give the newest e-mail address that a paper of theirs prints.")] = False,
) -> WholeAuthorOut:
    """A person with their latest papers."""
    with state.service.finder() as finder:
        known, papers = person_and_papers(finder, author_id)
        printed = latest_email(author_id, papers) if email else None
        return WholeAuthorOut(
            **known.model_dump(),
            papers=[PaperOut.of(paper) for paper in papers[:_LATEST]],
            email=EmailOut(**printed._asdict()) if printed else None,
        )


@router.get("/papers/{paper_id:path}", summary="A paper")
def paper(paper_id: AnyId, state: StateOf) -> WholePaperOut:
    """A paper with its abstract and authors."""
    with state.service.finder() as finder:
        found = finder.corpus.papers([paper_id]).get(paper_id)
        if found is None:
            raise ProblemError(404, f"there is no paper with the id '{paper_id}' in the corpus")
        return WholePaperOut.of(found)


def person_and_papers(finder: Finder, person: str) -> tuple[AuthorOut, list[Paper]]:
    """Somebody of the corpus, and all their papers, the latest first."""
    found = finder.corpus.authors([person]).get(person)
    if found is None:
        raise ProblemError(404, f"there is nobody with the id '{person}' in the corpus")
    written = finder.corpus.papers_of([person]).get(person, ())
    papers = finder.corpus.papers(list(written)).values()
    return describe(finder, [found])[0], sorted(papers, key=lambda paper: (-(paper.year or 0), paper.id))


def describe(finder: Finder, people: Sequence[Author]) -> list[AuthorOut]:
    """These people with what the index knows of their careers; nothing of those who are not indexed yet."""
    numbers = finder.index.ownership.author_ids.find([person.id for person in people])
    indexed = numbers[numbers >= 0]
    careers = Careers.of(finder.index, indexed)
    institutions = careers.institutions.tolist()
    known = (
        CareerOut(
            institutions=[InstitutionOut.of(finder.index.affiliations[where])] if where >= 0 else [],
            paper_count=int(careers.papers[row]),
            citation_count=int(careers.citations[row]),
            first_year=_year(int(careers.first_years[row])),
            last_year=_year(int(careers.last_years[row])),
        )
        for row, where in enumerate(institutions)
    )
    return [
        AuthorOut(author=PersonOut.of(person), **dict(next(known) if number >= 0 else _NOTHING_KNOWN))
        for person, number in zip(people, numbers.tolist(), strict=True)
    ]


def _year(year: int) -> int | None:
    return None if year == NO_YEAR else year


_COAUTHORS, _TOPICS, _TERMS = 50, 10, 30


class YearOut(BaseModel):
    """Papers of one year."""

    year: int
    papers: int


class ThemeOut(BaseModel):
    """A topic or a term of somebody's papers, over the years."""

    name: str
    papers: int
    years: list[YearOut]

    @classmethod
    def of(cls, theme: Theme) -> ThemeOut:
        """From a record."""
        return cls(name=theme.name, papers=theme.papers, years=_years(theme.years))


class CoauthorOut(Answer):
    """Somebody who wrote with the person."""

    author: PersonOut
    papers: int
    last_year: int | None


class ProfileOut(AuthorOut):
    """A person: papers, the latest first; topics as the papers are labelled; terms as they are written."""

    papers: list[PaperOut]
    papers_in_corpus: int
    years: list[YearOut]
    topics: list[ThemeOut]
    terms: list[ThemeOut]
    coauthors: list[CoauthorOut]
    coauthor_count: int
    contact: ContactOut | None


@router.get("/profiles/{person:path}", summary="A person's work")
def profile(person: PersonId, state: StateOf) -> ProfileOut:
    """Papers, topics and terms over the years, and co-authors, as far as the corpus knows; of the latest 500 papers."""
    with state.service.finder() as finder:
        known, written = person_and_papers(finder, person)
        papers = written[:LONGEST]
        marked = terms(papers, finder.rarity, _TERMS)
        reached = contacts(finder.corpus, [person])
    together = coauthors(person, papers)
    years = Counter(paper.year for paper in papers if paper.year is not None)
    return ProfileOut(
        **known.model_dump(),
        papers=[PaperOut.of(paper) for paper in papers],
        papers_in_corpus=len(written),
        years=_years(sorted(years.items())),
        topics=[ThemeOut.of(theme) for theme in topics(papers, _TOPICS)],
        terms=[ThemeOut.of(theme) for theme in marked],
        coauthors=[CoauthorOut.of(one) for one in together[:_COAUTHORS]],
        coauthor_count=len(together),
        contact=reached.get(person),
    )


def _years(pairs: Sequence[tuple[int, int]]) -> list[YearOut]:
    return [YearOut(year=year, papers=count) for year, count in pairs]
