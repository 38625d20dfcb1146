"""Conferences are kept with their files and history; a change from an old revision is refused."""

import threading
from zipfile import ZipFile

import orjson
import pytest
from conference_support import open_conferences

from panelist.app.desk.conference.store import LONGEST_NAME
from panelist.app.desk.database import Desk
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.workspace import Workspace


@pytest.fixture
def conferences(tmp_path):
    return open_conferences(tmp_path)


def test_a_conference_is_kept_for_the_next_server(conferences, tmp_path):
    made = conferences.create("  Invented \n Conference ", who="Ada")
    assert (made.name, made.revision) == ("Invented Conference", 1)
    write_whole(made.path / "scores.csv", b"p,r,1\n")
    again = open_conferences(tmp_path)
    assert again.list() == (made,)
    assert (again.get(made.id).path / "scores.csv").read_bytes() == b"p,r,1\n"
    assert [(event.kind, event.who) for event in again.events(made.id)] == [("created", "Ada")]


@pytest.mark.parametrize("name", ["", " \n", "a" * (LONGEST_NAME + 1), "a\0b", "\N{RIGHT-TO-LEFT OVERRIDE}evil"])
def test_a_name_that_cannot_be_shown_is_refused_and_leaves_nothing(conferences, tmp_path, name):
    with pytest.raises(InputError, match=r"give .*name of 1 to \d+"):
        conferences.create(name)
    assert conferences.list() == ()
    assert not (tmp_path / "conferences").exists()


def test_a_change_raises_the_revision_and_one_from_an_old_revision_says_what_happened(conferences):
    made = conferences.create("A")
    renamed = conferences.rename(made.id, "B", revision=made.revision, who="Grace")
    assert (renamed.name, renamed.revision) == ("B", 2)
    with pytest.raises(RevisionConflictError, match=r"'B' .*changed .*: renamed by Grace"):
        conferences.rename(made.id, "C", revision=made.revision)
    assert conferences.get(made.id) == renamed


def test_of_changes_at_the_same_time_only_one_is_made(conferences):
    made = conferences.create("A")
    refused = []

    def change(number):
        try:
            with conferences.change(made.id, "counted", {"number": number}, revision=1) as (_, _, stage):
                stage.file("number").write_text(str(number))
        except RevisionConflictError:
            refused.append(number)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 5
    (event,) = [one for one in conferences.events(made.id) if one.kind == "counted"]
    assert (made.path / "number").read_text() == str(event.detail["number"])


def test_a_change_that_fails_leaves_revision_and_history(conferences):
    made = conferences.create("A")
    with pytest.raises(ZeroDivisionError), conferences.change(made.id, "divided", {}):
        raise ZeroDivisionError
    assert conferences.get(made.id) == made
    assert len(conferences.events(made.id)) == 1


def test_an_export_holds_every_file_and_the_history(conferences, tmp_path):
    made = conferences.create("A")
    write_whole(made.path / "scores.csv", b"p,r,1\n")
    (made.path / "assignments").mkdir()
    write_whole(made.path / "assignments" / "1.csv", b"p,r\n")
    with (tmp_path / "all.zip").open("wb") as file:
        conferences.export(made.id, file)
    with ZipFile(tmp_path / "all.zip") as archive:
        assert sorted(archive.namelist()) == ["assignments/1.csv", "conference.json", "scores.csv"]
        about = orjson.loads(archive.read("conference.json"))
    assert about["name"] == "A"
    assert [event["kind"] for event in about["history"]] == ["created"]


def test_what_is_forgotten_leaves_neither_files_nor_history(conferences, tmp_path):
    kept, forgotten = conferences.create("kept"), conferences.create("forgotten")
    write_whole(forgotten.path / "scores.csv", b"secret")
    conferences.delete(forgotten.id)
    assert conferences.list() == (kept,)
    assert not forgotten.path.exists()
    with Desk(Workspace.at(tmp_path)).file.reading() as connection:
        assert connection.execute("SELECT DISTINCT conference FROM conference_event").fetchall() == [(kept.id,)]
    for ask in (conferences.get, conferences.delete, conferences.events):
        with pytest.raises(NotFoundError, match=f"no conference '{forgotten.id}'"):
            ask(forgotten.id)
