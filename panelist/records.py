"""The nouns of Panelist, as frozen records. Every format is converted to these once, at the border.

Ids are opaque strings without whitespace (`https://openalex.org/W1`, `elife:00003`, `~Ada_Lovelace1`): compare them,
never parse them. Two authors are the same person if and only if their ids are equal.

A corpus has hundreds of thousands of records, so they are structs, not dataclasses; they hold no cycles, so Python's
garbage collector need not look at them. `msgspec.structs.replace` makes a changed copy. `array_like` ones are lists in
JSON.
"""

from datetime import date
from enum import StrEnum

from msgspec import Struct


class Institution(Struct, frozen=True, gc=False, array_like=True):
    """Where an author works; `ror` identifies it, the name only suggests it.

    `lineage` has the OpenAlex ids of the institution and of those that it is part of, with spaces between them.
    """

    name: str
    ror: str | None = None
    country: str | None = None
    lineage: str = ""


class Author(Struct, frozen=True, gc=False, array_like=True):
    """A person, identified by `id` alone: a namesake is somebody else. The e-mail address is that of one paper."""

    id: str
    name: str
    orcid: str | None = None
    email: str | None = None


class Authorship(Struct, frozen=True, gc=False, array_like=True):
    """One author of one paper, with the institutions given on that paper. Its position is its index in the tuple."""

    author: Author
    institutions: tuple[Institution, ...] = ()


class Paper(Struct, frozen=True, gc=False, array_like=True):
    """A published paper. `abstract` is empty where it is not known.

    `references` are the keys of everything the paper cites: ids of papers, `doi:…` in lower case, or `title:…`. A
    `retracted` paper is kept, but is never evidence for anybody.
    """

    id: str
    title: str
    abstract: str = ""
    year: int | None = None
    authorships: tuple[Authorship, ...] = ()
    venue: str | None = None
    doi: str | None = None
    references: tuple[str, ...] = ()
    cited_by_count: int = 0
    topics: tuple[str, ...] = ()
    retracted: bool = False


class Reference(Struct, frozen=True, gc=False, array_like=True):
    """One entry of a bibliography as far as it is known; `authors` are names as printed, `text` is the whole entry."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    text: str = ""


class Submission(Struct, frozen=True, gc=False):
    """A paper that needs reviewers.

    `authors` are known by id; `author_names` are those of whom only a name is known, so that they can only ever
    give rise to *possible* conflicts. `not_authors` are ids of people who might be authors by their names, and of whom
    somebody said that they are other people. `conflicts` are ids of people in conflict, as its authors state.
    `references` are keys as those of a paper, or lines of text; `bibliography` has the entries that are known with
    their authors. Of review histories only what was known before the day on which it was `received` counts, or before
    today.
    """

    id: str
    title: str
    abstract: str = ""
    authors: tuple[Author, ...] = ()
    author_names: tuple[str, ...] = ()
    institutions: tuple[Institution, ...] = ()
    references: tuple[str, ...] = ()
    year: int | None = None
    bibliography: tuple[Reference, ...] = ()
    not_authors: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    received: date | None = None


class ConflictKind(StrEnum):
    """Why somebody should not review a submission."""

    AUTHOR = "author"
    COAUTHOR = "coauthor"
    INSTITUTION = "institution"
    DECLARED = "declared"


class Conflict(Struct, frozen=True, gc=False):
    """A conflict of interest with its evidence in words; not `certain` where it rests on a name alone.

    `lost` where the corpus no longer has the evidence, and only a conference knows it that kept it. Where it rests on a
    name alone, `author` is that name, and `namesake` the id of who has it: the reviewer, or somebody they worked with;
    empty where that is known by the name alone.
    """

    submission: str
    reviewer: str
    kind: ConflictKind
    evidence: str
    certain: bool = True
    lost: bool = False
    author: str = ""
    namesake: str = ""


class ConflictsChecked(Struct, frozen=True, gc=False):
    """How the conflicts of a panel stand, so that nobody takes for free of conflicts what could not be checked.

    Of the `authors` given, `matched` were found by id, of `by_name` only the name, and `missing` not at all;
    `unchecked` is what the rules ask for and nobody knows; `words` say it all, and `complete` whether nothing is open.
    """

    authors: int = 0
    matched: tuple[str, ...] = ()
    by_name: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    complete: bool = False
    words: str = "conflicts of interest were not looked for"


class MatchedPaper(Struct, frozen=True, gc=False):
    """A reviewer's paper that matches a submission: its score, its share of the reviewer's total, who found it."""

    paper: Paper
    score: float
    share: float
    found_by: tuple[str, ...]
    terms: tuple[str, ...] = ()
    sentence: str | None = None


class Confidence(StrEnum):
    """How sure it is that somebody fits a submission; `retriever/fit.py` says what it rests on."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Coverage(StrEnum):
    """Whether papers here are near a submission, few are, or none is; `retriever/coverage.py` says what that means."""

    NONE = "none"
    THIN = "thin"
    GOOD = "good"


class Match(Struct, frozen=True, gc=False):
    """One reviewer of a panel with the papers that make them an expert.

    `fit` is the probability that such a suggestion is right, of which `confidence` is the grade: None where the search
    was for words alone. `near_papers` of theirs are near the submission. `lifted_by` says in words what a learned
    ranker saw in them, where one was used, `references` what the submission's references say, `history` what they
    reviewed and edited before, which is confidential.
    """

    rank: int
    author: Author
    score: float
    papers: tuple[MatchedPaper, ...]
    institutions: tuple[Institution, ...] = ()
    paper_count: int = 0
    citation_count: int = 0
    first_year: int | None = None
    last_year: int | None = None
    found_by: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    lifted_by: tuple[str, ...] = ()
    near_papers: int | None = None
    fit: float | None = None
    confidence: Confidence | None = None
    references: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


class Diversity(Struct, frozen=True, gc=False):
    """How varied a panel is: distinct institutions and countries, and the spread of its members' careers."""

    institutions: int
    countries: int
    sigma_citations: float
    sigma_papers: float


class Panel(Struct, frozen=True, gc=False):
    """The answer to a submission: reviewers in order, how diverse they are and what relevance that cost.

    `relevance_cost` is the share of the plain ranking's relevance that diversity gave up; `hidden` are the conflicts of
    those who would have been on the panel; `held_back` says why others may be authors, who are not on it until somebody
    says that they are other people (`Submission.not_authors`); `notes` say what the user should know.
    `coverage` says whether anybody here works on the topic, and `evidence` in one line what the panel rests on.
    """

    submission: Submission
    matches: tuple[Match, ...]
    diversity: Diversity
    relevance_cost: float = 0.0
    hidden: tuple[Conflict, ...] = ()
    held_back: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts_checked: ConflictsChecked = ConflictsChecked()
    coverage: Coverage | None = None
    evidence: str = ""


class Review(Struct, frozen=True, gc=False):
    """The score that a reviewer gave to a paper."""

    paper: str
    reviewer: str
    score: float


class HistoryRole(StrEnum):
    """What somebody did for a paper."""

    REVIEWER = "reviewer"
    EDITOR = "editor"
    SENIOR_EDITOR = "senior_editor"
    AREA_CHAIR = "area_chair"


class Outcome(StrEnum):
    """What became of an invitation; `accepted` is a review that is open."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    NO_ANSWER = "no_answer"
    DONE = "done"


class HistoryEvent(Struct, frozen=True, gc=False, omit_defaults=True):
    """One person and one paper that they reviewed or edited, or were asked to.

    `person` is the id in the corpus, or that of the source, "" where neither is known; it is only `possible` where the
    name alone says so. `paper` is an id of the corpus, or the system's own with `title` and `abstract`.
    """

    person: str
    role: HistoryRole
    paper: str
    name: str = ""
    email: str = ""  # in lower case
    orcid: str = ""  # without an address: 0000-0002-1825-0097
    possible: bool = False
    title: str = ""
    abstract: str = ""
    invited: date | None = None
    answered: date | None = None
    submitted: date | None = None  # the review, or the end of the work
    published: date | None = None  # the paper
    outcome: Outcome = Outcome.DONE
    late_days: int | None = None
    score: float | None = None  # that the review gave

    @property
    def evidence_since(self) -> date | None:
        """The day from which on this says what somebody knows: of a paper received by then, it is not yet evidence.

        None where no day is known: it is evidence only where no day is asked for.
        """
        return min(filter(None, (self.published, self.submitted)), default=None)
