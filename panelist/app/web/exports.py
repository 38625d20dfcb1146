"""A panel as a file to download."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import orjson

from panelist.app.cli.panels import to_csv, to_trec
from panelist.app.web.responses import PanelOut
from panelist.records import Panel
from retriever.affinity.output import score_lines
from retriever.affinity.sparse import SparseScores


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
    if form is Format.CSV:
        return to_csv([panel]).encode()
    return to_trec([panel]).encode() if form is Format.TREC else to_openreview(panel)


def to_openreview(panel: Panel) -> bytes:
    """`submission,reviewer,score`, without a header."""
    count = len(panel.matches)
    scores = SparseScores(
        (panel.submission.id,),
        tuple(match.author.id for match in panel.matches),
        np.array([0, count]),
        np.arange(count),
        np.array([match.score for match in panel.matches]),
    )
    return b"".join(score_lines(scores))


def file_name(submission: str, form: Format) -> str:
    """A harmless name for the file."""
    plain = "".join(character if character.isascii() and character.isalnum() else "-" for character in submission)
    return f"panel-{plain.strip('-')[:60] or 'submission'}{_ENDINGS[form]}"
