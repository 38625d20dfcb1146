"""`/submissions/…/panel`, `/why` and `/suggestions`: a saved submission looked up again, over today's index."""

import dataclasses
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from panelist.app import limits
from panelist.app.desk.editor.history import paper_of
from panelist.app.desk.editor.records import ON_PANEL, SavedSubmission
from panelist.app.desk.editor.suggestions import DIVERSITY, exclude_resting, panel_of, rank_of, suggest
from panelist.app.web.problems import documented
from panelist.app.web.responses import ConflictOut, MatchOut, PanelOut
from panelist.app.web.routes.editor.submissions import ON_DESK, PersonId, SubmissionId, looked_up, today
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.records import Submission
from retriever.lookup import Lookup

router = APIRouter(tags=["editor's desk"], responses=documented(404, 503), dependencies=ON_DESK)


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
@in_threads("lookups")
def panel_of_list(submission: SubmissionId, state: StateOf) -> PanelOut:
    """Everybody in the list as a look-up sees them today, best first, with their papers and conflicts."""
    saved = state.submissions.get(submission)
    record, lookup = _again(state, saved)
    people = [reviewer.person for reviewer in saved.reviewers]
    with state.service.finder() as finder:
        shown = panel_of(finder, record, lookup, people, search=_remembering(state))
    return PanelOut.of_panel(shown, {}, lookup.aggregation)


@router.get("/submissions/{submission}/why/{person:path}", summary="Why this person")
@in_threads("lookups")
def why_person(submission: SubmissionId, person: PersonId, state: StateOf) -> WhyOut:
    """One person, in the list or not, as a look-up sees them today."""
    record, lookup = _again(state, state.submissions.get(submission))
    search = _remembering(state)
    with state.service.finder() as finder:
        matches = panel_of(finder, record, lookup, [person], search=search).matches
        rank = rank_of(finder, record, lookup, person, search=search)
        reasons = finder.flagged(record, [person], lookup).get(person, ())
    match = MatchOut.matched(matches[0], 1.0) if matches else None
    return WhyOut(rank=rank, match=match, conflicts=list(map(ConflictOut.of, reasons)))


@router.get("/submissions/{submission}/suggestions", summary="Whom to ask next")
@in_threads("lookups")
def suggested_people(
    submission: SubmissionId,
    state: StateOf,
    count: Annotated[int, Query(ge=1, le=limits.SUGGESTIONS)] = 3,
    diversity: Annotated[float | None, Query(ge=0, le=1, description="λ; else that of the look-up, or 0.3.")] = None,
) -> list[SuggestionOut]:
    """The best people who make the panel varied, given who is on it; nobody who declined or was excluded."""
    saved = state.submissions.get(submission)
    record, lookup = _again(state, saved)
    weight = (lookup.diversity or DIVERSITY) if diversity is None else diversity
    on_panel = [reviewer.person for reviewer in saved.reviewers if reviewer.state in ON_PANEL]
    lookup = exclude_resting(state.people, lookup, today(), on_panel)
    lookup = dataclasses.replace(lookup, size=count, diversity=weight)
    refused = [reviewer.person for reviewer in saved.reviewers if reviewer.state not in ON_PANEL]
    with state.service.finder() as finder:
        people = suggest(finder, record, lookup, panel=on_panel, refused=refused, search=_remembering(state))
    matches = MatchOut.ranked([person.match for person in people], lookup.aggregation)
    return [
        SuggestionOut(match=match, new_institution=person.new_institution, new_country=person.new_country)
        for person, match in zip(people, matches, strict=True)
    ]


@router.get("/submissions/{submission}/editors", summary="Who could handle it")
@in_threads("lookups")
def possible_editors(
    submission: SubmissionId, state: StateOf, count: Annotated[int, Query(ge=1, le=limits.SUGGESTIONS)] = 5
) -> list[MatchOut]:
    """Past editors by the papers that they edited and wrote; 422 where no history names an editor."""
    record, lookup = _again(state, state.submissions.get(submission))
    filters = dataclasses.replace(lookup.filters, rest=0, at_most=None)
    lookup = dataclasses.replace(
        lookup, role="editor", history="auto", filters=filters, size=count, diversity=0.0, ranker=None, pool=None
    )
    with state.service.finder() as finder:
        return MatchOut.ranked(finder.find(record, lookup, search=_remembering(state)).matches, lookup.aggregation)


def _again(state: ServerState, saved: SavedSubmission) -> tuple[Submission, Lookup]:
    """The look-up with which the submission was saved; papers are quoted, and its own reviews do not count."""
    record, lookup = looked_up(saved).records()
    excluded = (*lookup.history_excluded, paper_of(saved.id), *state.history_excluded)
    return record, dataclasses.replace(lookup, sentences=True, history_excluded=excluded)


def _remembering(state: ServerState) -> RememberingSearch:
    """A search that shares its memory with the page that finds reviewers."""
    return RememberingSearch(state.service.memory, Timings())
