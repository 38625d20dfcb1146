"""A workspace of four papers with a real server and a client of its API, and a client of the demo corpus."""

import pytest
from fastapi.testclient import TestClient
from panel_support import at, paper
from web_support import api_of, make_workspace, running, start_service

from panelist.app.web.app import create_app


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper(f"p{i}", at(f"a{i}")) for i in range(4)])


@pytest.fixture(scope="module")
def address(workspace):
    with running(start_service(workspace)) as address:
        yield address


@pytest.fixture
def api(address):
    with api_of(address) as api:
        yield api


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    service = start_service(make_workspace(tmp_path_factory.mktemp("web")))
    with TestClient(create_app(service), base_url="http://localhost") as client:
        yield client


@pytest.fixture
def waits(monkeypatch):
    """How long wrong secrets would have waited; in tests they do not."""
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    monkeypatch.setattr("panelist.app.web.security.asyncio.sleep", sleep)
    return waits
