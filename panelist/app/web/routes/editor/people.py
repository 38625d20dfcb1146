"""`/desk/…`: what the editor's desk knows of people, and forgetting it; what is due; everything that is saved."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, StringConstraints

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.forgetting import StillNamed, forget_in_conferences, keys_of_person
from panelist.app.desk.editor.export import Deadline, deadlines, to_calendar, to_csv, to_json
from panelist.app.desk.editor.records import Address, Forgotten, Involvement, Load, Note, SavedReviewer
from panelist.app.web.bodies import download, file_answer, schema_of
from panelist.app.web.problems import documented
from panelist.app.web.requests import Id, Request, ReviewersRequest
from panelist.app.web.routes.editor.submissions import ON_DESK, PersonId, Revision, conflicts_of, names_of, today
from panelist.app.web.routes.state import StateOf
from panelist.corpus.removals import Removals

router = APIRouter(tags=["editor's desk"], responses=documented(404, 409), dependencies=ON_DESK)

_ADDRESS = r"^$|^[^\s@<>,;:]+@[^\s@<>,;:]+\.[^\s@<>,;:]+$"


class KnownRequest(Request):
    """People whom the page shows."""

    ids: Annotated[list[Id], Field(max_length=limits.PANEL)]


class KnownOut(BaseModel):
    """What the desk knows of a person, in brief."""

    person: str
    load: Load
    note: str


class NoteIn(Request):
    """The note about a person; an empty text erases it."""

    text: Annotated[str, StringConstraints(max_length=limits.NOTE)]
    revision: Revision


class AddressIn(Request):
    """The e-mail address of a person, as an editor typed it; an empty one erases it."""

    email: Annotated[str, StringConstraints(strip_whitespace=True, max_length=limits.NAME, pattern=_ADDRESS)]


class DeskPersonOut(BaseModel):
    """All that the desk knows of a person."""

    note: Note = Field(description="Empty, with revision 0, where there is none.")
    load: Load
    submissions: list[Involvement]


@dataclass(frozen=True, slots=True)
class ForgottenOut(Forgotten):
    """What was erased of a person: also `changes` by hand in conferences.

    `still` are the conferences whose files name them, which are their record, and `signed` history entries that they
    made as a user: the name stays there.
    """

    changes: int
    still: tuple[StillNamed, ...]
    signed: int


@router.post("/desk/people", summary="What the desk knows of some people")
def known_people(request: KnownRequest, state: StateOf) -> list[KnownOut]:
    """Those of these people who have a note or were invited this year."""
    loads, notes = state.people.loads(request.ids, today()), state.people.notes(request.ids)
    return [
        KnownOut(person=person, load=loads.get(person, Load()), note=notes[person].text if person in notes else "")
        for person in dict.fromkeys(request.ids)
        if person in loads or person in notes
    ]


@router.get("/desk/people/{person:path}", summary="What the desk knows of a person")
def desk_person(person: PersonId, state: StateOf) -> DeskPersonOut:
    """The note, the load of this year, and the saved submissions in whose lists they are."""
    return DeskPersonOut(
        note=state.people.note(person),
        load=state.people.loads([person], today()).get(person, Load()),
        submissions=state.people.involvements(person),
    )


@router.put("/desk/notes/{person:path}", summary="Write the note about a person")
def write_note(person: PersonId, request: NoteIn, state: StateOf) -> Note:
    """409 where it was changed elsewhere meanwhile; nothing is lost then, neither text is overwritten."""
    name = names_of(state, [person])[person]
    return state.people.write_note(person, name, request.text, request.revision)


@router.put("/desk/addresses/{person:path}", summary="Keep the address of a person")
def write_address(person: PersonId, request: AddressIn, state: StateOf) -> Address | None:
    """For all submissions, with the day and whoever typed it. It comes before an address that a paper gives."""
    return state.people.write_address(person, request.email)


@router.delete("/desk/people/{person:path}", summary="Forget a person", dependencies=[needs(Permission.ADMINISTER)])
def forget_person(person: PersonId, state: StateOf) -> ForgottenOut:
    """Erase the note, the entries in all lists, changes by hand in conferences, e-mail addresses, and the history.

    The papers of the corpus stay: they were published. The files of conferences stay: they are their record.
    """
    with state.service.finder() as finder:
        keys = keys_of_person(state.conferences, finder.corpus, person)
        changes = forget_in_conferences(state.desk, state.conferences, keys, state.users)
        Removals(state.desk.home).forget(finder.corpus, person, *keys)
    erased = asdict(state.people.forget(keys))
    return ForgottenOut(**erased, changes=changes.changes, still=changes.still, signed=changes.signed)


@router.get("/desk/due", summary="What is due")
def due_reports(state: StateOf, days: Annotated[int, Query(ge=0, le=3_660)] = 7) -> list[Deadline]:
    """Reports and reminders of the coming days and those that are overdue, the earliest first. Nothing is sent."""
    return deadlines(state.desk, today() + timedelta(days=days))


@router.get("/desk/due/calendar", summary="What is due, for a calendar", **file_answer("iCalendar", "text/calendar"))
def due_calendar(state: StateOf) -> Response:
    """All reports and reminders as whole days."""
    return download(to_calendar(deadlines(state.desk)), "due.ics")


class ExportedSubmission(ReviewersRequest):
    """A saved submission as it was looked up, with its list."""

    id: str
    title: str
    created: str
    changed: str
    revision: int
    reviewers: list[SavedReviewer]


class DeskOut(BaseModel):
    """Everything that is saved; `panelist desk import` brings it back."""

    exported: datetime
    submissions: list[ExportedSubmission]
    notes: list[Note]


@router.get(
    "/desk/export", summary="Everything as a file", **file_answer("A file", "text/csv", json=schema_of(DeskOut))
)
def export_desk(state: StateOf, form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json") -> Response:
    """Submissions with their lists, and notes; CSV has today's conflicts of interest, and formulas as plain text."""
    if form == "json":
        return download(to_json(state.desk), "desk.json")
    with state.service.finder() as finder:
        content = to_csv(state.desk, partial(conflicts_of, finder))
    return download(content.encode(), "desk.csv")
