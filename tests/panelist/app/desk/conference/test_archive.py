"""A desk of 1.0.0rc1, whose conferences were folders of files, is carried over whole, also after a kill."""

import contextlib
import errno
import io
import sqlite3
from pathlib import Path
from zipfile import ZipFile

import pytest
from conference_support import open_conferences

from panelist.app.desk.conference import archive
from panelist.app.desk.conference.archive import bring_back, carry_over, write_archive
from panelist.app.desk.conference.contents import FILE_NAMES, file_content, file_records
from panelist.app.desk.conference.intake import unpack
from panelist.app.desk.conference.outcomes import (
    chosen,
    load_file,
    load_pairs,
    load_solutions,
    problem_of,
    scores_changed,
)
from panelist.app.desk.conference.reviews import load_calibration, load_reviews
from panelist.app.desk.database import SCHEMA
from panelist.app.web.problems import is_full
from panelist.errors import PanelistError

MADE = Path(__file__).parents[4] / "support" / "desk_of_1_0_0rc1.zip"
"""What that version wrote: its database and its folders, but for the reports of solutions, which are large."""


@pytest.fixture
def old(tmp_path):
    """The files of its one conference by name."""
    with ZipFile(MADE) as file:
        file.extractall(tmp_path)
    (folder,) = (tmp_path / "conferences").iterdir()
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def carried(directory):
    """The one conference of a desk that is opened as the server opens it."""
    conferences = open_conferences(directory)
    carry_over(conferences)
    assert conferences.check() == []
    assert [breaks for _, breaks in conferences.verify().values()] == [[]]
    (conference,) = conferences.list()
    return conference


def exported(conference):
    file = io.BytesIO()
    write_archive(conference, file)
    with ZipFile(file) as content:
        return {name: content.read(name) for name in content.namelist()}


def test_everything_of_a_conference_is_carried_over_into_rows_and_blobs(old, tmp_path):
    conference = carried(tmp_path)
    assert not (tmp_path / "conferences").exists()
    assert {name: file_content(conference, name) for name in file_records(conference)} == {
        kind: old[name] for kind, name in FILE_NAMES.items() if name in old and kind != "scores"
    } | {"scores": file_content(conference, "scores")}
    assert sorted(file_content(conference, "scores").split())[0] == b"s0,a0,0.2"
    assert chosen(conference) == 1
    assert [(solution.number, solution.state) for solution in load_solutions(conference)] == [(2, "done"), (1, "done")]
    assert {pair.reviewer for pair in load_pairs(conference, 1).pairs if pair.paper == "s1"} == {"a2", "a4"}
    assert load_file(conference, 1, "assignment.csv") == old["assignments/1/assignment.csv"]
    assert not scores_changed(conference, 1)
    assert problem_of(conference, 1).papers
    assert load_reviews(conference).keys() == {"texts", "scores"}
    assert load_calibration(conference)["mu"] == pytest.approx(4.2)
    with contextlib.closing(sqlite3.connect(tmp_path / "desk.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA.version,)


def test_an_export_of_a_carried_conference_is_what_the_earlier_version_would_read(old, tmp_path):
    files = exported(carried(tmp_path))
    kept = {name for name in old if not name.startswith(".") and not name.endswith(("/job", ".job", "/.last"))}
    assert kept <= files.keys()
    plain = {"committee.txt", "constraints.csv", "bids.csv", "assignments/2/input/records.json", "review_check.json"}
    assert {name: files[name] for name in plain} == {name: old[name] for name in plain}


def test_an_export_is_brought_back_the_same(old, tmp_path):
    before = exported(carried(tmp_path))
    with ZipFile(tmp_path / "venue.zip", "w") as file:
        for name, content in before.items():
            file.writestr(name, content)
    assert exported(bring_back(open_conferences(tmp_path / "other"), tmp_path / "venue.zip")) == before


@pytest.mark.parametrize("step", [(unpack, "_extract"), (archive, "_json")])
def test_a_disk_that_is_full_at_an_import_is_called_so(tmp_path, monkeypatch, step):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    conferences = open_conferences(tmp_path)
    with (tmp_path / "venue.zip").open("wb") as file:
        write_archive(conferences.create("Venue"), file)
    monkeypatch.setattr(*step, full)
    with pytest.raises(PanelistError, match="No space left on device") as raised:
        bring_back(open_conferences(tmp_path / "other"), tmp_path / "venue.zip")
    assert is_full(raised.value)
    assert "not an export" not in str(raised.value)


def test_a_process_that_is_killed_while_it_carries_over_begins_again(old, tmp_path, monkeypatch):
    def killed(*_, **__):
        raise KeyboardInterrupt

    for at in ("_parts", "shutil.rmtree"):  # before its rows are written, and after
        with monkeypatch.context() as patch:
            patch.setattr(f"{archive.__name__}.{at}", killed)
            with pytest.raises(KeyboardInterrupt):
                carry_over(open_conferences(tmp_path))
        assert (tmp_path / "conferences").exists()
    assert chosen(carried(tmp_path)) == 1
    assert chosen(carried(tmp_path)) == 1


def test_an_error_that_is_its_own_cause_is_looked_at_once():
    error = OSError("the server is gone")
    error.__cause__ = error
    assert not is_full(error)
