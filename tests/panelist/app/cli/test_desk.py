"""`panelist desk`: what is kept is taken away whole, and erased when asked."""

import contextlib
import csv
import io
import json
import sqlite3
from dataclasses import replace
from datetime import date
from functools import partial
from zipfile import ZipFile

import pytest
from conference_support import Live, bare_view, open_conferences, send
from msgspec import structs

import panelist
from panelist.app.desk.conference.contents import file_content, load_constraints, load_quotas
from panelist.app.desk.conference.manual import SETTLED, Change, ManualChanges, detail_of, sum_changes, undo_detail
from panelist.app.desk.conference.outcomes import Solution, load_solution, pending_changes
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.making import begin, discard
from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.records import State
from panelist.app.desk.editor.submissions import SavedSubmissions
from panelist.records import Author, Authorship, Paper
from panelist.workspace import Workspace
from retriever.assignment.building.records import Quota
from retriever.conference.conflicts.table import ConflictTable

REQUEST = json.dumps({"submission": {"id": "MS-7", "title": "=1+1", "authors": [{"id": "a9"}]}, "options": {}})


@pytest.fixture
def kept(tmp_path):
    """A desk with two submissions and two notes; the id of the first."""
    desk = Desk(Workspace.at(tmp_path))
    submissions, people = SavedSubmissions(desk), DeskPeople(desk)
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
    made = conferences.create("Invented 2026", actor="Ada")
    live = Live(conferences, {"scores": "p1,a1,.5\np1,a12,.4\n"}, made.id)
    live.solve(bare_view(live.now), ConferenceSettings(demand=1))
    detail = detail_of(Change(action="lock", paper="p1", reviewer="a1"), ManualChanges(), ConflictTable())
    with conferences.change(made.id, "lock", detail, actor="Ada"):
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
    assert not any(path.is_file() for path in (tmp_path / "blobs").rglob("*"))
    left = b"".join(path.read_bytes() for path in tmp_path.glob("desk.sqlite*"))
    assert conference.encode() not in left
    assert b"Invented" not in left


def test_a_person_is_forgotten_in_conferences_and_it_is_said_where_they_still_are(run, tmp_path, conference):
    said = run("forget", "--person", "a1")[1]
    assert said.startswith("forgotten: 0 notes, 0 entries in lists, 1 change by hand in conferences\n")
    assert f"still named in the conference {conference} (Invented 2026): " in said
    assert "scores.csv, solution/1/assignment.csv" in said
    assert open_conferences(tmp_path).get(conference).events[1].detail["pairs"] == [["p1", "", 1]]


ORCID = "0000-0002-1825-0097"
ADA = ["https://openalex.org/A5", "ada@turin.it", f"https://orcid.org/{ORCID}", "~Ada_Lovelace1", "a5", "R-9"]
"""Ids of one person, joined by the corpus, the table of people, and the chair's list."""


@pytest.mark.parametrize(
    "key",
    [
        "https://openalex.org/A5",
        "openalex.org/a5",
        ORCID,
        f"http://ORCID.org/{ORCID}/",
        "Ada@Turin.IT",
        "~ada_lovelace1",
    ],
)
def test_a_person_is_forgotten_everywhere_whichever_way_they_are_written(run, tmp_path, key):
    ada = Author(ADA[0], "Ada", ADA[2], ADA[1])
    panelist.import_papers(Workspace.at(tmp_path), [Paper("W1", "Notes", authorships=(Authorship(ada),))])
    desk = Desk(Workspace.at(tmp_path))
    submission = {"id": "MS-7", "title": "T", "authors": [{"id": "x", "orcid": ORCID}]}
    request = {"submission": submission, "options": {"exclude": [ADA[0], "a2"], "pool": [ORCID.lower()]}}
    kept = SavedSubmissions(desk).keep("T", json.dumps(request), [("openalex:A5", "Ada", State.INVITED)])
    DeskPeople(desk).write_note(f"orcid:{ORCID}", "Ada", "a note", 0)
    DeskPeople(desk).write_address(ADA[0], "ada@turin.it")
    desk.close()
    table = f"reviewer,orcid,email,same_as\n~Ada_Lovelace1,{ORCID},,\na2,,,\n{ADA[1]},{ORCID},,R-9\n"
    scores = "".join(f"p{number},{one},.5\n" for number, one in enumerate(ADA)) + "p1,a2,.4\n"
    live = Live(conferences := open_conferences(tmp_path), {"scores": scores, "reviewers": table, "quotas": "a2,3,1\n"})
    changes = [Change(action="forbid", paper="p0", reviewer=one) for one in (*ADA[:4], "R-9", "a2")]
    changes += [Change(action="decline", reviewer=ADA[3]), Change(action="quota", quotas={ADA[1]: 4})]
    for change in changes:
        with conferences.change(live.id, change.action, detail_of(change, ManualChanges(), ConflictTable())):
            pass
    with conferences.change(live.id, SETTLED, {"words": "said who 1 person is: Ada", "others": [ADA[1]]}):
        pass
    said = run("forget", "--person", key)[1]
    assert said.startswith("forgotten: 1 note, 1 entry in lists, 8 changes by hand in conferences\n")
    assert "the e-mail address in 1 paper of the corpus" in said
    assert f"still named as an author of the kept submission {kept.id}" in said
    assert "reviewers.csv, scores.csv" in said
    desk = Desk(Workspace.at(tmp_path))
    options = json.loads(SavedSubmissions(desk).get(kept.id).request)["options"]
    assert (options, DeskPeople(desk).addresses([ADA[0]])) == ({"exclude": ["a2"], "pool": []}, {})
    events = str([event.detail for event in live.now.events])
    assert not [one for one in (*ADA[:4], "R-9", ": Ada", ORCID) if one in events]
    assert sum_changes(live.now.events).pairs == {("p0", "a2"): -1}
    assert load_constraints(live.now) == {("p0", one): -1 for one in (*ADA[:4], "R-9")}
    assert load_quotas(live.now) == {"a2": Quota(3, 1), ADA[3]: Quota(0)}  # who declined is asked nothing
    assert "ada@" not in (tmp_path / "removed.json").read_text().lower()


@pytest.mark.parametrize("arguments", [[], ["--out", "x.zip", "--format", "csv"]])
def test_a_conference_is_exported_as_a_zip_file_only(run, tmp_path, conference, arguments):
    code, _, err = run("export", "--conference", conference, *arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert "give --out FILE.zip, and no --format" in err
    code, _, err = run("export", "--conference", "no", "--out", tmp_path / "x.zip")
    assert (code, err.count("\n")) == (2, 1)
    assert not (tmp_path / "x.zip").exists()


def test_the_check_finds_a_file_that_was_changed(run, tmp_path, conference):
    assert run("check")[:2] == (0, "the desk is whole\n")
    changed = max((tmp_path / "blobs").rglob("*.csv"))
    changed.write_bytes(b"p9,a9,1\n")
    code, said, _ = run("check")
    assert (code, said.count("\n")) == (1, 1)
    assert said.endswith("was changed\n")


def test_a_misspelt_workspace_is_not_made(run, tmp_path):
    code, _, err = run("export", workspace=tmp_path / "nowhere")
    assert code == 2
    assert "nothing is kept in workspace" in err
    assert not (tmp_path / "nowhere").exists()


# Bringing back


def test_an_export_of_the_editors_desk_is_brought_back_whole(run, kept, tmp_path):
    out = tmp_path / "desk.json"
    assert run("export", "--out", out)[0] == 0
    assert out.stat().st_mode & 0o777 == 0o600
    assert run("import", out, workspace=tmp_path / "other")[:2] == (0, "imported: 2 submissions, 2 notes\n")
    before, after = json.loads(out.read_text()), json.loads(run("export", workspace=tmp_path / "other")[1])
    assert {**before, "exported": None} == {**after, "exported": None}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "export of a desk"),
        ('{"submissions": [{"id": 3}], "notes": []}', "export of a desk"),
        (None, "is kept here already: forget it first"),
    ],
)
def test_what_cannot_be_brought_back_changes_nothing(run, kept, tmp_path, content, message):
    file = tmp_path / "desk.json"
    if content is None:
        run("export", "--out", file)
    else:
        file.write_text(content)
    before = json.loads(run("export")[1])["submissions"]
    code, _, said = run("import", file)
    assert code == 2
    assert message in said
    assert json.loads(run("export")[1])["submissions"] == before


def test_a_conference_is_brought_back_with_its_files_and_history(run, tmp_path):
    conferences = open_conferences(tmp_path)
    made = conferences.create("Venue", actor="Ada")
    send(conferences, made.id, "scores", "scores.csv", "p1,r1,0.5\n")
    conferences.rename(made.id, "Venue 2", actor="Bea")
    archive, other = tmp_path / "venue.zip", tmp_path / "other"
    assert run("export", "--conference", made.id, "--out", archive)[0] == 0
    assert archive.stat().st_mode & 0o777 == 0o600
    assert run("import", archive, workspace=other)[:2] == (0, f"imported: conference {made.id} (Venue 2)\n")
    again = open_conferences(other)
    before, after = conferences.get(made.id), again.get(made.id)
    assert (after.events, after.parts, after.created) == (before.events, before.parts, made.created)
    assert file_content(after, "scores") == b"p1,r1,0.5\n"
    code, _, said = run("import", archive, workspace=other)
    assert code == 2
    assert "is here already" in said


def test_a_conference_whose_numbers_are_taken_gets_new_ones_in_its_order(run, tmp_path):
    conferences, other = open_conferences(tmp_path), tmp_path / "other"
    made = conferences.create("Venue", actor="Ada")
    for name in ("First", "Second"):
        conferences.rename(made.id, name, actor="Bea")
    run("export", "--conference", made.id, "--out", tmp_path / "venue.zip")
    seal = conferences.verify()[made.id][0]
    open_conferences(other).create("Another")
    assert run("import", tmp_path / "venue.zip", workspace=other)[0] == 0
    again = open_conferences(other)
    imported, *events = again.get(made.id).events
    assert [replace(event, key=event.key - 1) for event in events] == list(conferences.get(made.id).events)
    assert (imported.number, imported.key, imported.kind) == (4, 5, "imported")
    assert "entries 1 to 3 are 2 to 4 here" in imported.detail["words"]
    assert seal in imported.detail["words"]
    assert run("verify", workspace=other)[0] == 0
    again.rename(made.id, "Third")
    assert run("verify", workspace=other)[0] == 0


def test_new_numbers_of_events_stand_wherever_the_old_ones_were_named(run, tmp_path):
    conferences, other = open_conferences(tmp_path), tmp_path / "other"
    made = conferences.create("Venue")
    change = partial(detail_of, manual=ManualChanges(), conflicts=ConflictTable())
    for reviewer in ("r1", "r2"):
        detail = change(Change(action="forbid", paper="p1", reviewer=reviewer, quotas={}))
        with conferences.change(made.id, "forbid", detail):
            pass
    with conferences.change(made.id, "undo", undo_detail(2, conferences.get(made.id).events)):
        pass
    solution = Solution(number=1, begun=made.created, settings={}, event=2)
    with conferences.note(made.id) as noted:
        noted.put("solution/1", record=solution)
    assert run("forget", "--person", "r1")[0] == 0
    run("export", "--conference", made.id, "--out", tmp_path / "venue.zip")
    for name in ("Another", "One more"):
        open_conferences(other).create(name)
    assert run("import", tmp_path / "venue.zip", workspace=other)[0] == 0
    again = open_conferences(other)
    events = {event.key: event for event in again.get(made.id).events}
    kinds = {number: event.kind for number, event in events.items()}
    assert kinds == {3: "created", 4: "forbid", 5: "forbid", 6: "undo", 7: "forgot", 8: "imported"}
    assert events[6].detail["of"] == 4
    assert events[7].detail["erased"].keys() == {"4"}  # undoing names an event, and nobody
    assert sum_changes(events.values()).pairs == {("p1", "r2"): -1}
    renumbered = load_solution(again.get(made.id), 1)
    assert renumbered == structs.replace(solution, event=4)
    assert pending_changes(events.values(), renumbered) == 2
    assert run("verify", workspace=other)[0] == 0
    with contextlib.closing(sqlite3.connect(other / "desk.sqlite")) as connection, connection:
        connection.execute("UPDATE conference_event SET detail = '{}' WHERE number = 6")
    code, said, _ = run("verify", workspace=other)
    assert code == 1
    assert "entry 4 says something else" in said


def test_the_number_of_a_discarded_solution_does_not_come_again_after_an_import(run, tmp_path):
    conferences = open_conferences(tmp_path)
    made = conferences.create("Venue")
    live, settings = Live(conferences, {"scores": "p1,r1,0.5\n"}, made.id), ConferenceSettings(demand=1)
    for number in (1, 2):
        assert begin(conferences, bare_view(live.now), settings).number == number
    with conferences.change(made.id, "discarded", {"words": "", "solution": 2}) as changing:
        discard(changing, 2)
    run("export", "--conference", made.id, "--out", tmp_path / "venue.zip")
    assert run("import", tmp_path / "venue.zip", workspace=tmp_path / "other")[0] == 0
    again = open_conferences(tmp_path / "other")
    assert begin(again, bare_view(again.get(made.id)), settings).number == 3


def test_a_history_with_a_number_twice_is_refused_whole(run, tmp_path):
    made = open_conferences(tmp_path).create("Venue")
    run("export", "--conference", made.id, "--out", tmp_path / "venue.zip")
    with ZipFile(tmp_path / "venue.zip") as archive:
        about = json.loads(archive.read("conference.json"))
    with ZipFile(tmp_path / "twice.zip", "w") as archive:
        archive.writestr("conference.json", json.dumps(about | {"history": about["history"] * 2}))
    open_conferences(tmp_path / "other").create("Another")
    code, _, said = run("import", tmp_path / "twice.zip", workspace=tmp_path / "other")
    assert code == 2
    assert "has a number twice: export the conference again" in said
    assert [one.name for one in open_conferences(tmp_path / "other").list()] == ["Another"]
    assert len(open_conferences(tmp_path / "other").list()) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"detail": {"of": []}},
        {"detail": {"erased": [1]}},
        {"number": 2**70},
        {"kind": "discarded", "detail": {"solution": "last"}},
        {"kind": "lock", "detail": {}},
        {"kind": "lock", "detail": {"pairs": [["p1"]], "quotas": {}, "demands": {}}},
        {"kind": "confirm", "detail": {"pairs": [], "quotas": {}, "demands": {}, "decisions": [{"submission": 3}]}},
        {"kind": "undo", "detail": {}},
    ],
)
def test_a_history_that_was_edited_wrongly_is_refused_in_one_line(run, tmp_path, changed):
    conference = open_conferences(tmp_path).create("Venue")
    run("export", "--conference", conference.id, "--out", tmp_path / "venue.zip")
    with ZipFile(tmp_path / "venue.zip") as archive:
        about = json.loads(archive.read("conference.json"))
    about["history"].append(about["history"][0] | {"number": 2} | changed)
    with ZipFile(tmp_path / "edited.zip", "w") as archive:
        archive.writestr("conference.json", json.dumps(about))
    open_conferences(tmp_path / "other").create("Another")
    code, _, words = run("import", tmp_path / "edited.zip", workspace=tmp_path / "other")
    assert (code, len(words.splitlines())) == (2, 1)
    assert "is not an export of a conference" in words
    assert len(open_conferences(tmp_path / "other").list()) == 1


def test_a_zip_file_of_something_else_is_refused(run, tmp_path):
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("conference.json", "{}")
    code, _, said = run("import", tmp_path / "other.zip")
    assert code == 2
    assert "not an export of a conference" in said


# Earlier versions


VERSION_1 = """
CREATE TABLE kept_submission (id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT NOT NULL, changed TEXT NOT NULL,
    revision INTEGER NOT NULL, request TEXT NOT NULL);
CREATE INDEX kept_submission_changed ON kept_submission (changed);
CREATE TABLE kept_reviewer (submission TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL,
    added TEXT NOT NULL, invited TEXT, answered TEXT, revision INTEGER NOT NULL, PRIMARY KEY (submission, person))
    WITHOUT ROWID;
CREATE INDEX kept_reviewer_person ON kept_reviewer (person);
CREATE TABLE note (person TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL, changed TEXT NOT NULL,
    revision INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE conference (id TEXT PRIMARY KEY, name TEXT NOT NULL, created TEXT NOT NULL, revision INTEGER NOT NULL);
CREATE TABLE conference_event (number INTEGER PRIMARY KEY, conference TEXT NOT NULL, at TEXT NOT NULL,
    who TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX conference_event_of ON conference_event (conference, number);
INSERT INTO kept_submission VALUES ('s1', 'Lakes', '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00', 7,
    '{"submission": {"title": "Lakes", "authors": []}, "options": {}}');
INSERT INTO kept_reviewer VALUES ('s1', 'a1', 'Ada', 'invited', '2026-01-01', '2026-01-02', NULL, 8);
INSERT INTO conference VALUES ('conference1', 'Venue', '2026-01-01T00:00:00+00:00', 1);
PRAGMA application_id = 0x50414E44;
PRAGMA user_version = 1
"""
"""The desk as the first version wrote it."""


def test_a_desk_of_the_first_version_is_carried_over_after_a_copy(run, tmp_path):
    path = tmp_path / "desk.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
    code, out, said = run("export")
    assert code == 0, said
    (kept,) = json.loads(out)["submissions"]
    (ada,) = kept["reviewers"]
    assert (ada["state"], ada["invited"], ada["due"], ada["reminder"], ada["revision"]) == (
        *("invited", "2026-01-02", None, None, 8),
    )
    copy = tmp_path / "desk.sqlite.version1"
    assert copy.stat().st_mode & 0o777 == 0o600
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM kept_reviewer").fetchone() == (1,)
    desk = Desk(Workspace.at(tmp_path))
    changed = SavedSubmissions(desk).set_state("s1", "a1", "Ada", State.ACCEPTED, 8, due=date(2026, 2, 1))
    assert changed.due == "2026-02-01"
    desk.close()
    run("forget", "--submission", "s1")
    assert not copy.exists()  # else it would hold what was forgotten


def test_a_desk_of_a_later_version_is_refused(run, kept, tmp_path):
    with contextlib.closing(sqlite3.connect(tmp_path / "desk.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")
    code, _, said = run("list")
    assert code == 2
    assert "has schema version 99" in said
    assert not list(tmp_path.glob("*.version*"))
