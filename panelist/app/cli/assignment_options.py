"""The options that `assign`, `assign check` and `assign why` share, and what they mean together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import WorkspaceOption
from panelist.errors import InputError
from panelist.parameters import split_parameter

if TYPE_CHECKING:
    from panelist.records import Submission
    from retriever.assignment.assignment import Options
    from retriever.assignment.problem import Problem
    from retriever.assignment.reading.problem import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The shared options as they were given; `spread` makes each of them an option of a command."""

    scores: Annotated[
        list[Path] | None,
        typer.Argument(
            help="paper,reviewer,score without header, plain or .gz; several are added up.", show_default=False
        ),
    ] = None
    constraints: Annotated[
        Path | None, typer.Option("--constraints", help="paper,reviewer,-1 (conflict), 0 or 1 (lock), no header.")
    ] = None
    quotas: Annotated[Path | None, typer.Option("--quotas", help="reviewer,max[,min], no header.")] = None
    demands: Annotated[Path | None, typer.Option("--demands", help="paper,demand[,role], no header.")] = None
    reviewers: Annotated[
        Path | None,
        typer.Option(
            "--reviewers", help="With a header: reviewer, and any of seniority,institution,country,role,authored."
        ),
    ] = None
    bids: Annotated[
        Path | None, typer.Option("--bids", help="paper,reviewer,bid, no header: numbers or OpenReview's words.")
    ] = None
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", help="NAME=VALUE: affinity, bids, or a file's name without ending (repeatable)."),
    ] = None
    existing: Annotated[Path | None, typer.Option("--existing", help="The assignment so far: paper,reviewer.")] = None
    keep: Annotated[bool, typer.Option("--keep", help="Change as little as possible of --existing.")] = False
    prefer_old: Annotated[
        float | None, typer.Option("--prefer-old", help="Add this to the score of every pair of --existing.")
    ] = None
    demand: Annotated[
        list[str] | None, typer.Option("--demand", help="Reviews per paper, or ROLE=N (repeatable) [default: 3].")
    ] = None
    least: Annotated[
        list[str] | None, typer.Option("--min", help="Least load of a reviewer, or ROLE=N (repeatable) [default: 0].")
    ] = None
    most: Annotated[
        list[str] | None,
        typer.Option("--max", help="Greatest load of a reviewer, or ROLE=N (repeatable) [default: 6]."),
    ] = None
    method: Annotated[
        str, typer.Option("--method", help="total, fair, leximin, envy, random or perturbed.", show_default=True)
    ] = "fair"
    cap: Annotated[
        str | None, typer.Option("--cap", help="Greatest probability of a pair, or a file paper,reviewer,cap.")
    ] = None
    quality: Annotated[
        float | None, typer.Option("--quality", help="Part of the greatest total that perturbed keeps [default: 0.95].")
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the draw [default: 0].", min=0)] = None
    senior: Annotated[int, typer.Option("--senior", help="At least this many seniors per paper.", min=0)] = 0
    apart: Annotated[
        str | None,
        typer.Option("--apart", help="At most one (or KIND=N) per paper of: institution, coauthors, region, by comma."),
    ] = None
    no_cycles: Annotated[
        bool, typer.Option("--no-cycles", help="Nobody reviews a paper of somebody who reviews theirs.")
    ] = False
    exact: Annotated[bool, typer.Option("--exact", help="Keep crossing rules by an exact MILP (small inputs).")] = False
    only_scored: Annotated[bool, typer.Option("--only-scored", help="Never take a pair without a score.")] = False
    allow_short: Annotated[
        bool, typer.Option("--allow-short", help="Where reviews are missing, spread the shortage evenly and list it.")
    ] = False
    submissions: Annotated[
        Path | None,
        typer.Option(
            "--submissions", "-s", help="Score these first, as `panelist affinity` does; then no scores file."
        ),
    ] = None
    committee: Annotated[
        Path | None, typer.Option("--committee", "-r", help="Who is scored: archives/, CSV, or a file of author ids.")
    ] = None
    model: Annotated[str, typer.Option("--model", "-m", help="The affinity model for --submissions.")] = "hybrid"
    workspace: WorkspaceOption = None


def inputs(given: Given) -> list[Path | None]:
    """The files that are read and must not be overwritten; an old assignment may be, by the one that replaces it."""
    tables = (given.constraints, given.quotas, given.demands, given.reviewers, given.bids)
    return [*(given.scores or ()), *tables, given.submissions, given.committee]


def problem_and_options(given: Given, marginals: bool = False) -> tuple[Problem, Options, dict[str, Submission]]:
    """The problem, how to solve it, and the submissions by id where they are known.

    Raises:
        InputError: options contradict one another, or files cannot be used.
    """
    from retriever.assignment.assignment import Options
    from retriever.assignment.reading.problem import Sources, read_problem
    from retriever.assignment.rules import Rules
    from retriever.assignment.solve import check_support

    said = {
        "--cap": given.cap is not None,
        "--quality": given.quality is not None,
        "--seed": given.seed is not None,
        "--marginals": marginals,
        "--senior": given.senior > 0,
        "--apart": given.apart is not None,
        "--no-cycles": given.no_cycles,
        "--exact": given.exact,
        "--prefer-old": given.prefer_old is not None,
        "--allow-short": given.allow_short,
    }
    check_support(given.method, {option for option, yes in said.items() if yes})
    if (given.keep or given.prefer_old is not None) and given.existing is None:
        raise InputError("--keep and --prefer-old are about --existing: give it, too")
    if given.keep and given.prefer_old is not None:
        raise InputError("--keep keeps whatever it costs, --prefer-old weighs it: give one of them")
    if given.existing is not None and not given.keep and given.prefer_old is None:
        raise InputError("--existing needs --keep (fewest changes) or --prefer-old WEIGHT")
    if bool(given.scores) == (given.submissions is not None):
        raise InputError("give scores (paper,reviewer,score), or --submissions and --committee to compute them")
    if given.committee is not None and given.submissions is None:
        raise InputError("--committee is who --submissions are scored against: give those, too")
    sources = Sources(
        constraints=given.constraints,
        quotas=given.quotas,
        demands=given.demands,
        reviewers=given.reviewers,
        bids=given.bids,
        weights={name: _number(f"--weight {name}", value) for name, value in map(split_parameter, given.weight or ())},
        existing=given.existing,
        keep=given.keep,
        prefer_old=given.prefer_old or 0.0,
        demand=_demand(given.demand or ()),
        least=_by_role("--min", given.least or (), 0),
        most=_by_role("--max", given.most or (), 6),
        cap=_cap(given.cap),
        only_scored=given.only_scored,
    )
    options = Options(
        method=given.method,
        quality=0.95 if given.quality is None else given.quality,
        seed=given.seed or 0,
        rules=Rules(given.senior, _apart(given.apart), given.no_cycles),
        exact=given.exact,
        allow_short=given.allow_short,
    )
    if given.submissions is None:
        return read_problem(given.scores or [], sources), options, {}
    problem, texts = _scored(given.submissions, given, sources)
    return problem, options, texts


def _scored(submissions: Path, given: Given, sources: Sources) -> tuple[Problem, dict[str, Submission]]:
    """The problem of submissions and a committee, scored as `panelist affinity` does; certain conflicts are closed."""
    from panelist.app.cli.affinity import open_reviewers, submissions_of
    from panelist.app.cli.output import show_progress
    from panelist.workspace import Workspace
    from retriever.affinity.conference import score_conference
    from retriever.affinity.conflicts import find_conflicts
    from retriever.affinity.model import affinity_model, with_index
    from retriever.affinity.profiles import PROFILE_SIZE
    from retriever.assignment.reading.problem import read_problem
    from retriever.conference.conflicts.rules import ConflictRules

    wanted = submissions_of(submissions)
    with ExitStack() as stack:
        people, indexed = open_reviewers(Workspace.at(given.workspace), given.committee, PROFILE_SIZE, stack)
        conflicts = find_conflicts(wanted, people, ConflictRules(), indexed=indexed)
        model = affinity_model(given.model, **({} if indexed is None else with_index(given.model, indexed[0], {})))
        estimate = model.estimate(wanted, people.profiles)
        if estimate is not None:
            raise InputError(f"{estimate}: run 'panelist affinity --model {given.model}' first, and give its scores")
        with show_progress() as progress:
            scored = score_conference(wanted, people, model, conflicts, progress=progress)
    problem = read_problem(scored.scores, replace(sources, conflicts=conflicts))
    return problem, {one.id: one for one in wanted}


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{option} takes a number, received '{text}'") from None


def _count(option: str, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise InputError(f"{option} takes a whole number, received '{text}'") from None
    if value < 0:
        raise InputError(f"{option} must be 0 or more, received {value}")
    return value


def _by_role(option: str, given: Sequence[str], otherwise: int) -> dict[str, int]:
    """Numbers by role; the empty role is everybody else."""
    numbers = {"": otherwise}
    for text in given:
        role, equals, value = text.rpartition("=")
        numbers[role if equals else ""] = _count(option, value)
    return numbers


def _demand(given: Sequence[str]) -> dict[str, int]:
    from retriever.assignment.problem import REVIEWER

    numbers = _by_role("--demand", given, 3)
    return {REVIEWER: numbers.pop(""), **numbers}


def _cap(given: str | None) -> float | Path | None:
    if given is None:
        return None
    try:
        return float(given)
    except ValueError:
        return Path(given)


def _apart(given: str | None) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for part in (given or "").split(","):
        if part.strip():
            kind, equals, most = part.strip().partition("=")
            kinds[kind.lower()] = _count("--apart", most) if equals else 1
    return kinds
