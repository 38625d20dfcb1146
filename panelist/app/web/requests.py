"""What can be asked, as typed requests with limits; each becomes records before anything is done with it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from panelist.app import limits
from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.corpus.readers.people import sorted_people, split_people
from panelist.records import Author, Institution, Submission
from retriever.affinity.model import MODELS as _MODELS
from retriever.aggregate import Aggregation
from retriever.conference.conflicts.rules import ConflictRules, Handling
from retriever.conference.options import SERVED_PAIRS, ScoreOptions
from retriever.filters import Filters
from retriever.lookup import Lookup
from retriever.ranking.model import Ranker, shipped
from retriever.search import Fusion, Mode, Search

Id = Annotated[str, StringConstraints(min_length=1, max_length=limits.ID, pattern=r"^\S+$")]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limits.NAME)]
Country = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2}$")]
Ids = Annotated[list[Id], Field(max_length=limits.IDS)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Years = Annotated[int, Field(ge=0, le=100)]
Year = Annotated[int, Field(ge=1000, le=9999)]


_DEFAULT, _SCORING = Lookup(), ScoreOptions()

MODELS = tuple(name for name in _MODELS if name != "llm")
"""The affinity models that are served: not the one that spends the server's money."""


def _known_model(name: str) -> str:
    """A model that is served; raises ValueError for others."""
    if name not in MODELS:
        raise ValueError(f"use one of {', '.join(MODELS)}")
    return name


def _known_ranker(name: str | None) -> str | None:
    """Only what comes with the package: a request must not name files of the server."""
    if name is not None and name not in shipped():
        raise ValueError(f"use one of {', '.join(shipped())}, or null")
    return name


class Request(BaseModel):
    """A request: unknown fields are refused, so that a misspelt option does not pass for its default."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class PersonIn(Request):
    """An author known by an id, an ORCID or an e-mail address."""

    id: Id | None = None
    name: Annotated[str, StringConstraints(max_length=limits.NAME)] = ""
    orcid: Id | None = None
    email: Id | None = None

    @model_validator(mode="after")
    def _is_identified(self) -> PersonIn:
        if not (self.id or self.orcid or self.email):
            raise ValueError("give an id, an ORCID or an e-mail address; names alone are author_names")
        return self

    def record(self) -> Author:
        """The person as an author's record."""
        key = self.id or self.orcid or self.email or ""
        return Author(key, self.name or key, self.orcid, self.email)


class InstitutionIn(Request):
    """An institution; `ror` identifies it, a name only suggests it."""

    name: Name
    ror: Id | None = None
    country: Country | None = None


class SubmissionIn(Request):
    """A paper that needs reviewers. Authors by id make certain conflicts, names only possible ones."""

    id: Id = "submission"
    title: Annotated[str, StringConstraints(max_length=limits.TITLE)] = ""
    abstract: Annotated[str, StringConstraints(max_length=limits.ABSTRACT)] = ""
    authors: Annotated[list[PersonIn], Field(max_length=limits.AUTHORS)] = []
    author_names: Annotated[list[Name], Field(max_length=limits.AUTHORS)] = []
    institutions: Annotated[list[InstitutionIn], Field(max_length=limits.INSTITUTIONS)] = []
    references: Annotated[
        list[Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limits.REFERENCE)]],
        Field(max_length=limits.REFERENCES, description="Ids of papers, or lines of a reference list."),
    ] = []
    year: Year | None = None

    @model_validator(mode="after")
    def _has_text(self) -> SubmissionIn:
        if not self.title.strip() and not self.abstract.strip():
            raise ValueError("give a title or an abstract")
        return self

    def record(self) -> Submission:
        """The submission as the finder takes it; a pasted list of authors becomes its people."""
        authors, names = sorted_people(one for name in self.author_names for one in split_people(name) or [name])
        return Submission(
            self.id,
            self.title,
            self.abstract,
            authors=authors + tuple(person.record() for person in self.authors),
            author_names=names,
            institutions=tuple(Institution(one.name, one.ror, one.country) for one in self.institutions),
            references=tuple(self.references),
            year=self.year,
            bibliography=tuple(read_entry(one) for one in self.references if " " in one),
        )


class RulesIn(Request):
    """What counts as a conflict; null switches a kind off."""

    coauthor_years: Annotated[
        Years | None, Field(description="Co-authors of the N most recent years are in conflict; null: never.")
    ] = _DEFAULT.conflict_rules.coauthor_years
    institution_years: Annotated[
        Years | None, Field(description="Colleagues of the N most recent years are in conflict; null: never.")
    ] = _DEFAULT.conflict_rules.institution_years

    def rules(self) -> ConflictRules:
        """These rules as the finder of conflicts takes them."""
        return ConflictRules(coauthor_years=self.coauthor_years, institution_years=self.institution_years)


class OptionsIn(RulesIn):
    """How to look: the defaults are what measured best."""

    size: Annotated[int, Field(ge=1, le=limits.PANEL, description="How many reviewers.")] = _DEFAULT.size
    per_paper: Annotated[
        int | None,
        Field(ge=1, le=limits.PANEL, description="Most people for whom the same paper speaks most; null: any number."),
    ] = _DEFAULT.per_paper
    diversity: Annotated[float, Field(ge=0, le=1, description="λ, from 0 (the plain ranking) to 1.")] = (
        _DEFAULT.diversity
    )
    diversity_algorithm: Literal["mmr", "coverage"] = _DEFAULT.diversity_algorithm  # type: ignore[assignment]  # a str
    papers: Annotated[int, Field(ge=1, le=limits.PAPERS, description="Papers shown for each reviewer.")] = (
        _DEFAULT.papers
    )
    sentences: Annotated[bool, Field(description="Quote the best matching sentence of each paper.")] = (
        _DEFAULT.sentences
    )
    mode: Mode = _DEFAULT.search.mode
    depth: Annotated[int, Field(ge=1, le=limits.DEPTH, description="Papers that each search returns.")] = (
        _DEFAULT.search.depth
    )
    expand: Annotated[bool, Field(description="Expand the lexical query (RM3; engine lucene).")] = (
        _DEFAULT.search.expand
    )
    fusion: Fusion = _DEFAULT.search.fusion
    aggregation: Literal["expert", "max", "mean", "sum", "votes", "combmnz", "discounted"] = "expert"
    ranker: Annotated[
        str | None,
        AfterValidator(_known_ranker),
        Field(description="Order reviewers by a learned model: reviewers. null: the plain ranking."),
    ] = None
    references: Annotated[
        Literal["auto", "off"],
        Field(description="Count what the submission cites, where it is known: shared references, cited people."),
    ] = _DEFAULT.references
    uncited: Annotated[int, Field(ge=0, le=10, description="At least this number of every ten are not cited.")] = (
        _DEFAULT.uncited
    )
    conflicts: Annotated[
        Handling,
        Field(description="Hide certain conflicts and flag possible ones, flag both, or ignore them."),
    ] = _DEFAULT.conflicts
    declared: Annotated[Ids, Field(description="Reviewers with a conflict that you know of.")] = []
    pool: Annotated[list[Id] | None, Field(max_length=limits.POOL, description="Consider these reviewers only.")] = None
    countries: Annotated[list[Country], Field(max_length=limits.COUNTRIES)] = []
    institutions: Annotated[list[Name], Field(max_length=limits.INSTITUTIONS, description="Names or RORs.")] = []
    min_papers: Count | None = None
    max_papers: Count | None = None
    active_since: Year | None = None
    min_relevant: Count | None = None
    include: Annotated[Ids, Field(description="Reviewers whom the filters let pass.")] = []
    exclude: Annotated[list[Id], Field(max_length=limits.POOL, description="Reviewers to leave out.")] = []

    def lookup(self, submission: str) -> Lookup:
        """These options as the finder takes them, for the submission of this id."""
        return Lookup(
            **self.model_dump(include=_SHARED),
            search=Search(self.mode, self.depth, self.expand, self.fusion),
            aggregation=Aggregation.named(self.aggregation),
            ranker=None if self.ranker is None else Ranker.load(self.ranker),
            conflict_rules=self.rules(),
            declared={submission: tuple(self.declared)},
            pool=None if self.pool is None else tuple(self.pool),
            filters=Filters(
                tuple(self.countries),
                tuple(self.institutions),
                self.min_papers,
                self.max_papers,
                self.active_since,
                self.min_relevant,
                tuple(self.include),
                tuple(self.exclude),
            ),
        )


_SHARED = {
    *("size", "references", "uncited", "conflicts", "per_paper", "diversity", "diversity_algorithm", "papers"),
    "sentences",
}
"""The options that a look-up has under the same names."""


class ReviewersRequest(Request):
    """Find reviewers for one submission."""

    submission: SubmissionIn
    options: OptionsIn = OptionsIn()


class ExportRequest(ReviewersRequest):
    """The same panel as a file; with `only`, the short list: these reviewers, in the order of their scores."""

    only: Annotated[list[Id] | None, Field(max_length=limits.PANEL)] = None


class ScoringRequest(Request):
    """How submissions are scored against reviewers."""

    model: Annotated[
        str,
        AfterValidator(_known_model),
        Field(description="How they are scored.", json_schema_extra={"enum": [*MODELS]}),
    ] = _SCORING.model
    profile: Annotated[int, Field(ge=1, le=200, description="Most recent papers that stand for a reviewer.")] = (
        _SCORING.profile
    )
    keep: Annotated[
        int,
        Field(ge=1, le=limits.PAIRS_KEPT, description="Pairs kept for each submission and each reviewer."),
    ] = SERVED_PAIRS
    references: Annotated[
        Literal["auto", "off"], Field(description="Who is cited scores higher, where it is known; or texts only.")
    ] = _SCORING.references


class AffinityRequest(ScoringRequest, RulesIn):
    """Score submissions against reviewers by the papers of the corpus."""

    submissions: Annotated[list[SubmissionIn], Field(min_length=1, max_length=limits.SUBMISSIONS)]
    reviewers: Annotated[list[Id], Field(min_length=1, max_length=limits.POOL)]
    conflicts: Annotated[
        Handling,
        Field(description="Give no score to certain conflicts, score and list all conflicts, or look for none."),
    ] = _SCORING.conflicts
    background: Annotated[
        bool | None, Field(description="As a job (true), immediately (false), or by its size (null).")
    ] = None

    def score_options(self) -> ScoreOptions:
        """These options as a conference takes them."""
        shared = self.model_dump(include={"model", "conflicts", "profile", "keep", "references"})
        return ScoreOptions(**shared, rules=self.rules(), near_papers=True)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> AffinityRequest:
        for what, ids in (("submission", [one.id for one in self.submissions]), ("reviewer", list(self.reviewers))):
            one, times = Counter(ids).most_common(1)[0]
            if times > 1:
                raise ValueError(f"{what} '{one}' comes {times:,} times: give each once")
        return self
