"""`panelist affinity`: score every submission against every reviewer of a conference."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption

if TYPE_CHECKING:
    from indexing.index import Index
    from panelist.records import Conflict, Submission
    from retriever.affinity.reviewers import Reviewers

_SHOWN = 10


def affinity(
    submissions: Annotated[
        Path,
        typer.Option("--submissions", "-s", help="submissions.json (OpenReview) or its folder, CSV, JSON lines."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Scores: submission,reviewer,score, no header.")],
    reviewers: Annotated[
        Path | None,
        typer.Option(
            "--reviewers",
            "-r",
            help="Directory with archives/ (OpenReview), CSV (reviewer,paper,title,abstract), or a file of author ids "
            "of the corpus, one a line [default: all authors of the corpus].",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="hybrid, dense, bm25, acl, tpms, trivial or llm.")
    ] = "hybrid",
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="NAME=VALUE of the model, e.g. pooling=max.")
    ] = None,
    sparse: Annotated[
        int | None,
        typer.Option("--sparse", help="Keep the K best reviewers of each submission and submissions of each reviewer."),
    ] = None,
    profile_size: Annotated[int, typer.Option(min=1, help="The most recent papers that make up a profile.")] = 20,
    text: Annotated[str, typer.Option("--text", help="What is read of papers: abstract, or full (--full-texts).")] = (
        "abstract"
    ),
    full_texts: Annotated[
        Path | None, typer.Option("--full-texts", help="JSON lines of id and text (or counts of words), plain or .gz.")
    ] = None,
    declared: Annotated[Path | None, typer.Option("--declared", help="CSV of known conflicts: paper,reviewer.")] = None,
    years: Annotated[
        int, typer.Option(min=0, help="Co-authors and colleagues of this many years are conflicts (indexed corpus).")
    ] = 3,
    constraints: Annotated[
        Path | None, typer.Option("--constraints", help="Write conflicts here: paper,reviewer,-1.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="List submissions with fewer than three reviewers above this score.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start a model that costs money without asking.")] = False,
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Score every submission against every reviewer, as a file that OpenReview's assignment reads.

    Scores are raw, so that runs can be compared. A pair with a conflict of interest and a reviewer without any paper
    get no score; the summary says who, which submissions lack able reviewers, and which are in a reviewer's profile.

    **Examples**

        panelist affinity -s submissions.json -r committee/ -o scores.csv

        panelist affinity -s submissions.csv -r committee.txt -o scores.csv --sparse 400 --threshold 0.3

        panelist affinity -s submissions.json -r expertise.csv -o scores.csv --model dense -p encoder=specter2

        panelist affinity -s s.json -r committee/ -o scores.csv --declared coi.csv --constraints constraints.csv
    """
    from panelist.app.cli.output import show_progress
    from panelist.corpus.readers.submissions import read_submissions
    from panelist.errors import InputError
    from panelist.files import check_file
    from panelist.workspace import Workspace
    from retriever.affinity.conference import score_conference
    from retriever.affinity.model import affinity_model, with_index
    from retriever.affinity.output import write_constraints, write_scores

    parameters = _parameters(parameter or [], text, full_texts)
    for path in filter(None, (out, constraints)):
        check_file(path)
    wanted = read_submissions(submissions / "submissions.json" if submissions.is_dir() else submissions)
    if not wanted:
        raise InputError(f"there are no submissions in '{submissions}'")
    with ExitStack() as stack:
        place = Workspace.at(workspace)
        people, index, conflicts = _reviewers(place, reviewers, profile_size, wanted, declared, years, stack)
        if index is not None:
            parameters = with_index(model, index, parameters)
        chosen = affinity_model(model, **parameters)
        estimate = chosen.estimate(wanted, people.profiles)
        if estimate is not None and not yes:
            if not sys.stdin.isatty():
                raise InputError(f"{estimate}: give --yes to go on")
            typer.confirm(f"{estimate}. Go on?", abort=True, err=True)
        with show_progress() as progress:
            scored = score_conference(
                wanted, people, chosen, conflicts, sparse=sparse, threshold=threshold, progress=progress
            )
    write_scores(scored.scores, out)
    if constraints is not None:
        write_constraints(conflicts, constraints)
    _show(
        {
            "model": model,
            "submissions": len(wanted),
            "reviewers": len(people.ids),
            "pairs": len(scored.scores.scores),
            "conflicts": len(conflicts),
            "threshold": threshold,
            "thin_submissions": scored.thin_submissions,
            "empty_profiles": scored.empty_profiles,
            "own_papers": scored.own_papers,
        },
        json,
    )


def _reviewers(
    place: Any,
    path: Path | None,
    size: int,
    submissions: list[Submission],
    declared: Path | None,
    years: int,
    stack: ExitStack,
) -> tuple[Reviewers, Index | None, list[Conflict]]:
    """Who they are, the index of the corpus they come from, if there is one, and their conflicts."""
    from panelist.corpus.readers.ids import read_ids
    from retriever.affinity.conflicts import indexed_conflicts, own_and_declared_conflicts
    from retriever.affinity.reviewers import from_corpus, holds_profiles, read_profiles
    from retriever.conflicts import ConflictRules, read_conflicts

    known = {} if declared is None else read_conflicts(declared)
    if path is not None and holds_profiles(path):
        people = read_profiles(path, size)
        return people, None, own_and_declared_conflicts(submissions, people, known)
    ids = None if path is None else read_ids(path)
    corpus = stack.enter_context(place.open_corpus())
    people = from_corpus(corpus, ids, size)
    if not place.index_path.exists():
        return people, None, own_and_declared_conflicts(submissions, people, known)
    from indexing.index import open_index

    index = stack.enter_context(open_index(place.index_path))
    rules = ConflictRules(coauthor_years=years, institution_years=years)
    return people, index, indexed_conflicts(index, corpus, submissions, people, rules, known)


def _parameters(given: list[str], text: str, full_texts: Path | None) -> dict[str, Any]:
    from panelist.app.cli.parameters import read_parameters
    from panelist.errors import InputError

    if text not in ("abstract", "full"):
        raise InputError(f"--text is abstract or full, received '{text}'")
    if (text == "full") != (full_texts is not None):
        raise InputError("--text full and --full-texts FILE belong together: give both or neither")
    return ({} if full_texts is None else {"full_text": str(full_texts)}) | read_parameters(given)


def _show(summary: dict[str, Any], json: bool) -> None:
    from panelist.app.cli.output import console, print_json

    if json:
        print_json(summary)
        return
    screen = console()

    def say(line: str) -> None:
        screen.print(line, markup=False, soft_wrap=True)

    say(f"{summary['submissions']:,} submissions × {summary['reviewers']:,} reviewers: {summary['pairs']:,} scores")
    if summary["conflicts"]:
        say(f"{summary['conflicts']:,} pairs have a conflict of interest and get no score")
    threshold = summary["threshold"]
    lists = {
        "submissions with fewer than three reviewers" + ("" if threshold is None else f" above {threshold}"): [
            f"{thin.submission} ({thin.able})" for thin in summary["thin_submissions"]
        ],
        "reviewers without any paper": summary["empty_profiles"],
        "submissions in a reviewer's profile": [f"{own.submission} ({own.reviewer})" for own in summary["own_papers"]],
    }
    for what, entries in lists.items():
        if entries:
            more = f", and {len(entries) - _SHOWN:,} more (--json lists all)" if len(entries) > _SHOWN else ""
            say(f"{len(entries):,} {what}: {', '.join(entries[:_SHOWN])}{more}")
