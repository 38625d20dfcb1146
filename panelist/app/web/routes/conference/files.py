"""`/conferences/{conference}/files`: what a chair sends, checked at once and stored as a whole or not at all."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Query, Response
from fastapi import Request as HttpRequest
from msgspec import Struct

from panelist.app import limits
from panelist.app.desk.conference.contents import FILE_NAMES, file_content, file_record, file_records
from panelist.app.desk.conference.findings import Oddity, worded
from panelist.app.desk.conference.intake.accept import accept, leave_out, plain_name, remove
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.web.bodies import BINARY, check_type, described_body, download, file_answer
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.state import ServerState, StateOf, in_threads

router = conference_router()

Kind = Literal[
    "submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores", "contacts"
]
TrimmedKind = Literal["constraints", "bids", "quotas", "demands"]
_BINARY = "application/octet-stream"


class FileOut(Struct, frozen=True):
    """A file: what was read, what is odd about it, and what is odd about it beside the others."""

    kind: str
    name: str
    at: datetime
    bytes: int
    summary: str
    odd: list[Oddity]
    odd_beside_others: list[Oddity]


class FilesOut(Struct, frozen=True):
    """The files of a conference at a revision."""

    revision: int
    files: list[FileOut]


@router.get("/files", summary="Files of a conference")
@in_threads("heavy")
def all_files(conference: ConferenceId, state: StateOf) -> FilesOut:
    """With what was read, what is odd about each, and what is odd about it beside the others."""
    return files_of(state, conference)


@router.put("/files/{kind}", summary="Add a file to a conference", openapi_extra=described_body(BINARY, _BINARY))
async def add_file(
    conference: ConferenceId,
    kind: Kind | Literal["openreview"],
    request: HttpRequest,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file: its ending tells its format.")] = "",
    role: Annotated[str, Query(max_length=limits.NAME, description="Of the people in a committee's list.")] = "",
) -> FilesOut:
    """It replaces the one of its kind. `openreview` is a zip file of submissions and archives.

    A list of a committee with a `role`, such as area chair, replaces the people of this role; all others stay.
    A file of which anything cannot be read is refused (422), and the errors name its lines.
    """
    check_type(request, "the file", _BINARY)
    await state.lookups.run(partial(state.conferences.get, conference))
    with state.conferences.blobs.incoming() as folder:
        sent = folder / plain_name(name or f"{kind}.csv")
        with sent.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)

        def work() -> FilesOut:
            with state.service.finder() as finder:
                accept(state.conferences, conference, kind, sent, finder.corpus, finder.index, role, **change)
            return files_of(state, conference)

        return await state.heavy.run(work)


@router.delete("/files/{kind}", summary="Remove a file of a conference")
@in_threads("heavy")
def remove_file(conference: ConferenceId, kind: Kind, state: StateOf, change: ChangeOf) -> FilesOut:
    """With what was made of it alone."""
    remove(state.conferences, conference, kind, **change)
    return files_of(state, conference)


@router.get("/files/{kind}", summary="A file as it is stored", **file_answer("The file", _BINARY))
def stored_file(conference: ConferenceId, kind: Kind, state: StateOf) -> Response:
    """CSV as it was sent; submissions as JSON lines; the committee as ids."""
    stored = state.conference(conference)
    file_record(stored, kind)
    return download(file_content(stored, kind), FILE_NAMES[kind], _BINARY)


@router.post("/files/{kind}/known", summary="Leave out lines that name unknown papers or reviewers")
@in_threads("heavy")
def leave_out_lines(conference: ConferenceId, kind: TrimmedKind, state: StateOf, change: ChangeOf) -> FilesOut:
    """The assignment refuses such lines. The history says how many were left out."""
    leave_out(state.conferences, conference, kind, **change)
    return files_of(state, conference)


def files_of(state: ServerState, conference: str) -> FilesOut:
    """The files as who asks sees them."""
    stored = state.conference(conference)
    labels = state.labels(stored)
    contradictions = cross_check(stored)
    files = []
    for kind, record in file_records(stored).items():
        odd, odd_beside_others = worded(record.odd, labels), worded(contradictions[kind], labels)
        files.append(FileOut(kind, record.name, record.at, record.bytes, record.summary, odd, odd_beside_others))
    return FilesOut(stored.revision, files)
