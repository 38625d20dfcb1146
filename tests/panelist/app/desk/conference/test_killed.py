"""A process that is killed at any step of a change or of forgetting leaves the old state or the new one, whole."""

import os
import random
import re
import shutil
import signal
import sys
import time

import pytest
from conference_support import Live, bare_view, open_conferences, openreview_folder, send, with_files, zipped

from panelist.app.desk.conference.reviewing import intake
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.making import choose
from panelist.sqlite_file import SqliteFile

STEPS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.utime", "open"}
SCORES = "".join(f"s{i},~Rev_{j}1,{0.1 * (i + j):.1f}\n" for i in range(3) for j in range(6))


def send_files(conferences, conference, number):
    send(conferences, conference, "openreview", "venue.zip", zipped(openreview_folder(number)))


def send_reviews(conferences, conference, number):
    content = f"paper,reviewer,score,text\ns0,~Rev_01,{number},Good.\n".encode()
    intake.accept(conferences, conference, "texts", "reviews.csv", content)


def choose_solution(conferences, conference, number):
    with conferences.change(conference, "chose", {}) as change:
        choose(change, number)
        change.remove(f"solution/{3 - number}")


def forget(conferences, conference, _):
    conferences.delete(conference)


def killed_at(step, directory, work):
    """Do work in a process that is killed at this step of it: a file or a statement. Whether it was done before."""
    child = os.fork()
    if child == 0:
        taken = 0

        def take():
            nonlocal taken
            taken += 1
            if taken == step:
                os._exit(9)

        def hook(event, arguments):
            writes = event != "open" or "w" in str(arguments[1] or "") or "x" in str(arguments[1] or "")
            if event in STEPS and writes and str(directory) in str(arguments[0]):
                take()

        connect = SqliteFile._connect

        def traced(self):
            connection = connect(self)
            connection.set_trace_callback(lambda _: take())
            return connection

        try:
            sys.addaudithook(hook)
            SqliteFile._connect = traced
            work()
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 9)
    return code == 0


def state(directory):
    """Everything that a server shows after its start; nothing is damaged."""
    conferences = open_conferences(directory)
    try:
        assert conferences.check() == []
        assert not any(breaks for _, breaks in conferences.verify().values())
        return [([event.kind for event in one.events], _without_times(one.parts)) for one in conferences.list()]
    finally:
        conferences.desk.close()


def _without_times(parts):
    return {name: (part.blob, re.sub(r'"(at|begun)":"[^"]*"', "", part.record)) for name, part in parts.items()}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A directory with a conference that has files, reviews and two solutions; what does some work in a copy of it."""
    directory = tmp_path_factory.mktemp("old")
    conferences = open_conferences(directory)
    made = conferences.create("Invented").id
    send_files(conferences, made, 3)
    send_reviews(conferences, made, 1)
    live = Live(conferences, {"scores": SCORES}, made)
    for method in ("total", "fair"):
        live.solve(bare_view(live.now), ConferenceSettings(demand=1, most=2, method=method))
    conferences.desk.close()

    def task(work, copy):
        again = open_conferences(copy)
        work(again, made, 2)
        again.desk.close()

    return directory, task


@pytest.mark.parametrize("work", [send_files, send_reviews, choose_solution, forget])
def test_a_killed_process_leaves_the_old_state_or_the_new_one(tmp_path, prepared, work):
    before, task = prepared
    old = state(shutil.copytree(before, tmp_path / "new"))
    task(work, tmp_path / "new")
    new = state(tmp_path / "new")
    assert old != new
    found = []
    for step in range(1, 200):
        directory = shutil.copytree(before, tmp_path / str(step))
        done = killed_at(step, directory, lambda directory=directory: task(work, directory))
        found.append(state(directory))
        assert found[-1] in (old, new), step
        if done:
            break
    assert found[-1] == new
    assert old in found
    assert found.count(new) > 1


def test_of_twenty_processes_that_are_killed_at_any_moment_every_acknowledged_change_is_there(tmp_path):
    conferences = open_conferences(tmp_path)
    made = with_files(conferences, {"scores": SCORES}).id
    conferences.desk.close()
    moments, done = random.Random(7), 1  # it was created
    for _ in range(20):
        receiving, sending = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                _change_for_ever(tmp_path, made, done, sending)
            finally:
                os._exit(1)
        os.close(sending)
        first = os.read(receiving, 1)  # it works
        time.sleep(moments.uniform(0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(receiving, "rb") as pipe:
            acknowledged = done + len(first + pipe.read())
        ((kinds, parts),) = state(tmp_path)
        done = len(kinds)
        assert done in (acknowledged, acknowledged + 1)
        assert parts["counted"][1] == str(done)
    left = open_conferences(tmp_path).collect()
    assert all(path.name.startswith(".incoming-") or path.is_file() for path in left)


def _change_for_ever(directory, conference, done, pipe):
    """Every kind of change in turn; each is acknowledged by a byte after it was made."""
    conferences = open_conferences(directory)

    def counted(kind, put):
        with conferences.change(conference, kind, {}) as change:
            put(change)
            change.put("counted", record=change.before.revision + 1)

    while True:
        done += 1
        blob = conferences.blobs.put(b"%d" % done * 20_000, ".csv")
        kinds = {
            0: lambda change, blob=blob: change.put("file", blob, {"name": "file.csv"}),
            1: lambda change: change.remove("file"),
            2: lambda change: change.connection.execute("UPDATE conference SET name = 'B' WHERE id = ?", (conference,)),
            3: lambda change, blob=blob: [change.put(f"solution/{at}/pairs", blob) for at in range(5)],
        }
        counted(f"kind {done % 4}", kinds[done % 4])
        os.write(pipe, b"x")
