"""The solutions of a conference as they are kept: how each was made, from what, and who reviews what in it.

Whoever may not see all papers sees the other pairs, with figures, alternates and files as if these were everything:
nothing is solved for it, as all of them are fixed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct, structs

from eval.reports.assignment import assignment_report
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.conflicts import hide_conflicts
from panelist.app.desk.conference.contents import conflicts_in_bids, hide_authored, load_bids, load_constraints
from panelist.app.desk.conference.manual import BY_HAND, CURATE, FORBIDDEN, ManualChanges
from panelist.app.desk.conference.scores import load_scores, score_digests
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.errors import NotFoundError
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.words import Message, encoded
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, BIDS, Pair, Quota, RecordError, Records, Reviewer
from retriever.assignment.explain.alternates import Alternate, find_alternates
from retriever.assignment.explain.summary import Summary, summarise_assignment
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.levels import assign_levels
from retriever.assignment.output import alternates_csv, assignment_csv, assignment_json, marginals_csv
from retriever.assignment.problem import Problem
from retriever.assignment.solve import assign
from retriever.conference.conflicts.table import ConflictTable, read_table

CSV, REPORT, OPENREVIEW = "assignment.csv", "report.html", "openreview.json"
ALTERNATES, MARGINALS = "alternates.csv", "marginals.csv"
_OF_FILES = ("file added", "file removed", "lines left out", "people added", "people settled", "scored")
_POINTS = 101  # of a curve
INPUTS = {
    "records": "input/records.json",
    "conflicts": "input/conflicts.jsonl",
    "bids": "input/bids.csv",
    "scored": "input/scored.json",
}
"""The rows beside a solution that say what it was made from, and what they are called when they are taken away."""
Settings = Annotated[dict[str, Any], Meta(extra_json_schema={"$ref": "#/components/schemas/ConferenceSettings"})]


class Shortage(Struct, frozen=True):
    """What of a problem cannot be met: how many reviews, of which papers, and who could give them."""

    missing: int
    papers: list[str]
    reviewers: list[str]


class OfferedCure(Struct, frozen=True, omit_defaults=True):
    """What would help, in words: with settings to try, or with quotas to set by hand."""

    words: Message
    settings: Settings | None = None
    quotas: dict[str, int] | None = None


class Made(Struct, frozen=True, kw_only=True):
    """What is known of one solution of a conference."""

    number: int  # from 1
    # `waiting` until it is made; `infeasible` has a `cut`, `failed` an `error`
    state: str = "waiting"
    begun: datetime
    who: str = ""  # the name that the chair gave
    settings: Settings  # how
    base: int | None = None  # the solution of which as much as possible is kept
    event: int = 0  # the key of the last event of the log that it knows
    error: Message | None = None  # why there is none
    cut: Shortage | None = None  # why there cannot be one
    cures: list[OfferedCure] = []
    summary: Summary | None = None  # its figures
    # sums and shares of papers from the lowest to the highest, and how many reviewers have which load
    plots: dict[str, list[float]] | None = None


class Solution(Made, frozen=True, kw_only=True):
    """One solution of a conference, as its record says."""

    scores: str = ""  # the blob of the scores that it was made from


class Pairs(Struct, frozen=True):
    """Who reviews what in a solution, and who could step in."""

    pairs: list[AssignedPair]
    alternates: list[Alternate]


class Outcome(NamedTuple):
    """What came out of a solution: its record with its figures, and its pairs."""

    solution: Solution
    pairs: Pairs

    def file(self, name: str, assignment: Assignment) -> bytes | None:
        """A file of the assignment; None where it has none of this name."""
        if self.solution.summary is None or (name == MARGINALS and assignment.lottery is None):
            return None
        return FILES[name](assignment, self.solution.summary, self.pairs.alternates)


class SavedRecords(Struct, frozen=True):
    """The records of a solution but for its scores, bids and conflicts, which are blobs of their own."""

    people: dict[str, Reviewer] | None
    forbidden: list[Pair]
    locked: list[Pair]
    quotas: dict[str, Quota]
    demands: list[tuple[Pair, int]]
    existing: list[Pair]
    held: int = 0


def row_of(number: int, name: str = "") -> str:
    """The name of a row of a solution."""
    return f"solution/{number}/{name}" if name else f"solution/{number}"


def load_solution(conference: Conference, number: int, *, figures: bool = True) -> Solution:
    """Read one solution of a conference; its figures take longer where some papers may not be seen."""
    solution = _stored(conference, number)
    if conference.sight.hidden:
        why = None if solution.error is None else Message("there is none: another chair sees why")
        solution = structs.replace(solution, error=why, cut=None, cures=[], summary=None, plots=None)
        if solution.state == "done" and figures:
            return _seen(conference, number).solution
    return solution


def _stored(conference: Conference, number: int) -> Solution:
    """The record of a solution as it was made of everything."""
    solution = conference.record(row_of(number), Solution)
    if solution is None:
        raise NotFoundError(f"there is no solution {number}: it was discarded, or never made")
    return solution


def load_solutions(conference: Conference, *, figures: bool = True) -> list[Solution]:
    """All solutions, the newest first."""
    names = (name.split("/") for name in conference.parts if name.startswith("solution/"))
    numbers = sorted({int(name[1]) for name in names}, reverse=True)
    return [load_solution(conference, number, figures=figures) for number in numbers]


def load_pairs(conference: Conference, number: int) -> Pairs:
    """Who reviews what in a solution."""
    load_solution(conference, number)
    pairs = conference.json(row_of(number, "pairs"), Pairs)
    if pairs is None:
        raise NotFoundError(f"solution {number} has no assignment")
    return _seen(conference, number).pairs if conference.sight.hidden else pairs


def load_file(conference: Conference, number: int, name: str) -> bytes | None:
    """One of the files of a solution; None where it has none of this name."""
    if not conference.sight.hidden:
        blob = conference.part(row_of(number, name)).blob
        return conference.blobs.read(blob) if blob else None
    return _seen_file(conference, number, name)


def files_of_solution(conference: Conference, number: int, scores: str = "") -> Iterator[tuple[str, bytes]]:
    """All files of a solution that may be seen, by name; `scores` is the digest of the file of today's scores."""
    solution = load_solution(conference, number)
    yield "solution.json", encoded(portable(conference, solution, scores))
    if solution.state == "done":
        yield "pairs.json", encoded(load_pairs(conference, number))
    for name in FILES:
        if content := load_file(conference, number, name):
            yield name, content
    for row, name in () if conference.sight.hidden else INPUTS.items():
        if blob := conference.part(row_of(number, row)).blob:
            yield name, conference.blobs.read(blob)


def chosen(conference: Conference) -> int | None:
    """The number of the solution that is chosen; none where nothing of it may be seen."""
    number = conference.record("chosen", int)
    return None if number is None or (conference.sight.hidden and not _has_scores(conference)) else number


def chosen_pairs(conference: Conference) -> list[AssignedPair]:
    """Who reviews what in the solution that is chosen; nobody, where none is."""
    number = chosen(conference)
    return [] if number is None else load_pairs(conference, number).pairs


def settings_of(solution: Solution) -> ConferenceSettings:
    """How a solution was made."""
    values = {name: value for name, value in solution.settings.items() if value is not None}
    return ConferenceSettings.model_validate(
        {name: values[name] for name in ConferenceSettings.model_fields & values.keys()}
    )


def pending_changes(events: Iterable[Event], solution: Solution) -> int:
    """How many changes by hand a solution does not know; those of profiles reach it by other scores."""
    events = tuple(events)
    profiles = {event.key for event in events if event.kind == CURATE}
    later = (event for event in events if event.key > solution.event and event.kind in BY_HAND)
    return sum(not profiles & {event.key, event.detail.get("of")} for event in later)


def file_changes(events: Iterable[Event], solution: Solution) -> int:
    """How many changes of files, and scorings, a solution does not know."""
    return sum(event.kind in _OF_FILES for event in events if event.key > solution.event)


def scores_changed(conference: Conference, number: int) -> bool:
    """Whether the scores are others than those that a solution was made from."""
    solution = conference.record(row_of(number), Solution)
    before = conference.json(row_of(number, "scored"), dict[str, str]) if conference.sight.hidden else None
    if solution is None or before is None or not _has_scores(conference):
        return solution is None or conference.part("scores").blob != solution.scores
    return score_digests(conference) != {
        paper: digest for paper, digest in before.items() if conference.sight.shows(paper)
    }


def portable(conference: Conference, solution: Solution, scores: str = "") -> Solution:
    """A solution to take away: with a digest of the scores' file where it is of these scores; numbers as seen."""
    current = not scores_changed(conference, solution.number)
    event = sum(event.key <= solution.event for event in conference.events)
    event = event if conference.sight.hidden else solution.event
    return structs.replace(solution, scores=scores if current else "", event=event)


def load_records(conference: Conference, number: int) -> Records:
    """What a solution was made from, without what may not be seen."""
    saved = conference.json(row_of(number, "records"), SavedRecords)
    conflicts = conference.content(row_of(number, "conflicts"), read_table)
    if saved is None or conflicts is None:
        raise NotFoundError("this solution was made by an earlier version of Panelist: solve again")
    shows, bids = conference.sight.shows, load_bids(conference, row_of(number, "bids"))
    hidden = conference.sight.hidden
    people = hide_authored(conference, saved.people) if hidden and saved.people else saved.people
    return Records(
        scores={AFFINITY: load_scores(conference).table}
        | ({} if bids is None or not len(bids.score) else {BIDS: bids}),
        people=people,
        conflicts=hide_conflicts(conflicts, conference),
        forbidden=[pair for pair in saved.forbidden if shows(pair[0])],
        locked=[pair for pair in saved.locked if shows(pair[0])],
        quotas=saved.quotas,
        demands={pair: count for pair, count in saved.demands if shows(pair[0])},
        existing=[pair for pair in saved.existing if shows(pair[0])],
        held=sum(shows(pair[0]) for pair in saved.locked[len(saved.locked) - saved.held :]),
    )


def forbidden_pairs(conference: Conference, manual: ManualChanges) -> dict[Pair, None]:
    """The pairs that nothing may assign: no lock by hand takes a conflict out, no file lifts a change by hand."""
    decisions = (*load_constraints(conference).items(), *manual.pairs.items())
    return dict.fromkeys([*(pair for pair, value in decisions if value == FORBIDDEN), *conflicts_in_bids(conference)])


def make_checked(records: Records, settings: ConferenceSettings) -> Problem:
    """The problem of some records, or in the words of the chair why there is none."""
    try:
        return make_problem(records, replace(settings.options(), keep=bool(records.existing)))
    except RecordError as error:  # the chair knows the file of quotas, but not the names of records
        of_file = error.name in ("quotas", "demands", "bids", "people")
        raise InputError(f"{error.name}.csv: {error.why}" if of_file else error.why) from error


@remembered("scores", "solution/{}", "solution/{}/records", most=4)
def problem_of(conference: Conference, number: int) -> Problem:
    """The problem that a solution solves, where it still fits the scores."""
    return make_checked(load_records(conference, number), settings_of(_stored(conference, number)))


def solve(conference: Conference, number: int, progress: Progress = silent) -> Assignment:
    """The assignment of a solution."""
    progress("reading", 0, 3)
    settings, records = settings_of(_stored(conference, number)), load_records(conference, number)
    if not settings.levels or records.held:  # one paper alone: pairs of the others are fixed
        problem = problem_of(conference, number)
        progress("assigning", 1, 3)
        return assign(problem, progress=progress)
    progress("assigning", 1, 3)
    options = replace(settings.options(), keep=bool(records.existing))
    return assign_levels(records, options, settings.levels, settings.together, progress, settings.pools()).assignment


def quotas_of(conference: Conference, number: int) -> dict[str, int]:
    """How many papers everybody takes at most in a solution; nobody is in it where an earlier version made it."""
    try:
        problem = problem_of(conference, number)
    except (NotFoundError, InputError):
        return {}
    return dict(zip(problem.reviewers, problem.most.tolist(), strict=True))


def outcome(solution: Solution, assignment: Assignment) -> Outcome:
    """What came out of a solution."""
    alternates = find_alternates(assignment, settings_of(solution).alternates)
    done = structs.replace(solution, state="done", summary=summarise_assignment(assignment), plots=_plots(assignment))
    return Outcome(done, Pairs(assignment.pairs, alternates))


FILES: dict[str, Callable[[Assignment, Summary, Sequence[Alternate]], bytes]] = {
    CSV: lambda assignment, _, __: assignment_csv(assignment),
    OPENREVIEW: lambda assignment, _, alternates: assignment_json(assignment, alternates),
    ALTERNATES: lambda _, __, alternates: alternates_csv(alternates),
    MARGINALS: lambda assignment, _, __: marginals_csv(assignment),
    REPORT: lambda *made: assignment_report(*made).html().encode(),
}


def assignment_files(assignment: Assignment, summary: Summary, alternates: Sequence[Alternate]) -> dict[str, bytes]:
    """An assignment in every form, by the names of the files."""
    return {name: write(assignment, summary, alternates) for name, write in FILES.items()}


_OF_SOLUTION = ("scores", "solution/{}", "solution/{}/pairs", "solution/{}/records")


@remembered(*_OF_SOLUTION, most=64)
def _seen(conference: Conference, number: int) -> Outcome:
    """A solution without the papers that may not be seen: the other pairs are fixed, and nothing is left to choose."""
    solution, pairs = _seen_pairs(conference, number)
    try:
        shown = outcome(solution, _fixed(conference, number))
    except (InputError, InfeasibleError):  # pairs that today's scores do not have
        return Outcome(structs.replace(solution, summary=None, plots=None), Pairs(pairs, []))
    return Outcome(shown.solution, structs.replace(shown.pairs, pairs=pairs))


@remembered(*_OF_SOLUTION, most=64)
def _seen_file(conference: Conference, number: int, name: str) -> bytes | None:
    """A file of such a solution, made when it is asked for: few look at these, and a report takes longer than all."""
    seen = _seen(conference, number)
    return None if seen.solution.summary is None else seen.file(name, _fixed(conference, number))


def _seen_pairs(conference: Conference, number: int) -> tuple[Solution, list[AssignedPair]]:
    saved = conference.json(row_of(number, "pairs"), Pairs)
    if saved is None:
        raise NotFoundError(f"solution {number} has no assignment")
    conflicts = conference.content(row_of(number, "conflicts"), read_table) or ConflictTable()
    table = hide_conflicts(conflicts, conference)

    def told(pair: AssignedPair) -> AssignedPair:
        known = table.of(pair.paper, pair.reviewer) if pair.conflict else None
        return pair if known is None else structs.replace(pair, conflict=known.evidence)

    shown = [told(pair) for pair in saved.pairs if conference.sight.shows(pair.paper)]
    return _stored(conference, number), shown


@remembered(*_OF_SOLUTION, most=8)
def _fixed(conference: Conference, number: int) -> Assignment:
    """The assignment in which all pairs that may be seen are fixed."""
    solution, pairs = _seen_pairs(conference, number)
    locked = [(pair.paper, pair.reviewer) for pair in pairs]
    records = replace(load_records(conference, number), locked=locked, held=0, existing=(), forbidden=())
    options = replace(settings_of(solution).options(), keep=False, allow_short=True)
    return assign(make_problem(records, options), progress=silent)


def _plots(assignment: Assignment) -> dict[str, list[float]]:
    """Small plots as numbers: curves at as many points as a page can show, and loads."""
    demanding = assignment.solved.demand > 0
    steps = np.linspace(0, 1, _POINTS)
    loads, most = assignment.loads, assignment.solved.most
    count = np.bincount(loads)
    full = np.bincount(loads[(loads >= most) & (most > 0)], minlength=len(count))
    return {
        "sums": np.quantile(assignment.sums[demanding], steps).tolist() if demanding.any() else [],
        "shares": np.quantile(assignment.shares[demanding], steps).tolist() if demanding.any() else [],
        "loads": count.tolist(),
        "full": full.tolist(),
    }


def _has_scores(conference: Conference) -> bool:
    try:
        return bool(len(load_scores(conference).table.score))
    except NotFoundError:
        return False
