"""`/conferences/{conference}/files`: what a chair sends, checked at once and stored as a whole or not at all."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal, get_args

from fastapi import Query, Response
from fastapi import Request as HttpRequest
from msgspec import Struct
from pydantic import BaseModel, Field

from panelist.app import limits
from panelist.app.desk.conference.contents import (
    FILE_NAMES,
    file_content,
    file_record,
    file_records,
    load_roster,
)
from panelist.app.desk.conference.findings import Oddity, worded
from panelist.app.desk.conference.intake.accept import accept, add_members, leave_out, plain_name, remove
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.desk.conference.intake.settling import settle_people
from panelist.app.web.bodies import BINARY, check_type, described_body, file_answer
from panelist.app.web.requests import Id, Request
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, conference_router
from panelist.app.web.routes.people import ListedOut
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.errors import InputError
from retriever.conference.matching import PeopleMatcher

router = conference_router()

Kind = Literal[
    "submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores", "contacts"
]
Found = Literal["settled", "certain", "probable", "open", "none"]
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
    return _files(state, conference)


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
            return _files(state, conference)

        return await state.heavy.run(work)


@router.delete("/files/{kind}", summary="Remove a file of a conference")
@in_threads("heavy")
def remove_file(conference: ConferenceId, kind: Kind, state: StateOf, change: ChangeOf) -> FilesOut:
    """With what was made of it alone."""
    remove(state.conferences, conference, kind, **change)
    return _files(state, conference)


@router.get("/files/{kind}", summary="A file as it is stored", **file_answer("The file", _BINARY))
def stored_file(conference: ConferenceId, kind: Kind, state: StateOf) -> Response:
    """CSV as it was sent; submissions as JSON lines; the committee as ids."""
    stored = state.conference(conference)
    file_record(stored, kind)
    headers = {"Content-Disposition": f'attachment; filename="{FILE_NAMES[kind]}"'}
    return Response(file_content(stored, kind), media_type=_BINARY, headers=headers)


@router.post("/files/{kind}/known", summary="Leave out lines that name unknown papers or reviewers")
@in_threads("heavy")
def leave_out_lines(conference: ConferenceId, kind: TrimmedKind, state: StateOf, change: ChangeOf) -> FilesOut:
    """The assignment refuses such lines. The history says how many were left out."""
    leave_out(state.conferences, conference, kind, **change)
    return _files(state, conference)


class MembersIn(Request):
    """People of the corpus who join the committee, or who the people of its list are."""

    people: Annotated[tuple[Id, ...], Field(max_length=limits.IDS)] = ()
    settled: Annotated[
        dict[str, Annotated[tuple[Id, ...], Field(max_length=20)]],
        Field(max_length=limits.IDS, description="By member: the ids of the corpus that are this person, or none."),
    ] = Field(default_factory=dict)
    written: Annotated[
        dict[str, Annotated[str, Field(max_length=limits.RECORD)]],
        Field(max_length=limits.IDS, description="By member: publications as BibTeX, or DBLP or Semantic Scholar."),
    ] = Field(default_factory=dict)


class MemberOut(ListedOut):
    """Somebody of the committee's list: how the person was found, and how many publications somebody gave."""

    id: str
    found: Found
    papers: int


class ListedPeopleOut(BaseModel):
    """People of the committee's list, and how many were found in each way."""

    revision: int
    found: dict[Found, int]
    total: int
    rows: list[MemberOut]


@router.get("/committee", summary="The people of the committee's list")
def listed_people(
    conference: ConferenceId, state: StateOf, look: LookOf, found: Found | None = None
) -> ListedPeopleOut:
    """As they were found in the corpus, or settled by hand; with all who may be meant, their papers and years."""
    stored = state.conference(conference)
    every = load_roster(stored)
    rows = [each for each in every if found in (None, each.state)]
    shown = look.at(rows, lambda each: (each.id, each.match.person.name, each.member.name, each.match.person.role))
    return ListedPeopleOut(
        revision=stored.revision,
        found={name: sum(each.state == name for each in every) for name in get_args(Found)},
        total=shown.total,
        rows=[
            MemberOut(id=each.id, found=each.state, papers=len(each.papers), **dict(ListedOut.of(each.match)))
            for each in shown.rows
        ],
    )


@router.post("/committee", summary="Add people to the committee, or settle who they are")
@in_threads("heavy")
def add_to_committee(conference: ConferenceId, new: MembersIn, state: StateOf, change: ChangeOf) -> FilesOut:
    """People of the corpus come with their papers. Scores that were made before are old then."""
    if not (new.people or new.settled or new.written) or (new.people and (new.settled or new.written)):
        raise InputError("give either 'people' to add, or who people of the list are in 'settled' and 'written'")
    with state.service.finder() as finder:
        if new.people:
            add_members(state.conferences, conference, new.people, finder.corpus, **change)
        else:
            matcher = PeopleMatcher(finder.index, finder.corpus)
            settle_people(state.conferences, conference, matcher, new.settled, new.written, **change)
    return _files(state, conference)


def _files(state: ServerState, conference: str) -> FilesOut:
    stored = state.conference(conference)
    labels = state.labels(stored)
    beside = cross_check(stored)
    files = [
        FileOut(
            kind,
            record.name,
            record.at,
            record.bytes,
            record.summary,
            worded(record.odd, labels),
            worded(beside[kind], labels),
        )
        for kind, record in file_records(stored).items()
    ]
    return FilesOut(stored.revision, files)
