"""Every route declares what it needs, and nobody gets further than their role: the whole route table, by every role."""

import re

import pytest
from access_support import HOST, add_user, serving
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from panel_support import at, paper
from web_support import make_workspace, start_service

from panelist.app.access.roles import MAY, Permission, Role, permission_of
from panelist.app.access.users import Users
from panelist.app.web.app import create_app

NOBODY = ("/static", "/api/v1/openapi.json")
"""What is no route of ours: the look of the pages, and the description, for which one has to sign in."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1")), paper("p2", at("a2"))])


@pytest.fixture(scope="module")
def users(workspace):
    users = Users(workspace)
    add_user(users, "administrator", Role.ADMINISTRATOR)
    add_user(users, "editor", Role.EDITOR)
    for role in (Role.CHAIR, Role.AREA_CHAIR, Role.READER):
        add_user(users, role.value, role)
        add_user(users, f"{role.value} elsewhere", role, "another-venue")
    return users


@pytest.fixture(scope="module")
def client(workspace, users):
    with serving(start_service(workspace), users) as client:
        yield client


@pytest.fixture(scope="module")
def routes(client):
    return [(path, route) for path, route in walk(client.app.routes) if path not in NOBODY]


def walk(routes, prefix=""):
    """All routes with their paths; newer FastAPI keeps those of a router together."""
    for route in routes:
        if hasattr(route, "original_router"):
            yield from walk(route.original_router.routes, "/api/v1")
        else:
            yield prefix + route.path, route


def declared(routes):
    return [(path, method, permission_of(route, method)) for path, route in routes for method in sorted(route.methods)]


def test_every_route_declares_what_it_needs(routes):
    assert len(routes) > 90
    assert all(isinstance(route, APIRoute) for _, route in routes)
    for path, method, permission in declared(routes):
        assert permission is not None, f"{method} {path} declares no permission"
        if permission is Permission.OPEN and path.startswith("/api/"):
            assert path.startswith("/api/v1/session") or path.rpartition("/")[2] in ("health", "ready")


def test_who_may_only_read_is_given_no_route_that_changes(routes):
    """By method: a GET needs no more than reading, and what changes a desk is never a GET."""
    for path, method, permission in declared(routes):
        if method in ("GET", "HEAD"):
            assert permission in (Permission.OPEN, Permission.LOOK, Permission.DESK, Permission.READ), path
        elif "/conferences" in path or "/submissions" in path:
            assert permission not in (Permission.OPEN, Permission.LOOK, Permission.DESK, Permission.READ), path


@pytest.mark.parametrize("name", ["administrator", "editor", "chair", "area chair", "reader", "chair elsewhere"])
@pytest.mark.parametrize("writes", [True, False])
def test_every_route_as_every_role(client, users, routes, name, writes):
    token = users.make_token(name, "test", writes=writes, days=1)
    headers = {"Authorization": f"Bearer {token}"}
    role = Role(name.removesuffix(" elsewhere"))
    for path, method, permission in declared(routes):
        if not path.startswith("/api/") or path.startswith("/api/v1/session"):
            continue
        answer = client.request(method, HOST + re.sub(r"\{[^}]*\}", "1", path), headers=headers)
        if name.endswith("elsewhere") and permission not in (Permission.OPEN, Permission.LOOK):
            allowed = False
        else:
            allowed = permission in MAY[role] or permission in (Permission.OPEN, Permission.LOOK)
        reading = permission in (Permission.OPEN, Permission.LOOK, Permission.DESK, Permission.READ)
        refused = not allowed or not (writes or reading)
        assert (answer.status_code == 403) == refused, (
            f"{name}: {method} {path} {answer.status_code} {answer.text[:99]}"
        )


def test_a_route_that_declares_nothing_answers_nobody(workspace, users):
    app = create_app(start_service(workspace), users=users)

    @app.get("/api/v1/forgotten")
    def forgotten() -> str:
        return "secret"

    with TestClient(app, base_url=HOST) as client:
        token = users.make_token("administrator", "test", writes=True, days=1)
        answer = client.get("/api/v1/forgotten", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == 403
    assert "secret" not in answer.text
