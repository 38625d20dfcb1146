"""Kernels are compiled once for a processor, say so, and work where nothing can be written."""

import json
import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import panel_support
import pytest
from panel_support import make_finder, paper

from indexing.kernels import COMPILING, load_in_background

SCRIPT = """
import json, sys
from indexing.kernels import load_kernels

if "--read-only" in sys.argv:  # as in a read-only file system: numba looks for a directory that it can write to
    import tempfile
    def refuse(*arguments, **options):
        raise OSError(30, "Read-only file system")
    tempfile.TemporaryFile = refuse

told = []
load_kernels(["retriever.affinity.kernels.output"], lambda *progress: told.append(progress))

import numpy as np
from retriever.affinity.kernels.output import join_lines
head, name, number = (np.frombuffer(text, np.uint8) for text in (b"s,", b"r,", b"1,"))
text, cuts = np.zeros(6, np.uint8), np.array([0, 2])
join_lines(head, cuts, name, cuts, np.array([0, 1]), np.array([0]), number, text)
print(json.dumps({"told": told, "text": text.tobytes().decode()}))
"""


def run(cache, *options, **environment):
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "NUMBA_CACHE_DIR": str(cache), **environment}
    command = [sys.executable, "-c", SCRIPT, *options]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["text"] == "s,r,1\n"
    return answer["told"]


def test_an_empty_cache_is_filled_once_for_each_processor(tmp_path):
    compiled = [[COMPILING, 0, 1], [COMPILING, 1, 1]]
    first = run(tmp_path)
    assert [first[0], first[-1]] == compiled
    assert run(tmp_path) == []
    other = run(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    assert [other[0], other[-1]] == compiled
    assert run(tmp_path, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == []
    assert run(tmp_path) == []  # both are kept


def test_where_nothing_can_be_written_it_is_compiled_each_time(tmp_path):
    for _ in range(2):
        told = run(tmp_path, "--read-only")
        assert [told[0], told[-1]] == [[COMPILING, 0, 1], [COMPILING, 1, 1]]
    assert not any(tmp_path.rglob("*.nb?"))


def test_what_fails_in_the_background_comes_up_in_the_foreground(monkeypatch):
    reported = []
    monkeypatch.setattr("threading.excepthook", reported.append)
    load_in_background(["no.such.module"]).join()
    assert reported == []
    with pytest.raises(ModuleNotFoundError):
        import_module("no.such.module")


def lines(chosen, text):
    from retriever.affinity.kernels.output import join_lines

    head = np.frombuffer(b"s,", np.uint8)  # as a file that is mapped: read-only
    cuts = np.array([0, 2])
    join_lines(head, cuts, head, cuts, np.array([0, 1]), chosen, head, text)


@pytest.mark.parametrize("wrong", [np.zeros(4, np.int64)[::2], np.zeros(1, np.int32), np.zeros((1, 1), np.int64)])
def test_arrays_of_another_type_or_layout_are_refused(wrong):
    with pytest.raises(TypeError, match="No matching definition"):
        lines(wrong, np.zeros(8, np.uint8))


def test_memory_mapped_arrays_are_read_and_written_ones_must_be_writable():
    text = np.zeros(8, np.uint8)
    lines(np.zeros(1, np.int64), text)
    text.flags.writeable = False
    with pytest.raises(TypeError, match="No matching definition"):
        lines(np.zeros(1, np.int64), text)


TWO_FINDERS = """
import sys
from pathlib import Path
from indexing_support import load_hashing
from indexing.index import open_index
from panelist.records import Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.kernels import load_lookup_kernels

def opened(workspace):
    finder = Finder(open_index(workspace.index_path, load=load_hashing), workspace.open_corpus())
    load_lookup_kernels()  # as `Finder.open` does
    return finder

finders = [opened(Workspace.at(Path(sys.argv[1]))) for _ in range(2)]
print(len(finders[0].find(Submission("x", "coral reef")).matches))
"""


def test_two_finders_opened_at_once_do_not_wait_for_each_other_for_ever(tmp_path):
    make_finder(tmp_path, [paper("p1", "ada"), paper("p2", "bob")]).close()
    support = os.pathsep.join([os.environ.get("PYTHONPATH", ""), os.path.dirname(panel_support.__file__)])
    for _ in range(2):  # without the lock it happened in every second run
        done = subprocess.run(
            [sys.executable, "-c", TWO_FINDERS, tmp_path],
            env={**os.environ, "PYTHONPATH": support},
            check=True,
            timeout=300,
            capture_output=True,
        )
        assert done.stdout.split() == [b"2"]


RECORD = """
from typing import NamedTuple
from indexing.kernels import kernel

class {name}(NamedTuple):
    count: int
    share: float

@kernel
def add(record: {name}) -> int:
    return record.count + 1

print(add({name}(1, 0.5)))
"""


def test_cache_that_names_a_type_which_has_moved_is_compiled_again(tmp_path):
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    variables["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    for name in ("First", "Second", "Second"):
        (tmp_path / "moved.py").write_text(RECORD.format(name=name))
        done = subprocess.run([sys.executable, "-c", "import moved"], env=variables, capture_output=True, text=True)
        assert done.stdout == "2\n", done.stderr
