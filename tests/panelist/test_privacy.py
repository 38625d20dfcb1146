"""Nothing is told to anybody: commands and the server look up no name and keep no device id, without being asked to."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from panel_support import at, paper
from web_support import make_workspace

from indexing.jobs.build import IndexJobs
from panelist.config import cache_dir
from panelist.workspace import Workspace

ROOT = Path(__file__).parent.parent.parent
OFFLINE = ["unshare", "--map-root-user", "--net", "--mount", sys.executable, str(ROOT / "tests/support/offline.py")]
PANELIST = [sys.executable, "-m", "panelist"]
SWITCHES = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
COLLECTED_AFTER = 9  # seconds until ONNX Runtime looks for its collector, where it is allowed to


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Runs a command without a network; what it tried to look up, and the files that it left in the user's home."""

    def run(*command, check=True):
        directory = tmp_path_factory.mktemp("alone")
        home, names = directory / "home", directory / "names.txt"
        home.mkdir()
        variables = {name: value for name, value in os.environ.items() if name not in SWITCHES}
        variables |= {"HOME": str(home), "PANELIST_CACHE": str(cache_dir()), "PYTHONPATH": str(ROOT)}
        variables.pop("XDG_CACHE_HOME", None)
        subprocess.run([*OFFLINE, str(names), *command], env=variables, check=check, timeout=300, capture_output=True)
        return names.read_text().split(), [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]

    try:
        seen, _ = run(sys.executable, "-c", "import socket; socket.getaddrinfo('panelist.example', 80)", check=False)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"namespaces are not allowed here: {error}")
    if not seen:
        pytest.skip("network and mount namespaces are not allowed here")
    assert set(seen) == {"panelist.example"}  # it does notice
    return run


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    workspace = make_workspace(tmp_path_factory.mktemp("w"), [paper("p1", at("a1")), paper("p2", at("a2"))])
    with workspace.open_corpus() as corpus:
        IndexJobs(workspace.index_path).build(corpus, engine="bm25s")
    return workspace.path


@pytest.fixture
def workspace(built, tmp_path):
    return Workspace.at(shutil.copytree(built, tmp_path / "w"))


def reported(files):
    return [file for file in files if "Microsoft" in file or "deviceid" in file or "telemetry" in file.lower()]


@pytest.mark.model
@pytest.mark.parametrize(
    "command",
    [
        ["index", "build", "--engine", "bm25s", "--workspace"],
        ["find", "--title", "coral reef bleaching", "--json", "--workspace"],
    ],
    ids=lambda command: command[0],
)
def test_commands_look_nothing_up(alone, workspace, command):
    looked_up, files = alone(*PANELIST, *command, str(workspace.path))
    assert looked_up == []
    assert reported(files) == []


SERVING = """
import subprocess, sys, time, httpx2
server = subprocess.Popen([sys.executable, "-m", "panelist", "serve", "--port", "0", "--workspace", sys.argv[1]],
                          stderr=subprocess.PIPE, text=True)
try:
    address = server.stderr.readline().split(" at ")[1].split()[0]
    asked = {"submission": {"title": "coral reefs"}}
    httpx2.post(f"{address}/api/v1/reviewers", json=asked, timeout=300).raise_for_status()
    time.sleep(float(sys.argv[2]))
finally:
    server.terminate()
    server.wait()
"""


@pytest.mark.model
def test_the_server_looks_nothing_up(alone, workspace):
    looked_up, files = alone(sys.executable, "-c", SERVING, str(workspace.path), str(COLLECTED_AFTER))
    assert looked_up == []
    assert reported(files) == []


def test_telemetry_is_off_before_anything_else_is_imported():
    variables = {name: value for name, value in os.environ.items() if name not in SWITCHES} | {"DO_NOT_TRACK": "0"}
    code = f"import panelist, os; print([os.environ[name] for name in {SWITCHES!r}])"
    printed = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "['1', '1', '1']"


@pytest.mark.model
def test_a_server_downloads_no_model_unless_it_may(alone, tmp_path):
    workspace = make_workspace(tmp_path / "w", [paper("p1", at("a1"))])
    manifest = next(workspace.index_path.glob("generation-*/manifest.json"))
    manifest.write_text(manifest.read_text().replace('"hashing"', '"owner/absent"'))
    serve = [*PANELIST, "serve", "--port", "0", "--workspace", str(workspace.path)]
    assert alone(*serve, check=False)[0] == []
    assert set(alone(*serve, "--online", check=False)[0]) == {"huggingface.co"}
