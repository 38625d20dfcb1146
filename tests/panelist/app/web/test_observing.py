"""What an operator sees: readiness, figures, logs, and a server that waits for its first index."""

import json
import logging
import re
import shutil
import subprocess
import sys

import pytest
from fastapi.testclient import TestClient
from indexing_support import load_hashing
from waiting import until
from web_support import api_of, build, make_workspace, running, start_service

from panelist.app.demo import corpus
from panelist.app.web.app import create_app
from panelist.app.web.observing import JsonLines
from panelist.app.web.service import FinderService
from panelist.workspace import Workspace

TOKEN = "a-secret-of-some-length"


@pytest.fixture
def workspace(tmp_path):
    return make_workspace(tmp_path / "w", corpus()[:30])


def metrics(client):
    text = client.get("/api/v1/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_requests_stages_and_the_index_are_counted_by_route_without_what_was_asked(workspace, caplog):
    caplog.set_level(logging.INFO, "panelist.access")
    with TestClient(create_app(start_service(workspace), TOKEN)) as client:
        assert client.get("/api/v1/metrics").status_code == 401
        asked = {"submission": {"title": "a very secret title"}}
        headers = {"Authorization": f"Bearer {TOKEN}"}
        assert client.post("/api/v1/reviewers", json=asked, headers=headers).status_code == 200
        figures = metrics(client)
    route = "/reviewers"
    assert figures[f'panelist_requests_total{{method="POST",route="{route}",status="200"}}'] == "1.0"
    assert figures['panelist_stage_seconds_count{stage="search"}'] == "1.0"
    assert figures["panelist_index_generation"] == "1.0"
    assert figures["panelist_remembered_searches"] == "1.0"
    assert {'panelist_jobs{state="waiting"}', 'panelist_jobs{state="done"}'} <= figures.keys()
    assert "secret title" not in str(figures) + caplog.text
    assert re.search(rf"POST {route} 200 [\d.]+ ms", caplog.text)


def test_a_vanished_index_is_not_ready_and_the_server_lives(workspace):
    with TestClient(create_app(start_service(workspace), TOKEN)) as client:
        assert client.get("/api/v1/ready").status_code == 200
        shutil.rmtree(workspace.index_path)
        answer = client.get("/api/v1/ready")
        assert (answer.status_code, "gone from the disk" in answer.text) == (503, True)
        assert str(workspace.path) not in answer.text
        assert client.get("/api/v1/health").status_code == 200


def test_an_empty_workspace_says_how_to_begin_and_is_served_when_it_is_built(tmp_path):
    workspace = Workspace(tmp_path / "w")
    service = FinderService(workspace, load=load_hashing, seconds=0.05)
    assert not service.start(wait=True)
    with running(service) as address, api_of(address) as api:
        answer = api.get("ready")
        assert (answer.status_code, "panelist index build" in answer.text) == (503, True)
        assert api.post("reviewers", json={"submission": {"title": "lakes"}}).status_code == 503
        with workspace.open_corpus(create=True) as store:
            store.upsert(corpus()[:30])
        build(workspace)
        until(lambda: api.get("ready").status_code == 200)
        assert api.post("reviewers", json={"submission": {"title": "lakes"}}).status_code == 200


def test_logs_are_json_with_a_time(tmp_path):
    record = logging.LogRecord("panelist.access", logging.INFO, "", 0, "%s is %d", ("it", 3), None)
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["logger"], line["message"]) == ("info", "panelist.access", "it is 3")
    assert line["time"].endswith("+00:00")


def test_the_token_may_be_in_a_file(tmp_path, monkeypatch):
    from panelist.config import server_token

    (tmp_path / "token").write_text(f"{TOKEN}\n")
    monkeypatch.setenv("PANELIST_TOKEN_FILE", str(tmp_path / "token"))
    assert server_token() == TOKEN
    monkeypatch.setenv("PANELIST_TOKEN_FILE", str(tmp_path / "nothing"))
    command = [sys.executable, "-m", "panelist", "serve", "--port", "0", "--workspace", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "nothing" in done.stderr
