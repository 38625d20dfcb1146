"""`/conferences/…/leads`: groups of people whose bids on each other's papers nothing else explains; for chairs only."""

from datetime import UTC, datetime
from pathlib import Path

from fastapi import Request
from msgspec import Struct

from panelist.app.access.roles import Permission, Role
from panelist.app.desk.conference.views.leads import BidLead, FoundLeads, inputs_of_leads, look_for_leads, row_of_leads
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.problems import ProblemError
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ConferenceId, conference_router
from panelist.app.web.routes.state import StateOf
from panelist.progress import Progress

router = conference_router(Permission.CHANGE)
_CHAIRS = {Role.ADMINISTRATOR, Role.CHAIR}


class LeadsOut(Struct, frozen=True):
    """What was found in the bids on the papers that you may see: where to look, and never a verdict."""

    working: bool  # whether somebody looks for leads now
    error: str | None  # why the last search ended without an answer
    at: datetime | None  # null where nobody has looked yet
    stale: bool  # whether bids, people, conflicts or scores are others by now
    leads: list[BidLead]


@router.get("/leads", summary="Leads on collusion")
def conference_leads(conference: ConferenceId, request: Request, state: StateOf) -> LeadsOut:
    """What was found last, strongest first, for chairs. People of one small field bid on each other's papers, too."""
    viewer = request.scope.get("viewer")
    if viewer is not None and not _CHAIRS & viewer.roles_in(conference):
        raise NotFoundError("leads are shown to chairs only")
    stored = state.conference(conference)
    row = row_of_leads(stored)
    found, (job, _) = stored.record(row, FoundLeads), work.find(state, stored, row)
    working, error = job is not None and job.state in work.WORKING, None if job is None else job.error
    if found is None:
        return LeadsOut(working, error, None, False, [])
    return LeadsOut(working, error, found.at, found.inputs != inputs_of_leads(stored), found.leads)


@router.post("/leads", summary="Look for leads on collusion", status_code=202)
def begin_leads(conference: ConferenceId, request: Request, state: StateOf) -> LeadsOut:
    """In the background, among the papers that you may see; it needs bids, and who wrote which submission."""
    view = state.view(conference)
    row = row_of_leads(view.stored)
    if not view.stored.part("bids").blob:
        raise NotFoundError("there are no bids: add the file of bids first")
    if conference_leads(conference, request, state).working:
        raise ProblemError(409, "somebody looks for leads already: wait for it")

    def look(progress: Progress, _: Path) -> None:
        progress("looking for leads", 0, 1)
        found = look_for_leads(view, datetime.now(UTC))
        with state.conferences.note(conference) as change:
            change.put(row, record=found)

    work.begin(state, request, conference, row, look)
    return conference_leads(conference, request, state)
