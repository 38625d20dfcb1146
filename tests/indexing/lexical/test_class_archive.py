"""The archive of Java's classes: made once, used where it fits, and missed by nobody where it does not."""

import json
import os
import subprocess
import sys

import pytest

from indexing.lexical import class_archive
from indexing.lexical.class_archive import PREPARING, make_class_archive
from indexing.lexical.jvm import archive_path

pytestmark = pytest.mark.java

SCRIPT = """
import json, sys, tempfile
from pathlib import Path
from indexing.lexical import open_lexical, write_lexical
with tempfile.TemporaryDirectory() as directory:
    path = Path(directory, "index")
    with write_lexical(path, "lucene") as writer:
        writer.add([0, 1], ["coral reefs", "lipid droplets"])
    with open_lexical(path, "lucene") as index:
        print(json.dumps(index.search(["lipid"], 1).units.tolist()))
maps = Path("/proc/self/maps").read_text()
print(json.dumps(".jsa" in maps))
"""


def search(cache):
    """What a new process finds, whether it has mapped an archive, and what else it prints."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PANELIST_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, mapped = done.stdout.splitlines()  # and not a word of Java's
    assert json.loads(found) == [[1]]
    assert done.stderr == ""
    return json.loads(mapped)


def test_an_archive_is_made_once_and_used(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path))
    assert not search(tmp_path)
    told = []
    make_class_archive(lambda *progress: told.append(progress))
    assert told == [(PREPARING, done, 2) for done in range(3)]
    assert [*(tmp_path / "java").iterdir()] == [archive_path()]
    assert search(tmp_path)
    make_class_archive(lambda *progress: told.append(progress))
    assert len(told) == 3
    # What does not fit is left alone, without a word.
    archive_path().chmod(0o600)
    archive_path().write_bytes(b"not an archive")
    assert not search(tmp_path)


def test_where_it_cannot_be_made_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path))

    def fail(command):
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(class_archive, "_run", fail)
    make_class_archive()
    assert not any((tmp_path / "java").iterdir())
    monkeypatch.setenv("PANELIST_CACHE", "/dev/null/nowhere")
    make_class_archive()
