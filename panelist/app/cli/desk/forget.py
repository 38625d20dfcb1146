"""`panelist desk forget`: erase a submission or a person."""

from __future__ import annotations

from typing import Annotated

import typer

from panelist.app.cli.options import WorkspaceOption


def forget(
    submission: Annotated[
        str | None, typer.Option("--submission", help="Id of a kept submission, as the export has it.")
    ] = None,
    person: Annotated[str | None, typer.Option("--person", help="Id of a person.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Erase a kept submission with its list, or a person: the note, and their entries in all lists.

    What is erased is overwritten in the desk's file. Files that were exported, backups, and copies that the disk or the
    file system keeps are not reached. The corpus stays: it holds what was published.

    **Examples**

        panelist desk forget --submission Xk3P0aQ2b1Zr

        panelist desk forget --person https://openalex.org/A5023888391
    """
    from panelist.app.cli.desk.opened import opened_desk
    from panelist.app.desk.editor.people import DeskPeople
    from panelist.app.desk.editor.submissions import KeptSubmissions
    from panelist.errors import InputError
    from panelist.words import counted

    if (submission is None) == (person is None):
        raise InputError("nothing was erased: give either --submission ID or --person ID")
    with opened_desk(workspace) as desk:
        if submission is not None:
            KeptSubmissions(desk).forget(submission)
            typer.echo(f"forgotten: submission {submission}")
        if person is not None:
            gone = DeskPeople(desk).forget(person)
            typer.echo(f"forgotten: {counted(gone.notes, 'note')}, {counted(gone.lists, 'entry', 'entries')} in lists")
            for kept in gone.authored:
                typer.echo(f"still named as an author of the kept submission {kept}: forget it too")
