"""A process that is killed at any step of a change or of forgetting leaves the old state or the new one, whole.

So does a disk that is full at any step.
"""

import errno
import os
import random
import re
import shutil
import signal
import sys
import time

import pytest
from conference_support import Live, bare_view, open_conferences, openreview_folder, send, with_files, zipped
from panel_support import at, make_finder, paper

from panelist.app.access.users import Users
from panelist.app.confined.reviews import CalibrationIn
from panelist.app.desk.conference.archive import bring_back, write_archive
from panelist.app.desk.conference.conflicts import RULES
from panelist.app.desk.conference.contents import load_profiles
from panelist.app.desk.conference.curation import PaperChoiceIn, curation_detail
from panelist.app.desk.conference.forgetting import forget_in_conferences
from panelist.app.desk.conference.intake.accept import add_members, leave_out, remove
from panelist.app.desk.conference.manual import Change, ManualChanges, detail_of, undo_detail
from panelist.app.desk.conference.reviewing import calibrating, intake
from panelist.app.desk.conference.scores import ScoreSettings
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.making import begin, choose, discard, make
from panelist.app.desk.conference.solving.scoring import score
from panelist.app.desk.conference.views.profile import committee_of_one
from panelist.app.web.problems import is_full
from panelist.errors import PanelistError
from panelist.progress import silent
from panelist.sqlite_file import SqliteFile
from panelist.workspace import Workspace
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import ConflictTable

STEPS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.utime", "open"}
FULL = {"os.rename", "os.mkdir", "open"}  # the steps that need room on a disk
APART = 17  # steps between two kills
ROLES = "reviewer,role\n" + "".join(f"~Rev_{j}1,{'reviewer' if j < 4 else 'area chair'}\n" for j in range(6))
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


def hand(kind, **fields):
    """A change by hand, as the server makes it."""

    def work(conferences, conference):
        change = Change(action=kind, **fields)
        with conferences.change(conference, kind, detail_of(change, ManualChanges(), ConflictTable())):
            pass

    return work


def undo(conferences, conference):
    events = conferences.get(conference).events
    with conferences.change(conference, "undo", undo_detail(events[0].number, events)):
        pass


def set_rules(conferences, conference):
    with conferences.change(conference, "rules", {}) as change:
        change.put(RULES, record=ConflictRules(coauthor_years=1))


def curate(conferences, conference):
    stored = conferences.get(conference)
    owned = committee_of_one(stored, None, "~Rev_01", 20)
    detail = curation_detail(
        "~Rev_01", owned, [PaperChoiceIn(paper=load_profiles(stored).papers("~Rev_01")[0].id, weight=0.0)], ()
    )
    with conferences.change(conference, "curate", detail):
        pass


def wait_for(**settings):
    def work(conferences, conference):
        view = bare_view(conferences.get(conference))
        begin(conferences, view, ConferenceSettings(**{"demand": 1, "most": 2} | settings))

    return work


def solve_third(conferences, conference):
    make(conferences, conference, 3, silent)


def discard_second(conferences, conference):
    with conferences.change(conference, "discarded", {"solution": 2}) as change:
        discard(change, 2)


def send_table(kind, content):
    return lambda conferences, conference: send(conferences, conference, kind, f"{kind}.csv", content)


def bring_from(conferences, _):
    bring_back(conferences, conferences.desk.home / "venue.zip")


def forget_person(conferences, _):
    forget_in_conferences(conferences.desk, conferences, {"~rev_11"}, Users(Workspace.at(conferences.desk.home)))


def write_zip(conferences, conference):
    with (conferences.desk.home / "venue.zip").open("wb") as file:
        write_archive(conferences.get(conference), file)


def do_score(conferences, conference, finder):
    settings = ScoreSettings(model="bm25", references="off", history="off")
    score(conferences, bare_view(conferences.get(conference)), settings, finder, silent)


def calibrate(conferences, conference):
    calibrating.make(conferences, conference, CalibrationIn(accept=1, samples=20))


REVIEWS = "paper,reviewer,score\n" + "".join(f"s{i},~Rev_{j}1,{1 + (i + j) % 5}\n" for i in range(3) for j in range(6))
CHANGES = {
    "create": [lambda conferences, _: conferences.create("Another")],
    "rename": [lambda conferences, conference: conferences.rename(conference, "B")],
    "rules": [set_rules],
    "a table, and its unknown lines": [
        send_table("bids", "s0,~Rev_01,2\ns0,nobody,2\n"),
        lambda conferences, conference: leave_out(conferences, conference, "bids", revision=None, actor=""),
        lambda conferences, conference: remove(conferences, conference, "bids"),
    ],
    "people of the corpus": [
        lambda conferences, conference, finder: add_members(conferences, conference, ["a1"], finder.corpus)
    ],
    "a profile, and scores": [curate, do_score],
    "locked and undone": [hand("lock", paper="s0", reviewer="~Rev_11"), undo],
    "a load, and a person forgotten": [hand("quota", quotas={"~Rev_11": 1}), forget_person],
    "a solution": [wait_for(), solve_third, discard_second],
    "levels": [
        send_table("reviewers", ROLES),
        wait_for(levels=("area chair", "reviewer"), demand={"reviewer": 1, "area chair": 1}, most=3),
        solve_third,
    ],
    "reviews calibrated": [
        lambda conferences, conference: intake.accept(conferences, conference, "scores", "s.csv", REVIEWS.encode()),
        calibrate,
    ],
    "forgotten and imported": [
        write_zip,
        lambda conferences, conference: conferences.delete(conference),
        bring_from,
    ],
}
"""What is done one after the other; whoever is killed has done all of a change, or none of it."""
ROWS_ALONE = ("create", "rename", "rules", "locked and undone", "a load, and a person forgotten")


def stopped_at(step, directory, work, stop, kinds):
    """Do work in a process that is stopped at this step of it: a file or a statement. Whether it was done before."""
    child = os.fork()
    if child == 0:
        taken = 0

        def take():
            nonlocal taken
            taken += 1
            if taken >= step:  # a disk stays full
                stop()

        def hook(event, arguments):
            writes = event != "open" or "w" in str(arguments[1] or "") or "x" in str(arguments[1] or "")
            if event in kinds and writes and str(directory) in str(arguments[0]):
                take()

        connect = SqliteFile._connect

        def traced(self):
            connection = connect(self)
            connection.set_trace_callback(lambda _: take())
            return connection

        try:
            sys.addaudithook(hook)
            if kinds is STEPS:
                SqliteFile._connect = traced
            work()
            os._exit(0)
        except (OSError, PanelistError) as error:
            os._exit(9 if is_full(error) else 1)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 9)
    return code == 0


def killed_at(step, directory, work):
    return stopped_at(step, directory, work, lambda: os._exit(9), STEPS)


def full_at(step, directory, work):
    def stop():
        raise OSError(errno.ENOSPC, "No space left on device")

    return stopped_at(step, directory, work, stop, FULL)


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

    def task(work, copy, *more):
        again = open_conferences(copy)
        work(again, made, *more)
        again.desk.close()

    return directory, task


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("corpus"), [paper(f"p{i}", at(f"a{i}")) for i in range(3)]) as finder:
        yield finder


@pytest.mark.parametrize(
    ("name", "stopped"),
    [*((name, killed_at) for name in CHANGES), *((name, full_at) for name in CHANGES if name not in ROWS_ALONE)],
)
def test_of_several_changes_each_is_made_whole_or_not_at_all(tmp_path, prepared, finder, name, stopped):
    before, task = prepared

    def all_of_it(directory):
        for work in CHANGES[name]:
            task(work, directory, *[finder] * (work.__code__.co_argcount == 3))
            yield

    known = [state(shutil.copytree(before, tmp_path / "known"))]
    known += [state(tmp_path / "known") for _ in all_of_it(tmp_path / "known")]
    found = []
    first, apart = (1 + sum(map(ord, name)) % APART, APART) if stopped is killed_at else (1, 5)
    for step in range(first, 2_000, apart):
        directory = shutil.copytree(before, tmp_path / str(step))
        done = stopped(step, directory, lambda directory=directory: list(all_of_it(directory)))
        found.append(state(directory))
        assert found[-1] in known, step
        shutil.rmtree(directory)
        if done:
            break
    assert found[-1] == known[-1]
    assert len(found) > 1


@pytest.mark.parametrize("work", [send_files, send_reviews, choose_solution, forget])
def test_a_killed_process_leaves_the_old_state_or_the_new_one(tmp_path, prepared, work):
    before, task = prepared
    old = state(shutil.copytree(before, tmp_path / "new"))
    task(work, tmp_path / "new", 2)
    new = state(tmp_path / "new")
    assert old != new
    found = []
    for step in range(1, 200):
        directory = shutil.copytree(before, tmp_path / str(step))
        done = killed_at(step, directory, lambda directory=directory: task(work, directory, 2))
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
