"""Making a solution: from its inputs to who reviews what, its figures and files; or why there is none, and cures."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import structs

from panelist.app.desk.conference import outcomes
from panelist.app.desk.conference.changes import Change, Conferences
from panelist.app.desk.conference.conflicts import refuse_conflicts
from panelist.app.desk.conference.scores import score_digests
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.inputs import gather, records_of_paper
from panelist.app.desk.conference.view import ConferenceView
from panelist.errors import InputError
from panelist.progress import Progress
from panelist.words import Message, PersonId, counted, joined, parts_of, reworded, without_directories
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.building.records import Records
from retriever.assignment.feasibility import Cut, InfeasibleError
from retriever.conference.conflicts.table import ConflictTable, write_table

_LAST = "last solution"  # its number: the history names solutions by number, so none comes twice
_WORDS = {
    "most": "Raise every load to {}",
    "least": "Lower the least load to {}",
    "cap": "Raise the cap to {:g}",
    "allow_unscored": "Allow pairs without a score",
    "allow_short": "Allow papers to lack reviews, evenly",
    "senior": "Ask for no seniors",
    "no_cycles": "Allow mutual reviews",
}
"""What a cure changes, in the words of the page."""


def begin(
    conferences: Conferences,
    view: ConferenceView,
    settings: ConferenceSettings,
    *,
    base: int | None = None,
    only: str = "",
    actor: str = "",
) -> outcomes.Solution:
    """A new solution that waits to be made, with what it is made from; of `base` as much as possible is kept."""
    conference, blobs = view.stored, conferences.blobs
    records = _fitting(view, settings, () if base is None else outcomes.load_pairs(conference, base).pairs, only)
    saved = {name: getattr(records, name) for name in outcomes.SavedRecords.__struct_fields__}
    made_from = {"records": saved | {"demands": list(records.demands.items())}, "scored": score_digests(conference)}
    inputs = {name: blobs.put(msgspec.json.encode(content), ".json") for name, content in made_from.items()}
    with blobs.incoming() as folder:
        write_table(ConflictTable() if records.conflicts is None else records.conflicts, folder / "table.jsonl")
        inputs["conflicts"] = blobs.put(folder / "table.jsonl", ".jsonl")
    inputs |= {"bids": blob} if (blob := conference.part("bids").blob) else {}
    with conferences.note(conference.id) as change:
        used = (int(name.split("/")[1]) for name in change.before.parts if name.startswith("solution/"))
        number = max([change.before.record(_LAST, int) or 0, *used]) + 1
        solution = outcomes.Solution(
            number=number,
            begun=datetime.now(UTC),
            who=actor,
            settings=settings.model_dump(mode="json"),
            base=base,
            event=view.manual.event,
            scores=conference.part("scores").blob,
        )
        change.put(_LAST, record=number)
        change.put(outcomes.row_of(number), record=solution)
        for name, blob in inputs.items():
            change.put(outcomes.row_of(number, name), blob)
    return solution


def check_manual(view: ConferenceView) -> None:
    """Refuse changes by hand that the next solution could not keep: unknown people, conflicts, too many locks."""
    conference = view.stored
    newest = max((solution.number for solution in outcomes.load_solutions(conference, figures=False)), default=None)
    number, settings = outcomes.chosen(conference) or newest, ConferenceSettings()
    if number is not None:
        settings = outcomes.settings_of(outcomes.load_solution(conference, number, figures=False))
    _fitting(view, settings)


def _fitting(
    view: ConferenceView, settings: ConferenceSettings, existing: Sequence[AssignedPair] = (), only: str = ""
) -> Records:
    """What a solution is made from; what does not fit is refused at once, not in the background."""
    before = [(pair.paper, pair.reviewer) for pair in existing]
    records = gather(view.stored, settings, view.manual, view.conflicts, before)
    if only:
        records = records_of_paper(records, existing, only, view.manual)
    try:
        outcomes.make_checked(records, settings)
    except InputError as error:
        raise InputError(view.labels.worded(error.args[0])) from error
    return records


def check_conflicts(view: ConferenceView, number: int) -> None:
    """Refuse a solution in which a pair is a conflict of interest by now."""
    solution = outcomes.load_solution(view.stored, number, figures=False)
    if solution.state == "done":
        pairs = ((pair.paper, pair.reviewer) for pair in outcomes.load_pairs(view.stored, number).pairs)
        refuse_conflicts(view, pairs, outcomes.settings_of(solution).possible)


def make(conferences: Conferences, conference: str, number: int, progress: Progress) -> None:
    """Make a solution that waits. Its record says at the end what came out, also if nothing could."""
    before = conferences.get(conference)
    solution = outcomes.load_solution(before, number)
    try:
        assignment = outcomes.solve(before, number, progress)
        result = outcomes.outcome(solution, assignment)
        files = {name: result.file(name, assignment) for name in outcomes.FILES}
    except InfeasibleError as error:
        cut = error.cut
        parts = outcomes.Shortage(cut.missing, list(cut.papers), list(cut.reviewers))
        cures = list(_cures(cut, outcomes.settings_of(solution)))
        infeasible = structs.replace(solution, state="infeasible", error=Message(cut.words), cut=parts, cures=cures)
        _keep(conferences, conference, infeasible)
    except InputError as error:
        why = reworded(error.args[0], without_directories)
        _keep(conferences, conference, structs.replace(solution, state="failed", error=why))
    else:
        progress("writing", 2, 3)
        blobs, kept = conferences.blobs, {}
        for name, content in files.items():
            if content is not None:
                kept[name] = blobs.put(content, "." + name.rpartition(".")[2])
        kept["pairs"] = blobs.put(msgspec.json.encode(result.pairs), ".json")
        _keep(conferences, conference, result.solution, kept)


def _keep(
    conferences: Conferences, conference: str, solution: outcomes.Solution, kept: Mapping[str, str] | None = None
) -> None:
    with conferences.note(conference) as change:
        outcomes.load_solution(change.before, solution.number)  # unless it was discarded meanwhile
        change.put(outcomes.row_of(solution.number), record=solution)
        for name, blob in (kept or {}).items():
            change.put(outcomes.row_of(solution.number, name), blob)


def choose(change: Change, number: int) -> None:
    """Choose a solution, as part of a change."""
    if (solution := outcomes.load_solution(change.before, number)).state != "done":
        raise InputError(f"solution {number} cannot be chosen: it is {solution.state}")
    change.put("chosen", record=number)


def discard(change: Change, number: int) -> None:
    """Forget a solution that is not chosen, as part of a change."""
    if number == outcomes.chosen(change.before):
        raise InputError(f"solution {number} is chosen: choose another one before you discard it")
    outcomes.load_solution(change.before, number)
    change.remove(outcomes.row_of(number))


def _cures(cut: Cut, settings: ConferenceSettings) -> Iterator[outcomes.OfferedCure]:
    """Cures in the words of the page, each with the settings to try, or with quotas to set by hand."""
    for cure in cut.cures:
        change = dict(cure.change)
        if "quotas" in change:
            loads = (Message(PersonId(person), f" to {most}") for person, most in sorted(change["quotas"].items()))
            yield outcomes.OfferedCure(Message("Raise the load of ", joined(loads)), quotas=change["quotas"])
        elif change:
            changed = settings.cured(change).model_dump(mode="json")
            yield outcomes.OfferedCure(Message(_words(change)), changed)
        else:
            lead, *following = parts_of(cure.words)
            yield outcomes.OfferedCure(Message(lead[:1].upper() + lead[1:], *following))


def _words(change: dict[str, Any]) -> str:
    (name, value), *_ = change.items()
    match name:
        case "demand":
            return f"Ask for {counted(value, 'review')} per paper"
        case "apart":
            return f"Keep apart only: {', '.join(value)}" if value else "Keep nobody apart"
    return _WORDS[name].format(value)
