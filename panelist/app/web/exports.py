"""Files to download: of a panel, and any other."""

from __future__ import annotations

from enum import StrEnum

import orjson
from fastapi import Response

from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
from panelist.app.web.responses import PanelOut
from panelist.records import Panel


class Format(StrEnum):
    """The formats of an export."""

    CSV = "csv"
    JSON = "json"
    TREC = "trec"
    OPENREVIEW = "openreview"
    CONFLICTS = "conflicts"


CSV = "text/csv; charset=utf-8"
HTML = "text/html; charset=utf-8"
FILES = {
    Format.CSV: (CSV, ".csv"),
    Format.JSON: ("application/json", ".json"),
    Format.TREC: ("text/plain; charset=utf-8", ".trec"),
    Format.OPENREVIEW: (CSV, ".openreview.csv"),
    Format.CONFLICTS: (CSV, ".conflicts.csv"),
}
"""Media type and ending of each."""

FLAGGED = "Panelist-Flagged-Reviewers"
"""The header that says how many reviewers of a file have a conflict that its format cannot show."""


def download(content: bytes | str, media_type: str, name: str) -> Response:
    """An answer that a browser keeps as a file of this name."""
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def export(panel: Panel, answer: PanelOut, form: Format) -> bytes:
    """The panel in this format; as JSON, what the API answers."""
    if form is Format.JSON:
        return orjson.dumps(answer.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    return WRITERS[form]([panel]).encode()


def flags(panel: Panel, form: Format) -> dict[str, str]:
    """The header about flagged reviewers, where the format cannot show them."""
    count = sum(bool(match.conflicts) for match in panel.matches)
    return {FLAGGED: str(count)} if count and form.value in WITHOUT_FLAGS else {}


def file_name(submission: str, form: Format) -> str:
    """A harmless name for the file."""
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in submission)
    return f"panel-{plain.strip('-')[:60] or 'submission'}{FILES[form][1]}"
