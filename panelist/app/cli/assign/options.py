"""The options that `assign`, `assign check` and `assign why` share, and what they mean together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from panelist.app.cli.affinity import open_committee, submissions_of
from panelist.app.cli.options import WorkspaceOption, option
from panelist.app.cli.output import show_progress
from panelist.errors import InputError
from panelist.parameters import split_parameter
from panelist.workspace import Workspace
from retriever.assignment.options import REVIEWER, AssignOptions, OptionError, named

if TYPE_CHECKING:
    from panelist.records import Submission
    from retriever.assignment.problem import Problem
    from retriever.assignment.reading.problem import Sources

_Number = TypeVar("_Number", int, float)
_DEFAULT = AssignOptions()
FLAGS = {
    **{one.name: f"--{one.name.replace('_', '-')}" for one in fields(AssignOptions)},
    **{"most": "--max", "least": "--min", "weights": "--weight", "people": "--reviewers", "conflicts": "--conflicts"},
}
"""How the command line calls the fields of options and records."""


@contextmanager
def told_as_flags() -> Iterator[None]:
    """Call options as the command line does, where the library refuses them."""
    from retriever.assignment.feasibility import InfeasibleError

    try:
        yield
    except InfeasibleError as error:
        raise InfeasibleError(error.cut.named(FLAGS)) from error
    except OptionError as error:
        raise InputError(named(error.words, FLAGS)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignFlags:
    """The shared options as they were given; `spread` makes each of them an option of a command."""

    scores: list[Path] | None = option(
        "paper,reviewer,score without header, plain or .gz; several are added up.",
        kind=typer.Argument,
        show_default=False,
    )
    constraints: Path | None = option("paper,reviewer,-1 (conflict), 0 or 1 (lock); a header is allowed.")
    conflicts: Path | None = option("Conflict table of `panelist affinity` [default: SCORES.conflicts.jsonl].")
    quotas: Path | None = option("reviewer,max[,min]; a header is allowed.")
    demands: Path | None = option("paper,demand[,role]; a header is allowed.")
    reviewers: Path | None = option("With a header: reviewer, and any of seniority,institution,country,role,authored.")
    bids: Path | None = option("paper,reviewer,bid; a header is allowed. Numbers or OpenReview's words.")
    weight: list[str] | None = option("NAME=VALUE: affinity, bids, or a file's name without ending (repeatable).")
    existing: Path | None = option("The assignment so far: paper,reviewer.")
    keep: bool = option("Change as little as possible of --existing.", default=False)
    prefer_old: float | None = option("Add this to the score of every pair of --existing.")
    demand: list[str] | None = option(f"Reviews per paper, or ROLE=N (repeatable) [default: {_DEFAULT.demand}].")
    least: list[str] | None = option(
        f"Least load of a reviewer, or ROLE=N (repeatable) [default: {_DEFAULT.least}].", "--min"
    )
    most: list[str] | None = option(
        f"Greatest load of a reviewer, or ROLE=N (repeatable) [default: {_DEFAULT.most}].", "--max"
    )
    method: str = option("total, fair, leximin, envy, random or perturbed.", default=_DEFAULT.method)
    cap: str | None = option("Greatest probability of a pair, or a file paper,reviewer,cap.")
    quality: float | None = option(f"Part of the greatest total that perturbed keeps [default: {_DEFAULT.quality}].")
    seed: int | None = option(f"Seed of the draw [default: {_DEFAULT.seed}].", min=0)
    senior: int = option("At least this many seniors per paper.", default=_DEFAULT.senior, min=0)
    apart: str | None = option("At most one (or KIND=N) per paper of: institution, coauthors, region, by comma.")
    no_cycles: bool = option("Nobody reviews a paper of somebody who reviews theirs.", default=False)
    exact: bool = option("Keep crossing rules by an exact MILP (small inputs).", default=False)
    allow_unscored: bool = option("Take pairs without a score as a last resort.", default=False)
    possible: str = option("Pairs with a possible conflict: avoid or allow.", default=_DEFAULT.possible)
    allow_short: bool = option("Where reviews are missing, spread the shortage evenly and list it.", default=False)
    submissions: Path | None = option(
        "Find conflicts with --committee, and without scores, score them, too.", "--submissions", "-s"
    )
    committee: Path | None = option(
        "Who the reviewers are: archives/, CSV, or a file of author ids.", "--committee", "-r"
    )
    model: str = option("The affinity model for --submissions.", "--model", "-m", default="hybrid")
    workspace: WorkspaceOption = None


def inputs(given: AssignFlags) -> list[Path | None]:
    """The files that are read and must not be overwritten; an old assignment may be, by the one that replaces it."""
    tables = (given.constraints, given.conflicts, given.quotas, given.demands, given.reviewers, given.bids)
    return [*(given.scores or ()), *tables, given.submissions, given.committee]


def read_given(given: AssignFlags) -> tuple[Problem, dict[str, Submission]]:
    """The problem with its options, and the submissions by id where they are known."""
    from retriever.assignment.methods import check_method
    from retriever.assignment.reading.problem import Sources, read_problem

    if (given.keep or given.prefer_old is not None) and given.existing is None:
        raise InputError("--keep and --prefer-old are about --existing: give it, too")
    if given.existing is not None and not given.keep and given.prefer_old is None:
        raise InputError("--existing needs --keep (fewest changes) or --prefer-old WEIGHT")
    if not given.scores and given.submissions is None:
        raise InputError("give scores (paper,reviewer,score), or --submissions and --committee to compute them")
    if given.committee is not None and given.submissions is None:
        raise InputError("--committee is who --submissions are compared with: give those, too")
    options, cap = assign_options(given), _cap(given.cap)
    check_method(options, drawn=isinstance(cap, Path))
    same = ("constraints", "conflicts", "quotas", "demands", "bids", "existing")
    sources = Sources(
        scores=given.scores or (),
        people=given.reviewers,
        caps=cap if isinstance(cap, Path) else None,
        **{name: getattr(given, name) for name in same},
    )
    texts: dict[str, Submission] = {}
    if given.submissions is not None:
        sources, texts = _with_people(given.submissions, given, sources)
    return read_problem(sources, options), texts


def assign_options(given: AssignFlags) -> AssignOptions:
    """What was said; where nothing was said, the default."""
    same = ("method", "quality", "seed", "senior", "no_cycles", "exact", "keep", "prefer_old", "allow_short")
    said: dict[str, Any] = {name: getattr(given, name) for name in (*same, "allow_unscored", "possible")}
    for name in ("demand", "least", "most"):
        numbers = {"": getattr(_DEFAULT, name), **_by_role(FLAGS[name], getattr(given, name) or ())}
        everybody = REVIEWER if name == "demand" else ""
        said[name] = numbers[""] if len(numbers) == 1 else {everybody: numbers.pop(""), **numbers}
    said["apart"] = _apart(given.apart)
    said["cap"] = None if isinstance(cap := _cap(given.cap), Path) else cap
    weights = map(split_parameter, given.weight or ())
    said["weights"] = {name: _number(f"--weight {name}", value, float) for name, value in weights}
    return AssignOptions(**{name: value for name, value in said.items() if value is not None})


def _with_people(submissions: Path, given: AssignFlags, sources: Sources) -> tuple[Sources, dict[str, Submission]]:
    """The sources with the conflicts of submissions and committee, and with their scores where none are given."""
    from retriever.assignment.building.records import ScoreTable
    from retriever.assignment.reading.problem import read_conflicts
    from retriever.conference.conference import Conference
    from retriever.conference.options import ScoreOptions

    wanted = submissions_of(submissions)
    options = ScoreOptions(model=given.model)
    with ExitStack() as stack:
        where = Workspace.at(given.workspace)
        committee = open_committee(where, given.committee, given.reviewers, options.profile, stack)
        conference = Conference(wanted, *committee)
        with show_progress() as progress:
            table = conference.conflicts(options.rules, progress=progress)
        if not given.scores:
            model = conference.model(options)
            if (estimate := model.estimate(wanted, conference.committee.profiles)) is not None:
                raise InputError(
                    f"{estimate}: run 'panelist affinity --model {given.model}' first, and give its scores"
                )
            with show_progress() as progress:
                scored = conference.score(options, table, model, progress)
            sources = replace(sources, scores=ScoreTable.of(scored.scores))
    known = read_conflicts(sources)
    return replace(sources, conflicts=known.joined(table) if known else table), {one.id: one for one in wanted}


def _number(option: str, text: str, kind: Callable[[str], _Number], what: str = "a number") -> _Number:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"{option} takes {what}, received '{text}'") from None


def _count(option: str, text: str) -> int:
    return _number(option, text, int, "a whole number")


def _by_role(option: str, given: Sequence[str]) -> dict[str, int]:
    """Numbers by role; the empty role is everybody else."""
    parts = (text.rpartition("=") for text in given)
    return {role: _count(option, value) for role, _, value in parts}


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
