"""What is answered, as typed responses made of records."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from msgspec.structs import asdict
from pydantic import BaseModel, ConfigDict, Field

from panelist.corpus.reference_keys import paper_link
from panelist.records import Author, Confidence, Conflict, ConflictKind, Coverage, Match, Panel, Paper
from retriever.aggregate import Aggregation


class Answer(BaseModel):
    """A response, made of the attributes of a record that have the names of its fields."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, record: Any) -> Self:
        """Make the answer from a record."""
        return cls.model_validate(record)


class PersonOut(Answer):
    """A person; equal ids mean the same person, equal names do not."""

    id: str
    name: str
    orcid: str | None = None


class InstitutionOut(Answer):
    """An institution where somebody works."""

    name: str
    ror: str | None
    country: str | None


class PaperOut(Answer):
    """A paper in brief; `url` is where it can be read. A `retracted` one is evidence for nobody."""

    id: str
    title: str
    year: int | None
    venue: str | None
    doi: str | None
    url: str | None
    cited_by_count: int
    retracted: bool = False

    @classmethod
    def of(cls, record: Paper, **fields: Any) -> Self:
        """Make the answer from a record and the fields that it does not have."""
        values = {name: getattr(record, name) for name in PaperOut.model_fields if name != "url"}
        return cls(**values, url=paper_link(record), **fields)


class MatchedPaperOut(PaperOut):
    """A reviewer's paper that matches: its own score, its share of the reviewer's, the words that it shares."""

    score: float
    share: float
    found_by: list[str]
    terms: list[str]
    sentence: str | None


class ConflictOut(Answer):
    """A conflict of interest with its evidence; not `certain` where it rests on a name."""

    kind: ConflictKind
    evidence: str
    certain: bool


class ConflictPairOut(ConflictOut):
    """A pair with a conflict of interest."""

    submission: str
    reviewer: str


class CareerOut(Answer):
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
    score: float = Field(description="Comparable within this panel only: relative to the submission's best paper.")
    relevance: float = Field(description="From 0 to 1, the best of the panel has 1; on the scale of similarities.")
    papers: list[MatchedPaperOut]
    found_by: list[str]
    lifted_by: list[str] = Field(description="What a learned ranker saw in this person, in words; empty without one.")
    references: list[str] = Field(description="What the submission's references say for this person, in words.")
    history: list[str] = Field(description="What they reviewed and edited before, in words: for editors only.")
    conflicts: list[ConflictOut]
    near_papers: int | None = Field(description="How many of their papers are near the submission; null as below.")
    fit: float | None = Field(
        description="The probability that such a suggestion is right, as eLife's real reviewers are: few of those who "
        "could have been asked were, so it is small. Null where only words were searched."
    )
    confidence: Confidence | None = Field(description="The grade of the fit; null where that is not known.")

    @classmethod
    def matched(cls, match: Match, relevance: float) -> Self:
        """Make the answer from a match."""
        papers = [MatchedPaperOut.of(**asdict(matched) | {"record": matched.paper}) for matched in match.papers]
        return cls(**asdict(match) | {"papers": papers, "relevance": relevance})

    @classmethod
    def ranked(cls, matches: Sequence[Match], aggregation: Aggregation) -> list[Self]:
        """Make the answers; relevance is a share of the best: of sharpened scores the second would look worthless."""
        relevance = aggregation.relevance([match.score for match in matches])
        shares = relevance / relevance.max(initial=0.0)  # above zero: others are on no panel
        return list(map(cls.matched, matches, shares.tolist()))


class HiddenOut(Answer):
    """Somebody who would be on the panel but for a conflict of interest, or because they may be an author."""

    author: PersonOut
    conflicts: list[ConflictOut]

    @classmethod
    def grouped(cls, conflicts: Sequence[Conflict], people: Mapping[str, Author]) -> list[Self]:
        """Everybody who has these conflicts, once."""
        return [
            cls(
                author=PersonOut.of(people.get(reviewer) or Author(reviewer, reviewer)),
                conflicts=[ConflictOut.of(conflict) for conflict in conflicts if conflict.reviewer == reviewer],
            )
            for reviewer in dict.fromkeys(conflict.reviewer for conflict in conflicts)
        ]


class DiversityOut(Answer):
    """How varied a panel is; σ is the standard deviation over its members."""

    institutions: int
    countries: int
    sigma_citations: float
    sigma_papers: float


class ConflictsCheckedOut(Answer):
    """How conflicts stand: whose were looked for, and what could not be checked."""

    authors: int = Field(description="How many authors were given.")
    matched: list[str] = Field(description="Those who were found by id.")
    by_name: list[str] = Field(description="Those of whom only the name was found: possible conflicts.")
    missing: list[str] = Field(description="Those who were not found at all.")
    unchecked: list[str] = Field(description="What the rules ask for and nobody knows.")
    complete: bool = Field(description="Whether nothing is open.")
    words: str


class PanelOut(Answer):
    """The reviewers of a submission, in order; `relevance_cost` is the share of relevance that diversity gave up."""

    submission: str
    matches: list[MatchOut]
    diversity: DiversityOut
    relevance_cost: float
    hidden: list[HiddenOut]
    held_back: list[HiddenOut] = Field(
        description="People who may be authors, by their names: not on the panel until `not_authors` names them."
    )
    notes: list[str]
    conflicts_checked: ConflictsCheckedOut
    coverage: Coverage | None = Field(
        description="Whether papers here are near the submission: where it is `none`, nobody here works on this. Null "
        "where only words were searched."
    )
    evidence: str = Field(description="What the panel rests on, in one line.")

    @classmethod
    def of_panel(cls, panel: Panel, people: Mapping[str, Author], aggregation: Aggregation) -> Self:
        """From a record; `people` are those hidden and held back, by id; `aggregation` gave the scores."""
        fields = {
            "submission": panel.submission.id,
            "matches": MatchOut.ranked(panel.matches, aggregation),
            "hidden": HiddenOut.grouped(panel.hidden, people),
            "held_back": HiddenOut.grouped(panel.held_back, people),
        }
        return cls(**asdict(panel) | fields)


class AuthorOut(CareerOut):
    """A person of the corpus."""

    author: PersonOut
