"""The solutions of a conference: one directory each, with how it was made and what came out.

A solution begins as a record that says it waits, with everything that it is made from; so a server that is stopped
loses the work and nothing else, and the same solution can be made again.
"""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from panelist.app.desk.conference.assignment.inputs import SCORES, gather, save_records, saved_records, scores_file
from panelist.app.desk.conference.assignment.manual import ACTIONS, UNDO
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.conflicts import refuse_conflicts
from panelist.app.desk.conference.files import fingerprint
from panelist.app.desk.conference.staging import LAST_SOLUTION, SOLVING, Stage
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.errors import NotFoundError
from panelist.errors import InputError
from panelist.files import write_whole
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import RecordError, Records
from retriever.assignment.explain.alternates import Alternate
from retriever.assignment.problem import Problem

_FOLDER, _RECORD, _PAIRS, _CHOSEN = "assignments", "solution.json", "pairs.json", "chosen"
INPUT, CSV = "input", "assignment.csv"
_OF_FILES = ("file added", "file removed", "lines left out", "people added", "scored")


class Solution(Struct, frozen=True, kw_only=True):
    """One solution of a conference, as its record says."""

    number: int  # from 1
    # `waiting` until it is made; `infeasible` has a `cut`, `failed` an `error`
    state: Literal["waiting", "done", "infeasible", "failed"] = "waiting"
    begun: datetime
    who: str = ""  # the name that the chair gave
    settings: dict[str, Any]  # how
    base: int | None = None  # the solution of which as much as possible is kept
    event: int = 0  # the last event of the log that it knows
    scores: str = ""  # a fingerprint of the scores that it was made from
    error: str | None = None  # why there is none
    cut: dict[str, Any] | None = None  # why there cannot be one
    cures: list[dict[str, Any]] = msgspec.field(default_factory=list)  # each with its settings or quotas
    summary: dict[str, Any] | None = None  # its figures
    # sums and shares of papers from the lowest to the highest, and how many reviewers have which load
    plots: dict[str, list[float]] | None = None


class Pairs(Struct, frozen=True):
    """Who reviews what in a solution, and who could step in."""

    pairs: list[AssignedPair]
    alternates: list[Alternate]


def begin(view: ConferenceView, settings: ConferenceSettings, *, base: int | None = None, who: str = "") -> Solution:
    """A new solution that waits to be made; of `base`, another one, as much as possible is kept."""
    conference = view.stored
    existing = [] if base is None else [(pair.paper, pair.reviewer) for pair in read_pairs(conference, base).pairs]
    records = gather(conference, settings, view.manual, view.conflicts, existing)
    _problem(records, settings)  # refuse what does not fit now, not in the background
    folder = _new(conference)
    try:
        save_records(conference, folder / INPUT, records)
        solution = Solution(
            number=int(folder.name),
            begun=datetime.now(UTC),
            who=who,
            settings=settings.model_dump(mode="json"),
            base=base,
            event=view.manual.event,
            scores=fingerprint(scores_file(conference)),
        )
        save(conference, solution)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return solution


def check_manual(view: ConferenceView) -> None:
    """Refuse changes by hand that the next solution could not keep: unknown people, conflicts, too many locks."""
    conference = view.stored
    newest = chosen(conference) or max((solution.number for solution in read_solutions(conference)), default=None)
    settings = ConferenceSettings() if newest is None else settings_of(read_solution(conference, newest))
    _problem(gather(conference, settings, view.manual, view.conflicts), settings)


def _problem(records: Records, settings: ConferenceSettings) -> Problem:
    try:
        return make_problem(records, replace(settings.options(), keep=bool(records.existing)))
    except RecordError as error:  # the chair knows the file of quotas, but not the names of records
        of_file = error.name in ("quotas", "demands", "bids", "people")
        raise InputError(f"{error.name}.csv: {error.why}" if of_file else error.why) from error


def problem_of(conference: StoredConference, solution: Solution) -> Problem:
    """The problem that a solution solves, where it still fits the scores."""
    records = saved_records(conference, directory_of(conference, solution.number) / INPUT)
    return _problem(records, settings_of(solution))


def settings_of(solution: Solution) -> ConferenceSettings:
    """How a solution was made."""
    values = {name: value for name, value in solution.settings.items() if value is not None}
    return ConferenceSettings.model_validate(
        {name: values[name] for name in ConferenceSettings.model_fields & values.keys()}
    )


def check_conflicts(view: ConferenceView, number: int) -> None:
    """Refuse a solution in which a pair is a conflict of interest by now."""
    solution = read_solution(view.stored, number)
    if solution.state == "done":
        pairs = ((pair.paper, pair.reviewer) for pair in read_pairs(view.stored, number).pairs)
        refuse_conflicts(view, pairs, settings_of(solution).possible)


def pending_changes(events: Iterable[Event], solution: Solution) -> int:
    """How many changes by hand a solution does not know."""
    return sum(event.kind in (*ACTIONS, UNDO) for event in events if event.number > solution.event)


def file_changes(events: Iterable[Event], solution: Solution) -> int:
    """How many changes of files, and scorings, a solution does not know."""
    return sum(event.kind in _OF_FILES for event in events if event.number > solution.event)


@lru_cache(maxsize=4)
def quotas_of(conference: StoredConference, number: int) -> dict[str, int]:
    """How many papers everybody takes at most in a solution; nobody is in it where an earlier version made it."""
    try:
        problem = problem_of(conference, read_solution(conference, number))
    except NotFoundError:
        return {}
    return dict(zip(problem.reviewers, problem.most.tolist(), strict=True))


def scores_changed(conference: StoredConference, solution: Solution) -> bool:
    """Whether the scores are others than those that a solution was made from."""
    return fingerprint(conference.path / SCORES) != solution.scores


def save(conference: StoredConference, solution: Solution) -> None:
    """Write the record of a solution."""
    write_whole(directory_of(conference, solution.number) / _RECORD, msgspec.json.encode(solution))


def save_pairs(conference: StoredConference, number: int, pairs: Pairs) -> None:
    """Write who reviews what."""
    write_whole(directory_of(conference, number) / _PAIRS, msgspec.json.encode(pairs))


def job_file(conference: StoredConference, number: int) -> Path:
    """Where the id of the job that makes a solution is kept."""
    return directory_of(conference, number) / SOLVING


def read_solution(conference: StoredConference, number: int) -> Solution:
    """Read one solution of a conference."""
    try:
        return msgspec.json.decode((directory_of(conference, number) / _RECORD).read_bytes(), type=Solution)
    except FileNotFoundError:
        raise NotFoundError(f"there is no solution {number}: it was discarded, or never made") from None


def read_solutions(conference: StoredConference) -> list[Solution]:
    """All solutions, the newest first."""
    numbers = sorted((int(path.parent.name) for path in (conference.path / _FOLDER).glob(f"*/{_RECORD}")), reverse=True)
    return [read_solution(conference, number) for number in numbers]


def read_pairs(conference: StoredConference, number: int) -> Pairs:
    """Who reviews what in a solution."""
    try:
        return msgspec.json.decode((directory_of(conference, number) / _PAIRS).read_bytes(), type=Pairs)
    except FileNotFoundError:
        raise NotFoundError(f"solution {number} has no assignment") from None


def chosen(conference: StoredConference) -> int | None:
    """The number of the solution that is chosen."""
    try:
        return int((conference.path / _CHOSEN).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def choose(conference: StoredConference, number: int, stage: Stage) -> None:
    """Choose a solution, as part of a change."""
    if (solution := read_solution(conference, number)).state != "done":
        raise InputError(f"solution {number} cannot be chosen: it is {solution.state}")
    stage.file(_CHOSEN).write_text(str(number), encoding="utf-8")


def discard(conference: StoredConference, number: int, stage: Stage) -> None:
    """Forget a solution that is not chosen, as part of a change."""
    if number == chosen(conference):
        raise InputError(f"solution {number} is chosen: choose another one before you discard it")
    read_solution(conference, number)
    stage.remove(str(directory_of(conference, number).relative_to(conference.path)))


def directory_of(conference: StoredConference, number: int) -> Path:
    """Where the files of a solution are."""
    return conference.path / _FOLDER / str(number)


def _new(conference: StoredConference) -> Path:
    """An empty directory for the next solution, ours however many begin at once; the history names them by number."""
    folder = conference.path / _FOLDER
    folder.mkdir(exist_ok=True)
    last = folder / LAST_SOLUTION
    used = [int(path.name) for path in folder.iterdir() if path.name.isdigit()]
    for number in count(max([int(last.read_text(encoding="utf-8")) if last.exists() else 0, *used]) + 1):
        with suppress(FileExistsError):
            (folder / str(number)).mkdir()
            break
    write_whole(last, str(number).encode())
    return folder / str(number)
