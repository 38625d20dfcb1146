"""`/conferences/{conference}/files`: what a chair sends, checked at once and stored as a whole or not at all."""

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
from panelist.app.web.bodies import BINARY, check_type, described_body, file_answer
from panelist.app.web.requests import Id, Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, conference_router
from panelist.app.web.routes.state import ServerState, StateOf, in_threads

router = conference_router()

Kind = Literal["submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores"]
TrimmedKind = Literal["constraints", "bids", "quotas", "demands"]
_BINARY = "application/octet-stream"


@router.get("/files", summary="Files of a conference")
@in_threads("heavy")
def all_files(conference: ConferenceId, state: StateOf) -> dict[str, Any]:
    """With what was read, what is odd about each, and what is odd about it beside the others."""
    return _files(state, conference)


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
    stored = await state.lookups.run(partial(state.conferences.get, conference))
    with scratch(stored.path) as folder:
        sent = folder / plain_name(name or f"{kind}.csv")
        with sent.open("wb") as file:
            async for chunk in request.stream():
                file.write(chunk)

        def work() -> dict[str, Any]:
            with state.service.finder() as finder:
                accept(state.conferences, conference, kind, sent, finder.corpus, **change)
            return _files(state, conference)

        return await state.heavy.run(work)


@router.delete("/files/{kind}", summary="Remove a file of a conference")
@in_threads("heavy")
def remove_file(conference: ConferenceId, kind: Kind, state: StateOf, change: ChangeOf) -> dict[str, Any]:
    """With what was made of it alone."""
    remove(state.conferences, conference, kind, **change)
    return _files(state, conference)


@router.get("/files/{kind}", summary="A file as it is stored", **file_answer("The file", _BINARY))
def stored_file(conference: ConferenceId, kind: Kind, state: StateOf) -> Response:
    """CSV as it was sent; submissions as JSON lines; the committee as ids."""
    stored = state.conferences.get(conference)
    records_with(stored, kind)
    path = stored.path / FILE_NAMES[kind][0]
    return FileResponse(path, media_type=_BINARY, filename=path.name)


@router.post("/files/{kind}/known", summary="Leave out lines that name unknown papers or reviewers")
@in_threads("heavy")
def leave_out_lines(conference: ConferenceId, kind: TrimmedKind, state: StateOf, change: ChangeOf) -> dict[str, Any]:
    """The assignment refuses such lines. The history says how many were left out."""
    leave_out(state.conferences, conference, kind, **change)
    return _files(state, conference)


class MembersIn(Request):
    """People of the corpus who join the committee."""

    people: Annotated[list[Id], Field(min_length=1, max_length=limits.IDS)]


@router.post("/committee", summary="Add people to the committee")
@in_threads("heavy")
def add_to_committee(conference: ConferenceId, new: MembersIn, state: StateOf, change: ChangeOf) -> dict[str, Any]:
    """With their papers of the corpus. Scores that were made before are old then."""
    with state.service.finder() as finder:
        add_members(state.conferences, conference, new.people, finder.corpus, **change)
    return _files(state, conference)


def _files(state: ServerState, conference: str) -> dict[str, Any]:
    stored = state.conferences.get(conference)
    beside = cross_check(stored)
    shown = ("name", "at", "bytes", "summary", "odd")
    files = [
        {"kind": kind, "odd_beside_others": beside[kind], **{name: getattr(record, name) for name in shown}}
        for kind, record in read_records(stored).items()
    ]
    return {"revision": stored.revision, "files": files}
