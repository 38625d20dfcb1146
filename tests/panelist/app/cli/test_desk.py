"""`panelist desk`: what is kept is taken away whole, and erased when asked."""

import csv
import io
import json
from zipfile import ZipFile

import pytest
from conference_support import bare_view, open_conferences

from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.manual import Change, ManualChanges, detail_of
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.records import State
from panelist.app.desk.editor.submissions import KeptSubmissions
from panelist.files import write_whole
from panelist.progress import silent
from panelist.workspace import Workspace
from retriever.conference.conflicts.table import ConflictTable

REQUEST = json.dumps({"submission": {"id": "MS-7", "title": "=1+1", "authors": [{"id": "a9"}]}, "options": {}})


@pytest.fixture
def kept(tmp_path):
    """A desk with two submissions and two notes; the id of the first."""
    desk = Desk(Workspace.at(tmp_path))
    submissions, people = KeptSubmissions(desk), DeskPeople(desk)
    first = submissions.keep("=1+1", REQUEST, [("a1", "@Ada", State.INVITED), ("a2", "Bea", State.SHORTLISTED)])
    submissions.keep("Empty", REQUEST)
    people.write_note("a1", "@Ada", "+49 123", 0)
    people.write_note("a5", "Eve", "in no list", 0)
    desk.close()
    return first.id


@pytest.fixture
def run(panelist, tmp_path):
    return lambda *arguments, workspace=tmp_path: panelist("desk", *arguments, "--workspace", workspace)


def test_everything_is_exported_as_json(run, kept):
    code, out, _ = run("export")
    assert code == 0
    content = json.loads(out)
    assert [one["title"] for one in content["submissions"]] == ["=1+1", "Empty"]
    first = content["submissions"][0]
    assert first["id"] == kept
    assert first["submission"]["id"] == "MS-7"
    assert [one["name"] for one in first["reviewers"]] == ["@Ada", "Bea"]
    assert {note["person"]: note["text"] for note in content["notes"]} == {"a1": "+49 123", "a5": "in no list"}


def test_the_table_runs_no_formula_and_leaves_nobody_out(run, tmp_path, kept):
    out = tmp_path / "desk.csv"
    assert run("export", "--format", "csv", "--out", out)[0] == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["title"], row["name"], row["note"]) for row in rows] == [
        ("'=1+1", "'@Ada", "'+49 123"),
        ("'=1+1", "Bea", ""),
        ("Empty", "", ""),
        ("", "Eve", "in no list"),
    ]


def test_a_submission_and_a_person_are_forgotten(run, kept):
    code, out, _ = run("forget", "--person", "a1")
    assert (code, out) == (0, "forgotten: 1 note, 1 entry in lists, 0 changes by hand in conferences\n")
    assert "still named as an author" in run("forget", "--person", "a9")[1]
    assert run("forget", "--submission", kept)[0] == 0
    code, _, err = run("forget", "--submission", kept)
    assert code == 2
    assert "was forgotten, or never kept" in err
    content = json.loads(run("export")[1])
    assert [one["title"] for one in content["submissions"]] == ["Empty"]
    assert "Ada" not in json.dumps(content)


@pytest.mark.parametrize(
    "arguments", [[], ["--submission", "s", "--person", "p"], ["--person", "p", "--conference", "c"]]
)
def test_forgetting_wants_exactly_one_thing(run, kept, arguments):
    code, _, err = run("forget", *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert "give one of --submission ID, --conference ID or --person ID" in err


@pytest.fixture
def conference(tmp_path):
    """A conference with a file, a solution and a change by hand; its id."""
    conferences = open_conferences(tmp_path)
    made = conferences.create("Invented 2026", who="Ada")
    write_whole(made.path / "scores.csv", b"p1,a1,.5\np1,a12,.4\n")
    number = solutions.begin(bare_view(made), ConferenceSettings(demand=1)).number
    make(made, number, silent)
    detail = detail_of(Change(action="lock", paper="p1", reviewer="a1"), ManualChanges(), ConflictTable())
    with conferences.change(made.id, "lock", detail, who="Ada"):
        pass
    return made.id


def test_conferences_are_listed_exported_and_forgotten(run, tmp_path, kept, conference):
    lines = run("list")[1].splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [["conference", conference], ["submission", lines[1].split()[1]]]
    assert [line.split()[1] for line in lines].count(kept) == 1
    listed = json.loads(run("list", "--json")[1])
    assert [one["id"] for one in listed["conferences"]] == [conference]
    assert kept in [one["id"] for one in listed["submissions"]]
    out = tmp_path / "venue.zip"
    assert run("export", "--conference", conference, "--out", out)[0] == 0
    with ZipFile(out) as archive:
        assert {"conference.json", "scores.csv", "assignments/1/assignment.csv"} <= set(archive.namelist())
        assert json.loads(archive.read("conference.json"))["history"][0]["kind"] == "lock"
    assert run("forget", "--conference", conference)[0] == 0
    code, _, err = run("forget", "--conference", conference)
    assert (code, err.count("\n")) == (2, 1)
    assert list((tmp_path / "conferences").iterdir()) == []
    left = b"".join(path.read_bytes() for path in tmp_path.glob("desk.sqlite*"))
    assert conference.encode() not in left
    assert b"Invented" not in left


def test_a_person_is_forgotten_in_conferences_and_it_is_said_where_they_still_are(run, tmp_path, conference):
    said = run("forget", "--person", "a1")[1]
    assert said.startswith("forgotten: 0 notes, 0 entries in lists, 1 change by hand in conferences\n")
    assert f"still named in the conference {conference} (Invented 2026): " in said
    assert "assignments/1/assignment.csv" in said
    assert open_conferences(tmp_path).events(conference)[1].detail["pairs"] == []


@pytest.mark.parametrize("arguments", [[], ["--out", "x.zip", "--format", "csv"]])
def test_a_conference_is_exported_as_a_zip_file_only(run, tmp_path, conference, arguments):
    code, _, err = run("export", "--conference", conference, *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert "give --out FILE.zip, and no --format" in err
    code, _, err = run("export", "--conference", "no", "--out", tmp_path / "x.zip")
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / "x.zip").exists()


def test_a_misspelt_workspace_is_not_made(run, tmp_path):
    code, _, err = run("export", workspace=tmp_path / "nowhere")
    assert code == 2
    assert "nothing is kept in workspace" in err
    assert not (tmp_path / "nowhere").exists()
