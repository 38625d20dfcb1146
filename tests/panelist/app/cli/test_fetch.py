"""`panelist fetch` against a server of our own."""

import json

import pytest
from fetch_support import RELEASE, Server, archive, works_server


def test_the_commands_download_and_say_what_comes_next(server, panelist, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    monkeypatch.setenv("PANELIST_OPENALEX_KEY", "secret")
    monkeypatch.setenv("PANELIST_MIRROR", server.url)
    works_server(server, 4)
    code, out, err = panelist("fetch", "openalex", "--filter", "x", "--out", tmp_path / "works")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["4 works in 1 part", f"next: panelist import openalex {tmp_path / 'works'}"]
    assert server.asked[0]["api_key"] == "secret"
    code, out, _ = panelist("fetch", "openalex", "--filter", "x", "--out", tmp_path / "works", "--json")
    assert json.loads(out) == {
        "works": 4,
        "total": 4,
        "parts": 1,
        "complete": True,
        "directory": str(tmp_path / "works"),
    }
    server.answer = lambda path, query: (200, {}, archive(RELEASE))
    code, out, err = panelist("fetch", "goldstandard", "--out", tmp_path / "gold", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["lines"]["papers.jsonl.gz"] == 2


@pytest.mark.parametrize("command", [["openalex", "--filter", "x"], ["goldstandard"]], ids=lambda command: command[0])
def test_a_refused_connection_is_one_line(panelist, tmp_path, monkeypatch, command):
    with Server() as closed:
        address = closed.url
    monkeypatch.setenv("PANELIST_OPENALEX_URL", address)
    monkeypatch.setenv("PANELIST_MIRROR", address)
    code, out, err = panelist("fetch", *command, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err.startswith("error: cannot reach 127.0.0.1: ")
    assert err.count("\n") == 1
