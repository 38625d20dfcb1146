"""`/conferences/…/levels`: senior area chairs, area chairs, reviewers: each level with its people and their areas."""

from typing import Annotated

from fastapi import Query

from panelist.app import limits
from panelist.app.desk.conference.views.levels import LevelPage, level_page
from panelist.app.web.routes.conference.change import ConferenceId, LookOf, conference_router
from panelist.app.web.routes.state import StateOf
from retriever.assignment.options import role_name

router = conference_router()


@router.get("/levels", summary="The levels of its committee")
def committee_levels(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    role: Annotated[str, Query(max_length=limits.NAME, description="Whose people; else the highest.")] = "",
) -> LevelPage:
    """All levels, and people of one: their papers, loads and conflicts, who is above them and who below."""
    return level_page(state.view(conference), role_name(role), look)
