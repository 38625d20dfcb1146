"""What can be asked, as typed requests with limits; each becomes records before anything is done with it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Annotated, Literal, Self

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
ReferenceLine = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=limits.REFERENCE)]
Country = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2}$")]
Ids = Annotated[tuple[Id, ...], Field(max_length=limits.IDS)]
ManyIds = Annotated[tuple[Id, ...], Field(max_length=limits.POOL)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Tenths = Annotated[int, Field(ge=0, le=10)]
Share = Annotated[float, Field(ge=0, le=1)]
Years = Annotated[int, Field(ge=0, le=100)]
Year = Annotated[int, Field(ge=1000, le=9999)]

_DEFAULT, _SCORING = Lookup(), ScoreOptions()
_SEARCH, _RULES = _DEFAULT.search, _DEFAULT.conflict_rules

MODELS = tuple(name for name in _MODELS if name != "llm")
"""The affinity models that are served: not the one that spends the server's money."""


def _named(names: Sequence[str], otherwise: str = "") -> AfterValidator:
    """Check that a name is one of these, so that a request can name neither code nor files of the server."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in names:
            raise ValueError(f"use one of {', '.join(names)}{otherwise}")
        return name

    return AfterValidator(check)


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
    def _is_identified(self) -> Self:
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
    authors: tuple[PersonIn, ...] = Field(default=(), max_length=limits.AUTHORS)
    author_names: tuple[Name, ...] = Field(default=(), max_length=limits.AUTHORS)
    institutions: tuple[InstitutionIn, ...] = Field(default=(), max_length=limits.INSTITUTIONS)
    references: tuple[ReferenceLine, ...] = Field(
        default=(), max_length=limits.REFERENCES, description="Ids of papers, or lines of a reference list."
    )
    year: Year | None = None
    received: date | None = Field(
        default=None, description="Of review histories, what was known before this day counts; null: before today."
    )
    not_authors: Ids = Field(
        default=(), description="People who may be authors by their names, and of whom you know that they are others."
    )

    @model_validator(mode="after")
    def _has_text(self) -> Self:
        if not self.title.strip() and not self.abstract.strip():
            raise ValueError("give a title or an abstract")
        return self

    def record(self) -> Submission:
        """The submission as the finder takes it; a pasted list of authors becomes its people."""
        people = (person for name in self.author_names for person in split_people(name) or [name])
        authors, names = sorted_people(people)
        return Submission(
            self.id,
            self.title,
            self.abstract,
            authors=authors + tuple(person.record() for person in self.authors),
            author_names=names,
            institutions=tuple(Institution(**institution.model_dump()) for institution in self.institutions),
            references=self.references,
            year=self.year,
            bibliography=tuple(read_entry(line) for line in self.references if " " in line),
            not_authors=self.not_authors,
            received=self.received,
        )


class RulesIn(Request):
    """Who is in conflict, by years of collaboration; null switches a kind off."""

    coauthor_years: Years | None = Field(default=_RULES.coauthor_years, description="Co-authors of the last N years.")
    institution_years: Years | None = Field(
        default=_RULES.institution_years, description="Colleagues of the last N years."
    )

    def rules(self) -> ConflictRules:
        """These rules as the finder of conflicts takes them."""
        return ConflictRules(coauthor_years=self.coauthor_years, institution_years=self.institution_years)


class OptionsIn(RulesIn):
    """How to look: the defaults are what measured best."""

    size: int = Field(default=_DEFAULT.size, ge=1, le=limits.PANEL, description="How many reviewers.")
    per_paper: Annotated[int, Field(ge=1, le=limits.PANEL)] | None = Field(
        default=_DEFAULT.per_paper, description="Most people for whom the same paper speaks most; null: any number."
    )
    diversity: Share = Field(default=_DEFAULT.diversity, description="λ, from 0 (the plain ranking) to 1.")
    diversity_algorithm: Literal["mmr", "coverage"] = _DEFAULT.diversity_algorithm  # type: ignore[assignment]  # a str
    papers: int = Field(default=_DEFAULT.papers, ge=1, le=limits.PAPERS, description="Papers shown for each reviewer.")
    sentences: bool = Field(default=_DEFAULT.sentences, description="Quote the best matching sentence of each paper.")
    mode: Mode = _SEARCH.mode
    depth: int = Field(default=_SEARCH.depth, ge=1, le=limits.DEPTH, description="Papers that each search returns.")
    expand: bool = Field(default=_SEARCH.expand, description="Expand the lexical query (RM3; engine lucene).")
    repeated: Literal["distinct", "counted"] = Field(
        default=_SEARCH.repeated, description="Repeated words count once, or as often."
    )
    fusion: Fusion = _SEARCH.fusion  # type: ignore[assignment]  # one of these by default
    aggregation: Literal["expert", "max", "mean", "sum", "votes", "combmnz", "discounted"] = "expert"
    ranker: Annotated[str | None, _named(shipped(), ", or null")] = Field(
        default=None, description="A learned model that orders reviewers (`reviewers`); null: the plain ranking."
    )
    references: Literal["auto", "off"] = Field(
        default=_DEFAULT.references, description="Count shared references and cited people, where they are known."
    )
    uncited: Tenths = Field(default=_DEFAULT.uncited, description="Of every ten, so many are not cited.")
    history: Literal["auto", "off"] = Field(
        default=_DEFAULT.history,
        description="Count who reviewed and edited before, where that is known and you may see the editor's desk.",
    )
    history_excluded: ManyIds = Field(default=(), description="Papers whose reviews and editorships do not count.")
    load_penalty: Share = Field(
        default=_DEFAULT.load_penalty,
        description="Relevance is divided by (1 + reviews)^this: reviews in 12 months, those that are open twice.",
    )
    newcomers: Tenths = Field(
        default=_DEFAULT.newcomers, description="Of every ten, so many never reviewed or edited here."
    )
    rest: int = Field(default=_DEFAULT.filters.rest, ge=0, le=10_000, description="Least days since the last review.")
    at_most: Annotated[int, Field(ge=1)] | None = Field(
        default=_DEFAULT.filters.at_most, description="Nobody with so many reviews in the last 12 months."
    )
    role: Literal["reviewer", "editor"] = Field(
        default=_DEFAULT.role, description="Who reviews it, or who handles it: past editors, or the pool."
    )
    conflicts: Handling = Field(
        default=_DEFAULT.conflicts, description="Hide certain conflicts and flag possible ones, flag both, or ignore."
    )
    declared: Ids = Field(default=(), description="Reviewers with a conflict that you know of.")
    pool: ManyIds | None = Field(default=None, description="Consider only these.")
    countries: tuple[Country, ...] = Field(default=(), max_length=limits.COUNTRIES)
    institutions: tuple[Name, ...] = Field(default=(), max_length=limits.INSTITUTIONS, description="Names or RORs.")
    min_papers: Count | None = None
    max_papers: Count | None = None
    active_since: Year | None = None
    min_relevant: Count | None = None
    include: Ids = Field(default=(), description="Reviewers whom the filters let pass.")
    exclude: ManyIds = Field(default=(), description="Reviewers to leave out.")

    def lookup(self, submission: str) -> Lookup:
        """These options as the finder takes them, for the submission of this id."""
        return Lookup(
            **self.model_dump(include=_OF_LOOKUP),
            search=Search(**self.model_dump(include=_OF_SEARCH)),
            aggregation=Aggregation.named(self.aggregation),
            ranker=None if self.ranker is None else Ranker.load(self.ranker),
            conflict_rules=self.rules(),
            declared={submission: self.declared},
            filters=Filters(**self.model_dump(include=_OF_FILTERS)),
        )


_OF_LOOKUP, _OF_SEARCH, _OF_FILTERS = (
    OptionsIn.model_fields.keys() & {field.name for field in fields(record)} - {"aggregation", "ranker", "declared"}
    for record in (Lookup, Search, Filters)
)
"""The options that these records have under the same names."""


class ReviewersRequest(Request):
    """Find reviewers for one submission."""

    submission: SubmissionIn
    options: OptionsIn = OptionsIn()

    def records(self) -> tuple[Submission, Lookup]:
        """The submission and the look-up as the finder takes them."""
        return self.submission.record(), self.options.lookup(self.submission.id)


class ExportRequest(ReviewersRequest):
    """The same panel as a file; with `only`, the short list: these reviewers, in the order of their scores."""

    only: Annotated[list[Id] | None, Field(max_length=limits.PANEL)] = None


class ScoringRequest(Request):
    """How submissions are scored against reviewers."""

    model: Annotated[str, _named(MODELS), Field(json_schema_extra={"enum": [*MODELS]})] = _SCORING.model
    profile: int = Field(default=_SCORING.profile, ge=1, le=200, description="Recent papers that stand for a reviewer.")
    keep: int = Field(
        default=SERVED_PAIRS, ge=1, le=limits.PAIRS_KEPT, description="Pairs of each submission and each reviewer."
    )
    references: Literal["auto", "off"] = Field(
        default=_SCORING.references, description="Who is cited scores higher, where it is known; or texts only."
    )
    history: Literal["auto", "off"] = Field(
        default=_SCORING.history,
        description="Who reviewed or edited near papers before scores higher, where it is known and the editor's desk "
        "is for who asks; or not.",
    )


class ChoiceIn(Request):
    """What somebody decided about a paper of a reviewer's profile: 0 drops it, 1 keeps it whatever its year."""

    reviewer: Id
    paper: Id
    weight: float = Field(ge=0, le=1)
    by: str = Field(min_length=1, max_length=limits.WHO, description="Who decided that.")
    note: str = Field(default="", max_length=limits.NOTE)


class AffinityRequest(ScoringRequest, RulesIn):
    """Score submissions against reviewers by the papers of the corpus."""

    submissions: Annotated[list[SubmissionIn], Field(min_length=1, max_length=limits.SUBMISSIONS)]
    reviewers: Annotated[list[Id], Field(min_length=1, max_length=limits.POOL)]
    conflicts: Handling = Field(
        default=_SCORING.conflicts, description="No score for certain conflicts, all scored and listed, or none sought."
    )
    curation: Annotated[list[ChoiceIn], Field(max_length=limits.POOL)] = Field(
        default_factory=list,
        description="Papers of profiles that are dropped, kept or weighed; conflicts see them all.",
    )
    background: bool | None = Field(default=None, description="As a job, immediately, or by its size (null).")

    def score_options(self) -> ScoreOptions:
        """These options as a conference takes them."""
        shared = self.model_dump(include={"model", "conflicts", "profile", "keep", "references", "history"})
        return ScoreOptions(**shared, rules=self.rules())

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = {"submission": [submission.id for submission in self.submissions], "reviewer": self.reviewers}
        for kind, values in ids.items():
            value, times = Counter(values).most_common(1)[0]
            if times > 1:
                raise ValueError(f"{kind} '{value}' comes {times:,} times: give each once")
        return self
