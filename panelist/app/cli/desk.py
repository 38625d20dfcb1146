"""`panelist desk`: what the desks keep, to list, to take away, to bring back or to erase."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from panelist.app.cli.options import WorkspaceOption, argument, group, option
from panelist.app.cli.output import Answer, say
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.files import check_file, replacing, write_whole
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from panelist.app.desk.conference.changes import Conferences
    from panelist.app.desk.database import Desk

_PRIVATE = 0o600  # manuscripts, and notes about people


def list_(workspace: WorkspaceOption = None) -> Answer:
    """List the conferences and the kept submissions, the newest first.

    Examples:
        panelist desk list
        panelist desk list --json --workspace journal.workspace
    """
    from panelist.app.desk.conference.contents import file_records
    from panelist.app.desk.editor.submissions import SavedSubmissions

    with _open_desk(workspace) as opened:
        conferences = opened.list()
        submissions = SavedSubmissions(opened.desk).listing(limit=-1)[1]
    venues = [
        {"id": venue.id, "name": venue.name, "created": venue.created, "files": list(file_records(venue))}
        for venue in conferences
    ]
    names = ("id", "title", "created", "changed")
    papers = [{name: getattr(paper, name) for name in names} for paper in submissions]
    lines = [f"conference  {venue.id}  {venue.created.date()}  {venue.name}" for venue in conferences]
    lines += (f"submission  {paper.id}  {paper.created[:10]}  {' '.join(paper.title.split())}" for paper in submissions)
    return Answer({"conferences": venues, "submissions": papers}, lines)


def export(
    conference: str | None = option("Id of a conference: export that one, as a zip file."),
    out: Path | None = option("File to write [default: standard output].", "-o"),
    form: Literal["json", "csv"] | None = option("Of the editor's desk: json, csv [default: json].", "--format", "-f"),
    workspace: WorkspaceOption = None,
) -> None:
    """Write all kept submissions with their lists and all notes about people; or everything of one conference.

    A conference is a zip file: its files, scores, solutions, reviews and calibration as they are kept, and
    `conference.json` with its history. `panelist desk list` shows the ids.

    The file is confidential: it holds manuscripts and personal data. In CSV, cells that begin like a formula are made
    plain text, so that spreadsheets do not run them.

    Examples:
        panelist desk export --out desk.json
        panelist desk export --format csv --out desk.csv --workspace journal.workspace
        panelist desk export --conference Xk3P0aQ2b1Zr --out venue.zip
    """
    from panelist.app.desk.conference.archive import write_archive
    from panelist.app.desk.editor.export import to_json

    if conference is not None and (out is None or form is not None):
        raise InputError("a conference is exported as a zip file: give --out FILE.zip, and no --format")
    if out is not None:
        check_file(out)
    with _open_desk(workspace) as conferences:
        if conference is not None and out is not None:
            with replacing(out, _PRIVATE) as unfinished, unfinished.open("wb") as file:
                write_archive(conferences.get(conference), file)
            return
        desk = conferences.desk
        content = _to_csv(desk, Workspace.at(workspace)) if form == "csv" else to_json(desk)
    if out is None:
        typer.echo(content.decode(), nl=form != "csv")
    else:
        write_whole(out, content, _PRIVATE)


def import_(
    file: Path = argument("What 'desk export' wrote: JSON, or the zip file of a conference."),
    workspace: WorkspaceOption = None,
) -> None:
    """Bring back what 'panelist desk export' wrote, into this workspace or another: all of a file, or nothing.

    Ids stay as they were. What is kept here already is never overwritten: the file is refused. Where numbers of a
    conference's history are taken by another one, its entries get new numbers and seals, and the history says so.

    Examples:
        panelist desk import desk.json --workspace journal.workspace
        panelist desk import venue.zip
    """
    from panelist.app.desk.conference.archive import bring_back
    from panelist.app.desk.conference.intake.unpack import is_zip
    from panelist.app.desk.editor.export import from_json

    with _open_desk(workspace, create=True) as conferences:
        if is_zip(file):
            conference = bring_back(conferences, file)
            say(f"imported: conference {conference.id} ({conference.name})")
        else:
            submissions, notes = from_json(conferences.desk, file.read_bytes())
            say(f"imported: {counted(submissions, 'submission')}, {counted(notes, 'note')}")


def verify(workspace: WorkspaceOption = None) -> None:
    """Check that no entry in the history of any conference was changed, taken out or put in; exit with 1 if one was.

    The last seal of each history is printed: note it elsewhere, and a history that was written again has another.

    Examples:
        panelist desk verify
    """
    with _open_desk(workspace) as conferences:
        histories = conferences.verify()
    for conference, (seal, breaks) in histories.items():
        say(f"conference  {conference}  {'broken' if breaks else 'whole'}  {seal}")
        for words in breaks:
            say(f"  {words}")
    if any(breaks for _, breaks in histories.values()):
        raise typer.Exit(1)


def check(workspace: WorkspaceOption = None) -> None:
    """Check that the desk's database is sound and that every file it names is there, unchanged; exit with 1 if not.

    Nothing has to be repaired after a crash: a change is there whole, or not at all. This proves it.

    Examples:
        panelist desk check
    """
    with _open_desk(workspace) as conferences:
        wrong, unused = conferences.check(), conferences.collect()
    for words in wrong:
        say(words)
    if wrong:
        raise typer.Exit(1)
    remark = f"; {counted(len(unused), 'file')} that nobody needs any more will be deleted later" if unused else ""
    say(f"the desk is whole{remark}")


def forget(
    submission: str | None = option("Id of a kept submission, as 'desk list' has it."),
    conference: str | None = option("Id of a conference, as 'desk list' has it."),
    person: str | None = option("Id, ORCID or e-mail address of a person, in any form."),
    workspace: WorkspaceOption = None,
) -> None:
    """Erase a kept submission with its list, a conference with all its files and its history, or a person.

    Of a person the note, the entries in all lists, changes by hand in conferences, e-mail addresses, and what they
    reviewed and edited are erased; no import brings the last two back.
    Where else they are named is said: as authors of manuscripts, and in the files of conferences.

    What is erased is overwritten in the desk's file. Files that were exported, backups, and copies that the disk or the
    file system keeps are not reached. The papers of the corpus stay, since they were published: see 'panelist corpus
    remove'.

    Examples:
        panelist desk forget --submission Xk3P0aQ2b1Zr
        panelist desk forget --conference mB7Yt0w1KqLe
        panelist desk forget --person https://openalex.org/A5023888391
    """
    from panelist.app.desk.editor.history import paper_of
    from panelist.app.desk.editor.submissions import SavedSubmissions

    if sum(name is not None for name in (submission, conference, person)) != 1:
        raise InputError("nothing was erased: give one of --submission ID, --conference ID or --person ID")
    with _open_desk(workspace) as conferences:
        if submission is not None:
            SavedSubmissions(conferences.desk).forget(submission)
            with suppress(InputError), Workspace.at(workspace).open_corpus() as corpus:
                corpus.forget_history({paper_of(submission)})
            say(f"forgotten: submission {submission}")
        elif conference is not None:
            conferences.delete(conference)
            say(f"forgotten: conference {conference}")
        elif person is not None:
            _forget_person(conferences, person, Workspace.at(workspace))


def _to_csv(desk: Desk, workspace: Workspace) -> bytes:
    """Write everything as CSV, with the conflicts of interest that people have today, where there is an index."""
    from panelist.app.desk.editor.export import to_csv
    from panelist.app.web.routes.editor.submissions import conflicts_of
    from retriever.finder import Finder

    if not workspace.index_path.exists():
        return to_csv(desk, None).encode()
    with Finder.open(workspace) as finder:
        return to_csv(desk, partial(conflicts_of, finder)).encode()


def _forget_person(conferences: Conferences, person: str, workspace: Workspace) -> None:
    from panelist.app.access.users import Users
    from panelist.app.desk.conference.forgetting import forget_in_conferences, keys_of_person
    from panelist.app.desk.editor.people import DeskPeople

    keys, addresses, events = keys_of_person(conferences, None, person), 0, 0
    with suppress(InputError), workspace.open_corpus() as corpus:  # a desk may be older than its corpus
        keys = keys_of_person(conferences, corpus, person)
        addresses, events = Removals(workspace.path).forget(corpus, person, *keys)
    by_hand = forget_in_conferences(conferences.desk, conferences, keys, Users(workspace))
    gone = DeskPeople(conferences.desk).forget(keys)
    say(
        f"forgotten: {counted(gone.notes, 'note')}, {counted(gone.lists, 'entry', 'entries')} in lists, "
        f"{counted(by_hand.changes, 'change')} by hand in conferences"
    )
    if addresses:
        say(f"forgotten: the e-mail address in {counted(addresses, 'paper')} of the corpus")
    if events:
        say(f"forgotten: {counted(events, 'event')} of the history: what they reviewed or edited")
    if by_hand.signed:
        say(f"{counted(by_hand.signed, 'history entry', 'history entries')} that they made as a user keep their name")
    for submission in gone.authored:
        say(f"still named as an author of the kept submission {submission}: forget it too")
    for naming in by_hand.still:
        record = f"the conference {naming.conference} ({naming.name}): {', '.join(naming.files)}"
        say(f"still named in {record}; these files are its record: send others, or forget it")


@contextmanager
def _open_desk(path: Path | None, *, create: bool = False) -> Iterator[Conferences]:
    """Open the desk of a workspace by its conferences; a misspelt path does not make an empty desk."""
    from panelist.app.desk.conference.archive import carry_over
    from panelist.app.desk.conference.changes import Conferences
    from panelist.app.desk.database import Desk, desk_path

    workspace = Workspace.at(path)
    if not create and not desk_path(workspace).exists():
        raise InputError(f"nothing is kept in workspace '{workspace.path}' so far: is it the right one (--workspace)?")
    with closing(Desk(workspace)) as desk:
        conferences = Conferences(desk)
        carry_over(conferences)
        yield conferences


app = group("List, export, import, check or erase what the desks keep.", list_, export, import_, verify, check, forget)
