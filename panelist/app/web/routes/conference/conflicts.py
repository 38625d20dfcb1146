"""`/conferences/{conference}/conflicts`: the conflict table, and the rules by which it is made."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

import msgspec
from fastapi import Query
from pydantic import BaseModel, Field

from panelist.app.desk.conference.conflicts import RULES, conflict_rows, read_rules
from panelist.app.web import limits
from panelist.app.web.requests import Request, Years
from panelist.app.web.responses import Answer, ConflictOut
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.state import State, StateOf
from retriever.conference.conflicts.rules import ConflictRules

router = conference_router()


class DecisionOut(Answer):
    """What somebody decided about a pair."""

    verdict: Literal["confirmed", "dismissed"]
    by: str
    at: datetime
    note: str


class TableRowOut(Answer):
    """A pair with every reason for a conflict of interest, the best one first, and what was decided about it."""

    submission: str
    reviewer: str
    certain: bool = Field(description="A reason is certain, or somebody confirmed it.")
    possible: bool = Field(description="Neither certain nor dismissed.")
    evidence: str
    reasons: list[ConflictOut]
    decision: DecisionOut | None


class NamedRowOut(Answer):
    """A conflict with the title of its paper and the name of its reviewer."""

    conflict: TableRowOut
    title: str
    name: str


class ConflictTableOut(BaseModel):
    """Some conflicts of all, and what could not be checked."""

    total: int
    rows: list[NamedRowOut]
    certain: int
    possible: int
    unchecked: list[str]
    unchecked_people: dict[str, str]


class RulesBody(Request):
    """What counts as a conflict; null switches a kind off."""

    coauthor_years: Years | None = 3
    institution_years: Years | None = 3


@router.get("/conflicts", summary="Conflicts of interest")
async def conference_conflicts(
    conference: ConferenceId,
    state: StateOf,
    certain: Annotated[bool | None, Query(description="Certain ones, others, or (null) both.")] = None,
    search: Annotated[str, Query(max_length=limits.NAME, description="In ids, titles, names and evidence.")] = "",
    offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ConflictTableOut:
    """Found in submissions, committee, corpus and declared pairs, whatever the scores are."""

    def work() -> ConflictTableOut:
        view = state.conflicts.view(conference)
        rows = conflict_rows(view, certain, search, offset, limit)
        return ConflictTableOut(
            total=rows.total,
            rows=[NamedRowOut.of(row) for row in rows.rows],
            certain=sum(one.certain for one in view.conflicts),
            possible=sum(one.possible for one in view.conflicts),
            unchecked=list(view.conflicts.unchecked),
            unchecked_people=dict(view.conflicts.unchecked_people),
        )

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


def _set_rules(state: State, conference: str, wanted: RulesBody, change: ChangeOf) -> RulesBody:
    years = [str(value) if value is not None else "off" for value in (wanted.coauthor_years, wanted.institution_years)]
    words = f"conflicts: co-authors {years[0]}, colleagues {years[1]} (years)"
    rules = ConflictRules(**wanted.model_dump())
    changing = state.conferences.change(conference, "rules", {"words": words}, revision=change.revision, who=change.who)
    with changing as (_, _, stage):
        stage.file(RULES).write_bytes(msgspec.json.encode(rules))
    return wanted
