"""`panelist run`: rankings for many submissions, as a TREC run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli import lookup as options
from panelist.app.cli.options import WorkspaceOption
from panelist.errors import InputError


def run(
    queries: Annotated[Path, typer.Argument(help="Submissions: JSON lines, submissions.json or CSV.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run file to write; .gz compresses it.")],
    tag: Annotated[str, typer.Option("--tag", help="The name of the run, its last column.")] = "panelist",
    size: options.SizeOption = 100,
    workspace: WorkspaceOption = None,
    mode: options.ModeOption = "hybrid",
    depth: options.DepthOption = 1000,
    expand: options.ExpandOption = False,
    fusion: options.FusionOption = "weighted",
    weights: options.WeightsOption = (0.5, 1.0),
    aggregate: options.AggregateOption = "expert",
    pool: options.PoolOption = None,
    country: options.CountryOption = None,
    at: options.AtOption = None,
    min_papers: options.MinPapersOption = None,
    max_papers: options.MaxPapersOption = None,
    active_since: options.ActiveSinceOption = None,
    min_relevant: options.MinRelevantOption = None,
    include: options.IncludeOption = None,
    exclude: options.ExcludeOption = None,
    conflicts: options.ConflictsOption = "hide",
    years: options.YearsOption = 3,
    declared: options.DeclaredOption = None,
) -> None:
    """Rank reviewers for every submission of a file and write a TREC run: `qid Q0 reviewer rank score tag`.

    The run is the plain ranking, without certain conflicts; it is complete or it is not written at all.

    **Examples**

        panelist run submissions.jsonl --out run.trec

        panelist run submissions.csv --out bm25.trec --mode lexical --aggregate max --tag bm25
    """
    from panelist.app.cli.output import progress
    from panelist.app.cli.panels import to_run
    from panelist.corpus.readers.submissions import read_submissions
    from panelist.files import check_file, replacing
    from panelist.workspace import Workspace

    if not tag or any(character.isspace() for character in tag):
        raise InputError(f"tag '{tag}' cannot stand in a run: give one word")
    wanted = options.make_lookup(
        size=size,
        mode=mode,
        depth=depth,
        expand=expand,
        fusion=fusion,
        weights=weights,
        aggregate=aggregate,
        pool=pool,
        countries=country,
        institutions=at,
        min_papers=min_papers,
        max_papers=max_papers,
        active_since=active_since,
        min_relevant=min_relevant,
        include=include,
        exclude=exclude,
        conflicts=conflicts,
        years=years,
        declared=declared,
    )
    submissions = read_submissions(queries)
    check_file(out)
    from eval.runs import write_run
    from retriever.finder import Finder

    rankings: dict[str, list[tuple[str, float]]] = {}
    with Finder.open(Workspace.at(workspace)) as finder, progress("submissions") as display:
        task = display.add_task("ranking", total=len(submissions))
        for submission, ranking in zip(submissions, finder.rank(submissions, wanted), strict=True):
            rankings[submission.id] = ranking
            display.advance(task)
    with replacing(out) as part:
        write_run(to_run(rankings, tag), part)
