"""What the editor's desk keeps, how two tabs change it, and that what is forgotten is gone from the file."""

import json
import stat
from datetime import date

import pytest

from panelist.app.desk.database import Desk
from panelist.app.desk.editor.export import deadlines, to_calendar
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.records import Load, State
from panelist.app.desk.editor.submissions import SavedSubmissions
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.corpus.history import forms_of
from panelist.errors import InputError
from panelist.workspace import Workspace

SECRET = "A manuscript that nobody may know of"
REQUEST = json.dumps({"submission": {"title": SECRET, "authors": [{"id": "a9"}]}, "options": {"exclude": ["a1", "a2"]}})
PEOPLE = [("a1", "Ada", State.SHORTLISTED), ("a2", "Bea", State.EXCLUDED)]


@pytest.fixture
def desk(tmp_path):
    desk = Desk(Workspace.at(tmp_path / "w"))
    yield desk
    desk.close()


@pytest.fixture
def submissions(desk):
    return SavedSubmissions(desk)


@pytest.fixture
def people(desk):
    return DeskPeople(desk)


def test_a_saved_submission_is_read_back_from_the_file(desk, submissions, tmp_path):
    kept = submissions.keep(SECRET, REQUEST, PEOPLE)
    desk.close()
    again = Desk(Workspace.at(tmp_path / "w"))
    found = SavedSubmissions(again).get(kept.id)
    assert found == kept
    assert [(reviewer.person, reviewer.state) for reviewer in found.reviewers] == [
        ("a1", "shortlisted"),
        ("a2", "excluded"),
    ]
    again.close()


def test_only_the_owner_can_read_the_file(submissions, tmp_path):
    submissions.keep(SECRET, REQUEST)
    for path in (tmp_path / "w").glob("desk.sqlite*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_file_is_created_before_something_is_saved(desk, tmp_path):
    SavedSubmissions(desk)
    assert not (tmp_path / "w").exists()


def test_the_list_is_searched_and_cut(submissions):
    for number in range(5):
        submissions.keep(f"Paper {number} on Öl", REQUEST)
    last = submissions.keep("Another one", REQUEST, PEOPLE)
    total, found = submissions.listing(limit=2)
    assert (total, found[0].id, len(found)) == (6, last.id, 2)
    assert found[0].counts == {State.SHORTLISTED: 1, State.EXCLUDED: 1}
    total, found = submissions.listing("öl PAPER", offset=4)
    assert (total, [one.title for one in found]) == (5, ["Paper 0 on Öl"])
    submissions.set_state(submissions.listing("3 öl")[1][0].id, "a1", "Ada", State.INVITED, 0)
    assert submissions.listing(limit=1)[1][0].title == "Paper 3 on Öl"


def test_days_follow_the_states(submissions):
    kept = submissions.keep(SECRET, REQUEST, PEOPLE)
    one = kept.reviewers[0]
    one = submissions.set_state(kept.id, "a1", "Ada", State.INVITED, one.revision, date(2026, 3, 1))
    assert (one.invited, one.answered) == ("2026-03-01", None)
    with pytest.raises(InputError, match="before the invitation of 2026-03-01"):
        submissions.set_state(kept.id, "a1", "Ada", State.DECLINED, one.revision, date(2026, 2, 1))
    one = submissions.set_state(kept.id, "a1", "Ada", State.DECLINED, one.revision, date(2026, 3, 4))
    assert (one.invited, one.answered) == ("2026-03-01", "2026-03-04")
    one = submissions.set_state(kept.id, "a1", "Ada", State.EXCLUDED, one.revision)
    assert (one.invited, one.answered) == ("2026-03-01", "2026-03-04")
    one = submissions.set_state(kept.id, "a1", "Ada", State.SHORTLISTED, one.revision)
    assert (one.invited, one.answered) == (None, None)
    one = submissions.set_state(kept.id, "a3", "Cid", State.ACCEPTED, 0, date(2026, 3, 5))
    assert (one.invited, one.answered) == ("2026-03-05", "2026-03-05")
    assert submissions.get(kept.id).reviewers[-1] == one


def test_two_tabs_change_different_people_but_not_the_same_one(submissions):
    kept = submissions.keep(SECRET, REQUEST, PEOPLE)
    ada, bea = kept.reviewers
    submissions.set_state(kept.id, "a1", "Ada", State.INVITED, ada.revision)
    submissions.set_state(kept.id, "a2", "Bea", State.SHORTLISTED, bea.revision)
    with pytest.raises(RevisionConflictError, match="Ada is now invited"):
        submissions.set_state(kept.id, "a1", "Ada", State.EXCLUDED, ada.revision)
    with pytest.raises(RevisionConflictError, match="Bea is now shortlisted"):
        submissions.remove(kept.id, "a2", bea.revision)
    states = {reviewer.person: reviewer for reviewer in submissions.get(kept.id).reviewers}
    assert (states["a1"].state, states["a2"].state) == ("invited", "shortlisted")
    submissions.remove(kept.id, "a2", states["a2"].revision)
    with pytest.raises(RevisionConflictError, match=r"changed .*: Bea .*not in"):
        submissions.set_state(kept.id, "a2", "Bea", State.INVITED, states["a2"].revision)


def test_a_look_up_is_not_written_over(submissions):
    kept = submissions.keep(SECRET, REQUEST)
    newer = submissions.change(kept.id, "Renamed", REQUEST, kept.revision)
    assert newer.title == "Renamed"
    with pytest.raises(RevisionConflictError, match=r"'Renamed' .*changed .*another tab"):
        submissions.change(kept.id, SECRET, REQUEST, kept.revision)


def test_a_note_that_was_erased_and_written_again_is_another_one(people):
    first = people.write_note("a1", "Ada", " slow but thorough ", 0)
    assert people.note("a1").text == "slow but thorough"
    with pytest.raises(RevisionConflictError, match=r"note about Ada .*changed"):
        people.write_note("a1", "Ada", "mine", 0)
    assert people.write_note("a1", "Ada", "  ", first.revision).revision == 0
    people.write_note("a1", "Ada", "second", 0)
    with pytest.raises(RevisionConflictError):
        people.write_note("a1", "Ada", "from an old tab", first.revision)
    assert people.note("a1").text == "second"


def test_load_counts_the_invitations_of_a_year_over_all_submissions(submissions, people):
    for day, state in [
        (date(2026, 1, 5), State.INVITED),
        (date(2026, 2, 5), State.DECLINED),
        (date(2026, 3, 5), State.ACCEPTED),
        (date(2025, 12, 31), State.ACCEPTED),
    ]:
        kept = submissions.keep(SECRET, REQUEST)
        submissions.set_state(kept.id, "a1", "Ada", state, 0, day)
    submissions.keep(SECRET, REQUEST, PEOPLE)
    assert people.loads(["a1", "a2", "nobody"], date(2026, 12, 31)) == {"a1": Load(3, 1, 1, open=2, recent=2)}
    assert people.loads(["a1"], date(2025, 12, 31)) == {"a1": Load(1, 1, 0, open=2, recent=2)}
    assert [involvement.state for involvement in people.involvements("a1")].count(State.ACCEPTED) == 2


def bytes_of(workspace):
    return b"".join(path.read_bytes() for path in workspace.glob("desk.sqlite*"))


def test_a_forgotten_submission_is_gone_from_the_disk(submissions, tmp_path):
    kept = submissions.keep(SECRET, REQUEST, PEOPLE)
    other = submissions.keep("Another", json.dumps({"submission": {"authors": []}, "options": {}}))
    assert SECRET.encode() in bytes_of(tmp_path / "w")
    submissions.forget(kept.id)
    with pytest.raises(NotFoundError, match=r"no kept submission .*forgotten"):
        submissions.get(kept.id)
    assert SECRET.encode() not in bytes_of(tmp_path / "w")
    assert b"Ada" not in bytes_of(tmp_path / "w")
    assert submissions.get(other.id).title == "Another"


def test_a_forgotten_person_is_gone_from_notes_lists_and_options(submissions, people, tmp_path):
    kept = submissions.keep(SECRET, REQUEST, [("a1", "Adalovelace", State.INVITED)])
    people.write_note("a1", "Adalovelace", "always late", 0)
    forgotten = people.forget(forms_of(["a1"]))
    assert (forgotten.notes, forgotten.lists, forgotten.authored) == (1, 1, ())
    left = submissions.get(kept.id)
    assert left.reviewers == ()
    assert json.loads(left.request)["options"]["exclude"] == ["a2"]
    for text in (b"Adalovelace", b"always late"):
        assert text not in bytes_of(tmp_path / "w")
    assert people.forget(forms_of(["a9"])).authored == (kept.id,)


def test_what_is_due_is_listed_and_given_to_calendars(submissions, desk):
    kept = submissions.keep("Oil; water, and a title that is long enough to be folded in a calendar, with ö", "{}")
    one = submissions.set_state(
        kept.id, "a1", "Ada", State.INVITED, 0, due=date(2026, 3, 20), reminder=date(2026, 3, 13)
    )
    assert (one.due, one.reminder) == ("2026-03-20", "2026-03-13")
    with pytest.raises(InputError, match=r"reminder .*after .*report .*due"):
        submissions.set_state(kept.id, "a1", "Ada", State.INVITED, one.revision, reminder=date(2026, 3, 21))
    one = submissions.set_state(kept.id, "a1", "Ada", State.ACCEPTED, one.revision)
    assert (one.due, one.reminder) == ("2026-03-20", "2026-03-13")
    submissions.set_state(kept.id, "a2", "Bea", State.INVITED, 0, due=date(2026, 3, 15))
    soon = deadlines(desk, date(2026, 3, 15))
    assert [(entry.day, entry.what, entry.name) for entry in soon] == [
        ("2026-03-13", "reminder", "Ada"),
        ("2026-03-15", "report", "Bea"),
    ]
    calendar = to_calendar(deadlines(desk))
    lines = calendar.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    whole = calendar.replace(b"\r\n ", b"").decode()
    assert whole.count("BEGIN:VEVENT") == whole.count("END:VEVENT") == 3
    assert "DTSTART;VALUE=DATE:20260320\r\nDTEND;VALUE=DATE:20260321\r\nSUMMARY:Report of Ada is due" in whole
    assert r"DESCRIPTION:Oil\; water\, and a title" in whole
    assert "with ö\r\n" in whole
    one = submissions.set_state(kept.id, "a1", "Ada", State.DECLINED, one.revision)
    assert (one.due, one.reminder) == (None, None)
    assert [entry.name for entry in deadlines(desk)] == ["Bea"]
