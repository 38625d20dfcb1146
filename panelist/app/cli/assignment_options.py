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

if TYPE_CHECKING:
    from panelist.records import Submission
    from retriever.assignment.assignment import Options
    from retriever.assignment.problem import Problem
    from retriever.assignment.reading.problem import Sources

PROFILE = 20
"""Papers of a profile, as `panelist affinity` has it."""

ScoresArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="paper,reviewer,score without header, plain or .gz; several are added up.", show_default=False),
]
ConstraintsOption = Annotated[
    Path | None, typer.Option("--constraints", help="paper,reviewer,-1 (conflict), 0 or 1 (lock), no header.")
]
QuotasOption = Annotated[Path | None, typer.Option("--quotas", help="reviewer,max[,min], no header.")]
DemandsOption = Annotated[Path | None, typer.Option("--demands", help="paper,demand[,role], no header.")]
ReviewersOption = Annotated[
    Path | None,
    typer.Option(
        "--reviewers", help="With a header: reviewer, and any of seniority,institution,country,role,authored."
    ),
]
BidsOption = Annotated[
    Path | None, typer.Option("--bids", help="paper,reviewer,bid, no header: numbers or OpenReview's words.")
]
WeightOption = Annotated[
    list[str] | None,
    typer.Option("--weight", help="NAME=VALUE: affinity, bids, or a file's name without ending (repeatable)."),
]
ExistingOption = Annotated[Path | None, typer.Option("--existing", help="The assignment so far: paper,reviewer.")]
KeepOption = Annotated[bool, typer.Option("--keep", help="Change as little as possible of --existing.")]
PreferOldOption = Annotated[
    float | None, typer.Option("--prefer-old", help="Add this to the score of every pair of --existing.")
]
DemandOption = Annotated[
    list[str] | None, typer.Option("--demand", help="Reviews per paper, or ROLE=N (repeatable) [default: 3].")
]
MinOption = Annotated[
    list[str] | None, typer.Option("--min", help="Least load of a reviewer, or ROLE=N (repeatable) [default: 0].")
]
MaxOption = Annotated[
    list[str] | None, typer.Option("--max", help="Greatest load of a reviewer, or ROLE=N (repeatable) [default: 6].")
]
MethodOption = Annotated[
    str, typer.Option("--method", help="total, fair, leximin, envy, random or perturbed.", show_default=True)
]
CapOption = Annotated[
    str | None, typer.Option("--cap", help="Greatest probability of a pair, or a file paper,reviewer,cap.")
]
QualityOption = Annotated[
    float | None, typer.Option("--quality", help="Part of the greatest total that perturbed keeps [default: 0.95].")
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Seed of the draw [default: 0].", min=0)]
SeniorOption = Annotated[int, typer.Option("--senior", help="At least this many seniors per paper.", min=0)]
ApartOption = Annotated[
    str | None,
    typer.Option("--apart", help="At most one (or KIND=N) per paper of: institution, coauthors, region, by comma."),
]
NoCyclesOption = Annotated[
    bool, typer.Option("--no-cycles", help="Nobody reviews a paper of somebody who reviews theirs.")
]
ExactOption = Annotated[bool, typer.Option("--exact", help="Keep crossing rules by an exact MILP (small inputs).")]
OnlyScoredOption = Annotated[bool, typer.Option("--only-scored", help="Never take a pair without a score.")]
AllowShortOption = Annotated[
    bool, typer.Option("--allow-short", help="Where reviews are missing, spread the shortage evenly and list it.")
]
SubmissionsOption = Annotated[
    Path | None,
    typer.Option("--submissions", "-s", help="Score these first, as `panelist affinity` does; then no scores file."),
]
CommitteeOption = Annotated[
    Path | None, typer.Option("--committee", "-r", help="Who is scored: archives/, CSV, or a file of author ids.")
]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="The affinity model for --submissions.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The shared options as they were given; `spread` makes each of them an option of a command."""

    scores: ScoresArgument = None
    constraints: ConstraintsOption = None
    quotas: QuotasOption = None
    demands: DemandsOption = None
    reviewers: ReviewersOption = None
    bids: BidsOption = None
    weight: WeightOption = None
    existing: ExistingOption = None
    keep: KeepOption = False
    prefer_old: PreferOldOption = None
    demand: DemandOption = None
    least: MinOption = None
    most: MaxOption = None
    method: MethodOption = "fair"
    cap: CapOption = None
    quality: QualityOption = None
    seed: SeedOption = None
    senior: SeniorOption = 0
    apart: ApartOption = None
    no_cycles: NoCyclesOption = False
    exact: ExactOption = False
    only_scored: OnlyScoredOption = False
    allow_short: AllowShortOption = False
    submissions: SubmissionsOption = None
    committee: CommitteeOption = None
    model: ModelOption = "hybrid"
    workspace: WorkspaceOption = None


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
        weights={name: _number(f"--weight {name}", value) for name, value in map(_split, given.weight or ())},
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
    from panelist.app.cli.affinity import open_reviewers
    from panelist.app.cli.output import show_progress
    from panelist.corpus.readers.submissions import read_submissions
    from panelist.workspace import Workspace
    from retriever.affinity.conference import score_conference
    from retriever.affinity.conflicts import find_conflicts
    from retriever.affinity.model import affinity_model, with_index
    from retriever.assignment.reading.problem import read_problem
    from retriever.conflicts.rules import ConflictRules

    wanted = read_submissions(submissions / "submissions.json" if submissions.is_dir() else submissions)
    if not wanted:
        raise InputError(f"there are no submissions in '{submissions}'")
    with ExitStack() as stack:
        people, indexed = open_reviewers(Workspace.at(given.workspace), given.committee, PROFILE, stack)
        conflicts = find_conflicts(wanted, people, ConflictRules(), indexed=indexed)
        model = affinity_model(given.model, **({} if indexed is None else with_index(given.model, indexed[0], {})))
        estimate = model.estimate(wanted, people.profiles)
        if estimate is not None:
            raise InputError(f"{estimate}: run 'panelist affinity --model {given.model}' first, and give its scores")
        with show_progress() as progress:
            scored = score_conference(wanted, people, model, conflicts, progress=progress)
    problem = read_problem(scored.scores, replace(sources, conflicts=conflicts))
    return problem, {one.id: one for one in wanted}


def _split(text: str) -> tuple[str, str]:
    from panelist.app.cli.parameters import split_parameter

    return split_parameter(text)


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

    numbers = _by_role("--demand", given, -1)
    everybody = numbers.pop("")
    if everybody >= 0 or not numbers:
        return {REVIEWER: 3 if everybody < 0 else everybody, **numbers}
    return numbers if REVIEWER in numbers else {REVIEWER: 3, **numbers}


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
