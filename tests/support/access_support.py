"""Users for tests, and clients who have signed in."""

from contextlib import contextmanager

from fastapi.testclient import TestClient

from panelist.app.access.roles import WORKSPACE, Role
from panelist.app.web.app import create_app

PASSWORD = "correct horse battery staple"
HOST = "https://panelist.example"
SAME = {"Sec-Fetch-Site": "same-origin"}


class Clock:
    """A clock that tests set."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


def add_user(users, name, role=Role.READER, scope=WORKSPACE, people=()):
    users.add(name, lambda: PASSWORD, role, scope=scope, people=people)


@contextmanager
def serving(service, users, **more):
    """A client of a server with these users, who has not signed in."""
    with TestClient(create_app(service, users=users, **more), base_url=HOST) as client:
        yield client


def sign_in(client, name, password=PASSWORD):
    """Sign in; the headers of every later request of this user."""
    client.cookies.clear()
    answer = client.post("/api/v1/session", json={"name": name, "password": password}, headers=SAME)
    assert answer.status_code == 204, answer.text
    secret = client.cookies["panelist-session"]
    client.cookies.clear()
    return SAME | {"Cookie": f"panelist-session={secret}"}
