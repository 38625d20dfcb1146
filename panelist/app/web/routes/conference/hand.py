"""`/conferences/…/changes`: lock, forbid, replace and exchange reviewers by hand, and undo it."""

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Path, Request

from panelist.app.access.roles import Permission, Role
from panelist.app.access.users import LONGEST_NAME
from panelist.app.desk.conference.assignment.manual import (
    ACTIONS,
    DECISIONS,
    UNDO,
    Change,
    detail_of,
    named_in,
    put_together,
    undo_detail,
)
from panelist.app.desk.conference.assignment.solutions import check_manual
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.conflicts import refuse_conflicts
from panelist.app.desk.conference.files import hidden_titles
from panelist.app.desk.conference.store import By, changed
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.conference.conferences import ConferenceOut
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.errors import InputError

router = conference_router(Permission.CHANGE)

_APART = ("renamed", "reviews", "calibrated", "discarded")
"""Events on which no change by hand rests."""


@router.post("/changes", summary="Change it by hand")
async def change_by_hand(
    conference: ConferenceId, asked: Change, state: StateOf, change: ChangeOf, request: Request
) -> ConferenceOut:
    """Kept in the history under the given name; the next solution knows it. A conflict cannot be waived."""

    def detail(view: ConferenceView) -> dict[str, Any]:
        hidden = hidden_titles(view.stored)
        if titles := [hidden[one] for one in (asked.paper, asked.other_paper) if one in hidden]:
            raise InputError(f"you have a conflict of interest with “{titles[0]}”: another chair has to change it")
        people = viewer.people if (viewer := request.scope.get("viewer")) else ()
        if asked.action == "dismiss" and view.conflicts.person(asked.reviewer) in map(view.conflicts.person, people):
            raise InputError("you cannot dismiss a conflict of interest of your own: another chair has to judge it")
        detail = detail_of(asked, view.manual, view.conflicts, change["who"])
        refuse_conflicts(view, asked.locks())
        return detail

    return await _change(state, conference, asked.action, detail, change)


@router.post("/changes/{event}/undo", summary="Undo a change by hand")
async def undo_change(
    conference: ConferenceId, event: Annotated[int, Path(ge=1, le=2**53)], state: StateOf, change: ChangeOf
) -> ConferenceOut:
    """By one more event: what happened stays in the history."""

    def detail(_: ConferenceView) -> dict[str, Any]:
        return undo_detail(event, state.conferences.events(conference))

    return await _change(state, conference, UNDO, detail, change)


@router.put("/chairs/{name}", summary="Appoint a chair", status_code=204)
def appoint_chair(
    conference: ConferenceId, name: Annotated[str, Path(max_length=LONGEST_NAME)], state: StateOf, change: ChangeOf
) -> None:
    """A user becomes a chair of this conference: for papers that no other chair may see, for one."""
    state.users.grant(name, Role.CHAIR, conference)
    with state.conferences.change(conference, "appointed", {"words": f"appointed chair: {name}"}, who=change["who"]):
        pass


async def _change(
    state: ServerState, conference: str, kind: str, detail: Callable[[ConferenceView], dict[str, Any]], change: By
) -> ConferenceOut:
    """Check a change against everything that holds, then record it."""

    def work() -> ConferenceOut:
        before = state.conflicts.view(conference)
        new = detail(before)
        events, everything = state.conferences.events(conference), state.sight.conferences.events(conference)
        # Every change is one event, also one that is hidden from who asks.
        since = 0 if change["revision"] is None else before.stored.revision - change["revision"]
        if since < 0:
            raise changed(before.stored, events[0])
        later = {event.number for event in everything[:since]}
        _refuse_stale(before, events, new, later)
        if kind not in DECISIONS:
            event = Event(max(one.number for one in events) + 1, datetime.now(UTC), change["who"], kind, new)
            _check(before, replace(before, manual=put_together((*events, event))), undo=kind == UNDO)
        # What was checked must be what is changed.
        with state.conferences.change(conference, kind, new, revision=before.stored.revision, who=change["who"]):
            pass
        return ConferenceOut.of(state.conferences.get(conference))

    return await state.lookups.run(work)


def _check(before: ConferenceView, after: ConferenceView, *, undo: bool) -> None:
    """Refuse a change that the next solution could not keep.

    Files that came later may contradict several changes: each can be undone, whatever the others say.
    """
    try:
        check_manual(after)
    except InputError:
        try:
            check_manual(before)
        except InputError as earlier:
            if not undo:
                raise InputError(f"{earlier}; that was so before this change: undo or correct it first") from None
        else:
            raise


def _refuse_stale(view: ConferenceView, events: Sequence[Event], new: dict[str, Any], later: Container[int]) -> None:
    """Refuse a change that began before something happened which it rests on: not for what concerns others."""
    mine = named_in(new, events)
    for event in (one for one in events if one.number in later):
        by_hand = event.kind in (*ACTIONS, UNDO)
        if (by_hand and mine & named_in(event.detail, events)) or (not by_hand and event.kind not in _APART):
            raise changed(view.stored, event)
