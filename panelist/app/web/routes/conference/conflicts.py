"""`/conferences/{conference}/conflicts`: the conflict table, and the rules by which it is made."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import Query

from panelist.app.desk.conference.conflicts import RULES, conflict_rows, read_rules
from panelist.app.web.requests import Request, Years
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, conference_router
from panelist.app.web.routes.state import ServerState, StateOf
from retriever.conference.conflicts.rules import ConflictRules

router = conference_router()


class RulesBody(Request):
    """What counts as a conflict; null switches a kind off."""

    coauthor_years: Years | None = 3
    institution_years: Years | None = 3


@router.get("/conflicts", summary="Conflicts of interest")
async def conference_conflicts(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    certain: Annotated[bool | None, Query(description="Certain ones, others, or (null) both.")] = None,
) -> Any:
    """Found in submissions, committee, corpus and declared pairs, whatever the scores are; and what was `unchecked`."""

    def work() -> Any:
        view = state.conflicts.view(conference)
        return msgspec.to_builtins(conflict_rows(view, certain, look)) | {
            "certain": sum(one.certain for one in view.conflicts),
            "possible": sum(one.possible for one in view.conflicts),
            "unchecked": list(view.conflicts.unchecked),
            "unchecked_people": dict(view.conflicts.unchecked_people),
        }

    return await state.lookups.run(work)


@router.get("/conflicts/rules", summary="Rules of conflicts")
def conflict_rules(conference: ConferenceId, state: StateOf) -> RulesBody:
    """How many years co-authors and colleagues count."""
    rules = read_rules(state.conferences.get(conference))
    return RulesBody(coauthor_years=rules.coauthor_years, institution_years=rules.institution_years)


@router.put("/conflicts/rules", summary="Set the rules of conflicts")
async def set_conflict_rules(
    conference: ConferenceId, wanted: RulesBody, state: StateOf, change: ChangeOf
) -> RulesBody:
    """The conflict table is renewed by them; decisions about pairs stay."""
    return await state.lookups.run(partial(_set_rules, state, conference, wanted, change))


def _set_rules(state: ServerState, conference: str, wanted: RulesBody, change: ChangeOf) -> RulesBody:
    years = [str(value) if value is not None else "off" for value in (wanted.coauthor_years, wanted.institution_years)]
    words = f"conflicts: co-authors {years[0]}, colleagues {years[1]} (years)"
    rules = ConflictRules(**wanted.model_dump())
    changing = state.conferences.change(conference, "rules", {"words": words}, **change)
    with changing as (_, _, stage):
        stage.file(RULES).write_bytes(msgspec.json.encode(rules))
    return wanted
