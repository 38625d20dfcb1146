"""The finder that serves and the next one: a new index is served without a restart and without a lost request."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from indexing_support import load_hashing, make_papers
from panel_support import at, paper
from waiting import until
from web_support import api_of, build, make_workspace, running, start_service

from indexing.jobs.generations import current_generation
from panelist.app.web.service import FinderService
from panelist.errors import IndexDirectoryError
from panelist.records import Submission


@pytest.fixture
def workspace(tmp_path):
    return make_workspace(tmp_path / "w", [paper("p1", at("a1")), paper("p2", at("a2"))])


def add(workspace, *papers):
    with workspace.open_corpus() as corpus:
        corpus.upsert(papers)
    build(workspace)


def found(finder):
    panel = finder.find(Submission("s", "bleaching of a coral reef"))  # of another title: else they are its authors
    return {match.author.id for match in panel.matches}


def test_a_new_generation_serves_and_the_old_one_stays_open_for_who_has_it(workspace):
    service = start_service(workspace)
    assert service.refresh() is False
    with service.finder() as old:
        add(workspace, paper("p3", at("a3")))
        assert service.refresh() is True
        with service.finder() as new:
            assert new is not old
            assert found(new) == {"a1", "a2", "a3"}
            assert found(old) == {"a1", "a2"}
        assert not old.index._pin.closed
    assert old.index._pin.closed
    assert not new.index._pin.closed
    service.close()
    assert new.index._pin.closed
    with pytest.raises(RuntimeError), service.finder():
        pass


@pytest.mark.parametrize("pointer", ["generation-999999\n", "", "\x00 nonsense"])
def test_an_index_that_cannot_be_opened_leaves_the_old_one_serving(workspace, pointer):
    service = start_service(workspace)
    add(workspace, paper("p3", at("a3")))
    current = workspace.index_path / "CURRENT"
    name = current.read_text()
    current.write_text(pointer)
    with pytest.raises(IndexDirectoryError):
        service.refresh()
    assert found_by(service) == {"a1", "a2"}
    current.write_text(name)
    assert service.refresh() is True
    assert found_by(service) == {"a1", "a2", "a3"}
    service.close()


def test_a_damaged_pointer_is_logged_once_and_the_next_index_serves(workspace, caplog):
    service = start_service(workspace, seconds=0.02)
    current = workspace.index_path / "CURRENT"
    name = current.read_text()
    current.write_text("nonsense")
    until(lambda: "cannot be served" in caplog.text)
    time.sleep(0.3)
    assert caplog.text.count("cannot be served") == 1
    current.write_text(name)
    add(workspace, paper("p3", at("a3")))
    until(lambda: found_by(service) == {"a1", "a2", "a3"})
    service.close()


def found_by(service):
    with service.finder() as finder:
        return found(finder)


def test_two_builds_and_a_load_at_once_lose_no_request(tmp_path):
    workspace = make_workspace(tmp_path / "w", make_papers(150))
    service = start_service(workspace, seconds=0.05)
    generations, statuses = set(), []
    done = threading.Event()

    def load(address, worker):
        with api_of(address) as client:
            turn = 0
            while not done.is_set():
                turn += 1
                body = {"submission": {"title": f"bada1 fole{turn % 7} {worker}"}, "options": {"diversity": 0.2}}
                statuses.append(client.post("reviewers", json=body).status_code)
                generations.add(client.get("info").json()["index"]["generation"])

    with running(service) as address:
        threads = [threading.Thread(target=load, args=(address, worker)) for worker in range(4)]
        for thread in threads:
            thread.start()
        try:
            for first in (150, 200):
                add(workspace, *make_papers(50, seed=first, first=first))
                newest = current_generation(workspace.index_path).name
                until(lambda newest=newest: newest in generations)
        finally:
            done.set()
            for thread in threads:
                thread.join()
    assert len(generations) == 3
    assert len(statuses) > 3
    assert set(statuses) == {200}


def test_an_index_whose_encoder_is_unknown_is_refused_in_one_line(workspace):
    command = [sys.executable, "-m", "panelist", "serve", "--workspace", str(workspace.path), "--port", "0"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert "hashing" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.model
def test_sigterm_ends_the_command_gracefully(tmp_path):
    from indexing.jobs.build import IndexJobs

    workspace = make_workspace(tmp_path / "w", [paper("p1", at("a1")), paper("p2", at("a2"))])
    with workspace.open_corpus() as corpus:
        IndexJobs(workspace.index_path).build(corpus, engine="bm25s")
    command = [sys.executable, "-m", "panelist", "serve", "--workspace", str(workspace.path), "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = server.stderr.readline().split(" at ")[1].split()[0]
        with api_of(address) as api:
            answer = api.post("reviewers", json={"submission": {"title": "coral reefs"}})
        assert {match["author"]["id"] for match in answer.json()["matches"]} == {"a1", "a2"}
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=300) in (0, -signal.SIGTERM)
        assert "Traceback" not in server.stderr.read()
    finally:
        server.kill()
        server.wait()
        server.stderr.close()


READY = """
import sys
from pathlib import Path
from fastapi.testclient import TestClient
from web_support import start_service
from panelist.app.demo import submissions
from panelist.app.web.app import create_app
from panelist.workspace import Workspace
from retriever.kernels import MODULES

service = start_service(Workspace.at(Path(sys.argv[1])))
missing = sorted(set(MODULES) - sys.modules.keys())
assert not missing, f"not loaded when the server reports ready: {missing}"

from numba.core import event

class Compiler(event.Listener):
    def on_start(self, event):
        sys.exit(f"somebody waits for the compiler: {event}")
    def on_end(self, event):
        pass

with event.install_listener("numba:compile", Compiler()):
    with TestClient(create_app(service), base_url="http://localhost") as client:
        for paper in submissions():
            asked = {"title": paper.title, "abstract": paper.abstract}
            asked["authors"] = [{"id": one.id} for one in paper.authors]
            for options in ({}, {"diversity": 0.5, "sentences": True}, {"min_papers": 2, "mode": "lexical"}):
                answer = client.post("/api/v1/reviewers", json={"submission": asked, "options": options})
                assert answer.status_code == 200, answer.text
        people = [one["author"]["id"] for one in answer.json()["matches"]]
        body = {"submissions": [asked | {"id": "s"}], "reviewers": people, "model": "bm25"}
        assert client.post("/api/v1/affinity", json=body).status_code == 200
        body = {"scores": "p,a,0.5\\np,b,0.25\\np,c,0.125", "method": "fair", "demand": 2}
        begun = client.post("/api/v1/assignments", json=body)
        assert begun.status_code == 202, begun.text
        while client.get(begun.headers["location"]).json()["state"] in ("waiting", "running"):
            pass
"""


def test_no_request_waits_for_the_compiler(tmp_path):
    """The fifteenth request after a cold start once took twenty seconds: numba compiled what it had to call."""
    workspace = make_workspace(tmp_path / "w")
    command = [sys.executable, "-c", READY, str(workspace.path)]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nobody_is_served_before_the_kernels_are_loaded(workspace, monkeypatch):
    service = FinderService(workspace, load=load_hashing, seconds=3600)
    loaded = []

    def load():
        with pytest.raises(RuntimeError, match="not been started"), service.finder():
            pass
        loaded.append(True)

    monkeypatch.setattr("panelist.app.web.service.compile_kernels", load)
    service.start()
    with service.finder():
        assert loaded
    service.close()
