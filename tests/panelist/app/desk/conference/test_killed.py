"""A process that is killed at any step of a change or of forgetting leaves the old state or the new one, whole."""

import os
import sys

import pytest
from conference_support import open_conferences, openreview_folder, zipped

from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.intake.accept import accept
from panelist.app.desk.conference.reviewing import intake
from panelist.app.desk.conference.staging import scratch

STEPS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "open"}


def send(conferences, conference, submissions):
    with scratch(conference.path) as folder:
        (folder / "venue.zip").write_bytes(zipped(openreview_folder(submissions)))
        accept(conferences, conference.id, "openreview", folder / "venue.zip", None)


def send_reviews(conferences, conference, score):
    content = f"paper,reviewer,score,text\ns0,~Rev_01,{score},Good.\n".encode()
    intake.accept(conferences, conference.id, "texts", "reviews.csv", content)


def choose(conferences, conference, number):
    with conferences.change(conference.id, "chose", {}) as (_, _, stage):
        stage.file("chosen").write_text(str(number))
        stage.remove(f"assignments/{3 - number}")


def forget(conferences, conference, _):
    conferences.delete(conference.id)


def killed_at(step, directory, work):
    """Do some work in a process that is killed at this step of it; whether it was done before."""
    child = os.fork()
    if child == 0:
        taken = 0

        def hook(event, arguments):
            nonlocal taken
            writes = event != "open" or "w" in str(arguments[1] or "") or "a" in str(arguments[1] or "")
            if event in STEPS and writes and str(directory) in str(arguments[0]):
                taken += 1
                if taken == step:
                    os._exit(9)

        try:
            sys.addaudithook(hook)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 9)
    return code == 0


def state(directory):
    """Everything that a server shows after its start."""
    conferences = open_conferences(directory)
    conferences.recover()
    try:
        for one in conferences.list():
            files = {
                str(path.relative_to(one.path)): path.read_bytes()
                for path in sorted(one.path.rglob("*"))
                if path.is_file() and not path.relative_to(one.path).parts[0].startswith(".scratch")
            }
            files.pop("files.json", None)  # has the time of day
            files.pop("reviews.json", None)
            records = {kind: record.summary for kind, record in read_records(one).items()}
            rows = {kind: record.rows for kind, record in intake.read_all(one).items()}
            events = [event.kind for event in conferences.events(one.id)]
            return one.revision, events, records, rows, solutions.chosen(one), files
        return list((directory / "conferences").iterdir())
    finally:
        conferences._desk.close()


def prepared(directory):
    """A conference with files, reviews and two solutions."""
    conferences = open_conferences(directory)
    made = conferences.create("Invented")
    send(conferences, made, 3)
    send_reviews(conferences, made, 1)
    for number in (1, 2):
        (made.path / "assignments" / str(number)).mkdir(parents=True)
        (made.path / "assignments" / str(number) / "assignment.csv").write_text("p,r,1\n")
    conferences._desk.close()

    def task(work):
        again = open_conferences(directory)
        work(again, again.get(made.id), 2)
        again._desk.close()

    return task


@pytest.mark.parametrize("work", [send, send_reviews, choose, forget])
def test_a_killed_process_leaves_the_old_state_or_the_new_one(tmp_path, work):
    task = prepared(tmp_path / "reference")
    old = state(tmp_path / "reference")
    task(work)
    new = state(tmp_path / "reference")
    assert old != new
    found = []
    for step in range(1, 200):
        directory = tmp_path / str(step)
        task = prepared(directory)
        done = killed_at(step, directory / "conferences", lambda task=task: task(work))
        found.append(state(directory))
        assert found[-1] in (old, new), step
        if done:
            break
    assert found[-1] == new
    assert old in found
    assert found.count(new) > 1
