"""The options of a look-up, written once for `find` and `run`; their defaults are those of `retriever.lookup`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from panelist.records import Submission
    from retriever.aggregate import Aggregation
    from retriever.lookup import Lookup
    from retriever.ranking.model import Ranker
    from retriever.search import Search

_SEARCH, _WHO, _CONFLICTS = "Search", "Who may review", "Conflicts of interest"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How papers are found, and how they become reviewers."""

    mode: Annotated[
        str,
        typer.Option(
            help="hybrid, lexical or dense.", default_factory=_Default("search.mode"), rich_help_panel=_SEARCH
        ),
    ]
    depth: Annotated[
        int,
        typer.Option(
            help="How many papers each search returns.",
            default_factory=_Default("search.depth"),
            rich_help_panel=_SEARCH,
        ),
    ]
    expand: Annotated[
        bool,
        typer.Option(
            "--rm3", help="Expand the lexical query by pseudo-relevance feedback (lucene).", rich_help_panel=_SEARCH
        ),
    ] = False
    fusion: Annotated[
        str,
        typer.Option(
            help="How the two searches are joined: weighted or rrf.",
            default_factory=_Default("search.fusion"),
            rich_help_panel=_SEARCH,
        ),
    ]
    weights: Annotated[
        tuple[float, float],
        typer.Option(
            help="Weights of the lexical and the dense search.",
            default_factory=_Default("search.lexical_weight", "search.dense_weight"),
            rich_help_panel=_SEARCH,
        ),
    ]
    aggregate: Annotated[
        str,
        typer.Option(
            help="Papers to reviewers: expert, max, mean, sum, votes, combmnz, top:3, percentile:75 or discounted.",
            rich_help_panel=_SEARCH,
        ),
    ] = "expert"

    ranker: Annotated[
        str | None,
        typer.Option(
            help="Order reviewers by a learned model: reviewers, or a file of 'panelist train ranker'.",
            rich_help_panel=_SEARCH,
            show_default=False,
        ),
    ] = None

    references: Annotated[
        bool,
        typer.Option(
            "--references", help="Count the papers that the submission cites as evidence.", rich_help_panel=_SEARCH
        ),
    ] = False

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions(SearchOptions):
    """The same, who may review, and what counts as a conflict."""

    pool: Annotated[
        Path | None,
        typer.Option(help="File of reviewer ids, one per line: consider only these.", rich_help_panel=_WHO),
    ] = None
    country: Annotated[
        list[str] | None,
        typer.Option(help="Only from this country (two letters; repeatable).", rich_help_panel=_WHO),
    ] = None
    at: Annotated[
        list[str] | None,
        typer.Option(help="Only from this institution (name or ROR; repeatable).", rich_help_panel=_WHO),
    ] = None
    min_papers: Annotated[int | None, typer.Option(help="At least N indexed papers.", rich_help_panel=_WHO)] = None
    max_papers: Annotated[int | None, typer.Option(help="At most N indexed papers.", rich_help_panel=_WHO)] = None
    active_since: Annotated[
        int | None, typer.Option(help="With a paper in this year or later.", rich_help_panel=_WHO)
    ] = None
    min_relevant: Annotated[
        int | None, typer.Option(help="At least N papers that match the submission.", rich_help_panel=_WHO)
    ] = None
    include: Annotated[
        list[str] | None,
        typer.Option(help="Reviewer id that the filters let pass (repeatable).", rich_help_panel=_WHO),
    ] = None
    exclude: Annotated[
        list[str] | None, typer.Option(help="Reviewer id to leave out (repeatable).", rich_help_panel=_WHO)
    ] = None
    conflicts: Annotated[
        str,
        typer.Option(
            help="hide certain conflicts and flag possible ones, flag both, or ignore.",
            default_factory=_Default("conflicts"),
            rich_help_panel=_CONFLICTS,
        ),
    ]
    conflict_rules: Annotated[
        str,
        typer.Option(
            help="What counts: panelist (co-authors and colleagues of 3 years), neurips, acl, openreview or FILE.toml.",
            rich_help_panel=_CONFLICTS,
        ),
    ] = "panelist"
    years: Annotated[
        int | None,
        typer.Option(
            help="Co-authors and colleagues of the N most recent years are in conflict, whatever the rules say.",
            rich_help_panel=_CONFLICTS,
        ),
    ] = None
    declared: Annotated[
        Path | None, typer.Option(help="CSV of known conflicts: paper,reviewer.", rich_help_panel=_CONFLICTS)
    ] = None

    def lookup(self, size: int) -> Lookup:
        """The look-up that these options describe."""
        from panelist.corpus.readers.ids import read_ids
        from retriever.conflicts.finder import read_conflicts
        from retriever.conflicts.rules import conflict_rules
        from retriever.filters import Filters
        from retriever.lookup import Lookup

        rules = conflict_rules(self.conflict_rules)
        if self.years is not None:
            rules = replace(rules, coauthor_years=self.years, institution_years=self.years)
        return Lookup(
            size=size,
            search=self.search(),
            aggregation=self.aggregation(),
            ranker=self.learned_ranker(),
            references=self.references,
            conflicts=self.conflicts,  # type: ignore[arg-type]  # checked by Lookup
            conflict_rules=rules,
            declared={} if self.declared is None else read_conflicts(self.declared),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOptions:
    """How a panel is chosen from the ranking, and how much of it is shown."""

    size: Annotated[int, typer.Option("--size", "-k", help="How many reviewers.", default_factory=_Default("size"))]
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
        from dataclasses import asdict, replace

        return replace(lookup, **asdict(self))


def warn_of_unmatched(declared: Mapping[str, Sequence[str]], submissions: Sequence[Submission]) -> None:
    """Say on stderr which declared conflicts are of no submission that was asked about."""
    asked = {submission.id for submission in submissions}
    pairs = [f"{paper},{reviewer}" for paper, named in declared.items() if paper not in asked for reviewer in named]
    if pairs:
        what = "1 declared conflict names" if len(pairs) == 1 else f"{len(pairs)} declared conflicts name"
        shown = "; ".join(pairs[:5]) + (" …" if len(pairs) > 5 else "")
        typer.echo(f"WARNING {what} no submission that was asked about: {shown}", err=True)
