"""The options of a look-up, written once for `find` and `run`; their defaults are those of `retriever.lookup`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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


_search = partial(typer.Option, rich_help_panel="Search")
_who = partial(typer.Option, rich_help_panel="Who may review")
_conflict = partial(typer.Option, rich_help_panel="Conflicts of interest")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How papers are found, and how they become reviewers."""

    mode: Annotated[str, _search(help="hybrid, lexical or dense.", default_factory=_Default("search.mode"))]
    depth: Annotated[
        int, _search(help="How many papers each search returns.", default_factory=_Default("search.depth"))
    ]
    expand: Annotated[
        bool, _search("--rm3", help="Expand the lexical query by pseudo-relevance feedback (lucene).")
    ] = False
    fusion: Annotated[
        str,
        _search(help="How the two searches are joined: weighted or rrf.", default_factory=_Default("search.fusion")),
    ]
    weights: Annotated[
        tuple[float, float],
        _search(
            help="Weights of the lexical and the dense search.",
            default_factory=_Default("search.lexical_weight", "search.dense_weight"),
        ),
    ]
    aggregate: Annotated[
        str,
        _search(
            help="Papers to reviewers: expert, max, mean, sum, votes, combmnz, top:3, percentile:75 or discounted."
        ),
    ] = "expert"
    ranker: Annotated[
        str | None,
        _search(
            help="Order reviewers by a learned model: reviewers, or a file of 'panelist train ranker'.",
            show_default=False,
        ),
    ] = None

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

    conflicts: Annotated[
        str,
        _conflict(
            help="hide certain conflicts and flag possible ones, flag both, or ignore.",
            default_factory=_Default("conflicts"),
        ),
    ]
    conflict_rules: Annotated[
        str,
        _conflict(
            help="What counts: panelist (co-authors and colleagues of 3 years), neurips, acl, openreview or FILE.toml."
        ),
    ] = "panelist"
    years: Annotated[
        int | None,
        _conflict(help="Co-authors and colleagues of the N most recent years are in conflict, whatever the rules say."),
    ] = None
    declared: Annotated[Path | None, _conflict(help="CSV of known conflicts: paper,reviewer.")] = None

    def rules(self) -> ConflictRules:
        """What counts."""
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

    references: Annotated[
        str,
        _search(
            help="auto counts what the submission cites, where that is known: shared references, cited people; or off.",
            default_factory=_Default("references"),
        ),
    ]
    uncited: Annotated[
        int,
        _who(help="Of ten, at least N whom the submission does not cite.", default_factory=_Default("uncited")),
    ]
    pool: Annotated[Path | None, _who(help="File of reviewer ids, one per line: consider only these.")] = None
    country: Annotated[list[str] | None, _who(help="Only from this country (two letters; repeatable).")] = None
    at: Annotated[list[str] | None, _who(help="Only from this institution (name or ROR; repeatable).")] = None
    min_papers: Annotated[int | None, _who(help="At least N indexed papers.")] = None
    max_papers: Annotated[int | None, _who(help="At most N indexed papers.")] = None
    active_since: Annotated[int | None, _who(help="With a paper in this year or later.")] = None
    min_relevant: Annotated[int | None, _who(help="At least N papers that match the submission.")] = None
    include: Annotated[list[str] | None, _who(help="Reviewer id that the filters let pass (repeatable).")] = None
    exclude: Annotated[list[str] | None, _who(help="Reviewer id to leave out (repeatable).")] = None

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

    size: Annotated[int, typer.Option("--size", "-k", help="How many reviewers.", default_factory=_Default("size"))]
    per_paper: Annotated[
        int | None, typer.Option(help="Most people for whom the same paper speaks most [default: any number].")
    ] = None
    diversity: Annotated[
        float,
        typer.Option("--diversity", "-d", help="λ from 0 (plain ranking) to 1.", default_factory=_Default("diversity")),
    ]
    diversity_algorithm: Annotated[
        str, typer.Option(help="mmr or coverage.", default_factory=_Default("diversity_algorithm"))
    ]
    papers: Annotated[
        int, typer.Option(help="Matching papers shown for each reviewer.", default_factory=_Default("papers"))
    ]
    sentences: Annotated[bool, typer.Option("--sentences", help="Quote each paper's best matching sentence.")] = False

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
