"""The options of a look-up, shared by `find` and `run`, and what they make: a `Lookup`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from retriever.lookup import Lookup

_SEARCH, _WHO, _CONFLICTS = "Search", "Who may review", "Conflicts of interest"

SizeOption = Annotated[int, typer.Option("--size", "-k", help="How many reviewers.")]
ModeOption = Annotated[str, typer.Option("--mode", help="hybrid, lexical or dense.", rich_help_panel=_SEARCH)]
DepthOption = Annotated[
    int, typer.Option("--depth", help="How many papers each search returns.", rich_help_panel=_SEARCH)
]
ExpandOption = Annotated[
    bool,
    typer.Option(
        "--rm3", help="Expand the lexical query by pseudo-relevance feedback (lucene).", rich_help_panel=_SEARCH
    ),
]
FusionOption = Annotated[
    str, typer.Option("--fusion", help="Join both searches: weighted or rrf.", rich_help_panel=_SEARCH)
]
WeightsOption = Annotated[
    tuple[float, float],
    typer.Option("--weights", help="Weights of the lexical and the dense search.", rich_help_panel=_SEARCH),
]
AggregateOption = Annotated[
    str,
    typer.Option(
        "--aggregate",
        help="Papers to reviewers: expert, max, mean, sum, votes, combmnz, top:3, percentile:75 or discounted.",
        rich_help_panel=_SEARCH,
    ),
]
PoolOption = Annotated[
    Path | None,
    typer.Option("--pool", help="File of reviewer ids, one a line: consider only these.", rich_help_panel=_WHO),
]
CountryOption = Annotated[
    list[str] | None,
    typer.Option("--country", help="Only from this country (two letters; repeatable).", rich_help_panel=_WHO),
]
AtOption = Annotated[
    list[str] | None,
    typer.Option("--at", help="Only from this institution (name or ROR; repeatable).", rich_help_panel=_WHO),
]
MinPapersOption = Annotated[
    int | None, typer.Option("--min-papers", help="At least so many indexed papers.", rich_help_panel=_WHO)
]
MaxPapersOption = Annotated[
    int | None, typer.Option("--max-papers", help="At most so many indexed papers.", rich_help_panel=_WHO)
]
ActiveSinceOption = Annotated[
    int | None, typer.Option("--active-since", help="With a paper in this year or later.", rich_help_panel=_WHO)
]
MinRelevantOption = Annotated[
    int | None, typer.Option("--min-relevant", help="At least so many papers that match.", rich_help_panel=_WHO)
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option("--include", help="Reviewer id that passes whatever the filters (repeatable).", rich_help_panel=_WHO),
]
ExcludeOption = Annotated[
    list[str] | None, typer.Option("--exclude", help="Reviewer id to leave out (repeatable).", rich_help_panel=_WHO)
]
ConflictsOption = Annotated[
    str,
    typer.Option(
        "--conflicts",
        help="hide certain conflicts and flag possible ones, flag both, or ignore.",
        rich_help_panel=_CONFLICTS,
    ),
]
YearsOption = Annotated[
    int,
    typer.Option("--years", help="Co-authors and colleagues of so many years count.", rich_help_panel=_CONFLICTS),
]
DeclaredOption = Annotated[
    Path | None,
    typer.Option("--declared", help="CSV of known conflicts: paper,reviewer.", rich_help_panel=_CONFLICTS),
]


def make_lookup(
    *,
    size: int,
    mode: str,
    depth: int,
    expand: bool,
    fusion: str,
    weights: tuple[float, float],
    aggregate: str,
    pool: Path | None,
    countries: Sequence[str] | None,
    institutions: Sequence[str] | None,
    min_papers: int | None,
    max_papers: int | None,
    active_since: int | None,
    min_relevant: int | None,
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
    conflicts: str,
    years: int,
    declared: Path | None,
    diversity: float = 0.0,
    algorithm: str = "mmr",
    papers: int = 3,
    sentences: bool = False,
) -> Lookup:
    """The look-up that these options describe."""
    from panelist.corpus.readers.ids import read_ids
    from panelist.errors import InputError
    from retriever.aggregate import Aggregation
    from retriever.conflicts import ConflictRules, read_conflicts
    from retriever.filters import Filters
    from retriever.lookup import Lookup
    from retriever.search import Search

    if years < 0:
        raise InputError(f"--years {years} makes no sense: give a number of years, 0 or more")
    return Lookup(
        size=size,
        search=Search(mode, depth, expand, fusion, *weights),  # type: ignore[arg-type]  # checked by Search
        aggregation=Aggregation.named(aggregate),
        conflicts=conflicts,  # type: ignore[arg-type]  # checked by Lookup
        conflict_rules=ConflictRules(coauthor_years=years, institution_years=years),
        declared=read_conflicts(declared) if declared is not None else {},
        pool=read_ids(pool) if pool is not None else None,
        filters=Filters(
            tuple(countries or ()),
            tuple(institutions or ()),
            min_papers,
            max_papers,
            active_since,
            min_relevant,
            tuple(include or ()),
            tuple(exclude or ()),
        ),
        diversity=diversity,
        diversity_algorithm=algorithm,
        papers=papers,
        sentences=sentences,
    )
