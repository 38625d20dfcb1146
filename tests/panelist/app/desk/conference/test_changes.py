"""Conferences are kept with their files and history; a change from an old revision is refused."""

import os
import threading
from zipfile import ZipFile

import orjson
import pytest
from conference_support import open_conferences, send

from panelist.app.desk.conference.archive import write_archive
from panelist.app.desk.conference.changes import LONGEST_NAME
from panelist.app.desk.conference.contents import file_content
from panelist.app.desk.database import Desk
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.errors import DeskError, InputError
from panelist.workspace import Workspace


@pytest.fixture
def conferences(tmp_path):
    return open_conferences(tmp_path)


def test_a_conference_is_kept_for_the_next_server(conferences, tmp_path):
    made = conferences.create("  Invented \n Conference ", actor="Ada")
    assert (made.name, made.revision) == ("Invented Conference", 1)
    send(conferences, made.id, "scores", "scores.csv", "p,r,1\n")
    again = open_conferences(tmp_path)
    assert [one.id for one in again.list()] == [made.id]
    assert file_content(again.get(made.id), "scores") == b"p,r,1.0\n"
    assert [(event.kind, event.who) for event in again.get(made.id).events] == [("file added", ""), ("created", "Ada")]


@pytest.mark.parametrize("name", ["", " \n", "a" * (LONGEST_NAME + 1), "a\0b", "\N{RIGHT-TO-LEFT OVERRIDE}evil"])
def test_a_name_that_cannot_be_shown_is_refused_and_leaves_nothing(conferences, tmp_path, name):
    with pytest.raises(InputError, match=r"give .*name of 1 to \d+"):
        conferences.create(name)
    assert conferences.list() == ()
    assert not (tmp_path / "blobs").exists()


def test_a_change_raises_the_revision_and_one_from_an_old_revision_says_what_happened(conferences):
    made = conferences.create("A")
    conferences.rename(made.id, "B", revision=made.revision, actor="Grace")
    renamed = conferences.get(made.id)
    assert (renamed.name, renamed.revision) == ("B", 2)
    with pytest.raises(RevisionConflictError, match=r"'B' .*changed .*: renamed by Grace"):
        conferences.rename(made.id, "C", revision=made.revision)
    assert conferences.get(made.id).events == renamed.events


def test_of_changes_at_the_same_time_only_one_is_made(conferences):
    made = conferences.create("A")
    refused = []

    def change(number):
        try:
            with conferences.change(made.id, "counted", {"number": number}, revision=1) as changing:
                changing.put("number", record=number)
        except RevisionConflictError:
            refused.append(number)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 5
    after = conferences.get(made.id)
    (event,) = [one for one in after.events if one.kind == "counted"]
    assert after.record("number", int) == event.detail["number"]


def test_a_change_that_fails_leaves_rows_and_history(conferences):
    made = conferences.create("A")
    with pytest.raises(TypeError), conferences.change(made.id, "divided", {}) as change:
        change.put("number", record=object())
    after = conferences.get(made.id)
    assert (after.events, after.parts) == (made.events, {})


def test_an_export_holds_every_file_and_the_history(conferences, tmp_path):
    made = conferences.create("A")
    send(conferences, made.id, "scores", "scores.csv", "p,r,1\n")
    send(conferences, made.id, "quotas", "quotas.csv", "r,3\n")
    with (tmp_path / "all.zip").open("wb") as file:
        write_archive(conferences.get(made.id), file)
    with ZipFile(tmp_path / "all.zip") as archive:
        assert sorted(archive.namelist()) == ["conference.json", "files.json", "quotas.csv", "scores.csv"]
        about = orjson.loads(archive.read("conference.json"))
        assert archive.read("quotas.csv") == b"r,3\n"
    assert about["name"] == "A"
    assert [event["kind"] for event in about["history"]] == ["file added", "file added", "created"]


def test_what_is_forgotten_leaves_neither_blobs_nor_history(conferences, tmp_path):
    kept, forgotten = conferences.create("kept"), conferences.create("forgotten")
    send(conferences, kept.id, "quotas", "quotas.csv", "both,3\n")
    send(conferences, forgotten.id, "quotas", "quotas.csv", "both,3\n")
    send(conferences, forgotten.id, "demands", "demands.csv", "secret,3\n")
    conferences.delete(forgotten.id)
    assert [one.id for one in conferences.list()] == [kept.id]
    assert [path.read_bytes() for path in (tmp_path / "blobs").rglob("*.csv")] == [b"both,3\n"]
    with Desk(Workspace.at(tmp_path)).file.reading() as connection:
        assert connection.execute("SELECT DISTINCT conference FROM conference_event").fetchall() == [(kept.id,)]
    for ask in (conferences.get, conferences.delete):
        with pytest.raises(NotFoundError, match=f"no conference '{forgotten.id}'"):
            ask(forgotten.id)


def test_a_file_that_was_changed_or_lost_is_found_by_the_check(conferences, tmp_path):
    made = conferences.create("A")
    send(conferences, made.id, "quotas", "quotas.csv", "r,3\n")
    assert conferences.check() == []
    (file,) = (tmp_path / "blobs").rglob("*.csv")
    file.write_bytes(b"r,4\n")
    assert [words.endswith("was changed") for words in conferences.check()] == [True]
    file.unlink()
    assert "cannot be read" in conferences.check()[0]


def test_what_nobody_names_is_collected_when_it_is_old(conferences, tmp_path):
    conferences.create("A")
    blob = conferences.blobs.path(conferences.blobs.put(b"of a change that was killed"))
    assert conferences.collect() == [blob]
    os.utime(blob, (1, 1))
    assert conferences.collect() == []
    assert not blob.exists()


def test_a_blob_that_was_collected_before_its_commit_refuses_the_change(conferences):
    made = conferences.create("A")
    name = conferences.blobs.put(b"gone")
    conferences.blobs.path(name).unlink()
    with pytest.raises(DeskError, match="try again"), conferences.note(made.id) as change:
        change.put("part", name)
    assert conferences.get(made.id).parts == {}
