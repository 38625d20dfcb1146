"""`/submissions/…/panel`, `/why` and `/suggestions`: a kept submission looked up again, over today's index."""

import dataclasses
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.editor.records import ON_PANEL, SavedSubmission
from panelist.app.desk.editor.suggestions import DIVERSITY, listed, rank_of, suggest
from panelist.app.web.problems import documented
from panelist.app.web.responses import ConflictOut, MatchOut, PanelOut, shares_of_best
from panelist.app.web.routes.editor.submissions import PersonId, SubmissionId, looked_up
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.records import Submission
from retriever.lookup import Lookup

router = APIRouter(
    tags=["editor's desk"], responses=documented(404, 503), dependencies=[needs(Permission.DESK, Permission.EDIT)]
)


class SuggestionOut(BaseModel):
    """Somebody to ask next, and whether they are the first on the panel from their institution or country."""

    match: MatchOut
    new_institution: bool
    new_country: bool


class WhyOut(BaseModel):
    """Where a person stands in the ranking of everybody, the papers that put them there, and their conflicts."""

    rank: int | None
    match: MatchOut | None
    conflicts: list[ConflictOut]


@router.get("/submissions/{submission}/panel", summary="Why these people")
async def panel(submission: SubmissionId, state: StateOf) -> PanelOut:
    """Everybody in the list as a look-up sees them today, best first, with their papers and conflicts."""

    def work() -> PanelOut:
        kept = state.submissions.get(submission)
        record, lookup = _again(kept)
        people = [one.person for one in kept.reviewers]
        with state.service.finder() as finder:
            found = listed(finder, record, lookup, people, search=_remembering(state))
        return PanelOut.found(found, {}, lookup.aggregation)

    return await state.lookups.run(work)


@router.get("/submissions/{submission}/why/{person:path}", summary="Why this person")
async def why(submission: SubmissionId, person: PersonId, state: StateOf) -> WhyOut:
    """One person, in the list or not, as a look-up sees them today."""

    def work() -> WhyOut:
        record, lookup = _again(state.submissions.get(submission))
        search = _remembering(state)
        with state.service.finder() as finder:
            found = listed(finder, record, lookup, [person], search=search).matches
            rank = rank_of(finder, record, lookup, person, search=search)
            reasons = finder.flagged(record, [person], lookup).get(person, ())
        match = MatchOut.matched(found[0], 1.0) if found else None
        return WhyOut(rank=rank, match=match, conflicts=[ConflictOut.model_validate(one) for one in reasons])

    return await state.lookups.run(work)


@router.get("/submissions/{submission}/suggestions", summary="Whom to ask next")
async def suggestions(
    submission: SubmissionId,
    state: StateOf,
    count: Annotated[int, Query(ge=1, le=limits.SUGGESTIONS)] = 3,
    diversity: Annotated[
        float | None, Query(ge=0, le=1, description="λ; that of the look-up, or 0.3, where it is not given.")
    ] = None,
) -> list[SuggestionOut]:
    """The best people who keep the panel varied, given who is on it; nobody who declined or was excluded."""

    def work() -> list[SuggestionOut]:
        kept = state.submissions.get(submission)
        record, lookup = _again(kept)
        weight = (lookup.diversity or DIVERSITY) if diversity is None else diversity
        lookup = dataclasses.replace(lookup, size=count, diversity=weight)
        on_panel = [one.person for one in kept.reviewers if one.state in ON_PANEL]
        refused = [one.person for one in kept.reviewers if one.state not in ON_PANEL]
        with state.service.finder() as finder:
            found = suggest(finder, record, lookup, panel=on_panel, refused=refused, search=_remembering(state))
        shares = shares_of_best([one.match for one in found], lookup.aggregation)
        return [
            SuggestionOut(
                match=MatchOut.matched(one.match, share),
                new_institution=one.new_institution,
                new_country=one.new_country,
            )
            for one, share in zip(found, shares, strict=True)
        ]

    return await state.lookups.run(work)


def _again(kept: SavedSubmission) -> tuple[Submission, Lookup]:
    """What was asked when the submission was kept; papers are quoted."""
    asked = looked_up(kept)
    record = asked.submission.record()
    return record, dataclasses.replace(asked.options.lookup(record.id), sentences=True)


def _remembering(state: ServerState) -> RememberingSearch:
    """A search that shares its memory with the page that finds reviewers."""
    return RememberingSearch(state.service.memory, Timings())
