"""The sealed history of conferences: what was done to it afterwards is found."""

import sqlite3
from contextlib import closing

import pytest
from conference_support import open_conferences
from typer.testing import CliRunner

from panelist.app.cli.main import command_line


@pytest.fixture
def desk(tmp_path):
    """The directory of a desk with a conference that was renamed three times."""
    conferences = open_conferences(tmp_path)
    made = conferences.create("Venue", actor="ada")
    for name in ("First", "Second", "Third"):
        conferences.rename(made.id, name, actor="grace")
    return tmp_path


def verify(directory):
    answer = CliRunner().invoke(command_line(["desk"]), ["desk", "verify", "--workspace", str(directory)])
    return answer.exit_code, answer.output


def edit(directory, statement, *values):
    with closing(sqlite3.connect(directory / "desk.sqlite")) as connection, connection:
        assert connection.execute(statement, values).rowcount


def test_a_history_that_nobody_touched_is_whole(desk):
    code, words = verify(desk)
    assert (code, "whole" in words) == (0, True)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE conference_event SET who = 'ada' WHERE number = 2", "entry 2 does not follow"),
        ("UPDATE conference_event SET at = '2020-01-01T00:00:00+00:00' WHERE number = 3", "entry 3 does not follow"),
        ("UPDATE conference_event SET detail = '{}' WHERE number = 2", "entry 2 says something else"),
        ("DELETE FROM conference_event WHERE number = 2", "entry 2 does not follow"),
        (
            "INSERT INTO conference_event SELECT 99, conference, at, who, kind, detail FROM conference_event "
            "WHERE number = 2",
            "entry 5 has no seal",
        ),
    ],
)
def test_a_break_is_found_and_named(desk, statement, words):
    edit(desk, statement)
    code, said = verify(desk)
    assert code == 1
    assert words in said
    assert said.count("entry") == 1


def test_an_entry_that_was_put_in_is_not_sealed_by_the_next(desk):
    edit(
        desk,
        "INSERT INTO conference_event SELECT 99, conference, at, who, kind, detail FROM conference_event "
        "WHERE number = 2",
    )
    conferences = open_conferences(desk)
    conferences.rename(conferences.list()[0].id, "Fourth", actor="ada")
    code, said = verify(desk)
    assert (code, said.count("entry")) == (1, 1)
    assert "entry 5 has no seal" in said


def test_a_history_of_today_without_seals_gets_them_with_the_next_entry(desk):
    edit(desk, "DELETE FROM event_seal")
    code, words = verify(desk)
    assert (code, words.count("has no seal")) == (1, 4)
    conferences = open_conferences(desk)
    conferences.rename(conferences.list()[0].id, "Fourth", actor="ada")
    assert verify(desk)[0] == 0
    assert len(conferences.list()[0].events) == 5
