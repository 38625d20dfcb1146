"""`panelist desk`: what the desks keep, to list, to take away, to bring back or to erase."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption
from panelist.app.cli.output import print_json, say
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.files import check_file, replacing, write_whole
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.app.desk.database import Desk

_PRIVATE = 0o600  # manuscripts, and notes about people

app = typer.Typer(help="List, export, import, verify or erase what the desks keep.", no_args_is_help=True)


@app.command("list")
def listing(json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """List the conferences and the kept submissions, the newest first.

    **Examples**

        panelist desk list

        panelist desk list --json --workspace journal.workspace
    """
    from panelist.app.desk.conference.files import read_records
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.submissions import SavedSubmissions

    with _opened_desk(workspace) as desk:
        conferences = Conferences(desk).list()
        submissions = SavedSubmissions(desk).listing(limit=-1)[1]
    if json:
        print_json(
            {
                "conferences": [
                    {"id": one.id, "name": one.name, "created": one.created, "files": list(read_records(one))}
                    for one in conferences
                ],
                "submissions": [
                    {"id": one.id, "title": one.title, "created": one.created, "changed": one.changed}
                    for one in submissions
                ],
            }
        )
        return
    for one in conferences:
        say(f"conference  {one.id}  {one.created.date()}  {one.name}")
    for kept in submissions:
        say(f"submission  {kept.id}  {kept.created[:10]}  {' '.join(kept.title.split())}")


@app.command()
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
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.export import to_json

    if conference is not None and (out is None or form is not None):
        raise InputError("a conference is exported as a zip file: give --out FILE.zip, and no --format")
    if out is not None:
        check_file(out)
    with _opened_desk(workspace) as desk:
        if conference is not None and out is not None:
            with replacing(out, _PRIVATE) as part, part.open("wb") as file:
                Conferences(desk).export(conference, file)
            return
        content = _as_table(desk, workspace) if form == "csv" else to_json(desk)
    if out is None:
        typer.echo(content.decode(), nl=form != "csv")
    else:
        write_whole(out, content, _PRIVATE)


def _as_table(desk: Desk, workspace: Path | None) -> bytes:
    """Everything as CSV, with the conflicts of interest that people have today, where there is an index."""
    from panelist.app.desk.editor.export import to_csv
    from panelist.app.web.routes.editor.submissions import conflicts_of
    from retriever.finder import Finder

    opened = Workspace.at(workspace)
    if not opened.index_path.exists():
        return to_csv(desk, None).encode()
    with Finder.open(opened) as finder:
        return to_csv(desk, partial(conflicts_of, finder)).encode()


@app.command("import")
def bring_back(
    file: Annotated[Path, typer.Argument(help="What 'desk export' wrote: JSON, or the zip file of a conference.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Bring back what 'panelist desk export' wrote, into this workspace or another: all of a file, or nothing.

    Ids stay as they were. What is kept here already is never overwritten: the file is refused. Where numbers of a
    conference's history are taken by another one, its entries are numbered and sealed anew, and the history says so.

    **Examples**

        panelist desk import desk.json --workspace journal.workspace

        panelist desk import venue.zip
    """
    from panelist.app.desk.conference.intake.unpack import is_zip
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.database import Desk
    from panelist.app.desk.editor.export import from_json

    with closing(Desk(Workspace.at(workspace))) as desk:
        if is_zip(file):
            made = Conferences(desk).bring_back(file)
            say(f"imported: conference {made.id} ({made.name})")
        else:
            submissions, notes = from_json(desk, file.read_bytes())
            say(f"imported: {counted(submissions, 'submission')}, {counted(notes, 'note')}")


@app.command("verify")
def verify_history(workspace: WorkspaceOption = None) -> None:
    """Check that no entry in the history of any conference was changed, taken out or put in; exit with 1 if one was.

    The last seal of each history is printed: note it elsewhere, and a history that was written again has another.

    **Examples**

        panelist desk verify
    """
    from panelist.app.desk.conference.store import Conferences

    with _opened_desk(workspace) as desk:
        histories = Conferences(desk).verify()
    for conference, (seal, breaks) in histories.items():
        say(f"conference  {conference}  {'broken' if breaks else 'whole'}  {seal}")
        for words in breaks:
            say(f"  {words}")
    if any(breaks for _, breaks in histories.values()):
        raise typer.Exit(1)


@app.command()
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
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.submissions import SavedSubmissions

    if sum(one is not None for one in (submission, conference, person)) != 1:
        raise InputError("nothing was erased: give one of --submission ID, --conference ID or --person ID")
    with _opened_desk(workspace) as desk:
        if submission is not None:
            SavedSubmissions(desk).forget(submission)
            say(f"forgotten: submission {submission}")
        elif conference is not None:
            Conferences(desk).delete(conference)
            say(f"forgotten: conference {conference}")
        elif person is not None:
            _forget_person(desk, person, workspace)


def _forget_person(desk: Desk, person: str, workspace: Path | None) -> None:
    from panelist.app.access.users import Users
    from panelist.app.desk.conference.forgetting import forget_in_conferences
    from panelist.app.desk.conference.store import Conferences
    from panelist.app.desk.editor.people import DeskPeople

    by_hand = forget_in_conferences(desk, Conferences(desk), person, Users(Workspace.at(workspace)))
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
    if by_hand.signed:
        say(f"{counted(by_hand.signed, 'history entry', 'history entries')} that they made as a user keep their name")
    for kept in gone.authored:
        say(f"still named as an author of the kept submission {kept}: forget it too")
    for one in by_hand.still:
        say(
            f"still named in the conference {one.conference} ({one.name}): {', '.join(one.files)}; these "
            "files are its record: send others, or forget it"
        )


@contextmanager
def _opened_desk(workspace: Path | None) -> Iterator[Desk]:
    """The desk of this workspace; a misspelt path makes no empty one.

    Raises:
        InputError: nothing is kept there.
    """
    from panelist.app.desk.database import Desk, desk_path

    found = Workspace.at(workspace)
    if not desk_path(found).exists():
        raise InputError(f"nothing is kept in workspace '{found.path}': give another one with --workspace")
    with closing(Desk(found)) as desk:
        yield desk
