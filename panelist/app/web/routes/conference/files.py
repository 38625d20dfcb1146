"""`/conferences/{conference}/files`: what a chair sends, checked at once and kept as a whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Literal

from fastapi import Query, Response
from fastapi import Request as HttpRequest
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from panelist.app import limits
from panelist.app.desk.conference.files import KEPT, read_records, records_with
from panelist.app.desk.conference.intake.accept import accept, leave_out, plain_name, remove
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.desk.conference.intake.findings import Oddity
from panelist.app.desk.conference.intake.members import add_members
from panelist.app.desk.conference.scratch import scratch
from panelist.app.desk.conference.store import StoredConference
from panelist.app.web.bodies import BINARY, check_type, described_body
from panelist.app.web.downloads import described_file
from panelist.app.web.requests import Id, Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, Origin, conference_router
from panelist.app.web.routes.state import ServerState, StateOf

router = conference_router()

Kind = Literal["submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores"]
TrimmedKind = Literal["constraints", "bids", "quotas", "demands"]
_BINARY = "application/octet-stream"
_KNOWN = ("name", "at", "bytes", "summary", "odd")


class FileOut(BaseModel):
    """A file of a conference: what was read, what is odd about it, and what is odd about it beside the others."""

    kind: str
    name: str
    at: datetime
    bytes: int
    summary: str
    odd: list[Oddity]
    odd_beside_others: list[Oddity]


class FilesOut(BaseModel):
    """The files that a conference has."""

    revision: int
    files: list[FileOut]


@router.get("/files", summary="Files of a conference")
async def all_files(conference: ConferenceId, state: StateOf) -> FilesOut:
    """With what is odd about them."""
    return await state.heavy.run(partial(_files, state, conference))


@router.put("/files/{kind}", summary="Add a file to a conference", openapi_extra=described_body(BINARY, _BINARY))
async def add_file(
    conference: ConferenceId,
    kind: Kind | Literal["openreview"],
    request: HttpRequest,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file: its ending tells its format.")] = "",
) -> FilesOut:
    """It replaces the one of its kind. `openreview` is a zip file of submissions and archives.

    A file of which anything cannot be read is refused (422), and the errors name its lines.
    """
    check_type(request, "the file", _BINARY)
    found = await state.lookups.run(partial(state.conferences.get, conference))
    with scratch(found) as folder:
        sent = folder / plain_name(name or f"{kind}.csv")
        with sent.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)
        return await _files_after(state, conference, partial(_accept, state, found, kind, sent, change))


@router.delete("/files/{kind}", summary="Remove a file of a conference")
async def remove_file(conference: ConferenceId, kind: Kind, state: StateOf, change: ChangeOf) -> FilesOut:
    """With what was made of it alone."""
    work = partial(remove, state.conferences, conference, kind, **change)
    return await _files_after(state, conference, work)


@router.get(
    "/files/{kind}",
    summary="A file as it is kept",
    response_class=FileResponse,
    responses=described_file("The file", _BINARY),
)
def one_file(conference: ConferenceId, kind: Kind, state: StateOf) -> Response:
    """CSV as it was sent; submissions as JSON lines; the committee as ids."""
    found = state.conferences.get(conference)
    records_with(found, kind)
    path = found.path / KEPT[kind][0]
    return FileResponse(path, media_type=_BINARY, filename=path.name)


@router.post("/files/{kind}/known", summary="Leave out lines that name unknown papers or reviewers")
async def leave_out_lines(conference: ConferenceId, kind: TrimmedKind, state: StateOf, change: ChangeOf) -> FilesOut:
    """The assignment refuses such lines. The history says how many were left out."""
    work = partial(leave_out, state.conferences, conference, kind, **change)
    return await _files_after(state, conference, work)


class MembersIn(Request):
    """People of the corpus who join the committee."""

    people: Annotated[list[Id], Field(min_length=1, max_length=limits.IDS)]


@router.post("/committee", summary="Add people to the committee")
async def add_to_committee(conference: ConferenceId, wanted: MembersIn, state: StateOf, change: ChangeOf) -> FilesOut:
    """With their papers of the corpus. Scores that were made before are old then."""

    def work() -> None:
        with state.service.finder() as finder:
            add_members(state.conferences, conference, wanted.people, finder.corpus, **change)

    return await _files_after(state, conference, work)


def _accept(state: ServerState, conference: StoredConference, kind: str, sent: FilePath, change: Origin) -> None:
    with state.service.finder() as finder:
        accept(state.conferences, conference.id, kind, sent, finder.corpus, **change)


async def _files_after(state: ServerState, conference: str, change: Callable[[], object]) -> FilesOut:
    """Make a change; the files as they are then."""

    def work() -> FilesOut:
        change()
        return _files(state, conference)

    return await state.heavy.run(work)


def _files(state: ServerState, conference: str) -> FilesOut:
    found = state.conferences.get(conference)
    beside = cross_check(found)
    files = [
        FileOut(kind=kind, odd_beside_others=list(beside[kind]), **{name: getattr(record, name) for name in _KNOWN})
        for kind, record in read_records(found).items()
    ]
    return FilesOut(revision=found.revision, files=files)
