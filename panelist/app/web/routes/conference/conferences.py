"""`/conferences`: list, create, rename, export and forget conferences, and read their history."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from tempfile import TemporaryFile
from typing import Annotated, Self

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StringConstraints
from starlette.background import BackgroundTask

from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.audit import Event, history_table
from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.staging import jobs_of
from panelist.app.desk.conference.store import LONGEST_NAME, StoredConference
from panelist.app.desk.conference.view import Labels
from panelist.app.web.bodies import CSV_FILE, ZIP, download, file_answer
from panelist.app.web.problems import documented
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId
from panelist.app.web.routes.state import StateOf, in_threads

router = APIRouter(
    tags=["conferences"], responses=documented(404, 409, 503), dependencies=[needs(Permission.READ, Permission.WHOLE)]
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
    def of(cls, conference: StoredConference) -> Self:
        """The conference as it is answered."""
        same = {name: getattr(conference, name) for name in ("id", "name", "created", "revision")}
        return cls(**same, files=list(read_records(conference)))


@router.get("/conferences", summary="All conferences", dependencies=[needs(Permission.LOOK)])
def all_conferences(state: StateOf) -> list[ConferenceOut]:
    """All conferences, the newest first."""
    return list(map(ConferenceOut.of, state.conferences.list()))


@router.post("/conferences", summary="Create a conference", status_code=201, dependencies=[needs(Permission.CREATE)])
def create_conference(new: ConferenceIn, state: StateOf, change: ChangeOf) -> ConferenceOut:
    """It has no files yet."""
    return ConferenceOut.of(state.conferences.create(new.name, who=change["who"]))


@router.get("/conferences/{conference}", summary="One conference")
def conference_state(conference: ConferenceId, state: StateOf) -> ConferenceOut:
    """Its name and revision."""
    return ConferenceOut.of(state.conferences.get(conference))


@router.patch("/conferences/{conference}", summary="Rename a conference", dependencies=[needs(Permission.CHANGE)])
def rename_conference(conference: ConferenceId, new: ConferenceIn, state: StateOf, change: ChangeOf) -> ConferenceOut:
    """Rename it; its id stays."""
    return ConferenceOut.of(state.conferences.rename(conference, new.name, **change))


@router.delete("/conferences/{conference}", summary="Forget a conference", status_code=204)
def forget_conference(conference: ConferenceId, state: StateOf) -> None:
    """All its files, results and history are deleted, for good; jobs that work for it are cancelled."""
    for job in jobs_of(state.conferences.get(conference).path):
        if state.jobs.find(job) is not None:
            state.jobs.forget(job)
    state.conferences.delete(conference)


@router.get("/conferences/{conference}/events", summary="History of a conference")
def conference_events(conference: ConferenceId, state: StateOf) -> list[Event]:
    """Who changed what and when, the newest first; in words with titles and names."""
    labels = state.labels(conference)
    return [labelled(event, labels) for event in state.conferences.events(conference)]


@router.get("/conferences/{conference}/events/export", summary="History of a conference as a table", **CSV_FILE)
def export_events(conference: ConferenceId, state: StateOf) -> Response:
    """For a spreadsheet, the oldest first."""
    return download(history_table(conference_events(conference, state)), "history.csv")


def labelled(event: Event, labels: Labels) -> Event:
    """An event whose words have titles and names instead of ids."""
    if "words" not in event.detail:
        return event
    return replace(event, detail=event.detail | {"words": labels.in_words(event.detail["words"])})


@router.get("/conferences/{conference}/labels", summary="Titles and names")
def conference_labels(conference: ConferenceId, state: StateOf) -> Labels:
    """What its papers and people are called, by id."""
    return state.labels(conference)


@router.get("/conferences/{conference}/export", summary="Everything of a conference", **file_answer("A zip file", ZIP))
@in_threads("heavy")
def export_conference(conference: ConferenceId, state: StateOf) -> Response:
    """All its files as they are stored, and its history."""
    with ExitStack() as opened:
        # A file without a name: nothing of it stays, whatever happens to the server.
        file = opened.enter_context(TemporaryFile(prefix="panelist-"))
        state.conferences.export(conference, file)
        size = file.tell()
        file.seek(0)
        opened.pop_all()
    name = f'attachment; filename="conference-{conference}.zip"'
    headers = {"Content-Disposition": name, "Content-Length": str(size)}
    chunks, closing = iter(partial(file.read, 1 << 18), b""), BackgroundTask(file.close)
    return StreamingResponse(chunks, media_type=ZIP, headers=headers, background=closing)
