"""`/submissions`: what the editor keeps of look-ups, where each person stands, and whom to ask next."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from panelist.app.desk.editor.records import ON_PANEL, KeptReviewer, KeptSubmission, Load, State
from panelist.app.desk.editor.suggestions import DIVERSITY, listed, rank_of, suggest
from panelist.app.web import limits
from panelist.app.web.problems import documented
from panelist.app.web.requests import Id, OptionsIn, Request, ReviewersRequest, SubmissionIn
from panelist.app.web.responses import MatchOut, PanelOut
from panelist.app.web.routes.editor.lookups import as_kept, looked_up, remembering
from panelist.app.web.routes.state import State as ServerState
from panelist.app.web.routes.state import StateOf

router = APIRouter(tags=["editor's desk"])

SubmissionId = Annotated[str, Path(min_length=1, max_length=50, description="As `POST /submissions` gave it.")]
PersonId = Annotated[
    str, Path(min_length=1, max_length=limits.ID, pattern=r"^\S+$", description="An id, as it is; it may hold slashes.")
]
Revision = Annotated[
    int, Field(ge=0, le=1 << 53, description="The one that was read before this change; 0 for what was not there.")
]


class ListedIn(Request):
    """A person in the list of a submission from the beginning."""

    id: Id
    state: State = State.SHORTLISTED


class KeepRequest(ReviewersRequest):
    """Keep a submission as it was looked up, with its short list and those excluded."""

    reviewers: Annotated[list[ListedIn], Field(default_factory=list, max_length=limits.LISTED)]


class ChangeRequest(ReviewersRequest):
    """Replace what was looked up; the list stays."""

    revision: Revision


class StateRequest(Request):
    """Where a person stands now; `day` is that of the invitation or of the answer, today where it is not given."""

    state: State
    revision: Revision = 0
    day: date | None = None


class LoadOut(BaseModel):
    """How often a person was invited this year, over all kept submissions, and how that ended so far."""

    invited: int
    accepted: int
    declined: int

    @classmethod
    def of(cls, load: Load | None) -> LoadOut:
        """From a record; nothing where there is none."""
        return cls(**dataclasses.asdict(load or Load()))


class ReviewerOut(BaseModel):
    """A person in the list of a submission."""

    person: str
    name: str
    state: State
    added: str
    invited: str | None
    answered: str | None
    revision: int
    load: LoadOut
    note: str


class SummaryOut(BaseModel):
    """A kept submission in the list of all."""

    id: str
    title: str
    created: str
    changed: str
    counts: dict[State, int]


class ListingOut(BaseModel):
    """Some kept submissions, the latest changed first, and how many there are."""

    total: int
    submissions: list[SummaryOut]


class KeptOut(BaseModel):
    """A kept submission: what was looked up, and who is in its list."""

    id: str
    title: str
    created: str
    changed: str
    revision: int
    submission: SubmissionIn
    options: OptionsIn
    reviewers: list[ReviewerOut]


class SuggestionOut(BaseModel):
    """Somebody to ask next, and whether they are the first on the panel from their institution or country."""

    match: MatchOut
    new_institution: bool
    new_country: bool


class WhyOut(BaseModel):
    """Where a person stands in the ranking of everybody, and the papers that put them there."""

    rank: int | None
    match: MatchOut | None


@router.post("/submissions", status_code=201, summary="Keep a submission", responses=documented())
def keep(request: KeepRequest, state: StateOf) -> KeptOut:
    """Nothing of a look-up is kept without this."""
    names = _names(state, [one.id for one in request.reviewers])
    people = [(one.id, names[one.id], one.state) for one in {one.id: one for one in request.reviewers}.values()]
    return _whole(state, state.submissions.keep(*as_kept(request.submission, request.options), people))


@router.get("/submissions", summary="Kept submissions", responses=documented())
def listing(
    state: StateOf,
    search: Annotated[str, Query(max_length=limits.NAME, description="Words of the title.")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=limits.PAGE)] = 50,
) -> ListingOut:
    """The latest changed first."""
    total, found = state.submissions.listing(search, offset, limit)
    return ListingOut(total=total, submissions=[SummaryOut(**dataclasses.asdict(one)) for one in found])


@router.get("/submissions/{submission}", summary="A kept submission", responses=documented(404))
def get(submission: SubmissionId, state: StateOf) -> KeptOut:
    """With its list; each person with their load this year and the note about them."""
    return _whole(state, state.submissions.get(submission))


@router.put("/submissions/{submission}", summary="Change what was looked up", responses=documented(404, 409))
def change(submission: SubmissionId, request: ChangeRequest, state: StateOf) -> KeptOut:
    """409 where it was changed elsewhere meanwhile."""
    kept = state.submissions.change(submission, *as_kept(request.submission, request.options), request.revision)
    return _whole(state, kept)


@router.delete("/submissions/{submission}", status_code=204, summary="Forget a submission", responses=documented(404))
def forget(submission: SubmissionId, state: StateOf) -> None:
    """Erase it with its list; copies that were exported or backed up are not reached."""
    state.submissions.forget(submission)


@router.put(
    "/submissions/{submission}/reviewers/{person:path}",
    summary="Where a person stands",
    responses=documented(404, 409),
)
def set_state(submission: SubmissionId, person: PersonId, request: StateRequest, state: StateOf) -> ReviewerOut:
    """Short-list, exclude, or note by hand that somebody was invited, accepted or declined."""
    name = _names(state, [person])[person]
    new = state.submissions.set_state(submission, person, name, request.state, request.revision, request.day)
    return _reviewers(state, [new])[0]


@router.delete(
    "/submissions/{submission}/reviewers/{person:path}",
    status_code=204,
    summary="Take a person off the list",
    responses=documented(404, 409),
)
def remove(
    submission: SubmissionId, person: PersonId, state: StateOf, revision: Annotated[int, Query(ge=1, le=1 << 53)]
) -> None:
    """409 where the person's state was changed elsewhere meanwhile."""
    state.submissions.remove(submission, person, revision)


@router.get("/submissions/{submission}/panel", summary="Why these people", responses=documented(404, 503))
async def panel(submission: SubmissionId, state: StateOf) -> PanelOut:
    """Everybody in the list as a look-up sees them today, best first, with their papers and conflicts."""

    def work() -> PanelOut:
        kept = state.submissions.get(submission)
        asked = looked_up(kept)
        record = asked.submission.record()
        lookup = dataclasses.replace(asked.options.lookup(record.id), sentences=True)
        with state.service.finder() as finder:
            people = [one.person for one in kept.reviewers]
            found = listed(finder, record, lookup, people, search=remembering(state))
        return PanelOut.found(found, {}, lookup.aggregation)

    return await state.lookups.run(work)


@router.get("/submissions/{submission}/why/{person:path}", summary="Why this person", responses=documented(404, 503))
async def why(submission: SubmissionId, person: PersonId, state: StateOf) -> WhyOut:
    """One person, in the list or not, as a look-up sees them today."""

    def work() -> WhyOut:
        asked = looked_up(state.submissions.get(submission))
        record = asked.submission.record()
        lookup = dataclasses.replace(asked.options.lookup(record.id), sentences=True)
        search = remembering(state)
        with state.service.finder() as finder:
            found = listed(finder, record, lookup, [person], search=search).matches
            rank = rank_of(finder, record, lookup, person, search=search)
        return WhyOut(rank=rank, match=MatchOut.matched(found[0], 1.0) if found else None)

    return await state.lookups.run(work)


@router.get("/submissions/{submission}/suggestions", summary="Whom to ask next", responses=documented(404, 503))
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
        asked = looked_up(kept)
        record = asked.submission.record()
        weight = (asked.options.diversity or DIVERSITY) if diversity is None else diversity
        lookup = asked.options.lookup(record.id)
        lookup = dataclasses.replace(lookup, size=count, sentences=True, diversity=weight)
        on_panel = [one.person for one in kept.reviewers if one.state in ON_PANEL]
        refused = [one.person for one in kept.reviewers if one.state not in ON_PANEL]
        with state.service.finder() as finder:
            found = suggest(finder, record, lookup, panel=on_panel, refused=refused, search=remembering(state))
        relevance = lookup.aggregation.relevance([one.match.score for one in found])
        shares = relevance / relevance.max(initial=0.0)
        return [
            SuggestionOut(
                match=MatchOut.matched(one.match, share),
                new_institution=one.new_institution,
                new_country=one.new_country,
            )
            for one, share in zip(found, shares.tolist(), strict=True)
        ]

    return await state.lookups.run(work)


def _whole(state: ServerState, kept: KeptSubmission) -> KeptOut:
    asked = looked_up(kept)
    return KeptOut(
        id=kept.id,
        title=kept.title,
        created=kept.created,
        changed=kept.changed,
        revision=kept.revision,
        submission=asked.submission,
        options=asked.options,
        reviewers=_reviewers(state, kept.reviewers),
    )


def _reviewers(state: ServerState, people: list[KeptReviewer] | tuple[KeptReviewer, ...]) -> list[ReviewerOut]:
    ids = [one.person for one in people]
    loads, notes = state.people.loads(ids, datetime.now().astimezone().year), state.people.notes(ids)
    return [
        ReviewerOut(
            **dataclasses.asdict(one),
            load=LoadOut.of(loads.get(one.person)),
            note=notes[one.person].text if one.person in notes else "",
        )
        for one in people
    ]


def _names(state: ServerState, people: list[str]) -> dict[str, str]:
    """What the corpus calls these people; an id where it does not know one."""
    if not people:
        return {}
    with state.service.finder() as finder:
        found = finder.corpus.authors(people)
    return {one: found[one].name if one in found else one for one in people}
