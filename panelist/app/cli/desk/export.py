"""`panelist desk export`: everything that the editor's desk keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from panelist.app.cli.options import WorkspaceOption


def export(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write [default: standard output].", show_default=False)
    ] = None,
    form: Annotated[Literal["json", "csv"], typer.Option("--format", "-f", help="json or csv.")] = "json",
    workspace: WorkspaceOption = None,
) -> None:
    """Write all kept submissions with their lists, and all notes about people.

    The file is confidential: it holds manuscripts and personal data. In CSV, cells that begin like a formula are made
    plain text, so that spreadsheets do not run them.

    **Examples**

        panelist desk export --out desk.json

        panelist desk export --format csv --out desk.csv --workspace journal.workspace
    """
    from panelist.app.cli.desk.opened import opened_desk
    from panelist.app.desk.editor.export import to_csv, to_json
    from panelist.files import check_file, write_whole

    if out is not None:
        check_file(out)
    with opened_desk(workspace) as desk:
        content = to_json(desk) if form == "json" else to_csv(desk).encode()
    if out is None:
        typer.echo(content.decode(), nl=form == "json")
    else:
        write_whole(out, content)
