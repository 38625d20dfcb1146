"""`/desk/history`: the journal's report of who was asked to review what, so that look-ups know it."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Query

from panelist.app import limits
from panelist.app.desk.conference.intake.accept import plain_name
from panelist.app.web.bodies import BINARY, body_of, described_body
from panelist.app.web.problems import documented
from panelist.app.web.routes.editor.submissions import ON_DESK
from panelist.app.web.routes.state import StateOf, in_threads
from panelist.corpus.importing import HistorySummary, import_history
from panelist.corpus.readers.history import read_history
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from retriever.conference.matching import PeopleMatcher, identified

router = APIRouter(tags=["editor's desk"], responses=documented(422), dependencies=ON_DESK)

_BINARY = "application/octet-stream"
_Name = Annotated[str, Query(max_length=limits.NAME)]


@router.put("/desk/history", summary="Import who reviewed what", openapi_extra=described_body(BINARY, _BINARY))
@in_threads("heavy")
def add_report(
    content: Annotated[bytes, body_of("the report", _BINARY)], state: StateOf, name: _Name, source: _Name = ""
) -> HistorySummary:
    """A report of the journal's system, or any file of `panelist history import`; `name` is that of the file.

    What is there already is replaced: send every month's whole report. The file is not kept.
    """
    report = ReadReport()
    with TemporaryDirectory() as folder, state.service.finder() as finder:
        path = Path(folder) / plain_name(name)
        path.write_bytes(content)
        events = identified(read_history([path], report, source), PeopleMatcher(finder.index, finder.corpus))
        summary = import_history(events, report, finder.corpus, Removals(state.desk.home))
        finder.read_history()
    summary.rejections = tuple(replace(rejection, file=path.name) for rejection in summary.rejections)
    if not summary.events and not summary.erased:
        raise InputError(
            f"no event could be read: {summary.rejections[0] if summary.rejections else 'it names nobody'}"
        )
    return summary
