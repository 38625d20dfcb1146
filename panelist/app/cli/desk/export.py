"""`panelist desk export`: everything that the editor's desk keeps, or everything of a conference."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from panelist.app.cli.options import WorkspaceOption


def export(
    conference: Annotated[
        str | None, typer.Option("--conference", help="Id of a conference: export that one, as a zip file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write [default: standard output].", show_default=False)
    ] = None,
    form: Annotated[
        Literal["json", "csv"] | None,
        typer.Option("--format", "-f", help="Of the editor's desk: json or csv [default: json].", show_default=False),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write all kept submissions with their lists and all notes about people; or everything of one conference.

    A conference is a zip file: its files, scores, solutions, reviews and calibration as they are kept, and
    `conference.json` with its history. `panelist desk list` shows the ids.

    The file is confidential: it holds manuscripts and personal data. In CSV, cells that begin like a formula are made
    plain text, so that spreadsheets do not run them.

    **Examples**

        panelist desk export --out desk.json

        panelist desk export --format csv --out desk.csv --workspace journal.workspace

        panelist desk export --conference Xk3P0aQ2b1Zr --out venue.zip
    """
    from panelist.app.cli.desk.opened import opened_desk
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.export import to_csv, to_json
    from panelist.errors import InputError
    from panelist.files import check_file, replacing, write_whole

    if conference is not None and (out is None or form is not None):
        raise InputError("a conference is exported as a zip file: give --out FILE.zip, and no --format")
    if out is not None:
        check_file(out)
    with opened_desk(workspace) as desk:
        if conference is not None and out is not None:
            with replacing(out) as part, part.open("wb") as file:
                Conferences(desk).export(conference, file)
            return
        content = to_csv(desk).encode() if form == "csv" else to_json(desk)
    if out is None:
        typer.echo(content.decode(), nl=form != "csv")
    else:
        write_whole(out, content)
