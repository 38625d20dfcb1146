"""`GET /profiles/…`: a person of the corpus on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter
from pydantic import BaseModel

from panelist.app.access.permissions import needs
from panelist.app.access.roles import Permission
from panelist.app.web.problems import documented
from panelist.app.web.responses import Answer, AuthorOut, PaperOut, PersonOut
from panelist.app.web.routes.editor.submissions import ContactOut, PersonId, contacts
from panelist.app.web.routes.people import person_and_papers
from panelist.app.web.routes.state import StateOf
from retriever.profiles import LONGEST, Theme, coauthors, terms, topics

router = APIRouter(tags=["people and papers"], responses=documented(404), dependencies=[needs(Permission.LOOK)])

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
