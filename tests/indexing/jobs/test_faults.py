"""Builds that are killed, full disks: the old index serves, and a second run ends as an undisturbed one."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import indexing_support as support
import pytest
from indexing_support import Runner, load_hashing, make_papers, search

from indexing.index import open_index
from indexing.jobs.check import check_index
from panelist.workspace import Workspace

MOMENTS = 5
PARTS = ("units", "ownership", "vectors")


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    runner = Runner(tmp_path_factory.mktemp("runner") / "output")
    yield runner
    runner.close()


def start(workspace, *options):
    """A build in an interpreter of its own, which goes on while we do other things."""
    command = [sys.executable, support.__file__, workspace.path, "build", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def new_workspace(path, papers):
    workspace = Workspace(path)
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(papers)
    return workspace


def contents(workspace):
    """Checksums of the plain arrays, and the answers of both engines; the index must be sound."""
    with workspace.open_corpus() as corpus, open_index(workspace.index_path, load=load_hashing) as index:
        assert check_index(index, corpus) == []
        files = {name: file for name, file in index.manifest.files.items() if name.startswith(PARTS)}
        return files, search(index, corpus)


def clear(workspace):
    names = [path.name for path in workspace.index_path.iterdir()]
    return sorted(name for name in names if not name.startswith("lock"))


@pytest.fixture(scope="module")
def small_corpus():
    return make_papers(300)


def test_a_first_build_killed_at_five_moments_ends_as_an_undisturbed_one(runner, tmp_path, small_corpus):
    undisturbed = new_workspace(tmp_path / "undisturbed", small_corpus)
    touches = runner.finish(undisturbed, "build")
    expected = contents(undisturbed)
    dice = random.Random(20)
    # One moment in each fifth of the build: from the first shard to the deletion of the work directory.
    for fifth in range(MOMENTS):
        moment = dice.randint(fifth * touches // MOMENTS + 1, (fifth + 1) * touches // MOMENTS)
        workspace = new_workspace(tmp_path / f"killed-{moment}", small_corpus)
        runner.kill(workspace, "build", moment)
        runner.finish(workspace, "build")
        assert contents(workspace) == expected, f"killed at touch {moment} of {touches}"
        assert len(clear(workspace)) == 2  # CURRENT and its generation


def test_an_update_killed_at_any_moment_leaves_the_old_index_serving(runner, tmp_path, small_corpus):
    prepared = new_workspace(tmp_path / "prepared", small_corpus)
    runner.finish(prepared, "build")
    with prepared.open_corpus() as corpus:
        corpus.delete([small_corpus[4].id, small_corpus[5].id])
        corpus.upsert(make_papers(60, seed=1, first=300))
    before = contents(prepared)
    undisturbed = Workspace(shutil.copytree(prepared.path, tmp_path / "undisturbed"))
    touches = runner.finish(undisturbed, "add")
    after = contents(undisturbed)
    dice = random.Random(21)
    for third in range(3):
        moment = dice.randint(third * touches // 3 + 1, (third + 1) * touches // 3)
        workspace = Workspace(shutil.copytree(prepared.path, tmp_path / f"killed-{moment}"))
        runner.kill(workspace, "add", moment)
        assert contents(workspace) in (before, after)
        runner.finish(workspace, "add")
        assert contents(workspace) == after, f"killed at touch {moment} of {touches}"


@pytest.mark.java
def test_a_lucene_build_killed_at_random_times_ends_as_an_undisturbed_one(tmp_path, small_corpus):
    undisturbed = new_workspace(tmp_path / "undisturbed", small_corpus)
    began = time.monotonic()
    assert start(undisturbed, "--engine", "lucene").communicate()[1] == ""
    duration = time.monotonic() - began
    expected = contents(undisturbed)
    dice = random.Random(22)
    workspace = new_workspace(tmp_path / "killed", small_corpus)
    for _ in range(2):
        process = start(workspace, "--engine", "lucene")
        time.sleep(duration * dice.uniform(0.3, 0.95))  # Java writes these files: count time instead of touches
        process.kill()
        process.communicate()
    assert start(workspace, "--engine", "lucene").communicate()[1] == ""
    assert contents(workspace) == expected
    assert len(clear(workspace)) == 2


@pytest.mark.parametrize("limit", [500, 5_000, 15_000])
def test_a_full_disk_is_one_line_and_the_previous_index_still_answers(runner, tmp_path, small_corpus, limit):
    workspace = new_workspace(tmp_path / "workspace", small_corpus)
    runner.finish(workspace, "build")
    before = contents(workspace)
    # The kernel refuses every file longer than the limit, as it refuses a write when the disk is full.
    code, errors = runner.run(workspace, "build", "--limit-bytes", str(limit))
    assert code == 1
    assert errors.startswith("error: no space left to write ")
    assert "free some and run the same command again" in errors
    assert errors.count("\n") == 1
    assert contents(workspace) == before
    runner.finish(workspace, "build")
    assert contents(workspace) == before


def test_two_builds_at_once_are_refused_and_the_first_is_not_disturbed(tmp_path, small_corpus):
    workspace = new_workspace(tmp_path / "workspace", small_corpus)
    first = start(workspace, "--stop-at", "25")
    os.waitid(os.P_PID, first.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    try:
        second = start(workspace)
        _, errors = second.communicate()
    finally:
        os.kill(first.pid, signal.SIGCONT)
    assert errors.startswith(f"error: index '{workspace.index_path}' is being written by process {first.pid}: ")
    first.communicate()
    assert first.returncode == 0
    contents(workspace)
