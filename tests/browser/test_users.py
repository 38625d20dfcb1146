"""Users sign in on the pages: the author of a paper sees its title only, editors what they keep and what is shared."""

import socket

import pytest
from access_support import PASSWORD, add_user
from browser_support import needs_browser
from chair_support import ROW
from panel_support import at, paper
from provider_support import provider_running
from waiting import finished
from web_support import api_of, make_workspace, running, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users
from panelist.app.web.oidc import Provider

pytestmark = [pytest.mark.browser, needs_browser]

PEOPLE = {"a0": "Ada Abel", "a1": "Bea Brown", "a2": "Cem Celik", "a3": "Dan Dietz"}
SUBMISSIONS = "id,title,abstract,authorids\ns1,Corals,Reefs.,a0\ns2,Comets,Ice.,x9\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    own = [paper(f"p{who}", at(who, name=name), title=f"topic {who}") for who, name in PEOPLE.items()]
    return make_workspace(tmp_path_factory.mktemp("web"), own)


@pytest.fixture(scope="module")
def token(workspace):
    """Of an administrator, beside two chairs."""
    users = Users(workspace)
    add_user(users, "root", Role.ADMINISTRATOR)
    add_user(users, "author", Role.CHAIR, people=["a0"])
    add_user(users, "other", Role.CHAIR, people=["a3"])
    add_user(users, "eva@example.org", Role.EDITOR)
    add_user(users, "fay", Role.EDITOR)
    made = users.make_token("root", "test", writes=True, days=1)
    users.close()
    return made


@pytest.fixture(scope="module")
def address(workspace, token):
    with running(start_service(workspace)) as address:
        yield address


@pytest.fixture(scope="module")
def conference(address, token):
    """With a chosen assignment: the others review the author's paper."""
    pairs = [("s1", "a1"), ("s1", "a2"), ("s2", "a0"), ("s2", "a1")]
    files = {
        "submissions": SUBMISSIONS,
        "committee": "\n".join(["a0", "a1", "a2"]),
        "scores": "".join(f"{one},{who},0.5\n" for one, who in pairs),
    }
    with api_of(address, headers={"Authorization": f"Bearer {token}"}) as api:
        made = api.post("conferences", json={"name": "Venue"}).json()["id"]
        for kind, content in files.items():
            sent = api.put(
                f"conferences/{made}/files/{kind}",
                params={"name": f"{kind}.csv"},
                content=content.encode(),
                headers={"Content-Type": "application/octet-stream"},
            )
            assert sent.status_code == 200, sent.text
        begun = api.post(f"conferences/{made}/solutions", json={"settings": {"demand": 2, "most": 2}})
        assert begun.status_code == 202, begun.text
        assert finished(lambda: api.get(f"conferences/{made}/solutions/1").json())["state"] == "done"
        assert api.post(f"conferences/{made}/solutions/1/choose").status_code == 200
    return made


def sign_in(page, name, password=PASSWORD):
    page.until(lambda: page.all("#sign-in #name"))
    for field, text in (("#name", name), ("#password", password)):
        page.one(field).clear()
        page.one(field).send_keys(text)
    page.click("#sign-in button")


def rows(page):
    """The rows of Papers, once they are drawn."""
    page.until(lambda: len(page.all(ROW)) == 2)
    return page.texts(ROW)


def test_a_chair_sees_nothing_but_the_title_of_their_own_paper(window, address, conference):
    window.open(f"{address}/conferences/{conference}")
    sign_in(window, "author", "not the password")
    window.until(lambda: "do not belong together" in window.one("#sign-in .problem").text)
    sign_in(window, "author")
    mine, other = sorted(rows(window), key=lambda text: "Corals" not in text)
    assert "you have a conflict" in mine
    assert not any(name in mine for name in PEOPLE.values())
    assert "Ada Abel" in other
    assert "Bea Brown" in other
    window.until(lambda: window.texts("#signed-in"))
    window.click("#signed-in button")
    window.until(lambda: window.all("#sign-in"))
    window.open(f"{address}/conferences/{conference}")
    sign_in(window, "other")
    seen = sorted(rows(window), key=lambda text: "Corals" not in text)[0]
    assert "you have a conflict" not in seen
    assert "Bea Brown" in seen
    assert "Cem Celik" in seen


def test_an_editor_signs_in_at_a_provider_and_shares_a_submission(window, workspace, token):
    """The provider is another site to the browser: it has another name of this machine."""
    with provider_running() as provider, socket.socket() as free:
        provider.claims = {"email": "eva@example.org", "email_verified": True}
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        home = f"http://localhost:{port}"
        with running(start_service(workspace), port=port, provider=Provider(provider.settings(home))) as address:
            window.open(f"{home}/submissions")
            window.until(lambda: window.all("#elsewhere a") and window.one("#elsewhere").is_displayed())
            provider.claims["nonce"] = "another"
            window.click("#elsewhere a")
            window.until(lambda: "not valid" in window.one("#sign-in .problem").text)
            del provider.claims["nonce"]
            window.open(f"{home}/submissions")
            window.until(lambda: window.all("#elsewhere a") and window.one("#elsewhere").is_displayed())
            window.click("#elsewhere a")
            window.until(lambda: window.all("#signed-in") and "eva@example.org" in window.one("#signed-in").text)
            assert window.driver.current_url == f"{home}/submissions"
            with api_of(address, headers={"Authorization": f"Bearer {token}"}) as api:
                kept = api.post("submissions", json={"submission": {"title": "Corals"}}).json()["id"]
                assert api.put(f"submissions/{kept}/editors/eva@example.org").status_code == 204
                window.open(f"{home}/submissions/{kept}")
                window.until(lambda: window.all("#editors li"))
                window.click("#sharing summary")
                window.one("#share-with").send_keys("nobody")
                window.click("#sharing form button")
                window.until(lambda: "is not a user who is an editor" in window.one("body").text)
                window.one("#share-with").clear()
                window.one("#share-with").send_keys("fay")
                window.click("#sharing form button")
                window.until(lambda: any("fay" in text for text in window.texts("#editors li")))
                assert "fay" in api.get(f"submissions/{kept}").json()["editors"]
