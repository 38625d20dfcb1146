"""The options of a look-up, written once for `find` and `run`; their defaults are those of `retriever.lookup`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelist.app.cli.options import option
from panelist.app.cli.output import warn
from panelist.corpus.readers.ids import read_ids
from panelist.records import Submission
from panelist.words import counted, first_of

if TYPE_CHECKING:
    from retriever.aggregate import Aggregation
    from retriever.conference.conflicts.rules import ConflictRules
    from retriever.lookup import Lookup
    from retriever.ranking.model import Ranker
    from retriever.search import Search


class _Default:
    """A default that is a field of `Lookup`, read when it is needed: loading the retriever takes a while."""

    def __init__(self, *fields: str) -> None:
        self._fields = fields

    def __call__(self) -> Any:
        from retriever.lookup import Lookup

        return attrgetter(*self._fields)(Lookup())

    def __str__(self) -> str:
        """As the help shows it."""
        value = self()
        return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _as_lookup(*fields: str) -> dict[str, Any]:
    """What `option` is told of a field whose default is one of `Lookup`."""
    return {"default": MISSING, "default_factory": _Default(*fields)}


_search = partial(option, rich_help_panel="Search")
_who = partial(option, rich_help_panel="Who may review")
_conflict = partial(option, rich_help_panel="Conflicts of interest")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How papers are found, and how they become reviewers."""

    mode: str = _search("hybrid, lexical or dense.", **_as_lookup("search.mode"))
    depth: int = _search("How many papers each search returns.", **_as_lookup("search.depth"))
    expand: bool = _search("Expand the lexical query by pseudo-relevance feedback (lucene).", "--rm3", default=False)
    fusion: str = _search("How the two searches are joined: weighted or rrf.", **_as_lookup("search.fusion"))
    weights: tuple[float, float] = _search(
        "Weights of the lexical and the dense search.", **_as_lookup("search.lexical_weight", "search.dense_weight")
    )
    aggregate: str = _search(
        "Papers to reviewers: expert, max, mean, sum, votes, combmnz, top:3, percentile:75 or discounted.",
        default="expert",
    )
    ranker: str | None = _search(
        "Order reviewers by a learned model: reviewers, or a file of 'panelist train ranker'.", show_default=False
    )

    def search(self) -> Search:
        """How papers are found."""
        from retriever.search import Search

        return Search(self.mode, self.depth, self.expand, self.fusion, *self.weights)  # type: ignore[arg-type]  # checked there

    def aggregation(self) -> Aggregation:
        """How papers become reviewers."""
        from retriever.aggregate import Aggregation

        return Aggregation.named(self.aggregate)

    def learned_ranker(self) -> Ranker | None:
        """The learned model, if one was named."""
        from retriever.ranking.model import Ranker

        return None if self.ranker is None else Ranker.load(self.ranker)


@dataclass(frozen=True, kw_only=True)
class ConflictOptions:
    """What counts as a conflict of interest, and what becomes of it."""

    conflicts: str = _conflict(
        "hide certain conflicts and flag possible ones, flag both, or ignore.", **_as_lookup("conflicts")
    )
    conflict_rules: str = _conflict(
        "What counts: panelist (co-authors and colleagues of 3 years), neurips, acl, openreview or FILE.toml.",
        default="panelist",
    )
    years: int | None = _conflict(
        "Co-authors and colleagues of the N most recent years are in conflict, whatever the rules say."
    )
    declared: Path | None = _conflict("CSV of known conflicts: paper,reviewer.")

    def rules(self) -> ConflictRules:
        """The rules of what counts as a conflict."""
        from retriever.conference.conflicts.rules import check_handling, conflict_rules

        check_handling(self.conflicts)
        rules = conflict_rules(self.conflict_rules)
        if self.years is None:
            return rules
        return replace(rules, coauthor_years=self.years, institution_years=self.years)

    def known(self) -> dict[str, tuple[str, ...]]:
        """What the user declared."""
        from retriever.conference.conflicts.declared import read_conflicts

        return {} if self.declared is None else read_conflicts(self.declared)


@dataclass(frozen=True, kw_only=True)
class LookupOptions(ConflictOptions, SearchOptions):
    """The same, who may review, and what counts as a conflict."""

    references: str = _search(
        "auto counts what the submission cites, where that is known: shared references, cited people; or off.",
        **_as_lookup("references"),
    )
    uncited: int = _who("Of ten, at least N whom the submission does not cite.", **_as_lookup("uncited"))
    pool: Path | None = _who("File of reviewer ids, one per line: consider only these.")
    country: list[str] | None = _who("Only from this country (two letters; repeatable).")
    at: list[str] | None = _who("Only from this institution (name or ROR; repeatable).")
    min_papers: int | None = _who("At least N indexed papers.")
    max_papers: int | None = _who("At most N indexed papers.")
    active_since: int | None = _who("With a paper in this year or later.")
    min_relevant: int | None = _who("At least N papers that match the submission.")
    include: list[str] | None = _who("Reviewer id that the filters let pass (repeatable).")
    exclude: list[str] | None = _who("Reviewer id to leave out (repeatable).")

    def lookup(self, size: int) -> Lookup:
        """The look-up that these options describe."""
        from retriever.filters import Filters
        from retriever.lookup import Lookup

        return Lookup(
            size=size,
            search=self.search(),
            aggregation=self.aggregation(),
            ranker=self.learned_ranker(),
            references=self.references,  # type: ignore[arg-type]  # checked by Lookup
            uncited=self.uncited,
            conflicts=self.conflicts,  # type: ignore[arg-type]  # checked by Lookup
            conflict_rules=self.rules(),
            declared=self.known(),
            pool=None if self.pool is None else read_ids(self.pool),
            filters=Filters(
                countries=tuple(self.country or ()),
                institutions=tuple(self.at or ()),
                min_papers=self.min_papers,
                max_papers=self.max_papers,
                active_since=self.active_since,
                min_relevant=self.min_relevant,
                include=tuple(self.include or ()),
                exclude=tuple(self.exclude or ()),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class PanelOptions:
    """How a panel is chosen from the ranking, and how much of it is shown."""

    size: int = option("How many reviewers.", "--size", "-k", **_as_lookup("size"))
    per_paper: int | None = option("Most people for whom the same paper speaks most [default: any number].")
    diversity: float = option("λ from 0 (plain ranking) to 1.", "--diversity", "-d", **_as_lookup("diversity"))
    diversity_algorithm: str = option("mmr or coverage.", **_as_lookup("diversity_algorithm"))
    papers: int = option("Matching papers shown for each reviewer.", **_as_lookup("papers"))
    sentences: bool = option("Quote each paper's best matching sentence.", default=False)

    def add_to(self, lookup: Lookup) -> Lookup:
        """A look-up with these options too."""
        return replace(lookup, **asdict(self))


def warn_of_unmatched(declared: Mapping[str, Sequence[str]], submissions: Sequence[Submission]) -> None:
    """Say on stderr which declared conflicts are of no submission that was asked about."""
    from retriever.conference.conflicts.declared import unmatched

    pairs = unmatched(declared, submissions)
    if pairs:
        what = counted(len(pairs), "declared conflict names", "declared conflicts name")
        warn(f"{what} no submission that was asked about: {first_of(pairs, '; ')}")
