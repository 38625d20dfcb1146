"""Background jobs: progress, cancel, an end to the queue, and what a restart finds."""

import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from waiting import until

from panelist.app.access.roles import WORKSPACE, Role, User
from panelist.app.web.jobs import Jobs, JobState
from panelist.app.web.problems import ProblemError
from panelist.errors import InputError


def wait(job, state):
    until(lambda: job.state is state)


@pytest.fixture
def jobs(tmp_path):
    jobs = Jobs(tmp_path / "jobs", waiting=4, most=3)
    yield jobs
    jobs.close()


def write(text):
    """Work that writes this."""
    return lambda progress, directory: (directory / "result.txt").write_text(text)


def forever(progress, directory):
    while True:
        progress("turning", 0, 0)
        time.sleep(0.001)


def test_a_job_reports_and_ends(jobs):
    seen = threading.Event()

    def work(progress, directory):
        progress("counting", 3, 10)
        assert seen.wait(300)
        write("done")(progress, directory)

    job = jobs.start(work)
    wait(job, JobState.RUNNING)
    until(lambda: job.done == 3)
    assert (job.stage, job.total, job.finished) == ("counting", 10, None)
    seen.set()
    wait(job, JobState.DONE)
    assert (job.directory / "result.txt").read_text() == "done"
    assert jobs.get(job.id) is job


def test_a_running_job_stops_at_its_next_step_and_a_waiting_one_at_once(jobs):
    running, waiting = jobs.start(forever), jobs.start(forever)
    wait(running, JobState.RUNNING)
    jobs.cancel(waiting.id)
    assert waiting.state is JobState.CANCELLED
    jobs.cancel(running.id)
    wait(running, JobState.CANCELLED)


def test_what_fails_says_why_to_users_and_hides_what_is_a_bug(jobs):
    def mistaken(progress, directory):
        raise InputError("no such reviewer")

    def broken(progress, directory):
        raise ZeroDivisionError("secret detail")

    first, second = jobs.start(mistaken), jobs.start(broken)
    wait(second, JobState.FAILED)
    assert first.error == "no such reviewer"
    assert "secret" not in second.error


def test_the_queue_has_an_end_and_one_client_gets_half_of_it(jobs):
    running = jobs.start(forever, "a")
    wait(running, JobState.RUNNING)
    for _ in range(2):
        jobs.start(forever, "a")
    with pytest.raises(ProblemError, match=r"2 of your jobs .*waiting") as refused:
        jobs.start(forever, "a")
    assert refused.value.status_code == 429
    for client in "bc":
        jobs.start(forever, client)
    with pytest.raises(ProblemError, match="4 jobs are waiting") as refused:
        jobs.start(forever, "d")
    assert refused.value.status_code == 503


def test_old_jobs_are_forgotten_with_their_files(jobs, tmp_path):
    started = []
    for number in range(5):
        started.append(jobs.start(write(str(number))))
        wait(started[-1], JobState.DONE)
    with pytest.raises(ProblemError, match="there is no job"):
        jobs.get(started[0].id)
    assert not started[0].directory.exists()
    assert started[-1].directory.exists()
    short = Jobs(tmp_path / "short", age=timedelta(0))
    job = short.start(write("x"))
    wait(job, JobState.DONE)
    with pytest.raises(ProblemError):
        short.get(job.id)
    short.close()


KILLED = """
import os, sys, time
from pathlib import Path
from panelist.app.access.roles import WORKSPACE, Role, User
from panelist.app.web.jobs import Jobs, JobState

def work(progress, directory):
    (directory / "result.txt").write_text("precious")

def forever(progress, directory):
    while True:
        time.sleep(0.01)

jobs = Jobs(Path(sys.argv[1]))
done = jobs.start(work)
while done.state is not JobState.DONE:
    time.sleep(0.01)
running = jobs.start(forever)
while running.state is not JobState.RUNNING:
    time.sleep(0.01)
print(done.id, running.id, jobs.start(work).id, flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_killed_server_loses_no_finished_job_and_says_what_is_lost(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert killed.returncode == -9
    done, running, waiting = killed.stdout.split()
    (tmp_path / "nonsense").mkdir()
    (tmp_path / "nonsense/job.json").write_text("{")
    jobs = Jobs(tmp_path)
    assert jobs.get(done).state is JobState.DONE
    assert (jobs.get(done).directory / "result.txt").read_text() == "precious"
    for lost in (running, waiting):
        assert jobs.get(lost).state is JobState.LOST
        assert "send it again" in jobs.get(lost).error
    jobs.close()


def test_a_second_server_keeps_its_jobs_elsewhere(jobs, tmp_path, caplog):
    second = Jobs(tmp_path / "jobs")
    assert "will not survive a restart" in caplog.text
    mine = jobs.start(forever)
    theirs = second.start(write("x"))
    wait(theirs, JobState.DONE)
    assert theirs.directory.parent != mine.directory.parent
    second.close()
    assert not theirs.directory.exists()


def test_a_job_belongs_to_who_began_it_and_to_the_chairs_of_its_conference(jobs):
    ada, bob, cy, di = (
        User(name, roles={place: frozenset({role})})
        for name, place, role in (
            ("ada", "venue", Role.CHAIR),
            ("bob", "venue", Role.CHAIR),
            ("cy", "other", Role.CHAIR),
            ("di", "venue", Role.AREA_CHAIR),
        )
    )
    root = User("root", roles={WORKSPACE: frozenset({Role.ADMINISTRATOR})})
    job = jobs.seen_by(ada).start(forever, conference="venue")
    own = jobs.seen_by(cy).start(forever)
    for outsider in (cy, di):
        with pytest.raises(ProblemError, match="there is no job"):
            jobs.seen_by(outsider).get(job.id)
        with pytest.raises(ProblemError, match="there is no job"):
            jobs.seen_by(outsider).cancel(job.id)
    assert not job.cancelled.is_set()
    assert [jobs.seen_by(who).find(own.id) is own for who in (cy, root, ada, bob, di)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert jobs.seen_by(bob).cancel(job.id) is job
    wait(job, JobState.CANCELLED)
