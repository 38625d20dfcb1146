"""`/submissions`: what the editor saves of look-ups, and where each person stands."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, ValidationError

from panelist.app import limits
from panelist.app.access.roles import Permission, Role, needs
from panelist.app.access.users import LONGEST_NAME
from panelist.app.desk.editor.history import events_of, record_events
from panelist.app.desk.editor.records import Load, SavedReviewer, SavedSubmission, SavedSummary, State
from panelist.app.desk.editor.submissions import LONGEST_LIST
from panelist.app.web.problems import documented
from panelist.app.web.requests import Id, OptionsIn, Request, ReviewersRequest, SubmissionIn
from panelist.app.web.responses import ConflictOut
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.corpus.emails import latest_email
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Conflict
from retriever.finder import Finder

ON_DESK = [needs(Permission.DESK, Permission.EDIT)]
router = APIRouter(tags=["editor's desk"], responses=documented(404, 409), dependencies=ON_DESK)

SubmissionId = Annotated[str, Path(min_length=1, max_length=50, description="As `POST /submissions` gave it.")]
AS_IT_IS = "An id as it is; it may contain slashes."
PersonId = Annotated[str, Path(min_length=1, max_length=limits.ID, pattern=r"^\S+$", description=AS_IT_IS)]
UserName = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME, description="Of a user.")]
Revision = Annotated[int, Field(ge=0, le=1 << 53, description="The one before this change; 0 where there was none.")]


class ListedIn(Request):
    """A person in the list of a submission from the beginning."""

    id: Id
    state: State = State.SHORTLISTED


class KeepRequest(ReviewersRequest):
    """Keep a submission as it was looked up, with its short list and those excluded."""

    reviewers: Annotated[list[ListedIn], Field(default_factory=list, max_length=LONGEST_LIST)]


class ChangeRequest(ReviewersRequest):
    """Replace what was looked up; the list stays."""

    revision: Revision


class StateRequest(Request):
    """Where a person stands now; `day` is that of the invitation or of the answer, today where it is not given.

    `due` and `reminder` are the days of the report and of your reminder; they stay as they are where not given.
    """

    state: State
    revision: Revision = 0
    day: date | None = None
    due: date | None = None
    reminder: date | None = None


class ContactOut(BaseModel):
    """An e-mail address, and where it is from: an editor typed it on a day, else the latest paper that gives one."""

    email: str
    paper: str | None = None
    year: int | None = None
    typed: str | None = None
    typed_by: str | None = None


@dataclass(frozen=True, slots=True)
class SavedReviewerOut(SavedReviewer):
    """A person in the list of a submission, with what the desk and the corpus know of them today."""

    conflicts: list[ConflictOut]
    load: Load
    note: str
    contact: ContactOut | None


class ListingOut(BaseModel):
    """Some saved submissions, the latest changed first, and how many there are."""

    total: int
    submissions: list[SavedSummary]


class SavedSubmissionOut(BaseModel):
    """A saved submission: what was looked up, and who is in its list."""

    id: str
    title: str
    created: str
    changed: str
    revision: int
    submission: SubmissionIn
    options: OptionsIn
    reviewers: list[SavedReviewerOut]
    editors: list[str] | None = Field(description="The users who see it, beside administrators; null without users.")


@router.post("/submissions", status_code=201, summary="Keep a submission")
def keep_submission(request: KeepRequest, state: StateOf) -> SavedSubmissionOut:
    """Nothing of a look-up is saved without this."""
    states = {reviewer.id: reviewer.state for reviewer in request.reviewers}
    people = [(person, name, states[person]) for person, name in names_of(state, list(states)).items()]
    return _answer(state, _record(state, state.submissions.keep(*_as_saved(request), people)))


@router.get("/submissions", summary="Saved submissions")
def saved_submissions(
    state: StateOf,
    search: Annotated[str, Query(max_length=limits.NAME, description="Words of the title.")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=limits.PAGE)] = 50,
) -> ListingOut:
    """The latest changed first."""
    total, submissions = state.submissions.listing(search, offset, limit)
    return ListingOut(total=total, submissions=submissions)


@router.get("/submissions/{submission}", summary="A saved submission")
def saved_submission(submission: SubmissionId, state: StateOf) -> SavedSubmissionOut:
    """With its list; each person with their load this year and the note about them."""
    return _answer(state, state.submissions.get(submission))


@router.put("/submissions/{submission}", summary="Change what was looked up")
def change_submission(submission: SubmissionId, request: ChangeRequest, state: StateOf) -> SavedSubmissionOut:
    """409 where it was changed elsewhere meanwhile."""
    return _answer(state, _record(state, state.submissions.change(submission, *_as_saved(request), request.revision)))


@router.delete("/submissions/{submission}", status_code=204, summary="Forget a submission")
def forget_submission(submission: SubmissionId, state: StateOf) -> None:
    """Erase it with its list; copies that were exported or backed up are not reached."""
    state.submissions.forget(submission)
    with state.service.finder() as finder:
        record_events(finder.corpus, state.desk.home, submission, [])
    if state.users.exist():
        state.users.unshare(submission, _editors(state, submission))


@router.put("/submissions/{submission}/editors/{name}", status_code=204, summary="Share a submission")
def share_submission(submission: SubmissionId, name: UserName, state: StateOf) -> None:
    """Another editor sees and changes it, too."""
    state.submissions.get(submission)
    editor = state.users.by_name(name) if state.users.exist() else None
    if editor is None or not editor.may(Permission.DESK):
        raise InputError(f"'{name}' is not a user who is an editor: an administrator can add them")
    state.users.grant(name, Role.EDITOR, submission)


@router.delete("/submissions/{submission}/editors/{name}", status_code=204, summary="Share a submission no more")
def unshare_submission(submission: SubmissionId, name: UserName, state: StateOf) -> None:
    """Where nobody is left, administrators see it."""
    state.submissions.get(submission)
    if state.users.exist():
        state.users.unshare(submission, [name])


@router.put("/submissions/{submission}/reviewers/{person:path}", summary="Where a person stands")
def set_reviewer(submission: SubmissionId, person: PersonId, request: StateRequest, state: StateOf) -> SavedReviewerOut:
    """Short-list, exclude, or note by hand that somebody was invited, accepted or declined."""
    name = names_of(state, [person])[person]
    new = state.submissions.set_state(submission, person, name, **dict(request))
    saved = _record(state, state.submissions.get(submission))
    return _reviewers(state, saved, [new])[0]


@router.delete(
    "/submissions/{submission}/reviewers/{person:path}", status_code=204, summary="Take a person off the list"
)
def remove_reviewer(
    submission: SubmissionId, person: PersonId, state: StateOf, revision: Annotated[int, Query(ge=1, le=1 << 53)]
) -> None:
    """409 where the person's state was changed elsewhere meanwhile."""
    state.submissions.remove(submission, person, revision)
    _record(state, state.submissions.get(submission))


def looked_up(saved: SavedSubmission) -> ReviewersRequest:
    """The look-up with which the submission was saved."""
    try:
        return ReviewersRequest.model_validate_json(saved.request)
    except ValidationError as error:
        raise InputError(
            f"the look-up of '{saved.title[:80]}' was saved by another version of Panelist ({error.error_count()} of "
            "its fields are unknown here): export it, forget it, and look it up again"
        ) from error


def _record(state: ServerState, saved: SavedSubmission) -> SavedSubmission:
    """The same, after the history has learned of its invitations."""
    with state.service.finder() as finder:
        record_events(finder.corpus, state.desk.home, saved.id, events_of(saved))
        finder.read_history()
    return saved


def _as_saved(request: ReviewersRequest) -> tuple[str, str]:
    """The title and the JSON that are saved of a look-up."""
    submission = request.submission
    title = " ".join((submission.title.strip() or submission.abstract.strip()[:200]).split())
    return title, request.model_dump_json(include={"submission", "options"})


def _answer(state: ServerState, saved: SavedSubmission) -> SavedSubmissionOut:
    request = looked_up(saved)
    return SavedSubmissionOut(
        **{name: getattr(saved, name) for name in ("id", "title", "created", "changed", "revision")},
        submission=request.submission,
        options=request.options,
        reviewers=_reviewers(state, saved, saved.reviewers),
        editors=_editors(state, saved.id) if state.users.exist() else None,
    )


def conflicts_of(finder: Finder, saved: SavedSubmission, people: Sequence[str]) -> dict[str, tuple[Conflict, ...]]:
    """The conflicts of interest of people in the list, as they stand today: authors may have been added since."""
    submission, lookup = looked_up(saved).records()
    return finder.flagged(submission, people, lookup)


def _editors(state: ServerState, submission: str) -> list[str]:
    """The users with whom a submission is shared, its keeper among them."""
    return [user.name for user in state.users.list() if submission in user.roles]


def _reviewers(state: ServerState, saved: SavedSubmission, people: Sequence[SavedReviewer]) -> list[SavedReviewerOut]:
    ids = [reviewer.person for reviewer in people]
    loads, notes = state.people.loads(ids, today()), state.people.notes(ids)
    with state.service.finder() as finder:
        reached = contacts(state, finder.corpus, ids)
        reasons = conflicts_of(finder, saved, ids)
    return [
        SavedReviewerOut(
            **asdict(reviewer),
            conflicts=list(map(ConflictOut.of, reasons.get(person, ()))),
            load=loads.get(person, Load()),
            note=notes[person].text if person in notes else "",
            contact=reached.get(person),
        )
        for person, reviewer in zip(ids, people, strict=True)
    ]


def contacts(state: ServerState, corpus: CorpusStore, people: list[str]) -> dict[str, ContactOut]:
    """The e-mail address of each of these people that an editor typed, else the latest that their papers give."""
    written = corpus.papers_of(people)
    papers = corpus.papers([paper for ids in written.values() for paper in ids])
    printed = {
        person: ContactOut(email=email.address, paper=papers[email.paper].title, year=email.year)
        for person, ids in written.items()
        if (email := latest_email(person, [papers[paper] for paper in ids if paper in papers]))
    }
    typed = state.people.addresses(people)
    return printed | {
        person: ContactOut(email=address.email, typed=address.typed, typed_by=address.editor or None)
        for person, address in typed.items()
    }


def names_of(state: ServerState, people: list[str]) -> dict[str, str]:
    """What the corpus calls these people; an id where it does not know one."""
    with state.service.finder() as finder:
        authors = finder.corpus.authors(people)
    return {person: authors[person].name if person in authors else person for person in people}


def today() -> date:
    """The day of the editor's calendar, in whose year invitations are counted."""
    return datetime.now().astimezone().date()
