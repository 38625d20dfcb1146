"""`/conferences/…/committee`, `/levels`, `/profile`, `/leads`: who its people are, in which roles, by which papers."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

from fastapi import Query
from msgspec import Struct
from pydantic import BaseModel, Field

from panelist.app import limits
from panelist.app.access.roles import Permission, Role, needs
from panelist.app.desk.conference.contents import load_roster
from panelist.app.desk.conference.curation import PaperChoiceIn, curation_detail, curation_of
from panelist.app.desk.conference.intake.accept import add_members
from panelist.app.desk.conference.intake.settling import settle_people
from panelist.app.desk.conference.manual import CURATE
from panelist.app.desk.conference.views.leads import LEADS, BidLead, FoundLeads, inputs_of_leads, look_for_leads
from panelist.app.desk.conference.views.levels import LevelPage, level_page
from panelist.app.desk.conference.views.profile import Profile, committee_of_one, profile
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import Id, Request
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, QueriedId, conference_router
from panelist.app.web.routes.conference.files import FilesOut, files_of
from panelist.app.web.routes.conference.hand import record_change
from panelist.app.web.routes.people import ListedOut
from panelist.app.web.routes.state import StateOf, in_threads
from panelist.errors import InputError
from panelist.progress import Progress
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.options import role_name
from retriever.conference.matching import PeopleMatcher

router = conference_router()

Found = Literal["settled", "certain", "probable", "open", "none"]
_CHANGING = [needs(Permission.CHANGE)]


class MembersIn(Request):
    """People of the corpus who join the committee, or who the people of its list are."""

    people: Annotated[tuple[Id, ...], Field(max_length=limits.IDS)] = ()
    settled: Annotated[
        dict[str, Annotated[tuple[Id, ...], Field(max_length=20)]],
        Field(max_length=limits.IDS, description="By member: the ids of the corpus that are this person, or none."),
    ] = Field(default_factory=dict)
    written: Annotated[
        dict[str, Annotated[str, Field(max_length=limits.RECORD)]],
        Field(max_length=limits.IDS, description="By member: publications as BibTeX, or DBLP or Semantic Scholar."),
    ] = Field(default_factory=dict)


class MemberOut(ListedOut):
    """Somebody of the committee's list: how the person was found, and how many publications somebody gave."""

    id: str
    found: Found
    papers: int


class ListedPeopleOut(BaseModel):
    """People of the committee's list, and how many were found in each way."""

    revision: int
    found: dict[Found, int]
    total: int
    rows: list[MemberOut]


@router.get("/committee", summary="The people of the committee's list")
def listed_people(
    conference: ConferenceId, state: StateOf, look: LookOf, found: Found | None = None
) -> ListedPeopleOut:
    """As they were found in the corpus, or settled by hand; with all who may be meant, their papers and years."""
    stored = state.conference(conference)
    roster = load_roster(stored)
    rows = [entry for entry in roster if found in (None, entry.state)]
    shown = look.select(rows, lambda row: (row.id, row.match.person.name, row.member.name, row.match.person.role))
    return ListedPeopleOut(
        revision=stored.revision,
        found={state: sum(entry.state == state for entry in roster) for state in get_args(Found)},
        total=shown.total,
        rows=[
            MemberOut(id=entry.id, found=entry.state, papers=len(entry.papers), **dict(ListedOut.of(entry.match)))
            for entry in shown.rows
        ],
    )


@router.post("/committee", summary="Add people to the committee, or settle who they are")
@in_threads("heavy")
def add_to_committee(conference: ConferenceId, new: MembersIn, state: StateOf, change: ChangeOf) -> FilesOut:
    """People of the corpus come with their papers. Scores that were made before are old then."""
    if not (new.people or new.settled or new.written) or (new.people and (new.settled or new.written)):
        raise InputError("give either 'people' to add, or who people of the list are in 'settled' and 'written'")
    with state.service.finder() as finder:
        if new.people:
            add_members(state.conferences, conference, new.people, finder.corpus, **change)
        else:
            matcher = PeopleMatcher(finder.index, finder.corpus)
            settle_people(state.conferences, conference, matcher, new.settled, new.written, **change)
    return files_of(state, conference)


@router.get("/levels", summary="The levels of its committee")
def committee_levels(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    role: Annotated[str, Query(max_length=limits.NAME, description="Whose people; else the highest.")] = "",
) -> LevelPage:
    """All levels, and people of one: their papers, loads and conflicts, who is above them and who below."""
    return level_page(state.view(conference), role_name(role), look)


class CurationIn(Request):
    """What is decided about papers of a person."""

    reviewer: Id
    choices: Annotated[list[PaperChoiceIn], Field(min_length=1, max_length=200)]


@router.get("/profile", summary="The papers of a person")
@in_threads("lookups")
def conference_profile(conference: ConferenceId, reviewer: QueriedId, state: StateOf) -> Profile:
    """Which of them count, what was decided about them and by whom, and what that changed when it was scored."""
    with state.service.finder() as finder:
        return profile(state.conference(conference), finder.corpus, reviewer)


@router.post("/profile", summary="Drop, keep or weigh papers of a person", dependencies=_CHANGING)
@in_threads("lookups")
def curate_profile(conference: ConferenceId, requested: CurationIn, state: StateOf, change: ChangeOf) -> Profile:
    """One event of the history, which can be undone; scores are old until the conference is scored again.

    What is dropped keeps its place as a paper of background similarity, and counts for conflicts as before.
    """
    view = state.view(conference)
    with state.service.finder() as finder:
        owned = committee_of_one(view.stored, finder.corpus, requested.reviewer, PROFILE_SIZE)
        valid = curation_of(view.stored.events).values()
        before = [choice for choice in valid if choice.reviewer == requested.reviewer]
        detail = curation_detail(requested.reviewer, owned, requested.choices, before)
        record_change(state, view, CURATE, detail, change)
        return profile(state.conference(conference), finder.corpus, requested.reviewer)


_CHAIRS = {Role.ADMINISTRATOR, Role.CHAIR}


class LeadsOut(Struct, frozen=True):
    """What was found in the bids on the papers that you may see: where to look, and never a verdict."""

    working: bool  # whether somebody looks for leads now
    error: str | None  # why the last search ended without an answer
    at: datetime | None  # null where nobody has looked yet
    stale: bool  # whether bids, people, conflicts or scores are others by now
    leads: list[BidLead]


@router.get("/leads", summary="Leads on collusion")
def conference_leads(conference: ConferenceId, state: StateOf) -> LeadsOut:
    """What was found last, strongest first, for chairs. People of one small field bid on each other's papers, too."""
    if state.viewer and not _CHAIRS & state.viewer.roles_in(conference):
        raise NotFoundError("leads are shown to chairs only")
    stored = state.conference(conference)
    row = stored.row_by_sight(LEADS)
    leads, (job, _) = stored.record(row, FoundLeads), work.find(state, stored, row)
    working, error = job is not None and job.state in work.WORKING, None if job is None else job.error
    if leads is None:
        return LeadsOut(working, error, None, False, [])
    return LeadsOut(working, error, leads.at, leads.inputs != inputs_of_leads(stored), leads.leads)


@router.post("/leads", summary="Look for leads on collusion", status_code=202, dependencies=_CHANGING)
def begin_leads(conference: ConferenceId, state: StateOf) -> LeadsOut:
    """In the background, among the papers that you may see; it needs bids, and who wrote which submission."""
    view = state.view(conference)
    row = view.stored.row_by_sight(LEADS)
    if not view.stored.part("bids").blob:
        raise NotFoundError("there are no bids: add the file of bids first")
    if conference_leads(conference, state).working:
        raise ProblemError(409, "somebody looks for leads already: wait for it")

    def look(progress: Progress, _: Path) -> None:
        progress("looking for leads", 0, 1)
        leads = look_for_leads(view, datetime.now(UTC))
        with state.conferences.note(conference) as change:
            change.put(row, record=leads)

    work.begin(state, conference, row, look)
    return conference_leads(conference, state)
