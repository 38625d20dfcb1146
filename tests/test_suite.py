"""The suite itself: a test that kills its process, or never ends, is named, and the run ends."""

import json
import subprocess
import sys
from pathlib import Path

import coverage_floors
import pytest

from panelist.config import cache_dir

SETTINGS = Path(__file__).parents[1] / "pyproject.toml"
KILLS = "import os\n\ndef test_kills():\n    os.abort()\n"
# Python looks for signals between its own calls: the second makes none, as a loop in native code.
WAITS = """import threading

def test_waits():
    threading.Event().wait()

def test_keeps_the_interpreter():
    sum(iter(int, 1))
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (KILLS, ("Fatal Python error: Aborted", "crashed while running 'test_it.py::test_kills'")),
        (WAITS, ("Failed: Timeout (>1.0s)", "Timeout (0:00:02)!", "'test_it.py::test_keeps_the_interpreter'")),
    ],
)
def test_a_test_that_does_not_end_is_named_and_the_run_ends(tmp_path, monkeypatch, text, expected):
    (tmp_path / "test_it.py").write_text(text)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the others take seconds to load
    plugins = ["-p", "xdist", "-p", "pytest_timeout", "-n", "1", "--dist", "loadfile"]
    limits = ["-o", "timeout=1", "-o", "faulthandler_timeout=2"]
    command = [sys.executable, "-m", "pytest", "-c", str(SETTINGS), "--rootdir", str(tmp_path), *plugins, *limits]
    run = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert run.returncode == 1, run.stderr
    assert [words for words in expected if words not in run.stdout + run.stderr] == []


def test_a_package_below_its_floor_fails_and_is_named(tmp_path, capsys, monkeypatch):
    def file(covered):
        numbers = {"covered_lines": covered, "covered_branches": 0, "num_statements": 10, "num_branches": 0}
        return {"summary": numbers}

    settings, report = tmp_path / "pyproject.toml", tmp_path / "coverage.json"
    settings.write_text('[tool.panelist.coverage]\npanelist = 90\n"panelist/app" = 60\n')
    monkeypatch.setattr(coverage_floors, "SETTINGS", settings)
    for covered, code in ((5, 1), (6, 0)):
        report.write_text(json.dumps({"files": {"panelist/a.py": file(9), "panelist/app/b.py": file(covered)}}))
        assert coverage_floors.main(report) == code
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if "BELOW" in line] == ["panelist/app"]


def test_no_test_comes_to_the_cache_of_the_user(cache_of_this_run, monkeypatch):
    assert cache_dir() == cache_of_this_run
    monkeypatch.delenv("PANELIST_CACHE")
    with pytest.raises(AssertionError, match="asks for the user's cache"):
        cache_dir()
