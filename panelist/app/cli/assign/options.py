"""The options that `assign`, `assign check` and `assign why` share, and what they mean together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from panelist.app.cli.affinity import open_committee, submissions_of
from panelist.app.cli.options import WorkspaceOption, argument, option
from panelist.app.cli.output import show_progress
from panelist.errors import InputError
from panelist.parameters import split_parameter
from panelist.progress import Progress
from panelist.workspace import Workspace
from retriever.assignment.options import REVIEWER, AssignOptions, OptionError, named

if TYPE_CHECKING:
    from panelist.records import Submission
    from retriever.assignment.assignment import Assignment
    from retriever.assignment.reading.problem import Sources

_Number = TypeVar("_Number", int, float)
_DEFAULT = AssignOptions()
FLAGS = {
    **{entry.name: f"--{entry.name.replace('_', '-')}" for entry in fields(AssignOptions)},
    **{"most": "--max", "least": "--min", "weights": "--weight", "people": "--reviewers", "conflicts": "--conflicts"},
    **{"levels": "--level", "together": "--together"},
}
"""How the command line calls the fields of options and records."""


@contextmanager
def naming_flags() -> Iterator[None]:
    """Name options as the command line does, where the library refuses them."""
    from retriever.assignment.feasibility import InfeasibleError

    try:
        yield
    except InfeasibleError as error:
        raise InfeasibleError(error.cut.named(FLAGS)) from error
    except OptionError as error:
        raise InputError(named(error.words, FLAGS)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignFlags:
    """The shared options as they were given; each field is an option of these commands."""

    scores: list[Path] | None = argument("paper,reviewer,score without header, plain or .gz; several are added up.")
    constraints: Path | None = option("paper,reviewer,-1 (conflict), 0 or 1 (lock); a header is allowed.")
    conflicts: Path | None = option("Conflict table of `panelist affinity` [default: SCORES.conflicts.jsonl].")
    quotas: Path | None = option("reviewer,max[,min]; a header is allowed.")
    demands: Path | None = option("paper,demand[,role]; a header is allowed.")
    reviewers: Path | None = option("With a header: reviewer, and any of seniority,institution,country,role,authored.")
    bids: Path | None = option("paper,reviewer,bid; a header is allowed. Numbers or OpenReview's words.")
    weight: list[str] | None = option("NAME=VALUE: affinity, bids, or a file's name without ending (repeatable).")
    existing: Path | None = option("The assignment so far: paper,reviewer.")
    keep: bool = option("Change as little as possible of --existing.")
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
    no_cycles: bool = option("Nobody reviews a paper of somebody who reviews theirs, nor three in a circle.")
    soft: str | None = option("RULE=WEIGHT by comma: give up senior, institution, … or cycle where it costs more.")
    level: list[str] | None = option("Assign roles in stages, the highest first (repeatable), each by its --demand.")
    together: float = option("With --level: what a further superior of a person costs.", default=0.0, min=0)
    exact: bool = option("Keep crossing rules by an exact MILP (small inputs).")
    allow_unscored: bool = option("Take pairs without a score as a last resort.")
    possible: str = option("Pairs with a possible conflict: avoid or allow.", default=_DEFAULT.possible)
    allow_short: bool = option("Where reviews are missing, spread the shortage evenly and list it.")
    submissions: Path | None = option("Find conflicts with --committee, and without scores, score them, too.", "-s")
    committee: Path | None = option("Who the reviewers are: archives/, CSV, or a file of author ids.", "-r")
    model: str = option("The affinity model for --submissions.", "-m", default="hybrid")
    workspace: WorkspaceOption = None


@naming_flags()
def solve_flags(flags: AssignFlags) -> tuple[Assignment, dict[str, Submission]]:
    """Assign, in stages where there are levels; and the submissions by id where they are given."""
    from retriever.assignment.levels import assign_levels
    from retriever.assignment.methods import check_method
    from retriever.assignment.reading.problem import Sources, read_problem, read_records
    from retriever.assignment.solve import assign

    if flags.together and not flags.level:
        raise InputError("--together is about --level: name the roles in stages, too")
    if (flags.keep or flags.prefer_old is not None) and flags.existing is None:
        raise InputError("--keep and --prefer-old are about --existing: give it, too")
    if flags.existing is not None and not flags.keep and flags.prefer_old is None:
        raise InputError("--existing needs --keep (fewest changes) or --prefer-old WEIGHT")
    if not flags.scores and flags.submissions is None:
        raise InputError("give scores (paper,reviewer,score), or --submissions and --committee to compute them")
    if flags.committee is not None and flags.submissions is None:
        raise InputError("--committee is who --submissions are compared with: give those, too")
    options, cap = assign_options(flags), _cap(flags.cap)
    check_method(options, drawn=isinstance(cap, Path))
    names = ("constraints", "conflicts", "quotas", "demands", "bids", "existing")
    files: dict[str, Path | None] = {name: getattr(flags, name) for name in names}
    caps = cap if isinstance(cap, Path) else None
    sources = Sources(scores=flags.scores or (), people=flags.reviewers, caps=caps, **files)
    submissions: dict[str, Submission] = {}
    with show_progress() as progress:
        if flags.submissions is not None:
            sources, submissions = _with_people(flags.submissions, flags, sources, progress)
        problem = read_problem(sources, options)
        if not flags.level:
            return assign(problem, progress=progress), submissions
        levels = assign_levels(read_records(sources), options, flags.level, flags.together, progress)
    return levels.assignment, submissions


def assign_options(flags: AssignFlags) -> AssignOptions:
    """Return the options that the flags give; the others have their defaults."""
    values: dict[str, Any] = {entry.name: getattr(flags, entry.name, None) for entry in fields(AssignOptions)}
    for name in ("demand", "least", "most"):
        parts = (text.rpartition("=") for text in values[name] or ())
        numbers = {"": getattr(_DEFAULT, name)} | {role: _number(FLAGS[name], value, int) for role, _, value in parts}
        default_role = REVIEWER if name == "demand" else ""
        values[name] = numbers[""] if len(numbers) == 1 else {default_role: numbers.pop(""), **numbers}
    apart, soft = map(_entries, (flags.apart, flags.soft))
    values["apart"] = {kind.lower(): _number("--apart", most, int) if equals else 1 for kind, equals, most in apart}
    values["soft"] = {rule.lower(): _number(f"--soft {rule}", weight, float) for rule, _, weight in soft}
    values["cap"] = None if isinstance(cap := _cap(flags.cap), Path) else cap
    weights = map(split_parameter, flags.weight or ())
    values["weights"] = {name: _number(f"--weight {name}", value, float) for name, value in weights}
    return AssignOptions(**{name: value for name, value in values.items() if value is not None})


def _with_people(
    submissions: Path, flags: AssignFlags, sources: Sources, progress: Progress
) -> tuple[Sources, dict[str, Submission]]:
    """Add the conflicts of submissions and committee to the sources, and their scores where there are none."""
    from retriever.assignment.building.records import ScoreTable
    from retriever.assignment.reading.problem import read_conflicts
    from retriever.conference.conference import Conference
    from retriever.conference.options import ScoreOptions

    papers, options = submissions_of(submissions), ScoreOptions(model=flags.model)
    with ExitStack() as stack:
        workspace = Workspace.at(flags.workspace)
        committee = open_committee(workspace, flags.committee, flags.reviewers, options.profile, stack)
        conference = Conference(papers, *committee)
        table = conference.conflicts(options.rules, progress=progress)
        if not flags.scores:
            model = conference.model(options)
            if (estimate := model.estimate(papers, conference.committee.profiles)) is not None:
                command = f"panelist affinity --model {flags.model}"
                raise InputError(f"{estimate}: run '{command}' first, and give its scores")
            scored = conference.score(options, table, model, progress)
            sources = replace(sources, scores=ScoreTable.of(scored.scores))
    stated = read_conflicts(sources)
    sources = replace(sources, conflicts=stated.joined(table) if stated else table)
    return sources, {paper.id: paper for paper in papers}


def _number(option: str, text: str, kind: type[_Number]) -> _Number:
    try:
        return kind(text)
    except ValueError:
        expected = "a whole number" if kind is int else "a number"
        raise InputError(f"{option} takes {expected}, received '{text}'") from None


def _cap(text: str | None) -> float | Path | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return Path(text)


def _entries(text: str | None) -> list[tuple[str, str, str]]:
    """Split `NAME=VALUE,…`; the values may be missing."""
    return [pair.strip().partition("=") for pair in (text or "").split(",") if pair.strip()]
