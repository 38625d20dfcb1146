"""`POST /reviewers`: a submission in, a panel out; and the same as a file."""

import dataclasses
from typing import Annotated, Literal

import orjson
from fastapi import APIRouter, Query, Response

from panelist.app.access.roles import Permission, needs
from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
from panelist.app.web.bodies import CSV, JSON, PLAIN, download
from panelist.app.web.problems import documented
from panelist.app.web.requests import ExportRequest, ReviewersRequest
from panelist.app.web.responses import PanelOut
from panelist.app.web.routes.state import ServerState, StateOf
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.records import Panel
from retriever.filters import Filters

router = APIRouter(tags=["reviewers"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


Format = Literal["csv", "json", "trec", "openreview", "conflicts"]
_FILES: dict[Format, tuple[str, str]] = {
    "csv": (CSV, ".csv"),
    "json": (JSON, ".json"),
    "trec": (PLAIN, ".trec"),
    "openreview": (CSV, ".openreview.csv"),
    "conflicts": (CSV, ".conflicts.csv"),
}
"""Media type and ending of each."""

_FLAGGED = "Panelist-Flagged-Reviewers"
"""The header that says how many reviewers of a file have a conflict that its format cannot show."""


@router.post("/reviewers", summary="Find reviewers for a submission", response_model=PanelOut)
async def reviewers(request: ReviewersRequest, state: StateOf) -> Response:
    """A ranked, diverse panel, each reviewer with the papers that make them an expert.

    Certain conflicts with the authors given are left out; `conflicts_checked` says whose could be looked for.

    The header `Server-Timing` says how long encoding, searching and the whole took, in milliseconds.
    """
    timings = Timings()

    def work() -> bytes:
        # Made of our own types, so written as it is: FastAPI would check every field of it once more.
        return _find(state, request, None, timings)[1].model_dump_json().encode()

    with timings.stage("total"):
        content = await state.lookups.run(work)
    return Response(content, media_type=JSON, headers={"Server-Timing": timings.header()})


@router.post(
    "/reviewers/export",
    summary="The same panel as a file",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/PanelOut"}},
                "text/csv": {"schema": {"type": "string"}},
                "text/plain": {"schema": {"type": "string"}},
            },
        }
    },
)
async def reviewers_as_file(
    request: ExportRequest, state: StateOf, form: Annotated[Format, Query(alias="format")] = "csv"
) -> Response:
    """CSV, JSON, a TREC run or OpenReview's scores: the panel that `POST /reviewers` answers with, or a short list.

    A TREC run and OpenReview's scores cannot show possible conflicts: `conflicts` is the file of them, and the header
    `Panelist-Flagged-Reviewers` says how many reviewers it names.
    """
    panel, answer = await state.lookups.run(lambda: _find(state, request, request.only, Timings()))
    media_type, ending = _FILES[form]
    file = download(_written(panel, answer, form), media_type, f"panel-{_plain(panel.submission.id)}{ending}")
    flagged = sum(bool(match.conflicts) for match in panel.matches)
    if flagged and form in WITHOUT_FLAGS:
        file.headers[_FLAGGED] = str(flagged)
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
        return panel, PanelOut.found(panel, people, lookup.aggregation)


def _written(panel: Panel, answer: PanelOut, form: Format) -> bytes:
    """The panel in this format; as JSON, what the API answers."""
    if form == "json":
        return orjson.dumps(answer.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    return WRITERS[form]([panel]).encode()


def _plain(submission: str) -> str:
    """The id of a submission as a part of a harmless file name."""
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in submission)
    return plain.strip("-")[:60] or "submission"
