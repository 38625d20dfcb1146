"""`POST /reviewers`: a submission in, a panel out; and the same as a file."""

import dataclasses
import re
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Query, Response

from panelist.app.access.roles import Permission, needs
from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
from panelist.app.web.bodies import JSON, download, file_answer, schema_of
from panelist.app.web.problems import documented
from panelist.app.web.requests import ExportRequest, ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.records import Panel
from retriever.filters import Filters

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


Format = Literal["csv", "json", "trec", "openreview", "conflicts"]
_ENDINGS = {"openreview": "openreview.csv", "conflicts": "conflicts.csv"}
"""Of the names of files; others end like their format."""


@router.post("/reviewers", summary="Find reviewers for a submission", response_model=PanelOut)
@in_threads("lookups")
def reviewers(request: ReviewersRequest, state: StateOf) -> Response:
    """A ranked, diverse panel, each reviewer with the papers that make them an expert.

    Certain conflicts with the authors given are left out; `conflicts_checked` says whose could be looked for.

    The header `Server-Timing` says how long encoding, searching and the whole took, in milliseconds.
    """
    timings = Timings()
    with timings.stage("total"):
        # Made of our own types, so written as it is: FastAPI would check every field of it once more.
        content = _find(state, request, None, timings)[1].model_dump_json()
    return Response(content, media_type=JSON, headers={"Server-Timing": timings.header()})


@router.post(
    "/reviewers/export",
    summary="The same panel as a file",
    **file_answer("The file", "text/csv", "text/plain", json=schema_of(PanelOut)),
)
@in_threads("lookups")
def reviewers_as_file(
    request: ExportRequest, state: StateOf, form: Annotated[Format, Query(alias="format")] = "csv"
) -> Response:
    """CSV, JSON, a TREC run or OpenReview's scores: the panel that `POST /reviewers` answers with, or a short list.

    A TREC run and OpenReview's scores cannot show possible conflicts: `conflicts` is the file of them, and the header
    `Panelist-Flagged-Reviewers` says how many reviewers it names.
    """
    panel, answer = _find(state, request, request.only, Timings())
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


def _find(
    state: ServerState, request: ReviewersRequest, only: list[str] | None, timings: Timings
) -> tuple[Panel, PanelOut]:
    submission = request.submission.record()
    lookup = request.options.lookup(submission.id)
    if only is not None:  # the short list: the same search and scores
        filters = Filters(only=tuple(only))
        lookup = dataclasses.replace(lookup, filters=filters, size=max(1, len(only)), per_paper=None, diversity=0.0)
    search = RememberingSearch(state.service.memory, timings)
    with state.service.finder() as finder:
        panel = finder.find(submission, lookup, search=search)
        hidden = list({conflict.reviewer for conflict in panel.hidden})
        people = finder.corpus.authors(hidden) if hidden else {}
        return panel, PanelOut.of_panel(panel, people, lookup.aggregation)
