"""`POST /reviewers`: a submission in, a panel out; and the same as a file."""

from __future__ import annotations

import dataclasses
from typing import Annotated

from fastapi import APIRouter, Query, Response

from panelist.app.web.exports import FILES, Format, download, export, file_name, flags
from panelist.app.web.problems import documented
from panelist.app.web.requests import ExportRequest, ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.routes.state import State, StateOf
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.records import Panel
from retriever.filters import Filters

router = APIRouter(tags=["reviewers"])


@router.post(
    "/reviewers", summary="Find reviewers for a submission", response_model=PanelOut, responses=documented(503)
)
async def reviewers(request: ReviewersRequest, state: StateOf) -> Response:
    """A ranked, diverse panel free of conflicts, each reviewer with the papers that make them an expert.

    The header `Server-Timing` says how long encoding, searching and the whole took, in milliseconds.
    """
    timings = Timings()

    def work() -> bytes:
        # Made of our own types, so written as it is: FastAPI would check every field of it once more.
        return _find(state, request, None, timings)[1].model_dump_json().encode()

    with timings.stage("total"):
        content = await state.lookups.run(work)
    return Response(content, media_type="application/json", headers={"Server-Timing": timings.header()})


@router.post(
    "/reviewers/export",
    summary="The same panel as a file",
    response_class=Response,
    responses={
        **documented(503),
        200: {
            "description": "The file",
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/PanelOut"}},
                "text/csv": {"schema": {"type": "string"}},
                "text/plain": {"schema": {"type": "string"}},
            },
        },
    },
)
async def reviewers_as_file(
    request: ExportRequest, state: StateOf, form: Annotated[Format, Query(alias="format")] = Format.CSV
) -> Response:
    """CSV, JSON, a TREC run or OpenReview's scores: the panel that `POST /reviewers` answers with, or a short list.

    A TREC run and OpenReview's scores cannot show possible conflicts: `conflicts` is the file of them, and the header
    `Panelist-Flagged-Reviewers` says how many reviewers it names.
    """
    panel, answer = await state.lookups.run(lambda: _find(state, request, request.only, Timings()))
    file = download(export(panel, answer, form), FILES[form][0], file_name(panel.submission.id, form))
    file.headers.update(flags(panel, form))
    return file


def _find(state: State, request: ReviewersRequest, only: list[str] | None, timings: Timings) -> tuple[Panel, PanelOut]:
    submission = request.submission.record()
    lookup = request.options.lookup(submission.id)
    if only is not None:  # the short list: the same search and scores
        filters = Filters(only=tuple(only))
        lookup = dataclasses.replace(lookup, filters=filters, size=max(1, len(only)), diversity=0.0)
    search = RememberingSearch(state.service.memory, timings)
    with state.service.finder() as finder:
        panel = finder.find(submission, lookup, search=search)
        hidden = list({conflict.reviewer for conflict in panel.hidden})
        people = finder.corpus.authors(hidden) if hidden else {}
        return panel, PanelOut.found(panel, people, lookup.aggregation)
