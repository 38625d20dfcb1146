"""Editors see the submissions that they keep and those that are shared with them: nothing tells of any other."""

import pytest
from access_support import add_user, serving
from panel_support import at, paper
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users

TITLES = {"ada": "Corals of Ada", "bea": "Comets of Bea"}


@pytest.fixture
def ask(tmp_path):
    """A function that asks as one of the users: two editors, a chair and an administrator."""
    people = [paper(f"p{i}", at(f"a{i}", name=f"Person {i}"), title=f"corals and comets {i}") for i in range(4)]
    workspace = make_workspace(tmp_path, people)
    users = Users(workspace)
    for name, role in (("root", Role.ADMINISTRATOR), ("ada", Role.EDITOR), ("bea", Role.EDITOR), ("cem", Role.CHAIR)):
        add_user(users, name, role)
    tokens = {one.name: users.make_token(one.name, "test", writes=True, days=1) for one in users.list()}
    with serving(start_service(workspace), users) as client:
        yield lambda who, method, path, **more: client.request(
            method, f"/api/v1/{path}", headers={"Authorization": f"Bearer {tokens[who]}"}, **more
        )


@pytest.fixture
def kept(ask):
    """A submission of each editor, in whose list the same person was invited."""
    ids = {}
    for who, title in TITLES.items():
        body = {"submission": {"title": title}, "reviewers": [{"id": "a1", "state": "invited"}]}
        made = ask(who, "POST", "submissions", json=body)
        assert made.status_code == 201, made.text
        assert made.json()["editors"] == [who]
        assert made.json()["reviewers"][0]["load"]["invited"] == 1
        ids[who] = made.json()["id"]
        due = {"state": "invited", "due": "2026-12-01", "revision": made.json()["reviewers"][0]["revision"]}
        assert ask(who, "PUT", f"submissions/{ids[who]}/reviewers/a1", json=due).status_code == 200
    return ids


def everything(ask, who):
    """All answers in which a submission could appear without its id being asked for."""
    paths = ["submissions", "submissions?search=of", "desk/due?days=3660", "desk/due/calendar", "desk/people/a1"]
    paths += ["desk/export?format=json", "desk/export?format=csv"]
    answers = [ask(who, "GET", path) for path in paths]
    answers.append(ask(who, "POST", "desk/people", json={"ids": ["a1"]}))
    assert {answer.status_code for answer in answers} == {200}
    return answers


def by_id(submission):
    """Every route below a submission, with what it takes."""
    look_up = {"submission": {"title": "Other"}, "revision": 1}
    yield from (("GET", f"submissions/{submission}{end}", {}) for end in ("", "/panel", "/why/a1", "/suggestions"))
    yield "PUT", f"submissions/{submission}", {"json": look_up}
    yield "PUT", f"submissions/{submission}/reviewers/a1", {"json": {"state": "accepted"}}
    yield "DELETE", f"submissions/{submission}/reviewers/a1?revision=1", {}
    yield "PUT", f"submissions/{submission}/editors/ada", {}
    yield "DELETE", f"submissions/{submission}/editors/bea", {}
    yield "DELETE", f"submissions/{submission}", {}


def test_lists_searches_exports_and_figures_tell_nothing_of_others(ask, kept):
    for who, other in (("ada", "bea"), ("bea", "ada")):
        for answer in everything(ask, who):
            assert kept[other] not in answer.text, answer.url
            assert TITLES[other] not in answer.text, answer.url
        listing, *_, loads = everything(ask, who)
        assert listing.json()["total"] == 1
        assert loads.json()[0]["load"]["invited"] == 1
    assert ask("root", "GET", "submissions").json()["total"] == 2
    assert ask("root", "POST", "desk/people", json={"ids": ["a1"]}).json()[0]["load"]["invited"] == 2


def test_the_answers_are_the_same_whether_others_keep_anything(ask, kept):
    def plain(answers):
        dated = ("BEGIN:VCALENDAR", '{\n  "exported"')  # tell when they were made
        return [answer.text for answer in answers if not answer.text.startswith(dated)]

    before = plain(everything(ask, "ada"))
    assert ask("bea", "DELETE", f"submissions/{kept['bea']}").status_code == 204
    assert plain(everything(ask, "ada")) == before


def test_an_id_of_others_and_one_that_is_not_there_are_answered_alike(ask, kept):
    foreign, unknown = list(by_id(kept["bea"])), list(by_id("nothing-here"))
    for (method, path, more), (_, missing, _) in zip(foreign, unknown, strict=True):
        one, other = ask("ada", method, path, **more), ask("ada", method, missing, **more)
        assert one.status_code == other.status_code == 404, path
        assert one.text.replace(kept["bea"], "nothing-here") == other.text
    assert ask("bea", "GET", f"submissions/{kept['bea']}").json()["title"] == TITLES["bea"]


def test_what_is_shared_is_seen_and_changed_by_both_until_it_is_not(ask, kept):
    mine = f"submissions/{kept['ada']}"
    assert ask("ada", "PUT", f"{mine}/editors/Bea").status_code == 204
    assert ask("bea", "GET", mine).json()["editors"] == ["ada", "bea"]
    assert ask("bea", "GET", "submissions").json()["total"] == 2
    assert ask("bea", "POST", "desk/people", json={"ids": ["a1"]}).json()[0]["load"]["invited"] == 2
    assert ask("bea", "PUT", f"{mine}/reviewers/a2", json={"state": "shortlisted"}).status_code == 200
    assert ask("ada", "DELETE", f"{mine}/editors/bea").status_code == 204
    assert ask("bea", "GET", mine).status_code == 404
    assert ask("ada", "DELETE", mine).status_code == 204


@pytest.mark.parametrize("name", ["nobody", "cem"])
def test_who_is_no_editor_gets_nothing_shared(ask, kept, name):
    refused = ask("ada", "PUT", f"submissions/{kept['ada']}/editors/{name}")
    assert refused.status_code == 422
    assert f"'{name}' is not a user who is an editor" in refused.json()["detail"]
    assert ask("cem", "GET", f"submissions/{kept['ada']}").status_code == 403


def test_an_administrator_hands_over_what_was_kept_before_there_were_users(tmp_path, ask, kept):
    assert ask("root", "DELETE", f"submissions/{kept['ada']}/editors/ada").status_code == 204
    assert ask("ada", "GET", f"submissions/{kept['ada']}").status_code == 404
    assert ask("root", "PUT", f"submissions/{kept['ada']}/editors/bea").status_code == 204
    assert ask("bea", "GET", f"submissions/{kept['ada']}").json()["title"] == TITLES["ada"]
