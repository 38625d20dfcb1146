"""`/conferences`: list, create, rename, export and forget conferences, and read their history."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from tempfile import TemporaryFile
from typing import Annotated, Any, Self

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from msgspec import Struct
from pydantic import BaseModel, Field, StringConstraints
from starlette.background import BackgroundTask

from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.archive import seen_event, write_archive
from panelist.app.desk.conference.audit import Event, history_table
from panelist.app.desk.conference.changes import LONGEST_NAME
from panelist.app.desk.conference.contents import file_records
from panelist.app.desk.conference.manual import BY_HAND, words_of
from panelist.app.desk.conference.state import Conference
from panelist.app.web.bodies import CSV_FILE, ZIP, download, file_answer
from panelist.app.web.problems import documented
from panelist.app.web.records import RecordRoute
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId
from panelist.app.web.routes.state import StateOf, in_threads
from panelist.words import Labels

router = APIRouter(
    tags=["conferences"],
    responses=documented(404, 409, 503),
    dependencies=[needs(Permission.READ, Permission.WHOLE)],
    route_class=RecordRoute,
)


class ConferenceIn(Request):
    """A conference to create, or its new name."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]


class ConferenceOut(BaseModel):
    """A conference; its `revision` rises with every change."""

    id: str
    name: str
    created: datetime
    revision: int
    files: list[str] = Field(description="The kinds of files that it has.")

    @classmethod
    def of(cls, conference: Conference) -> Self:
        """The conference as it is answered."""
        fields = {name: getattr(conference, name) for name in ("id", "name", "created", "revision")}
        return cls(**fields, files=list(file_records(conference)))


@router.get("/conferences", summary="All conferences", dependencies=[needs(Permission.LOOK)])
def all_conferences(state: StateOf) -> list[ConferenceOut]:
    """All conferences, the newest first."""
    return list(map(ConferenceOut.of, state.all_conferences()))


@router.post("/conferences", summary="Create a conference", status_code=201, dependencies=[needs(Permission.CREATE)])
def create_conference(new: ConferenceIn, state: StateOf, change: ChangeOf) -> ConferenceOut:
    """It has no files yet."""
    return ConferenceOut.of(state.conferences.create(new.name, actor=change["actor"]))


@router.get("/conferences/{conference}", summary="One conference")
def conference_state(conference: ConferenceId, state: StateOf) -> ConferenceOut:
    """Its name and revision."""
    return ConferenceOut.of(state.conference(conference))


@router.patch("/conferences/{conference}", summary="Rename a conference", dependencies=[needs(Permission.CHANGE)])
def rename_conference(conference: ConferenceId, new: ConferenceIn, state: StateOf, change: ChangeOf) -> ConferenceOut:
    """Rename it; its id stays."""
    state.conferences.rename(conference, new.name, **change)
    return ConferenceOut.of(state.conference(conference))


@router.delete("/conferences/{conference}", summary="Forget a conference", status_code=204)
def forget_conference(conference: ConferenceId, state: StateOf) -> None:
    """All its files, results and history are deleted, for good; jobs that work for it are cancelled."""
    work.forget_all(state, state.conferences.get(conference))
    state.conferences.delete(conference)


class EventOut(Struct, frozen=True):
    """Who changed what and when; `detail` depends on `kind`, its `words` have titles and names."""

    number: int  # from 1, among the events that you may see
    at: datetime
    who: str
    kind: str
    detail: dict[str, Any]


@router.get("/conferences/{conference}/events", summary="History of a conference")
def conference_events(conference: ConferenceId, state: StateOf) -> list[EventOut]:
    """Who changed what and when, the newest first; in words with titles and names."""
    stored = state.conference(conference)
    return shown_events(stored.events, stored, state.labels(stored))


@router.get("/conferences/{conference}/events/export", summary="History of a conference as a table", **CSV_FILE)
def export_events(conference: ConferenceId, state: StateOf) -> Response:
    """For a spreadsheet, the oldest first."""
    return download(history_table(conference_events(conference, state)), "history.csv")


def shown_events(events: Sequence[Event], conference: Conference, labels: Labels) -> list[EventOut]:
    """Events in words, those about papers and people with titles and names."""
    shown = [EventOut(**seen_event(event, conference)) for event in events]
    for out, event in zip(shown, events, strict=True):
        if event.kind in BY_HAND:
            out.detail["words"] = labels.worded(words_of(event, conference.events))
    return shown


@router.get("/conferences/{conference}/labels", summary="Titles and names")
def conference_labels(conference: ConferenceId, state: StateOf) -> Labels:
    """What its papers and people are called, by id."""
    return state.labels(state.conference(conference))


@router.get("/conferences/{conference}/export", summary="Everything of a conference", **file_answer("A zip file", ZIP))
@in_threads("heavy")
def export_conference(conference: ConferenceId, state: StateOf) -> Response:
    """All its files as they are stored, and its history."""
    stored = state.conference(conference)
    conflicts = state.conflicts.found(stored) if stored.sight.hidden else None
    with ExitStack() as opened:
        # A file without a name: nothing of it stays, whatever happens to the server.
        file = opened.enter_context(TemporaryFile(prefix="panelist-"))
        write_archive(stored, file, conflicts)
        size = file.tell()
        file.seek(0)
        opened.pop_all()
    name = f'attachment; filename="conference-{conference}.zip"'
    headers = {"Content-Disposition": name, "Content-Length": str(size)}
    chunks, closing = iter(partial(file.read, 1 << 18), b""), BackgroundTask(file.close)
    return StreamingResponse(chunks, media_type=ZIP, headers=headers, background=closing)
