"""`panelist desk`: what is kept is taken away whole, and erased when asked."""

import csv
import io
import json

import pytest

from panelist.app.cli.main import main
from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.records import State
from panelist.app.desk.editor.submissions import KeptSubmissions
from panelist.workspace import Workspace

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


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(["desk", *map(str, arguments)])
    return stop.value.code or 0, capsys.readouterr()


def test_everything_is_exported_as_json(capsys, tmp_path, kept):
    code, said = run(capsys, "export", "--workspace", tmp_path)
    assert code == 0
    content = json.loads(said.out)
    assert [one["title"] for one in content["submissions"]] == ["=1+1", "Empty"]
    first = content["submissions"][0]
    assert first["id"] == kept
    assert first["submission"]["id"] == "MS-7"
    assert [one["name"] for one in first["reviewers"]] == ["@Ada", "Bea"]
    assert {note["person"]: note["text"] for note in content["notes"]} == {"a1": "+49 123", "a5": "in no list"}


def test_the_table_runs_no_formula_and_leaves_nobody_out(capsys, tmp_path, kept):
    out = tmp_path / "desk.csv"
    assert run(capsys, "export", "--format", "csv", "--out", out, "--workspace", tmp_path)[0] == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["title"], row["name"], row["note"]) for row in rows] == [
        ("'=1+1", "'@Ada", "'+49 123"),
        ("'=1+1", "Bea", ""),
        ("Empty", "", ""),
        ("", "Eve", "in no list"),
    ]


def test_a_submission_and_a_person_are_forgotten(capsys, tmp_path, kept):
    code, said = run(capsys, "forget", "--person", "a1", "--workspace", tmp_path)
    assert (code, said.out) == (0, "forgotten: 1 note, 1 entry in lists\n")
    assert "still named as an author" in run(capsys, "forget", "--person", "a9", "--workspace", tmp_path)[1].out
    assert run(capsys, "forget", "--submission", kept, "--workspace", tmp_path)[0] == 0
    code, said = run(capsys, "forget", "--submission", kept, "--workspace", tmp_path)
    assert code == 2
    assert "was forgotten, or never kept" in said.err
    content = json.loads(run(capsys, "export", "--workspace", tmp_path)[1].out)
    assert [one["title"] for one in content["submissions"]] == ["Empty"]
    assert "Ada" not in json.dumps(content)


@pytest.mark.parametrize("arguments", [[], ["--submission", "s", "--person", "p"]])
def test_forgetting_wants_exactly_one_thing(capsys, tmp_path, kept, arguments):
    code, said = run(capsys, "forget", *arguments, "--workspace", tmp_path)
    assert (code, said.err.count("\n")) == (2, 1)
    assert "give either --submission ID or --person ID" in said.err


def test_a_misspelt_workspace_is_not_made(capsys, tmp_path):
    code, said = run(capsys, "export", "--workspace", tmp_path / "nowhere")
    assert code == 2
    assert "nothing is kept in workspace" in said.err
    assert not (tmp_path / "nowhere").exists()
