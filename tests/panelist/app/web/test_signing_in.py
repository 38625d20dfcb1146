"""Signing in over the wire: cookies, tokens, origins, proxies, and what is told to who has not signed in."""

import re

import pytest
from access_support import HOST, PASSWORD, SAME, Clock, add_user, serving, sign_in
from fastapi.testclient import TestClient
from panel_support import at, paper
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import IDLE, Users
from panelist.app.web.app import create_app

pytestmark = pytest.mark.usefixtures("waits")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1")), paper("p2", at("a2"))])


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def users(workspace, clock):
    users = Users(workspace, clock)
    add_user(users, "ada", Role.ADMINISTRATOR)
    add_user(users, "grace", Role.EDITOR)
    yield users
    users.close()
    for file in workspace.path.glob("users.sqlite*"):
        file.unlink()


@pytest.fixture
def client(workspace, users):
    with serving(start_service(workspace), users) as client:
        yield client


def test_without_users_nothing_changes(workspace):
    with TestClient(create_app(start_service(workspace)), base_url="http://localhost") as client:
        assert client.get("/api/v1/info").status_code == 200
        assert client.get("/api/v1/session").json() == {"name": "", "provider": ""}
        assert client.post("/api/v1/session", json={"name": "ada", "password": PASSWORD}).status_code == 401
        assert client.delete("/api/v1/session").status_code == 204


def test_who_has_not_signed_in_learns_nothing_but_that_the_server_lives(client):
    for path in ("info", "authors/a1", "openapi.json", "jobs/1", "conferences", "nowhere"):
        refused = client.get(f"/api/v1/{path}")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Session")
    assert client.post("/api/v1/reviewers", content=b"{", headers=SAME).status_code == 401
    assert client.get("/api/v1/health").status_code == client.get("/api/v1/ready").status_code == 200
    assert client.get("/api/v1/session").json() == {"name": "", "provider": ""}
    assert client.get("/signin").status_code == client.get("/").status_code == 200


def test_a_session_is_a_cookie_that_scripts_cannot_read_and_other_sites_cannot_use(client):
    answer = client.post("/api/v1/session", json={"name": "Ada", "password": PASSWORD}, headers=SAME)
    cookie = answer.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "secure", "path=/"))
    assert client.get("/api/v1/session").json()["name"] == "ada"
    assert client.get("/api/v1/info").status_code == 200
    stolen = client.cookies["panelist-session"]
    assert client.delete("/api/v1/session", headers=SAME).status_code == 204
    again = client.get("/api/v1/info", headers={"Cookie": f"panelist-session={stolen}"})
    assert again.status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
        ({"Origin": HOST}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_changes_must_come_from_a_page_of_this_server(client, headers, status):
    cookie = {"Cookie": sign_in(client, "ada")["Cookie"]}
    asked = {"submission": {"title": "p1"}, "options": {}}
    assert client.post("/api/v1/reviewers", json=asked, headers=cookie | headers).status_code == status


def test_expired_sessions_and_disabled_users_with_an_open_tab_have_to_sign_in_again(client, users, clock):
    session = sign_in(client, "grace")
    assert client.get("/api/v1/info", headers=session).status_code == 200
    clock.now += IDLE
    assert client.get("/api/v1/info", headers=session).status_code == 401
    session = sign_in(client, "grace")
    users.disable("grace")
    assert client.get("/api/v1/info", headers=session).status_code == 401
    answer = client.post("/api/v1/session", json={"name": "grace", "password": PASSWORD}, headers=SAME)
    assert answer.status_code == 401


def test_a_thousand_wrong_passwords_are_answered_alike_and_slower_and_slower(client, users, waits, caplog):
    answers = set()
    for number in range(1000):
        name = "ada" if number % 2 else f"nobody{number}"
        answer = client.post("/api/v1/session", json={"name": name, "password": f"wrong-{number}"}, headers=SAME)
        answers.add((answer.status_code, answer.text))
    assert len(answers) == 1
    assert next(iter(answers))[0] == 401
    assert waits == sorted(waits)
    assert waits[-1] == 5
    assert caplog.text.count("wrong password from testclient") == 4  # the 1st, 10th, 100th and 1,000th
    assert not re.search("wrong-|nobody|ada", caplog.text)
    assert sign_in(client, "ada")


def test_personal_tokens_open_what_their_scope_says(client, users, waits):
    reading = {"Authorization": f"Bearer {users.make_token('ada', 'figures', writes=False, days=1)}"}
    writing = {"Authorization": f"Bearer {users.make_token('ada', 'import', writes=True, days=1)}"}
    new = {"name": "Venue"}
    assert client.get("/api/v1/conferences", headers=reading).status_code == 200
    assert client.post("/api/v1/conferences", json=new, headers=reading).status_code == 403
    assert client.post("/api/v1/conferences", json=new, headers=writing).status_code == 201
    assert client.get("/api/v1/conferences", headers={"Authorization": "Bearer panelist_wrong"}).status_code == 401
    assert waits


def test_the_shared_token_opens_nothing_where_there_are_users(workspace, users):
    token = "the secret of everybody"
    with serving(start_service(workspace), users, token=token) as client:
        assert client.get("/api/v1/info", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_trusted_proxy_names_its_user_and_nobody_else_does(workspace, users):
    said = {"X-Remote-User": "Grace"}
    with serving(start_service(workspace), users, trusted=("X-Remote-User", "testclient")) as client:
        assert client.get("/api/v1/session", headers=said).json()["name"] == "grace"
        assert client.get("/api/v1/info", headers={"X-Remote-User": "nobody"}).status_code == 401
        assert client.post("/api/v1/reviewers", json={}, headers=said).status_code == 403  # no page of ours asks
    with serving(start_service(workspace), users, trusted=("X-Remote-User", "10.0.0.1")) as client:
        assert client.get("/api/v1/info", headers=said).status_code == 401
