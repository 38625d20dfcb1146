"""`panelist run`: rankings for many submissions, as a TREC run."""

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.lookup import LookupOptions, warn_of_unmatched
from panelist.app.cli.options import DeviceOption, ExecutorOption, PrecisionOption, WorkspaceOption, spread
from panelist.app.cli.output import show_progress, warn
from panelist.errors import InputError
from panelist.files import check_files, replacing, write_whole
from panelist.records import Conflict
from panelist.words import counted, first_of
from panelist.workspace import Workspace


@spread
def run(
    queries: Annotated[Path, typer.Argument(help="Submissions: JSON lines, submissions.json or CSV.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run file to write; .gz compresses it.")],
    tag: Annotated[str, typer.Option("--tag", help="The name of the run, its last column.")] = "panelist",
    possible: Annotated[
        Path | None,
        typer.Option("--possible", help="Write conflicts of ranked people here: paper,reviewer,-1,evidence."),
    ] = None,
    *,
    size: Annotated[int, typer.Option("--size", "-k", help="How many reviewers for each submission.")] = 100,
    executor: ExecutorOption = None,
    device: DeviceOption = "cpu",
    precision: PrecisionOption = "float32",
    workspace: WorkspaceOption = None,
    lookup_options: LookupOptions,
) -> None:
    """Rank reviewers for every submission of a file and write a TREC run: `qid Q0 reviewer rank score tag`.

    The run is the plain ranking, without certain conflicts; it is complete or it is not written at all. A run cannot
    flag possible conflicts: --possible lists them.

    **Examples**

        panelist run submissions.jsonl --out run.trec

        panelist run submissions.csv --out bm25.trec --mode lexical --aggregate max --tag bm25

        panelist run submissions.jsonl --out run.trec --executor dask://scheduler:8786
    """
    from panelist.corpus.readers.submissions import read_submissions

    if not tag or any(character.isspace() for character in tag):
        raise InputError(f"tag '{tag}' cannot stand in a run: give one word")
    wanted = lookup_options.lookup(size)
    submissions = read_submissions(queries)
    warn_of_unmatched(wanted.declared, submissions)
    if (unchecked := wanted.conflict_rules.unchecked()) and wanted.conflicts != "ignore":
        warn(f"not checked for conflicts, because the corpus does not have them: {unchecked}")
    check_files((out, possible), (queries, lookup_options.declared, lookup_options.pool))
    from eval.runs import Run
    from eval.trec import write_run
    from indexing.encoders.cache import EncoderLoader
    from indexing.jobs.executors import open_workers
    from panelist.app.rank_parts import rank_by
    from retriever.conference.conflicts.declared import evidence_lines
    from retriever.finder import Finder

    rankings: dict[str, list[tuple[str, float]]] = {}
    flagged: list[Conflict] = []
    opened = Workspace.at(workspace)
    load = EncoderLoader(device, precision)
    with (
        Finder.open(opened, load=load) as finder,
        open_workers(executor) as workers,
        show_progress("submissions") as progress,
    ):
        named = dict.fromkeys(one for submission in submissions for one in wanted.declared.get(submission.id, ()))
        matches = finder.conflicts.sources[0].numbers([*named])
        if missing := [one for one, same in zip(named, matches, strict=True) if not same]:
            warn(f"declared as in conflict, but not in the index: {first_of(missing)}")
        if workers is None:
            made = finder.rank(submissions, wanted)
        else:
            made = rank_by(workers, opened, submissions, wanted, load)
        for submission, ranking in zip(submissions, made, strict=True):
            rankings[submission.id] = ranking
            progress("ranking", len(rankings), len(submissions))
            if wanted.conflicts != "ignore":
                reasons = finder.flagged(submission, [reviewer for reviewer, _ in ranking], wanted)
                flagged += [best for best, *_ in reasons.values()]
    with replacing(out) as part:
        write_run(Run.of_lists(rankings, tag), part)
    if possible is not None:
        write_whole(possible, evidence_lines(flagged).encode())
    elif flagged:
        who = counted(len(flagged), "ranked person has", "ranked people have")
        warn(f"{who} a conflict of interest that a run cannot show: see --possible FILE")
