"""`/conferences/…/changes`: lock, forbid, replace and exchange reviewers by hand, and undo it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Path

from panelist.app.access.roles import Permission, Role
from panelist.app.access.users import LONGEST_NAME
from panelist.app.desk.conference import manual
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.changes import By, changed
from panelist.app.desk.conference.conflicts import refuse_conflicts
from panelist.app.desk.conference.contents import hidden_titles
from panelist.app.desk.conference.solving.making import check_manual
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.conference.conferences import ConferenceOut
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.errors import InputError

router = conference_router(Permission.CHANGE)

_APART = ("renamed", "reviews", "calibrated", "discarded")  # events on which no change by hand rests


@router.post("/changes", summary="Change it by hand")
@in_threads("lookups")
def change_by_hand(
    conference: ConferenceId, requested: manual.Change, state: StateOf, change: ChangeOf
) -> ConferenceOut:
    """Recorded in the history under the given name; the next solution respects it. A conflict cannot be waived."""
    view = state.view(conference)
    hidden, person = hidden_titles(view.stored), view.conflicts.person
    papers = (requested.paper, requested.other_paper, *(paper for paper, _ in requested.pairs))
    if titles := [hidden[paper] for paper in papers if paper in hidden]:
        raise InputError(f"you have a conflict of interest with “{titles[0]}”: another chair has to change it")
    people = state.viewer.people if state.viewer else ()
    reviewers = [reviewer for _, reviewer in requested.decided()] + [reviewer for reviewer, _ in requested.namesakes]
    if requested.action in ("dismiss", "distinguish") and not {*map(person, reviewers)}.isdisjoint(map(person, people)):
        raise InputError("you cannot dismiss a conflict of interest of your own: another chair has to judge it")
    detail = manual.detail_of(requested, view.manual, view.conflicts, change["actor"], people)
    refuse_conflicts(view, requested.locks())
    return record_change(state, view, requested.action, detail, change)


@router.post("/changes/{event}/undo", summary="Undo a change by hand")
@in_threads("lookups")
def undo_change(
    conference: ConferenceId, event: Annotated[int, Path(ge=1, le=2**53)], state: StateOf, change: ChangeOf
) -> ConferenceOut:
    """By one more event: what happened stays in the history."""
    view = state.view(conference)
    return record_change(state, view, manual.UNDO, manual.undo_detail(event, view.stored.events), change)


@router.put("/chairs/{name}", summary="Appoint a chair", status_code=204)
def appoint_chair(
    conference: ConferenceId, name: Annotated[str, Path(max_length=LONGEST_NAME)], state: StateOf, change: ChangeOf
) -> None:
    """A user becomes a chair of this conference: for papers that no other chair may see, for one."""
    state.users.grant(name, Role.CHAIR, conference)
    detail = {"words": f"appointed chair: {name}"}
    with state.conferences.change(conference, "appointed", detail, actor=change["actor"]):
        pass


def record_change(
    state: ServerState, before: ConferenceView, kind: str, detail: dict[str, Any], change: By
) -> ConferenceOut:
    """Check a change against everything that holds, then record it."""
    stored, events = before.stored, before.stored.events
    since = 0 if change["revision"] is None else stored.revision - change["revision"]
    if since < 0:
        raise changed(stored, events[0])
    _refuse_stale(before, events[:since], detail)
    if kind not in (*manual.DECISIONS, manual.CURATE):
        event = Event(0, datetime.now(UTC), change["actor"], kind, detail, key=events[0].key + 1)
        _check(before, replace(before, manual=manual.sum_changes((event, *events))), undo=kind == manual.UNDO)
    # What was checked must be what is changed, also of papers that are hidden from who asks.
    revision = (stored.complete or stored).revision
    with state.conferences.change(stored.id, kind, detail, revision=revision, actor=change["actor"]):
        pass
    return ConferenceOut.of(state.conference(stored.id))


def _check(before: ConferenceView, after: ConferenceView, *, undo: bool) -> None:
    """Refuse a change that the next solution could not respect.

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


def _refuse_stale(view: ConferenceView, later: Sequence[Event], detail: dict[str, Any]) -> None:
    """Refuse a change that began before something happened which it rests on: not for what concerns others."""
    events = view.stored.events
    names = manual.ids_named(detail, events)
    for event in later:
        by_hand = event.kind in manual.BY_HAND
        if (by_hand and names & manual.ids_named(event.detail, events)) or (not by_hand and event.kind not in _APART):
            raise changed(view.stored, event)
