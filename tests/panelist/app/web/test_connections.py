"""Requests that never become complete are ended, and connections have a limit: the others are served meanwhile."""

import math
import re
import socket
import subprocess
import sys
import time
from contextlib import suppress

import httpx2
import pytest
from panel_support import at, paper
from waiting import until
from web_support import api_of, make_workspace, running, start_service

from indexing.jobs.build import IndexJobs
from panelist.app.web.connections import GuardedProtocol

HEAD = b"POST /api/v1/reviewers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class Impatient(GuardedProtocol):
    """The same with less patience, so that tests need not wait; enough of it for clients on a busy machine."""

    head_seconds, body_seconds, most = 3, 3, 12


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    service = start_service(make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1"))]))
    with running(service, http=Impatient) as address:
        yield address


def connect(address, *pieces):
    host, port = address.removeprefix("http://").split(":")
    client = socket.create_connection((host, int(port)), timeout=300)
    for piece in pieces:
        client.sendall(piece)
    return client


def ended(client):
    """Whether the server closes the connection, without an answer."""
    try:
        return client.recv(65536) == b""
    except ConnectionResetError:
        return True


def wait_until_served(address):
    def served():
        with suppress(httpx2.TransportError), api_of(address) as api:
            return api.get("health").status_code == 200

    until(served)


def test_an_incomplete_request_is_ended(address):
    incomplete = {
        "silent": b"",
        "half a line": b"GET /api/v1/hea",
        "half a head": HEAD,
        "no body": HEAD + b"Content-Length: 100\r\n\r\n",
        "half a body": HEAD + b"Content-Length: 9\r\n\r\n{",
    }
    clients = {name: connect(address, request) for name, request in incomplete.items()}
    for name, client in clients.items():
        with client:
            assert ended(client), name


def test_slowly_sent_request_is_ended(address):
    def drip(client):
        for byte in HEAD * 100:  # minutes, if the server read on
            client.sendall(bytes([byte]))
            time.sleep(0.05)

    with connect(address) as client, pytest.raises((BrokenPipeError, ConnectionResetError)):
        drip(client)


def test_a_connection_that_is_used_stays(address):
    with api_of(address) as api:
        for _ in range(8):
            assert api.get("health").status_code == 200
            time.sleep(0.5)
    whole = HEAD + b"Connection: close\r\nContent-Length: 30\r\n\r\n"
    with connect(address, whole, b'{"submission": {"title": ', b'"x"}}') as client:
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert b" 200 " in answer.split(b"\r\n")[0]


def test_too_many_connections_are_refused_and_the_rest_is_served_again(address, caplog, monkeypatch):
    monkeypatch.setattr(GuardedProtocol, "_logged", -math.inf)
    held = [connect(address, b"GET / HT") for _ in range(40)]
    assert all(ended(client) for client in held)
    for client in held:
        client.close()
    assert caplog.text.count("new ones are refused") == 1  # the others were ended in time, which would happen anyway
    wait_until_served(address)


@pytest.mark.model
def test_more_connections_than_descriptors_fill_no_log_and_the_server_lives_on(tmp_path):
    workspace = make_workspace(tmp_path / "w", [paper("p1", at("a1"))])
    with workspace.open_corpus() as corpus:
        IndexJobs(workspace.index_path).build(corpus, engine="bm25s")
    log = tmp_path / "log"
    serve = f"exec {sys.executable} -m panelist serve --port 0 --workspace {workspace.path} 2> {log}"
    server = subprocess.Popen(["sh", "-c", f"ulimit -n 300; {serve}"])
    try:
        found = until(lambda: re.search(r"http://\S+", log.read_text() if log.exists() else ""))
        held = [connect(found[0], b"GET / HT") for _ in range(400)]
        time.sleep(2)  # in which asyncio would have tried to accept, and complained, thousands of times
        for client in held:
            client.close()
        wait_until_served(found[0])
        assert log.stat().st_size < 10_000
    finally:
        server.kill()
        server.wait()
