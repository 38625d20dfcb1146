"""`panelist desk forget`: erase a submission, a conference or a person."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.options import WorkspaceOption

if TYPE_CHECKING:
    from panelist.app.desk.database import Desk


def forget(
    submission: Annotated[
        str | None, typer.Option("--submission", help="Id of a kept submission, as 'desk list' has it.")
    ] = None,
    conference: Annotated[
        str | None, typer.Option("--conference", help="Id of a conference, as 'desk list' has it.")
    ] = None,
    person: Annotated[str | None, typer.Option("--person", help="Id of a person.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Erase a kept submission with its list, a conference with all its files and its history, or a person.

    Of a person the note, the entries in all lists, changes by hand in conferences and e-mail addresses are erased.
    Where else they are named is said: as authors of manuscripts, and in the files of conferences.

    What is erased is overwritten in the desk's file. Files that were exported, backups, and copies that the disk or the
    file system keeps are not reached. The papers of the corpus stay, since they were published: see 'panelist corpus
    remove'.

    **Examples**

        panelist desk forget --submission Xk3P0aQ2b1Zr

        panelist desk forget --conference mB7Yt0w1KqLe

        panelist desk forget --person https://openalex.org/A5023888391
    """
    from panelist.app.cli.desk.opened import opened_desk
    from panelist.app.cli.output import say
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.submissions import KeptSubmissions
    from panelist.errors import InputError

    if sum(one is not None for one in (submission, conference, person)) != 1:
        raise InputError("nothing was erased: give one of --submission ID, --conference ID or --person ID")
    with opened_desk(workspace) as desk:
        if submission is not None:
            KeptSubmissions(desk).forget(submission)
            say(f"forgotten: submission {submission}")
        elif conference is not None:
            Conferences(desk).delete(conference)
            say(f"forgotten: conference {conference}")
        elif person is not None:
            _forget_person(desk, person, workspace)


def _forget_person(desk: Desk, person: str, workspace: Path | None) -> None:
    from panelist.app.cli.output import say
    from panelist.app.desk.conference.forgetting import forget_in_conferences
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.people import DeskPeople
    from panelist.corpus.removals import Removals
    from panelist.errors import InputError
    from panelist.words import counted
    from panelist.workspace import Workspace

    by_hand = forget_in_conferences(desk, Conferences(desk), person)
    gone = DeskPeople(desk).forget(person)
    opened, addresses = Workspace.at(workspace), 0
    with suppress(InputError), opened.open_corpus() as corpus:  # a desk may be older than its corpus
        addresses = Removals(opened.path).forget_emails(corpus, person)
    say(
        f"forgotten: {counted(gone.notes, 'note')}, {counted(gone.lists, 'entry', 'entries')} in lists, "
        f"{counted(by_hand.changes, 'change')} by hand in conferences"
    )
    if addresses:
        say(f"forgotten: the e-mail address in {counted(addresses, 'paper')} of the corpus")
    for kept in gone.authored:
        say(f"still named as an author of the kept submission {kept}: forget it too")
    for one in by_hand.still:
        say(
            f"still named in the conference {one.conference} ({one.name}): {', '.join(one.files)}; these "
            "files are its record: send others, or forget it"
        )
