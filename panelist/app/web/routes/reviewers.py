"""`POST /reviewers`: a submission in, a panel out; and the same as a file."""

import re
from typing import Annotated, Literal, TypeVar

import orjson
from fastapi import APIRouter, Query, Response

from panelist.app.access.roles import Permission, needs
from panelist.app.desk.database import desk_path
from panelist.app.desk.editor.suggestions import exclude_resting
from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
from panelist.app.web.bodies import JSON, download, file_answer, schema_of
from panelist.app.web.problems import documented
from panelist.app.web.requests import ExportRequest, ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.routes.editor.submissions import today
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.app.web.searching import Timings
from panelist.app.web.workers import look_up

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])

Asked = TypeVar("Asked", bound=ReviewersRequest)
Format = Literal["csv", "json", "trec", "openreview", "conflicts"]
_ENDINGS = {"openreview": "openreview.csv", "conflicts": "conflicts.csv"}
"""Of the names of files; others end like their format."""


@router.post("/reviewers", summary="Find reviewers for a submission", response_model=PanelOut)
@in_threads("lookups")
def find_reviewers(request: ReviewersRequest, state: StateOf) -> Response:
    """A ranked, diverse panel, each reviewer with the papers that make them an expert.

    Certain conflicts with the authors given are left out, and so is who may be an author by name (`held_back`), until
    `not_authors` of the submission names them; `conflicts_checked` says whose conflicts could be looked for.

    The header `Server-Timing` says how long encoding, searching and the whole took, in milliseconds.
    """
    request, timings = _allowed(state, request), Timings()
    with timings.stage("total"):
        content: bytes | str | None = state.workers.find(request, timings)
        if content is None:
            # Made of our own types, so written as it is: FastAPI would check every field of it once more.
            content = look_up(state.service, request, timings)[1].model_dump_json()
    return Response(content, media_type=JSON, headers={"Server-Timing": timings.header()})


@router.post(
    "/reviewers/export",
    summary="The same panel as a file",
    **file_answer("The file", "text/csv", "text/plain", json=schema_of(PanelOut)),
)
@in_threads("lookups")
def export_reviewers(
    request: ExportRequest, state: StateOf, form: Annotated[Format, Query(alias="format")] = "csv"
) -> Response:
    """CSV, JSON, a TREC run or OpenReview's scores: the panel that `POST /reviewers` answers with, or a short list.

    A TREC run and OpenReview's scores cannot show possible conflicts: `conflicts` is the file of them, and the header
    `Panelist-Flagged-Reviewers` says how many reviewers it names.
    """
    panel, answer = look_up(state.service, _allowed(state, request), Timings(), request.only)
    for match in answer.matches:
        match.history = []  # confidential: in no file
    if form == "json":
        content = orjson.dumps(answer.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    else:
        content = WRITERS[form]([panel]).encode()
    name = re.sub(r"[^A-Za-z0-9]", "-", panel.submission.id).strip("-")[:60] or "submission"
    file = download(content, f"panel-{name}.{_ENDINGS.get(form, form)}")
    flagged = sum(bool(match.conflicts) for match in panel.matches)
    if flagged and form in WITHOUT_FLAGS:
        file.headers["Panelist-Flagged-Reviewers"] = str(flagged)
    return file


def _allowed(state: ServerState, request: Asked) -> Asked:
    """The request without what the user may not learn from the history of reviews, and without people who rest.

    The desk knows who rests. Any process may answer this request.
    """
    options = request.options
    if not state.sees_desk:
        options = options.model_copy(update={"history": "off"})
    elif desk_path(state.service.workspace).exists():
        lookup = exclude_resting(state.people, options.lookup(request.submission.id), today())
        excluded = (*options.history_excluded, *state.history_excluded)
        options = options.model_copy(update={"exclude": lookup.filters.exclude, "history_excluded": excluded})
    return request.model_copy(update={"options": options})
