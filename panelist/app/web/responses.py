"""What is answered, as typed responses made of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, Field

from panelist.corpus.dois import bare_doi
from panelist.records import (
    Author,
    Confidence,
    Conflict,
    ConflictKind,
    Diversity,
    Institution,
    Match,
    MatchedPaper,
    Panel,
    Paper,
)


class PersonOut(BaseModel):
    """A person; equal ids mean the same person, equal names do not."""

    id: str
    name: str
    orcid: str | None = None

    @classmethod
    def of(cls, author: Author) -> PersonOut:
        """From a record."""
        return cls(id=author.id, name=author.name, orcid=author.orcid)


class InstitutionOut(BaseModel):
    """Where somebody works."""

    name: str
    ror: str | None
    country: str | None

    @classmethod
    def of(cls, institution: Institution) -> InstitutionOut:
        """From a record."""
        return cls(name=institution.name, ror=institution.ror, country=institution.country)


class PaperOut(BaseModel):
    """A paper in brief; `url` is where it can be read."""

    id: str
    title: str
    year: int | None
    venue: str | None
    doi: str | None
    url: str | None
    cited_by_count: int

    @classmethod
    def of(cls, paper: Paper) -> PaperOut:
        """From a record."""
        return cls(**_brief(paper))


class WholePaperOut(PaperOut):
    """A paper with its abstract and its authors."""

    abstract: str
    authors: list[PersonOut]
    topics: list[str]

    @classmethod
    def of(cls, paper: Paper) -> WholePaperOut:
        """From a record."""
        authors = [PersonOut.of(authorship.author) for authorship in paper.authorships]
        return cls(**_brief(paper), abstract=paper.abstract, authors=authors, topics=list(paper.topics))


class MatchedPaperOut(PaperOut):
    """A reviewer's paper that matches: its own score, its share of the reviewer's, the words that it shares."""

    score: float
    share: float
    found_by: list[str]
    terms: list[str]
    sentence: str | None

    @classmethod
    def matched(cls, found: MatchedPaper) -> MatchedPaperOut:
        """From a record."""
        return cls(
            **_brief(found.paper),
            score=found.score,
            share=found.share,
            found_by=list(found.found_by),
            terms=list(found.terms),
            sentence=found.sentence,
        )


class ConflictOut(BaseModel):
    """A conflict of interest with its evidence; not `certain` where it rests on a name."""

    kind: ConflictKind
    evidence: str
    certain: bool

    @classmethod
    def of(cls, conflict: Conflict) -> ConflictOut:
        """From a record."""
        return cls(kind=conflict.kind, evidence=conflict.evidence, certain=conflict.certain)


class CareerOut(BaseModel):
    """What the index knows of somebody's career."""

    institutions: list[InstitutionOut]
    paper_count: int
    citation_count: int
    first_year: int | None
    last_year: int | None


class MatchOut(CareerOut):
    """One reviewer of a panel."""

    rank: int
    author: PersonOut
    score: float = Field(
        description="Comparable within this panel only: papers' scores are divided by the best of this submission."
    )
    relevance: float = Field(description="From 0 to 1, the best of the panel has 1; on the scale of similarities.")
    papers: list[MatchedPaperOut]
    found_by: list[str]
    lifted_by: list[str] = Field(description="What a learned ranker saw in this person, in words; empty without one.")
    conflicts: list[ConflictOut]
    near_papers: int = Field(description="How many of their papers are among the nearest to the submission.")
    confidence: Confidence = Field(description="By near papers: low for one or none, medium for two, high for more.")

    @classmethod
    def of(cls, match: Match, relevance: float) -> MatchOut:
        """From a record."""
        return cls(
            rank=match.rank,
            author=PersonOut.of(match.author),
            score=match.score,
            relevance=relevance,
            papers=[MatchedPaperOut.matched(paper) for paper in match.papers],
            institutions=[InstitutionOut.of(one) for one in match.institutions],
            paper_count=match.paper_count,
            citation_count=match.citation_count,
            first_year=match.first_year,
            last_year=match.last_year,
            found_by=list(match.found_by),
            lifted_by=list(match.lifted_by),
            conflicts=[ConflictOut.of(conflict) for conflict in match.conflicts],
            near_papers=match.near_papers,
            confidence=match.confidence,
        )


class HiddenOut(BaseModel):
    """Somebody who would be on the panel but for a conflict of interest."""

    author: PersonOut
    conflicts: list[ConflictOut]


class DiversityOut(BaseModel):
    """How varied a panel is; σ is the standard deviation over its members."""

    institutions: int
    countries: int
    sigma_citations: float
    sigma_papers: float

    @classmethod
    def of(cls, diversity: Diversity) -> DiversityOut:
        """From a record."""
        return cls(
            institutions=diversity.institutions,
            countries=diversity.countries,
            sigma_citations=diversity.sigma_citations,
            sigma_papers=diversity.sigma_papers,
        )


class PanelOut(BaseModel):
    """The reviewers of a submission, in order; `relevance_cost` is the share of relevance that diversity gave up."""

    submission: str
    matches: list[MatchOut]
    diversity: DiversityOut
    relevance_cost: float
    hidden: list[HiddenOut]
    notes: list[str]

    @classmethod
    def of(cls, panel: Panel, people: Mapping[str, Author], sharpness: float) -> PanelOut:
        """From a record; `people` are those hidden, by id; `sharpness` is the aggregation's."""
        best = max((match.score for match in panel.matches), default=1.0)
        return cls(
            submission=panel.submission.id,
            # Sharpened scores fall so fast that the second best would look worthless: take the power back.
            matches=[MatchOut.of(match, (match.score / best) ** (1 / sharpness)) for match in panel.matches],
            diversity=DiversityOut.of(panel.diversity),
            relevance_cost=panel.relevance_cost,
            hidden=_hidden(panel.hidden, people),
            notes=list(panel.notes),
        )


class AuthorOut(CareerOut):
    """A person of the corpus."""

    author: PersonOut


class WholeAuthorOut(AuthorOut):
    """A person of the corpus with their latest papers."""

    papers: list[PaperOut]


def _brief(paper: Paper) -> dict[str, Any]:
    return {
        "id": paper.id,
        "title": paper.title,
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi,
        "url": link(paper),
        "cited_by_count": paper.cited_by_count,
    }


def link(paper: Paper) -> str | None:
    """Where a paper can be read: its DOI's address, else its id if that is an address."""
    if paper.doi:
        doi = bare_doi(paper.doi)
        if doi.startswith("10."):
            return f"https://doi.org/{doi}"
    return paper.id if paper.id.startswith(("https://", "http://")) else None


def _hidden(conflicts: Iterable[Conflict], people: Mapping[str, Author]) -> list[HiddenOut]:
    grouped: dict[str, list[ConflictOut]] = {}
    for conflict in conflicts:
        grouped.setdefault(conflict.reviewer, []).append(ConflictOut.of(conflict))
    return [
        HiddenOut(author=PersonOut.of(people.get(key) or Author(key, key)), conflicts=own)
        for key, own in grouped.items()
    ]
