"""`panelist users`: the first user, their roles, tokens and passwords, and one line for whatever does not fit."""

import io
import json

import pytest

from panelist.app.access.users import Users
from panelist.workspace import Workspace

PASSWORD = "correct horse battery staple"


@pytest.fixture
def run(panelist, tmp_path, monkeypatch):
    def run(*arguments, typed=PASSWORD):
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
        return panelist("users", *arguments, "--workspace", tmp_path)

    return run


@pytest.fixture
def users(tmp_path):
    users = Users(Workspace.at(tmp_path))
    yield users
    users.close()


def test_users_are_added_listed_and_given_roles(run, users):
    assert "no users: the pages are open to whoever reaches them" in run("list")[1]
    code, _, said = run("add", "Grace", "--role", "chair")
    assert (code, len(said.splitlines())) == (2, 1)
    assert "first user must be an administrator" in said
    assert run("add", "Ada", "--role", "administrator")[0] == 0
    assert run("add", "grace@example.org", "--role", "editor", "--elsewhere", typed="")[0] == 0
    code, _, said = run("add", "ada", "--role", "chair", "--conference", "venue", "--person", "a1", typed="")
    assert (code, said) == (0, "ada is chair, too\n")
    users.grant("grace@example.org", "editor", "a-kept-submission")
    assert run("list")[1] == "ada  administrator, chair of venue  a1\ngrace@example.org  editor\n"
    listed = json.loads(run("list", "--json")[1])
    roles = {"": ["editor"], "a-kept-submission": ["editor"]}
    assert listed[1] == {"name": "grace@example.org", "people": [], "roles": roles, "disabled": False}
    assert [user["name"] for user in listed] == ["ada", "grace@example.org"]
    assert "argon2" not in json.dumps(listed)


def test_passwords_tokens_and_the_end_of_both(run, users):
    run("add", "ada", "--role", "administrator")
    run("add", "grace")
    assert users.sign_in("grace", PASSWORD)
    assert run("password", "grace", typed="another long password")[0] == 0
    assert users.sign_in("grace", PASSWORD) is None
    token = run("token", "grace", "--label", "backup", "--scope", "write", "--days", 3)[1].strip()
    assert users.by_secret(token, session=False).writes
    assert run("disable", "grace")[0] == 0
    assert users.by_secret(token, session=False) is None
    assert "grace  disabled" in run("list")[1]
    assert run("disable", "grace", "--undo")[0] == 0
    assert users.sign_in("grace", "another long password")


@pytest.mark.parametrize(
    ("arguments", "typed", "words"),
    [
        (["add", "grace"], "short", "the password has 5 characters"),
        (["add", " "], PASSWORD, "name of 1 to 100 printable characters"),
        (["add", "grace", "--role", "editor", "--conference", "venue"], PASSWORD, "editor is a role in the workspace"),
        (["password", "nobody"], PASSWORD, "there is no user 'nobody'"),
        (["disable", "nobody"], "", "there is no user 'nobody'"),
        (["disable", "ada"], "", "'ada' is the only administrator"),
        (["token", "nobody"], "", "there is no user 'nobody'"),
    ],
)
def test_what_does_not_fit_is_one_line(run, arguments, typed, words):
    run("add", "ada", "--role", "administrator")
    code, out, said = run(*arguments, typed=typed)
    assert (code, out, len(said.splitlines())) == (2, "", 1), said
    assert words in said
