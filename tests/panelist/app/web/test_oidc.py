"""Signing in at an OpenID Connect provider, a real one on this machine, and the attacks on it."""

import logging
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from access_support import HOST, SAME, add_user, serving
from joserfc.jwk import RSAKey
from panel_support import at, paper
from provider_support import CLIENT, SECRET, provider_running
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users
from panelist.app.web.oidc import Provider
from panelist.config import OpenId, openid
from panelist.errors import InputError

ADA = {"email": "Ada@Example.org", "email_verified": True}
START, HTML = "/api/v1/session/provider", {"Accept": "text/html"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    workspace = make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1"))])
    users = Users(workspace)
    add_user(users, "root", Role.ADMINISTRATOR)
    for name in ("ada@example.org", "left@example.org", "subject-7"):
        users.add(name, None, Role.EDITOR)
    users.disable("left@example.org")
    users.close()
    return workspace


@pytest.fixture
def provider():
    with provider_running() as provider:
        provider.claims = dict(ADA)
        yield provider


@pytest.fixture
def client(workspace, provider):
    settings = provider.settings(HOST)
    with serving(start_service(workspace), Users(workspace), provider=Provider(settings)) as client:
        client.follow_redirects = False
        yield client


def go(client, **query):
    """Ask for the provider, and be sent there: the address to which it sends the browser back."""
    begun = client.get(START, params=query)
    assert begun.status_code == 302, begun.text
    sent = httpx2.get(begun.headers["location"])
    assert sent.status_code == 302, sent.text
    return sent.headers["location"]


def signed_in(client):
    return client.get("/api/v1/session").json()["name"]


def test_a_user_signs_in_and_is_led_where_they_were(client, provider, caplog):
    caplog.set_level(logging.INFO)
    assert client.get("/api/v1/session").json() == {"name": "", "provider": provider.issuer}
    back = client.get(go(client, next="/submissions?search=x"))
    assert (back.status_code, back.headers["location"]) == (303, "/submissions?search=x")
    cookie = next(one for one in back.headers.get_list("set-cookie") if one.startswith("panelist-session=")).lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "secure"))
    assert signed_in(client) == "ada@example.org"
    assert client.get("/api/v1/submissions").status_code == 200
    assert client.delete("/api/v1/session", headers=SAME).status_code == 204
    assert signed_in(client) == ""
    (asked,) = provider.asked
    assert asked["response_type"] == "code"
    assert asked["code_challenge_method"] == "S256"
    assert {"state", "nonce", "code_challenge"} <= asked.keys()
    said = " ".join(one.getMessage() for one in caplog.records if one.name != "httpx2")  # this is the browser
    assert "/session/callback" in said
    assert not any(secret in said for secret in ("code-1", SECRET, asked["state"], asked["nonce"]))


def test_a_claim_other_than_the_address_may_name_the_user(workspace, provider):
    settings = provider.settings(HOST, claim="sub")
    provider.claims = {"sub": "subject-7"}
    with serving(start_service(workspace), Users(workspace), provider=Provider(settings)) as client:
        client.follow_redirects = False
        assert client.get(go(client)).status_code == 303
        assert signed_in(client) == "subject-7"


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"]},  # without azp it may be the other's
        {"aud": None},
        {"iss": "https://elsewhere.example"},
        {"exp": 1_000_000_000},
        {"exp": None},
        {"iat": 9_999_999_999},
        {"sub": None},
    ],
    ids=str,
)
def test_a_token_for_somebody_or_something_else_opens_nothing(client, provider, claims):
    provider.claims = ADA | claims
    refused(client, go(client), 401, "not valid")


def test_a_token_that_nobody_signed_opens_nothing(client, provider):
    provider.unsigned = True
    refused(client, go(client), 401, "not valid")


def test_a_token_that_another_key_signed_opens_nothing(client, provider):
    provider.key = RSAKey.generate_key(2048, {"kid": "one"})
    refused(client, go(client), 401, "not valid")


def test_a_new_key_of_the_provider_is_fetched(client, provider):
    assert client.get(go(client)).status_code == 303
    client.cookies.clear()
    provider.key = provider.published = RSAKey.generate_key(2048, {"kid": "two"})
    assert client.get(go(client)).status_code == 303


def test_what_another_browser_began_cannot_be_finished_here(client, provider):
    """Else somebody could be signed in as somebody else without noticing."""
    back = go(client)
    client.cookies.clear()
    refused(client, back, 401, "not valid")
    own = go(client)
    state = parse_qs(urlsplit(own).query)["state"][0]
    refused(client, own.replace(state, "another"), 401, "not valid")
    refused(client, "/api/v1/session/callback", 401, "not valid")
    refused(client, "/api/v1/session/callback?error=access_denied", 401, "not valid")


def test_a_code_is_good_once(client, provider):
    back = go(client)
    cookies = dict(client.cookies)
    assert client.get(back).status_code == 303
    client.cookies.clear()
    client.cookies.update(cookies)
    refused(client, back, 401, "not valid")


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"email": "nobody@example.org"}, "not a user here"),
        ({"email": "left@example.org"}, "not a user here"),  # disabled
        ({"email_verified": False}, "not verified"),
        ({"email_verified": None}, "not verified"),
        ({"email": None}, "does not tell your email"),
        ({"email": "ａda@example.org"}, "does not tell your email"),  # which NFKC folds into Ada's
    ],
)
def test_who_is_no_user_is_refused_in_one_line_and_never_made_one(client, provider, claims, reason, workspace):
    before = Users(workspace).list()
    provider.claims = ADA | claims
    refused(client, go(client), 403, reason)
    assert Users(workspace).list() == before


def refused(client, address, status, reason):
    answer = client.get(address, headers=HTML)
    assert answer.status_code == status, answer.text
    assert reason in answer.text
    assert 'id="sign-in"' in answer.text  # on the page, where they can try again
    assert "panelist-session" not in answer.headers.get("set-cookie", "")
    assert signed_in(client) == ""


@pytest.mark.parametrize("page", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere", "/\t/elsewhere"])
def test_nobody_is_led_elsewhere(client, page):
    assert client.get(START, params={"next": page}).status_code == 422


def test_a_provider_that_does_not_answer_is_named(client, provider):
    provider.broken = True
    answer = client.get(START)
    assert answer.status_code == 503
    assert "does not answer as a provider" in answer.json()["detail"]


def test_a_restart_while_somebody_signs_in_is_one_clear_line(client, workspace, provider):
    back = go(client)
    with serving(start_service(workspace), Users(workspace), provider=Provider(provider.settings(HOST))) as again:
        again.cookies.update(dict(client.cookies))
        refused(again, back, 401, "sign in again")


def test_a_server_without_a_provider_says_so(workspace):
    with serving(start_service(workspace), Users(workspace)) as client:
        for path in ("provider", "callback"):
            assert client.get(f"/api/v1/session/{path}").status_code == 404


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (OpenId("http://login.example", "c", None, HOST, "email"), "PANELIST_OIDC_ISSUER"),
        (OpenId("https://login.example", "c", None, "http://panelist.example", "email"), "PANELIST_OIDC_URL"),
        (OpenId("https://login.example", "", None, HOST, "email"), "PANELIST_OIDC_CLIENT"),
    ],
)
def test_settings_that_are_not_safe_are_refused(settings, words, monkeypatch):
    monkeypatch.setattr("panelist.app.web.oidc.is_loopback", lambda host: False)
    with pytest.raises(InputError, match=words):
        Provider(settings)


def test_settings_come_from_the_environment_and_the_secret_from_a_file(tmp_path, monkeypatch):
    assert openid() is None
    (tmp_path / "secret").write_text("hidden\n")
    given = {"ISSUER": "https://i", "CLIENT": "c", "URL": f"{HOST}/", "SECRET_FILE": tmp_path / "secret"}
    for name, value in given.items():
        monkeypatch.setenv(f"PANELIST_OIDC_{name}", str(value))
    assert openid() == OpenId("https://i", "c", "hidden", HOST, "email")
