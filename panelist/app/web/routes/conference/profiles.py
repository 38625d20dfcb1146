"""`/conferences/…/profile`: the papers of a person, and what is decided about them."""

from typing import Annotated

from pydantic import Field

from panelist.app.access.roles import Permission
from panelist.app.desk.conference.curation import PaperChoice, curation_detail, curation_of
from panelist.app.desk.conference.manual import CURATE
from panelist.app.desk.conference.views.profile import Profile, committee_of_one, profile
from panelist.app.web.requests import Id as IdIn
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, Id, conference_router
from panelist.app.web.routes.conference.hand import record_change
from panelist.app.web.routes.state import StateOf, in_threads
from retriever.affinity.profiles import PROFILE_SIZE

router = conference_router(Permission.CHANGE)


class PaperChoiceIn(Request):
    """What is decided about a paper: 0 drops it, 1 keeps it whatever its year, null takes a decision back."""

    paper: IdIn
    weight: float | None = Field(ge=0, le=1)
    note: str = Field(default="", max_length=300)


class CurationIn(Request):
    """What is decided about papers of a person."""

    reviewer: IdIn
    choices: Annotated[list[PaperChoiceIn], Field(min_length=1, max_length=200)]


@router.get("/profile", summary="The papers of a person")
@in_threads("lookups")
def conference_profile(conference: ConferenceId, reviewer: Id, state: StateOf) -> Profile:
    """Which of them count, what was decided about them and by whom, and what that changed when it was scored."""
    with state.service.finder() as finder:
        return profile(state.conference(conference), finder.corpus, reviewer)


@router.post("/profile", summary="Drop, keep or weigh papers of a person")
@in_threads("lookups")
def curate_profile(conference: ConferenceId, requested: CurationIn, state: StateOf, change: ChangeOf) -> Profile:
    """One event of the history, which can be undone; scores are old until the conference is scored again.

    What is dropped keeps its place as a paper of background similarity, and counts for conflicts as before.
    """
    view = state.view(conference)
    new = [PaperChoice(**one.model_dump()) for one in requested.choices]
    with state.service.finder() as finder:
        owned = committee_of_one(view.stored, finder.corpus, requested.reviewer, PROFILE_SIZE)
        before = [one for one in curation_of(view.stored.events).values() if one.reviewer == requested.reviewer]
        detail = curation_detail(requested.reviewer, owned, new, before)
        record_change(state, view, CURATE, detail, change)
        return profile(state.conference(conference), finder.corpus, requested.reviewer)
