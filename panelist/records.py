"""The nouns of Panelist, as frozen records. Every format is converted to these once, at the border.

Ids are opaque strings without whitespace (`https://openalex.org/W1`, `elife:00003`, `~Ada_Lovelace1`): compare them,
never parse them. Two authors are the same person if and only if their ids are equal.

A corpus has hundreds of thousands of records, so they are structs, not dataclasses; they hold no cycles, so Python's
garbage collector need not look at them. `msgspec.structs.replace` makes a changed copy. `array_like` ones are lists in
JSON.
"""

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
    give rise to *possible* conflicts. `references` are keys as those of a paper, or lines of text; `bibliography` has
    the entries that are known with their authors.
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


class ConflictKind(StrEnum):
    """Why somebody should not review a submission."""

    AUTHOR = "author"
    COAUTHOR = "coauthor"
    INSTITUTION = "institution"
    DECLARED = "declared"


class Conflict(Struct, frozen=True, gc=False):
    """A conflict of interest with its evidence in words; not `certain` where it rests on a name alone."""

    submission: str
    reviewer: str
    kind: ConflictKind
    evidence: str
    certain: bool = True


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
    """How sure it is that somebody fits a submission; `retriever/confidence.py` says what it rests on."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Match(Struct, frozen=True, gc=False):
    """One reviewer of a panel with the papers that make them an expert.

    `near_papers` of theirs are among the nearest to the submission, which gives the `confidence`. `lifted_by` says in
    words what a learned ranker saw in them, where one was used, `references` what the submission's references say.
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
    near_papers: int = 0
    confidence: Confidence = Confidence.LOW
    references: tuple[str, ...] = ()


class Diversity(Struct, frozen=True, gc=False):
    """How varied a panel is: distinct institutions and countries, and the spread of its members' careers."""

    institutions: int
    countries: int
    sigma_citations: float
    sigma_papers: float


class Panel(Struct, frozen=True, gc=False):
    """The answer to a submission: reviewers in order, how diverse they are and what relevance that cost.

    `relevance_cost` is the share of the plain ranking's relevance that diversity gave up; `hidden` are the conflicts of
    those who would have been on the panel; `notes` say what the user should know, such as an author who is not indexed.
    """

    submission: Submission
    matches: tuple[Match, ...]
    diversity: Diversity
    relevance_cost: float = 0.0
    hidden: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts_checked: ConflictsChecked = ConflictsChecked()


class Review(Struct, frozen=True, gc=False):
    """The score that a reviewer gave to a paper."""

    paper: str
    reviewer: str
    score: float
