"""`/conferences/{conference}/files`: what a chair sends, checked at once and kept as a whole or not at all."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Query, Response
from fastapi import Request as HttpRequest
from fastapi.responses import FileResponse
from pydantic import Field

from panelist.app import limits
from panelist.app.desk.conference.files import FILE_NAMES, read_records, records_with
from panelist.app.desk.conference.intake.accept import accept, add_members, leave_out, plain_name, remove
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.desk.conference.staging import scratch
from panelist.app.web.bodies import BINARY, check_type, described_body, described_file
from panelist.app.web.requests import Id, Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.state import ServerState, StateOf

router = conference_router()

Kind = Literal["submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores"]
TrimmedKind = Literal["constraints", "bids", "quotas", "demands"]
_BINARY = "application/octet-stream"


@router.get("/files", summary="Files of a conference")
async def all_files(conference: ConferenceId, state: StateOf) -> dict[str, Any]:
    """With what was read, what is odd about each, and what is odd about it beside the others."""
    return await state.heavy.run(partial(_files, state, conference))


@router.put("/files/{kind}", summary="Add a file to a conference", openapi_extra=described_body(BINARY, _BINARY))
async def add_file(
    conference: ConferenceId,
    kind: Kind | Literal["openreview"],
    request: HttpRequest,
    state: StateOf,
    change: ChangeOf,
    name: Annotated[str, Query(max_length=limits.NAME, description="Of the file: its ending tells its format.")] = "",
) -> dict[str, Any]:
    """It replaces the one of its kind. `openreview` is a zip file of submissions and archives.

    A file of which anything cannot be read is refused (422), and the errors name its lines.
    """
    check_type(request, "the file", _BINARY)
    found = await state.lookups.run(partial(state.conferences.get, conference))
    with scratch(found.path) as folder:
        sent = folder / plain_name(name or f"{kind}.csv")
        with sent.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)

        def work() -> None:
            with state.service.finder() as finder:
                accept(state.conferences, conference, kind, sent, finder.corpus, **change)

        return await _files_after(state, conference, work)


@router.delete("/files/{kind}", summary="Remove a file of a conference")
async def remove_file(conference: ConferenceId, kind: Kind, state: StateOf, change: ChangeOf) -> dict[str, Any]:
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
    path = found.path / FILE_NAMES[kind][0]
    return FileResponse(path, media_type=_BINARY, filename=path.name)


@router.post("/files/{kind}/known", summary="Leave out lines that name unknown papers or reviewers")
async def leave_out_lines(
    conference: ConferenceId, kind: TrimmedKind, state: StateOf, change: ChangeOf
) -> dict[str, Any]:
    """The assignment refuses such lines. The history says how many were left out."""
    work = partial(leave_out, state.conferences, conference, kind, **change)
    return await _files_after(state, conference, work)


class MembersIn(Request):
    """People of the corpus who join the committee."""

    people: Annotated[list[Id], Field(min_length=1, max_length=limits.IDS)]


@router.post("/committee", summary="Add people to the committee")
async def add_to_committee(
    conference: ConferenceId, wanted: MembersIn, state: StateOf, change: ChangeOf
) -> dict[str, Any]:
    """With their papers of the corpus. Scores that were made before are old then."""

    def work() -> None:
        with state.service.finder() as finder:
            add_members(state.conferences, conference, wanted.people, finder.corpus, **change)

    return await _files_after(state, conference, work)


async def _files_after(state: ServerState, conference: str, change: Callable[[], object]) -> dict[str, Any]:
    """Make a change; the files as they are then."""

    def work() -> dict[str, Any]:
        change()
        return _files(state, conference)

    return await state.heavy.run(work)


def _files(state: ServerState, conference: str) -> dict[str, Any]:
    found = state.conferences.get(conference)
    beside = cross_check(found)
    known = ("name", "at", "bytes", "summary", "odd")
    files = [
        {"kind": kind, "odd_beside_others": beside[kind], **{name: getattr(record, name) for name in known}}
        for kind, record in read_records(found).items()
    ]
    return {"revision": found.revision, "files": files}
