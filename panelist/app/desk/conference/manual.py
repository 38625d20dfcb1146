"""Changes by hand. They are events of the conference's log; what holds now is what the log leaves.

Every change says in its event which pairs, quotas and demands it sets, so that all of them are put together in one way.
A change is undone by one more event, never by erasing one; and that can be undone, too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Struct, field
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from panelist.app.desk.conference.audit import Event
from panelist.errors import InputError
from panelist.words import Message, PaperId, PersonId, joined
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Decision, OtherPerson

LOCKED, FREE, FORBIDDEN = 1, 0, -1

Settled = Literal["confirm", "dismiss", "distinguish"]
Action = Literal["lock", "forbid", "release", "replace", "exchange", "decline", "quota", "demand", Settled]
ACTIONS = get_args(Action)
DECISIONS = get_args(Settled)
CURATE, UNDO = "curate", "undo"
SETTLED = "people settled"  # no change by hand, but what was said of namesakes was of those whom people were before
BY_HAND = (*ACTIONS, CURATE, UNDO)
_LONGEST, _MOST_QUOTAS = 300, 2_000  # characters of an id and of a note, and quotas of one change


class ManualChanges(Struct, frozen=True):
    """What was changed by hand and holds now, by (paper, reviewer), reviewer or paper."""

    pairs: dict[tuple[str, str], int] = field(default_factory=dict)  # `LOCKED`, `FORBIDDEN`, or `FREE` again
    quotas: dict[str, int] = field(default_factory=dict)
    demands: dict[str, int] = field(default_factory=dict)
    decisions: dict[tuple[str, str], ConflictPair] = field(default_factory=dict)  # conflicts with what was decided
    others: list[OtherPerson] = field(default_factory=list)  # people who are not the author of a name
    event: int = 0  # the key of the last event of the log that this rests on


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
    pairs: Annotated[
        tuple[tuple[_Id, _Id], ...],
        Field(max_length=_MOST_QUOTAS, description="Of papers and reviewers: one answer for all their conflicts."),
    ] = ()
    namesakes: Annotated[
        tuple[tuple[_Id, _Id], ...],
        Field(
            max_length=_MOST_QUOTAS,
            description="People by id, and the name of an author whom each is not: `distinguish` dismisses what rests "
            "on these names alone, also in later submissions.",
        ),
    ] = ()
    number: Annotated[int | None, Field(ge=0, le=100, description="Reviews that the paper needs.")] = None
    quotas: Annotated[
        dict[_Id, _Quota], Field(max_length=_MOST_QUOTAS, default_factory=dict, description="By reviewer.")
    ]
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_LONGEST)] = ""

    def decided(self) -> list[tuple[str, str]]:
        """The pairs whose conflicts the change decides about."""
        named_pair = [] if self.pairs and not (self.paper or self.reviewer) else [(self.paper, self.reviewer)]
        return [*dict.fromkeys((*self.pairs, *named_pair))] if self.action in _VERDICTS else []

    def locks(self) -> list[tuple[str, str]]:
        """The pairs that the change puts into the assignment."""
        return [(paper, reviewer) for paper, reviewer, value in self.sets() if value == LOCKED]

    def sets(self) -> list[tuple[str, str, int]]:
        """The pairs that the change sets by itself, whatever else holds."""
        action = "forbid" if self.action == "decline" and self.paper else self.action
        return [
            (getattr(self, paper), getattr(self, reviewer), value) for paper, reviewer, value in _SETS.get(action, ())
        ]


_NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("lock", "forbid", "release", "confirm", "dismiss"), ("paper", "reviewer")),
    "replace": ("paper", "reviewer", "other"),
    "exchange": ("paper", "reviewer", "other_paper", "other"),
    "decline": ("reviewer",),
    "quota": ("quotas",),
    "demand": ("paper", "number"),
    "distinguish": ("namesakes",),
}
_SETS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "lock": (("paper", "reviewer", LOCKED),),
    "forbid": (("paper", "reviewer", FORBIDDEN),),
    "release": (("paper", "reviewer", FREE),),
    "replace": (("paper", "reviewer", FORBIDDEN), ("paper", "other", LOCKED)),
    "exchange": (
        *(("paper", "reviewer", FORBIDDEN), ("paper", "other", LOCKED)),
        *(("other_paper", "other", FORBIDDEN), ("other_paper", "reviewer", LOCKED)),
    ),
}
"""The fields of a change whose pairs it sets, and to what."""
_VERDICTS: Mapping[str, Literal["confirmed", "dismissed"]] = {"confirm": "confirmed", "dismiss": "dismissed"}


def detail_of(
    change: Change,
    manual: ManualChanges,  # what holds
    conflicts: ConflictTable,
    actor: str = "",  # who makes the change
    judge: Sequence[str] = (),  # their ids
) -> dict[str, Any]:
    """The detail of the event of a change: what it sets."""
    for name in () if change.pairs and change.action in _VERDICTS else _NEEDS[change.action]:
        if getattr(change, name) in ("", None, {}, ()):
            raise InputError(f"to {change.action} needs '{name}': give it")
    if change.action in ("replace", "exchange") and change.other in (ids := conflicts.ids_of(change.reviewer)):
        raise InputError(
            Message(f"to {change.action} needs two reviewers: ", joined(map(PersonId, ids), " = "), " is both")
        )
    if change.action == "exchange" and change.other_paper == change.paper:
        raise InputError(f"to exchange needs two papers: {change.paper} is both")
    pairs = [*change.sets(), *_of_other_ids(change, manual, conflicts)]
    detail: dict[str, Any] = {"pairs": pairs, "quotas": {}, "demands": {}, "decisions": []}
    match change.action:
        case "decline" if not change.paper:
            ids = conflicts.ids_of(change.reviewer)
            locks = [pair for pair, value in manual.pairs.items() if pair[1] in ids and value == LOCKED]
            detail |= {"pairs": [(*pair, FREE) for pair in locks], "quotas": dict.fromkeys(ids, 0)}
        case "quota":
            detail["quotas"] = {key: most for who, most in change.quotas.items() for key in conflicts.ids_of(who)}
        case "demand":
            detail["demands"] = {change.paper: change.number or 0}
        case "confirm" | "dismiss":
            decision = Decision(_VERDICTS[change.action], actor, datetime.now(UTC), change.note)
            decided = (conflicts.decided(*pair, decision) for pair in change.decided())
            detail["decisions"] = [msgspec.to_builtins(conflict) for conflict in decided]
    if change.action == "distinguish":
        decision = Decision("dismissed", actor, datetime.now(UTC), change.note or "another person of that name")
        detail["others"] = []
        for person, author in change.namesakes:
            if not (papers := conflicts.resting_on(person, author)):
                name = f" having the name '{author}' of an author"
                raise InputError(Message("no possible conflict rests on ", PersonId(person), name))
            detail["others"].append(msgspec.to_builtins(OtherPerson(person, author, decision, tuple(judge), papers)))
    return detail


def _of_other_ids(change: Change, manual: ManualChanges, conflicts: ConflictTable) -> Iterator[tuple[str, str, int]]:
    """What a change sets under the other ids of its people: who must not review is forbidden under all, until freed."""
    for paper, person, value in change.sets():
        for other in conflicts.ids_of(person):
            if other != person and value == FORBIDDEN:
                yield paper, other, FORBIDDEN
            elif other != person and manual.pairs.get((paper, other)) == FORBIDDEN:
                yield paper, other, FREE


def undo_detail(number: int, events: Sequence[Event]) -> dict[str, Any]:
    """The detail of the event that undoes another one, by the number under which it is seen."""
    event = next((event for event in events if event.number == number), None)
    if event is None or event.kind not in BY_HAND:
        raise InputError(f"event {number} is not a change by hand: only those can be undone")
    if event.key in undone(events):
        raise InputError(Message("'", words_of(event, events), "' is undone already"))
    return {"of": event.key}


def words_of(event: Event, events: Iterable[Event]) -> Message:
    """A change by hand in words; a person or a paper without a name was forgotten."""
    detail = event.detail
    if event.kind == UNDO:
        undone_event = next((event for event in events if event.key == detail["of"]), None)
        return Message("undo: ", "a change" if undone_event is None else words_of(undone_event, events))
    pairs = [(_paper(paper), _person(reviewer), value) for paper, reviewer, value in detail["pairs"]]
    pairs += [
        (_paper(decision["submission"]), _person(decision["reviewer"]), 0) for decision in detail.get("decisions", ())
    ]
    quotas = detail["quotas"]
    paper, reviewer, value = pairs[0] if pairs else (_paper(""), _person(next(iter(quotas), "")), FREE)
    match event.kind:
        case "lock" | "forbid":
            return Message(f"{event.kind} ", reviewer, " on ", paper)
        case "release":
            return Message("leave ", reviewer, " on ", paper, " to the solver again")
        case "replace" if pairs[1:]:
            return Message(paper, ": ", pairs[1][1], " instead of ", reviewer)
        case "exchange" if pairs[2:]:
            return Message(paper, " and ", pairs[2][0], " exchange ", reviewer, " and ", pairs[1][1])
        case "decline" if value == FORBIDDEN:
            return Message(reviewer, " declined ", paper)
        case "decline":
            return Message(_person(next(iter(quotas), "")), " declined altogether")
        case "quota":
            return joined(
                Message(_person(reviewer), f" takes at most {most}") for reviewer, most in sorted(quotas.items())
            )
        case "demand":
            return joined(Message(_paper(paper), f" needs {number}") for paper, number in detail["demands"].items())
        case "confirm" | "dismiss":
            verdict = _VERDICTS[event.kind]
            return joined(
                Message("conflict of ", reviewer, " with ", paper, f" {verdict}") for paper, reviewer, _ in pairs
            )
        case "curate":
            whose = (
                ("profile of ", _person(choice["reviewer"]), f": “{choice['title']}” ") for choice in detail["curation"]
            )
            chosen = (counted_as(choice["weight"]) for choice in detail["curation"])
            return joined((Message(*words, value) for words, value in zip(whose, chosen, strict=True)), most=5)
        case "distinguish" if detail["others"]:
            than = " is another person than the author "
            return joined(
                (Message(_person(other["person"]), than, other["author"]) for other in detail["others"]), most=5
            )
    return Message(f"{event.kind}: ", paper)  # what an earlier version left of a change about somebody forgotten


def counted_as(weight: float | None) -> str:
    """What a choice says of a paper of a profile."""
    if weight is None:
        return "as it was"
    return "dropped" if weight == 0 else "kept" if weight == 1 else f"counts {weight:g}"


def _paper(paper: str) -> str:
    return PaperId(paper) if paper else "a paper"


def _person(reviewer: str) -> str:
    return PersonId(reviewer) if reviewer else "somebody who was forgotten"


def undone(events: Iterable[Event]) -> set[int]:
    """The keys of the events that do not hold any more."""
    off: set[int] = set()
    for event in sorted(events, key=lambda event: -event.key):
        if event.kind == UNDO and event.key not in off:
            off.add(event.detail["of"])
    return off


def sum_changes(events: Iterable[Event]) -> ManualChanges:
    """What holds now, of all changes by hand in a conference's log."""
    ordered = sorted(events, key=lambda event: event.key)
    off = undone(ordered)
    hand = ManualChanges(event=ordered[-1].key if ordered else 0)
    for event in ordered:
        if event.kind == SETTLED:
            _open_again(hand, frozenset(event.detail.get("others", ())))
        if event.kind in ACTIONS and event.key not in off:
            apply_detail(hand, event.detail)
    return hand


def _open_again(hand: ManualChanges, people: frozenset[str]) -> None:
    """Take out what was dismissed about people who are other people of the corpus by now."""
    hand.others[:] = [other for other in hand.others if other.person not in people]
    for pair, conflict in list(hand.decisions.items()):
        if conflict.reviewer in people and not conflict.confirmed:
            del hand.decisions[pair]


def apply_detail(hand: ManualChanges, detail: Mapping[str, Any]) -> None:
    """Add to a hand what one change sets."""
    for paper, reviewer, value in detail["pairs"]:
        if reviewer:  # else somebody who was forgotten
            hand.pairs[paper, reviewer] = value
    hand.quotas.update({reviewer: most for reviewer, most in detail["quotas"].items() if reviewer})
    hand.demands.update(detail["demands"])
    for pair in msgspec.convert(detail.get("decisions", ()), list[ConflictPair]):
        hand.decisions[pair.submission, pair.reviewer] = pair
    hand.others.extend(msgspec.convert(detail.get("others", ()), list[OtherPerson]))


def ids_named(detail: Mapping[str, Any], events: Iterable[Event]) -> set[str]:
    """The papers and reviewers that a change by hand is about; of an undone one, those of what it undoes."""
    if "of" in detail:
        return next((ids_named(event.detail, events) for event in events if event.key == detail["of"]), set())
    pairs = [
        *detail["pairs"],
        *((conflict["submission"], conflict["reviewer"]) for conflict in detail.get("decisions", ())),
    ]
    pairs += [(paper, other["person"]) for other in detail.get("others", ()) for paper in other["papers"]]
    pairs += [(choice["paper"], choice["reviewer"]) for choice in detail.get("curation", ())]
    named = {*(pair[0] for pair in pairs), *(pair[1] for pair in pairs), *detail["quotas"], *detail["demands"]}
    return named - {""}
