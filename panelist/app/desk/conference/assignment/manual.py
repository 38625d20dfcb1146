"""Changes by hand. They are events of the conference's log; what holds now is what the log leaves.

Every change says in its event which pairs, quotas and demands it sets, so that all of them are put together in one way.
A change is undone by one more event, never by erasing one; and that can be undone, too.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Struct, field
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from panelist.app.desk.conference.audit import Event
from panelist.errors import InputError
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Decision

LOCKED, FREE, FORBIDDEN = 1, 0, -1

Action = Literal["lock", "forbid", "release", "replace", "exchange", "decline", "quota", "demand", "confirm", "dismiss"]
ACTIONS = get_args(Action)
DECISIONS = ("confirm", "dismiss")
UNDO = "undo"
_LONGEST, _MOST_QUOTAS = 300, 2_000  # characters of an id and of a note, and quotas of one change


class ManualChanges(Struct, frozen=True):
    """What was changed by hand and holds now, by (paper, reviewer), reviewer or paper."""

    pairs: dict[tuple[str, str], int] = field(default_factory=dict)  # `LOCKED`, `FORBIDDEN`, or `FREE` again
    quotas: dict[str, int] = field(default_factory=dict)
    demands: dict[str, int] = field(default_factory=dict)
    decisions: dict[tuple[str, str], ConflictPair] = field(default_factory=dict)  # conflicts with what was decided
    event: int = 0  # the number of the last event of the log that this rests on


_Id = Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST)]
_Quota = Annotated[int, Field(ge=0, le=1_000)]


class Change(BaseModel):
    """A change by hand. `replace`: `other` instead of `reviewer`; `exchange`: that of `other_paper` with this one's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    action: Action
    paper: _Id = ""
    reviewer: _Id = ""
    other: _Id = ""
    other_paper: _Id = ""
    number: Annotated[int | None, Field(ge=0, le=100, description="Reviews that the paper needs.")] = None
    quotas: Annotated[
        dict[_Id, _Quota], Field(max_length=_MOST_QUOTAS, default_factory=dict, description="By reviewer.")
    ]
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST)] = ""

    def locks(self) -> list[tuple[str, str]]:
        """The pairs that the change puts into the assignment."""
        new, back = (self.paper, self.other), (self.other_paper, self.reviewer)
        locks = {"lock": [(self.paper, self.reviewer)], "replace": [new], "exchange": [new, back]}
        return locks.get(self.action, [])


_NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("lock", "forbid", "release", "confirm", "dismiss"), ("paper", "reviewer")),
    "replace": ("paper", "reviewer", "other"),
    "exchange": ("paper", "reviewer", "other_paper", "other"),
    "decline": ("reviewer",),
    "quota": ("quotas",),
    "demand": ("paper", "number"),
}
_VERDICTS: Mapping[str, Literal["confirmed", "dismissed"]] = {"confirm": "confirmed", "dismiss": "dismissed"}


def detail_of(change: Change, manual: ManualChanges, conflicts: ConflictTable, who: str = "") -> dict[str, Any]:
    """The detail of the event of a change: the change in words, and what it sets."""
    for name in _NEEDS[change.action]:
        if getattr(change, name) in ("", None, {}):
            raise InputError(f"to {change.action} needs '{name}': give it")
    if change.action in ("replace", "exchange") and change.other == change.reviewer:
        raise InputError(f"to {change.action} needs two reviewers: {change.other} is both")
    if change.action == "exchange" and change.other_paper == change.paper:
        raise InputError(f"to exchange needs two papers: {change.paper} is both")
    paper, reviewer, other, elsewhere = change.paper, change.reviewer, change.other, change.other_paper
    pairs: list[tuple[str, str, int]] = []
    quotas, demands, decided = dict[str, int](), dict[str, int](), list[Any]()
    match change.action:
        case "lock":
            pairs, words = [(paper, reviewer, LOCKED)], f"lock {reviewer} on {paper}"
        case "forbid":
            pairs, words = [(paper, reviewer, FORBIDDEN)], f"forbid {reviewer} on {paper}"
        case "release":
            pairs, words = [(paper, reviewer, FREE)], f"leave {reviewer} on {paper} to the solver again"
        case "replace":
            pairs = [(paper, reviewer, FORBIDDEN), (paper, other, LOCKED)]
            words = f"{paper}: {other} instead of {reviewer}"
        case "exchange":
            pairs = [(paper, reviewer, FORBIDDEN), (paper, other, LOCKED)]
            pairs += [(elsewhere, other, FORBIDDEN), (elsewhere, reviewer, LOCKED)]
            words = f"{paper} and {elsewhere} exchange {reviewer} and {other}"
        case "decline" if paper:
            pairs, words = [(paper, reviewer, FORBIDDEN)], f"{reviewer} declined {paper}"
        case "decline":
            pairs = [(*pair, FREE) for pair, value in manual.pairs.items() if pair[1] == reviewer and value == LOCKED]
            quotas, words = {reviewer: 0}, f"{reviewer} declined altogether"
        case "quota":
            quotas = dict(change.quotas)
            words = ", ".join(f"{who} takes at most {most}" for who, most in sorted(quotas.items()))
        case "demand":
            demands, words = {paper: change.number or 0}, f"{paper} needs {change.number}"
        case "confirm" | "dismiss":
            verdict = _VERDICTS[change.action]
            decision = Decision(verdict, who, datetime.now(UTC), change.note)
            decided = [msgspec.to_builtins(conflicts.decide(paper, reviewer, decision).of(paper, reviewer))]
            words = f"conflict of {reviewer} with {paper} {verdict}"
    return {"words": words, "pairs": pairs, "quotas": quotas, "demands": demands, "decisions": decided}


def undo_detail(number: int, events: Iterable[Event]) -> dict[str, Any]:
    """The detail of the event that undoes another one."""
    by_number = {event.number: event for event in events}
    event = by_number.get(number)
    if event is None or event.kind not in (*ACTIONS, UNDO):
        raise InputError(f"event {number} is not a change by hand: only those can be undone")
    if number in undone(by_number.values()):
        raise InputError(f"'{event.detail['words']}' is undone already")
    return {"words": f"undo: {event.detail['words']}", "of": number}


def undone(events: Iterable[Event]) -> set[int]:
    """The numbers of the events that do not hold any more."""
    off: set[int] = set()
    for event in sorted(events, key=lambda event: -event.number):
        if event.kind == UNDO and event.number not in off:
            off.add(event.detail["of"])
    return off


def put_together(events: Iterable[Event]) -> ManualChanges:
    """What holds now, of all changes by hand in a conference's log."""
    ordered = sorted(events, key=lambda event: event.number)
    off = undone(ordered)
    hand = ManualChanges(event=ordered[-1].number if ordered else 0)
    for event in ordered:
        if event.kind in ACTIONS and event.number not in off:
            add(hand, event.detail)
    return hand


def add(hand: ManualChanges, detail: Mapping[str, Any]) -> None:
    """Add to a hand what one change sets."""
    for paper, reviewer, value in detail["pairs"]:
        hand.pairs[paper, reviewer] = value
    hand.quotas.update(detail["quotas"])
    hand.demands.update(detail["demands"])
    for pair in msgspec.convert(detail.get("decisions", ()), list[ConflictPair]):
        hand.decisions[pair.submission, pair.reviewer] = pair


def named_in(detail: Mapping[str, Any], events: Iterable[Event]) -> set[str]:
    """The papers and reviewers that a change by hand is about; of an undone one, those of what it undoes."""
    if "of" in detail:
        return next((named_in(event.detail, events) for event in events if event.number == detail["of"]), set())
    pairs = [
        *detail["pairs"],
        *((conflict["submission"], conflict["reviewer"]) for conflict in detail.get("decisions", ())),
    ]
    return {*(pair[0] for pair in pairs), *(pair[1] for pair in pairs), *detail["quotas"], *detail["demands"]}
