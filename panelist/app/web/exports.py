"""A panel as a file to download."""

from __future__ import annotations

from enum import StrEnum

import orjson

from panelist.app.formats.panels import WRITERS
from panelist.app.web.responses import PanelOut
from panelist.records import Panel


class Format(StrEnum):
    """The formats of an export."""

    CSV = "csv"
    JSON = "json"
    TREC = "trec"
    OPENREVIEW = "openreview"


MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSON: "application/json",
    Format.TREC: "text/plain; charset=utf-8",
    Format.OPENREVIEW: "text/csv; charset=utf-8",
}
_ENDINGS = {Format.CSV: ".csv", Format.JSON: ".json", Format.TREC: ".trec", Format.OPENREVIEW: ".openreview.csv"}


def export(panel: Panel, answer: PanelOut, form: Format) -> bytes:
    """The panel in this format; as JSON, what the API answers."""
    if form is Format.JSON:
        return orjson.dumps(answer.model_dump(mode="json"), option=orjson.OPT_INDENT_2)
    return WRITERS[form]([panel]).encode()


def file_name(submission: str, form: Format) -> str:
    """A harmless name for the file."""
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in submission)
    return f"panel-{plain.strip('-')[:60] or 'submission'}{_ENDINGS[form]}"
