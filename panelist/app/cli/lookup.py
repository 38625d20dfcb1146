"""The options of a look-up, written once for `find` and `run`; their defaults are those of `retriever.lookup`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelist.app.cli.options import option
from panelist.corpus.readers.ids import read_ids
from panelist.errors import InputError

if TYPE_CHECKING:
    from panelist.records import HistoryEvent
    from retriever.conference.conflicts.rules import ConflictRules
    from retriever.finder import Finder
    from retriever.lookup import Lookup


class _Default:
    """A default that is a field of `Lookup`, read when it is needed: loading the retriever takes a while."""

    def __init__(self, *fields: str) -> None:
        self._fields = fields

    def __call__(self) -> Any:
        from retriever.lookup import Lookup

        return attrgetter(*self._fields)(Lookup())

    def __str__(self) -> str:
        """Return the value as the help shows it."""
        value = self()
        return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


_LIMITS = ("min_papers", "max_papers", "active_since", "min_relevant", "rest", "at_most")
"""Options that filters call the same."""
_search = partial(option, rich_help_panel="Search")
_pool = partial(option, rich_help_panel="Who may review")
_conflict = partial(option, rich_help_panel="Conflicts of interest")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How papers are found, and how they become reviewers."""

    mode: str = _search("hybrid, lexical or dense.", default=_Default("search.mode"))
    depth: int = _search("How many papers each search returns.", default=_Default("search.depth"))
    expand: bool = _search("Expand the lexical query by pseudo-relevance feedback (lucene).", "--rm3")
    bm25: tuple[float, float] | None = _search("k1 and b of this search (lucene) [default: the index's].")
    repeated: str = _search(
        "Words that a query repeats: distinct (count once) or counted, as Anserini does.",
        default=_Default("search.repeated"),
    )
    fusion: str = _search(
        "How the two searches are joined: weighted, rrf, or by ranx: sum, mnz, max, isr, bordafuse, condorcet, wsum, …",
        default=_Default("search.fusion"),
    )
    weights: tuple[float, float] = _search(
        "Weights of the lexical and the dense search.", default=_Default("search.lexical_weight", "search.dense_weight")
    )
    aggregate: str = _search(
        "Papers to reviewers: expert, max, mean, sum, votes, combmnz, top:3, percentile:75 or discounted.",
        default="expert",
    )
    index: str | None = _search("Search an index of Pyserini or Anserini by words, in the place of ours: pyserini:DIR.")
    ranker: str | None = _search("Order reviewers by a learned model: reviewers, or a file of 'panelist train ranker'.")

    def fields(self) -> dict[str, Any]:
        """Return the fields of a look-up that these options decide."""
        from retriever.aggregate import Aggregation
        from retriever.ranking.model import Ranker
        from retriever.search import Search

        return {
            "search": Search(  # checks what it is given
                *(self.mode, self.depth, self.expand, self.fusion, *self.weights, self.repeated, self.bm25)  # type: ignore[arg-type]
            ),
            "aggregation": Aggregation.named(self.aggregate),
            "ranker": None if self.ranker is None else Ranker.load(self.ranker),
        }


@dataclass(frozen=True, kw_only=True)
class ConflictOptions:
    """What counts as a conflict of interest, and what becomes of it."""

    conflicts: str = _conflict(
        "hide certain conflicts and flag possible ones, flag both, or ignore.", default=_Default("conflicts")
    )
    conflict_rules: str = _conflict(
        "What counts: panelist (co-authors and colleagues of 3 years), neurips, acl, openreview or FILE.toml.",
        default="panelist",
    )
    years: int | None = _conflict("Co-authors and colleagues of the last N years are in conflict, whatever rules say.")
    declared: Path | None = _conflict("CSV of known conflicts: paper,reviewer.")

    def rules(self) -> ConflictRules:
        """Return the rules of what counts as a conflict."""
        from retriever.conference.conflicts.rules import check_handling, conflict_rules

        check_handling(self.conflicts)
        rules = conflict_rules(self.conflict_rules)
        return rules if self.years is None else replace(rules, coauthor_years=self.years, institution_years=self.years)

    def read_declared(self) -> dict[str, tuple[str, ...]]:
        """Read the conflicts that the user declares."""
        from retriever.conference.conflicts.declared import read_conflicts

        return {} if self.declared is None else read_conflicts(self.declared)


@dataclass(frozen=True, kw_only=True)
class LookupOptions(ConflictOptions, SearchOptions):
    """The same, who may review, and what counts as a conflict."""

    references: str = _search(
        "auto counts what the submission cites, where that is known: shared references, cited people; or off.",
        default=_Default("references"),
    )
    uncited: int = _pool("Of ten, at least N whom the submission does not cite.", default=_Default("uncited"))
    history: str = _search(
        "auto counts who reviewed and edited before, where that is known; off; or a FILE of events, instead.",
        default=_Default("history"),
    )
    newcomers: int = _pool("Of ten, at least N who never reviewed or edited here.", default=_Default("newcomers"))
    rest: int = _pool("Nobody who reviewed in the last N days, or has a review open.", default=_Default("filters.rest"))
    at_most: int | None = _pool("Nobody with N reviews in the last 12 months, or more.")
    load_penalty: float = _pool(
        "0 to 1: divide relevance by (1 + reviews in 12 months, open ones twice)^N.", default=_Default("load_penalty")
    )
    role: str = _pool("reviewer, or editor: who can handle it, of past editors or of --pool.", default=_Default("role"))
    pool: Path | None = _pool("File of reviewer ids, one per line: consider only these.")
    country: list[str] | None = _pool("Only from this country (two letters; repeatable).")
    institution: list[str] | None = _pool("Only from this institution (name or ROR; repeatable).", "--at")
    min_papers: int | None = _pool("At least N indexed papers.")
    max_papers: int | None = _pool("At most N indexed papers.")
    active_since: int | None = _pool("With a paper in this year or later.")
    min_relevant: int | None = _pool("At least N papers that match the submission.")
    include: list[str] | None = _pool("Reviewer id that the filters let pass (repeatable).")
    exclude: list[str] | None = _pool("Reviewer id to leave out (repeatable).")

    def lookup(self, size: int) -> Lookup:
        """Return the look-up that these options describe."""
        from retriever.filters import Filters
        from retriever.lookup import Lookup

        return Lookup(
            size=size,
            **self.fields(),
            **{
                name: getattr(self, name)
                for name in ("references", "uncited", "newcomers", "load_penalty", "role", "conflicts")
            },
            history="off" if self.history == "off" else "auto",
            conflict_rules=self.rules(),
            declared=self.read_declared(),
            pool=None if self.pool is None else read_ids(self.pool),
            filters=Filters(
                countries=tuple(self.country or ()),
                institutions=tuple(self.institution or ()),
                include=tuple(self.include or ()),
                exclude=tuple(self.exclude or ()),
                **{name: getattr(self, name) for name in _LIMITS},
            ),
        )

    def use_history(self, finder: Finder) -> None:
        """Count the events of a file, where one was given, instead of those of the corpus."""
        if (events := read_events(self.history)) is not None:
            finder.use_history(events)


def read_events(history: str) -> list[HistoryEvent] | None:
    """Return the events of a file, where `--history` names one."""
    from panelist.corpus.readers.history import read_history
    from panelist.corpus.readers.report import ReadReport

    if history in ("auto", "off"):
        return None
    report = ReadReport()
    events = list(read_history([Path(history)], report))
    if not events:
        reason = report.example() if report.rejections else "it has no events"
        raise InputError(f"no history in '{history}': {reason}; give auto, off, or a file of reviews")
    return events


@dataclass(frozen=True, kw_only=True)
class PanelOptions:
    """How a panel is chosen from the ranking, and how much of it is shown."""

    size: int = option("How many reviewers.", "-k", default=_Default("size"))
    per_paper: int | None = option("Most people for whom the same paper speaks most [default: any number].")
    diversity: float = option("λ from 0 (plain ranking) to 1.", "-d", default=_Default("diversity"))
    diversity_algorithm: str = option("mmr or coverage.", default=_Default("diversity_algorithm"))
    papers: int = option("Matching papers shown for each reviewer.", default=_Default("papers"))
    sentences: bool = option("Quote each paper's best matching sentence.")

    def add_to(self, lookup: Lookup) -> Lookup:
        """Return a look-up with these options too."""
        return replace(lookup, **asdict(self))
