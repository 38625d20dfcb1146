"""`/conferences`: list, create, rename, export and forget conferences, and read their history."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from tempfile import TemporaryFile
from typing import Annotated

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
from panelist.app.web.bodies import CSV, ZIP, as_file, described_file, download
from panelist.app.web.problems import documented
from panelist.app.web.requests import Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId
from panelist.app.web.routes.state import StateOf

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
    def of(cls, conference: StoredConference) -> ConferenceOut:
        """The conference as it is answered."""
        known = {name: getattr(conference, name) for name in ("id", "name", "created", "revision")}
        return cls(**known, files=list(read_records(conference)))


@router.get("/conferences", summary="All conferences", dependencies=[needs(Permission.LOOK)])
def all_conferences(state: StateOf) -> list[ConferenceOut]:
    """The newest first."""
    return [ConferenceOut.of(one) for one in state.conferences.list()]


@router.post("/conferences", summary="Create a conference", status_code=201, dependencies=[needs(Permission.CREATE)])
def create_conference(wanted: ConferenceIn, state: StateOf, change: ChangeOf) -> ConferenceOut:
    """It has no files yet."""
    return ConferenceOut.of(state.conferences.create(wanted.name, who=change["who"]))


@router.get("/conferences/{conference}", summary="One conference")
def one_conference(conference: ConferenceId, state: StateOf) -> ConferenceOut:
    """Its name and revision."""
    return ConferenceOut.of(state.conferences.get(conference))


@router.patch("/conferences/{conference}", summary="Rename a conference", dependencies=[needs(Permission.CHANGE)])
def rename_conference(
    conference: ConferenceId, wanted: ConferenceIn, state: StateOf, change: ChangeOf
) -> ConferenceOut:
    """Its id stays."""
    renamed = state.conferences.rename(conference, wanted.name, **change)
    return ConferenceOut.of(renamed)


@router.delete("/conferences/{conference}", summary="Forget a conference", status_code=204)
def forget_conference(conference: ConferenceId, state: StateOf) -> Response:
    """All its files, results and history are deleted, for good; jobs that work for it are cancelled."""
    for job in jobs_of(state.conferences.get(conference).path):
        if state.jobs.find(job) is not None:
            state.jobs.forget(job)
    state.conferences.delete(conference)
    return Response(status_code=204)


@router.get("/conferences/{conference}/events", summary="History of a conference")
def conference_events(conference: ConferenceId, state: StateOf) -> list[Event]:
    """Who changed what and when, the newest first; in words with titles and names."""
    labels = state.labels(conference)
    return [labelled(one, labels) for one in state.conferences.events(conference)]


@router.get(
    "/conferences/{conference}/events/export",
    summary="History of a conference as a table",
    response_class=Response,
    responses=described_file("A CSV file", "text/csv"),
)
def export_events(conference: ConferenceId, state: StateOf) -> Response:
    """For a spreadsheet, the oldest first."""
    labels = state.labels(conference)
    events = [labelled(one, labels) for one in state.conferences.events(conference)]
    return download(history_table(events), CSV, "history.csv")


def labelled(event: Event, labels: Labels) -> Event:
    """An event whose words have titles and names instead of ids."""
    if "words" not in event.detail:
        return event
    return replace(event, detail=event.detail | {"words": labels.in_words(event.detail["words"])})


@router.get("/conferences/{conference}/labels", summary="Titles and names")
def conference_labels(conference: ConferenceId, state: StateOf) -> Labels:
    """What its papers and people are called, by id."""
    return state.labels(conference)


@router.get(
    "/conferences/{conference}/export",
    summary="Everything of a conference",
    response_class=StreamingResponse,
    responses=described_file("A zip file", ZIP),
)
async def export_conference(conference: ConferenceId, state: StateOf) -> Response:
    """All its files as they are kept, and its history."""
    with ExitStack() as opened:
        # A file without a name: nothing of it stays, whatever happens to the server.
        file = opened.enter_context(TemporaryFile(prefix="panelist-"))
        await state.heavy.run(partial(state.conferences.export, conference, file))
        size = file.tell()
        file.seek(0)
        opened.pop_all()
    headers = as_file(f"conference-{conference}.zip") | {"Content-Length": str(size)}
    chunks, closing = iter(partial(file.read, 1 << 18), b""), BackgroundTask(file.close)
    return StreamingResponse(chunks, media_type=ZIP, headers=headers, background=closing)
