"""`/conferences/{conference}/conflicts`: the conflict table, and the rules by which it is made."""

from typing import Annotated, Any

import msgspec
from fastapi import Query

from panelist.app.desk.conference.conflicts import RULES, conflict_rows, read_rules
from panelist.app.web.requests import RulesIn
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, conference_router
from panelist.app.web.routes.state import StateOf

router = conference_router()


@router.get("/conflicts", summary="Conflicts of interest")
def conference_conflicts(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    certain: Annotated[bool | None, Query(description="Certain ones, others, or (null) both.")] = None,
) -> Any:
    """Found in submissions, committee, corpus and declared pairs, whatever the scores are; and what was `unchecked`."""
    view = state.conflicts.view(conference)
    return msgspec.to_builtins(conflict_rows(view, certain, look)) | {
        "certain": sum(one.certain for one in view.conflicts),
        "possible": sum(one.possible for one in view.conflicts),
        "unchecked": list(view.conflicts.header.unchecked),
        "unchecked_people": dict(view.conflicts.header.unchecked_people),
    }


@router.get("/conflicts/rules", summary="Rules of conflicts")
def conflict_rules(conference: ConferenceId, state: StateOf) -> RulesIn:
    """How many years co-authors and colleagues count."""
    rules = read_rules(state.conferences.get(conference))
    return RulesIn(coauthor_years=rules.coauthor_years, institution_years=rules.institution_years)


@router.put("/conflicts/rules", summary="Set the rules of conflicts")
def set_conflict_rules(conference: ConferenceId, wanted: RulesIn, state: StateOf, change: ChangeOf) -> RulesIn:
    """The conflict table is renewed by them; decisions about pairs stay."""
    years = [str(value) if value is not None else "off" for value in (wanted.coauthor_years, wanted.institution_years)]
    words = f"conflicts: co-authors {years[0]}, colleagues {years[1]} (years)"
    changing = state.conferences.change(conference, "rules", {"words": words}, **change)
    with changing as (_, _, stage):
        stage.file(RULES).write_bytes(msgspec.json.encode(wanted.rules()))
    return wanted
