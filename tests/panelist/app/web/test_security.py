"""Who may ask, how much they may send, what browsers are told, and where the server refuses to start."""

import re
import socket
import subprocess
import sys

import pytest
from fastapi.testclient import TestClient
from panel_support import at, paper
from web_support import make_workspace, start_service

from panelist.app import limits
from panelist.app.web.app import STATIC, create_app
from panelist.app.web.pages import EDITOR, PAGES
from panelist.app.web.security import check_address, is_loopback
from panelist.errors import InputError

pytestmark = pytest.mark.usefixtures("waits")

TOKEN = "correct horse battery"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1")), paper("p2", at("a2"))])


@pytest.fixture(scope="module")
def guarded(workspace):
    """A client of a server with a token."""
    with TestClient(create_app(start_service(workspace), TOKEN), base_url="https://panelist.example") as client:
        yield client


@pytest.fixture(scope="module")
def local(workspace):
    """A client of a server without one."""
    with TestClient(create_app(start_service(workspace)), base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize("header", [None, "Bearer wrong", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN} "])
def test_without_the_token_nothing_is_told_but_that_the_server_lives(guarded, header):
    headers = {} if header is None else {"Authorization": header}
    for path in ("info", "authors/a1", "papers/p1", "openapi.json", "jobs/1"):
        refused = guarded.get(f"/api/v1/{path}", headers=headers)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer")
        assert refused.headers["content-type"] == "application/problem+json"
    assert guarded.post("/api/v1/reviewers", headers=headers, json={}).status_code == 401
    assert guarded.get("/api/v1/health", headers=headers).json() == {"status": "ok"}
    assert guarded.get("/", headers=headers).status_code == 200


def test_wrong_tokens_wait_longer_and_longer_and_are_logged_now_and_then(workspace, waits, caplog):
    app = create_app(start_service(workspace), TOKEN)
    with TestClient(app, base_url="https://panelist.example") as client:
        check_waits(client, waits, caplog)


def check_waits(guarded, waits, caplog):
    for number in range(100):
        assert guarded.get("/api/v1/info", headers={"Authorization": f"Bearer {number}"}).status_code == 401
    assert waits == sorted(waits)
    assert (waits[0] < 1, waits[-1]) == (True, 5)
    assert 1 <= caplog.text.count("wrong token from testclient") <= 3
    assert "battery" not in caplog.text
    count = len(waits)
    assert guarded.get("/api/v1/info").status_code == 401  # none at all is no guess
    assert guarded.get("/api/v1/info", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert len(waits) == count


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_written_in_any_case(guarded, scheme):
    assert guarded.get("/api/v1/info", headers={"Authorization": f"{scheme} {TOKEN}"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api", "/static/find.js", "/api/v1/health", "/api/v1/info", "/api/v1/nothing"])
def test_head_is_answered_as_get_without_a_body(local, path):
    head, get = local.head(path), local.get(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-type"] == get.headers["content-type"]


def test_a_short_list_obeys_the_limit_of_a_panel(local):
    body = {"submission": {"title": "reefs"}, "only": [f"a{number}" for number in range(limits.PANEL + 1)]}
    refused = local.post("/api/v1/reviewers/export", json=body)
    assert refused.status_code == 422
    assert "only" in refused.json()["detail"]
    assert local.post("/api/v1/reviewers/export", json=body | {"only": body["only"][:-1]}).status_code == 200


def test_problems_are_short_whatever_was_sent(local):
    wide = b",".join(b"c%d" % number for number in range(150))
    headers = {"content-type": "text/csv"}
    assert len(local.post("/api/v1/calibration", content=wide * 20, headers=headers).content) < 10_000
    body = {"submission": {"title": "x"}, "options": {"exclude": [" "] * 2000}}
    refused = local.post("/api/v1/reviewers", json=body)
    assert refused.status_code == 422
    assert "1,999 more" in refused.json()["detail"]
    assert len(refused.json()["errors"]) == 100


def test_with_the_token_everything_is_told(guarded):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/v1/info", headers=headers).status_code == 200
    assert guarded.get("/api/v1/openapi.json", headers=headers).json()["security"] == [{"token": []}]


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "demo.localhost:80"])
def test_without_a_token_this_machines_names_are_served(local, host):
    assert local.get("/api/v1/info", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8000", "10.0.0.1", "", "127.0.0.1.evil.example"]
)
def test_without_a_token_no_other_name_is_served(local, host):
    assert local.get("/api/v1/info", headers={"Host": host}).status_code == 403
    assert local.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [*(page.path for page in (*PAGES, *EDITOR)), "/static/find.js", "/api/v1/info", "/api/v1/nonsense", "/nonsense"],
)
def test_browsers_are_told_to_trust_nothing_else(local, path):
    headers = local.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == ("no-store" if path.startswith("/api/") else "no-cache")
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        *(page.path for page in (*PAGES, *EDITOR)),
        *sorted(
            f"/static/{file.relative_to(STATIC)}"
            for file in STATIC.rglob("*.*")
            if file.suffix in {".js", ".css", ".svg"}
        ),
    ],
)
def test_pages_need_nothing_from_elsewhere(local, path):
    text = local.get(path).text
    outside = re.findall(r"""(?:src|href|url|import|from|fetch)\W{1,3}(?:https?:)?//[^"')\s]+""", text)
    # Links to a person's ORCID are followed by people, never fetched by the page.
    assert [one for one in outside if not re.match(r"href\W+https://(orcid|doi)\.org/", one)] == []
    if not path.startswith("/static/"):
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fconfig.py", "/static//etc/passwd"]
)
def test_nothing_outside_the_pages_is_served(local, path):
    assert local.get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/v1/reviewers", "application/json"), ("/api/v1/calibration", "text/csv")]
)
def test_large_bodies_are_refused_announced_or_not(local, path, kind):
    limit = limits.body_limit(path)
    announced = local.post(path, content=b" " * (limit + 1))
    assert announced.status_code == 413
    assert announced.headers["content-type"] == "application/problem+json"

    def pieces():
        for _ in range(limit // 65536 + 2):
            yield b" " * 65536

    streamed = local.post(path, content=pieces(), headers={"content-type": kind})
    assert streamed.status_code == 413
    assert "larger than" in streamed.json()["detail"]


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("", False), ("::", False)],
)
def test_loopback_is_told_from_the_world(host, own):
    assert is_loopback(host) is own
    check_address(host, TOKEN)
    with pytest.raises(InputError, match="PANELIST_TOKEN has 6 characters"):
        check_address(host, "secret")
    if not own:
        with pytest.raises(InputError, match="PANELIST_TOKEN"):
            check_address(host, None)


def serve(*arguments, **environment):
    command = [sys.executable, "-m", "panelist", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)


def test_a_public_address_without_a_token_is_refused_in_one_line(workspace):
    result = serve("--host", "0.0.0.0", "--workspace", str(workspace.path))
    assert result.returncode == 2
    assert result.stderr.startswith("error: '0.0.0.0' can be reached by others: set PANELIST_TOKEN")
    assert result.stderr.count("\n") == 1


def test_a_taken_port_is_one_line_too(workspace):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = serve("--workspace", str(workspace.path), "--port", port)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert f"port {port}" in result.stderr


@pytest.mark.parametrize("path", ["reviewers", "affinity", "submissions", "records", "desk/people", "conferences"])
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_request_that_is_not_sent_as_json_is_told_so(local, path, kind):
    """A page elsewhere can make a browser send these types only, without asking us first."""
    refused = local.post(f"/api/v1/{path}", content=b'{"title": "x"}', headers={"content-type": kind})
    assert refused.status_code == 415
    assert f"as application/json, received '{kind or 'no content type'}'" in refused.json()["detail"]
