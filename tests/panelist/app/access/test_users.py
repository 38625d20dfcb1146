"""Users, their passwords, sessions and tokens."""

import stat

import pytest
from access_support import PASSWORD, Clock, add_user
from argon2 import PasswordHasher

from panelist.app.access.roles import Permission, Role
from panelist.app.access.users import ABSOLUTE, IDLE, Users
from panelist.errors import InputError
from panelist.workspace import Workspace


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def users(tmp_path, clock):
    users = Users(Workspace.at(tmp_path), clock)
    add_user(users, "Ada", Role.ADMINISTRATOR)
    yield users
    users.close()


def test_a_workspace_without_users_has_no_file_and_asks_nobody_to_sign_in(tmp_path):
    assert not Users(Workspace.at(tmp_path)).exist()
    assert Users(Workspace.at(tmp_path)).list() == []
    assert list(tmp_path.iterdir()) == []


def test_the_first_user_must_be_able_to_administer(tmp_path):
    with pytest.raises(InputError, match=r"first user .*administrator"):
        add_user(Users(Workspace.at(tmp_path)), "grace", Role.CHAIR)


def test_nothing_in_the_file_opens_anything(users, tmp_path):
    session, token = users.sign_in("ada", PASSWORD), users.make_token("ada", "", writes=True, days=1)
    users.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert all(secret.encode() not in kept for secret in (PASSWORD, session, token))
    assert b"$argon2id$" in kept
    assert stat.S_IMODE((tmp_path / "users.sqlite").stat().st_mode) == 0o600


def test_passwords_are_hashed_slowly(tmp_path, monkeypatch):
    monkeypatch.setattr("panelist.app.access.users.PasswordHasher", PasswordHasher)  # not the one of all other tests
    users = Users(Workspace.at(tmp_path))
    add_user(users, "Ada", Role.ADMINISTRATOR)
    assert users.sign_in("ada", PASSWORD) is not None
    users.close()
    assert b"$argon2id$v=19$m=65536,t=3,p=4$" in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_names_are_compared_without_case_and_spaces(users):
    assert users.sign_in("  ADA ", PASSWORD) is not None
    assert users.sign_in("ada", PASSWORD.upper()) is None
    assert users.sign_in("nobody", PASSWORD) is None


@pytest.mark.parametrize("password", ["", "short", "x" * 1001])
def test_passwords_that_can_be_guessed_are_refused(users, password):
    with pytest.raises(InputError, match="characters"):
        users.set_password("ada", lambda: password)


def test_who_is_signed_in_elsewhere_has_no_password_that_could_be_guessed(users):
    users.add("grace@example.org", None, Role.EDITOR)
    assert all(users.sign_in("grace@example.org", password) is None for password in ("", "x", PASSWORD))
    assert users.by_secret(users.begin_session("Grace@example.org"), session=True).name == "grace@example.org"
    users.disable("grace@example.org")
    assert users.begin_session("grace@example.org") is users.begin_session("nobody") is None


def test_sessions_end_when_idle_and_in_any_case(users, clock):
    session = users.sign_in("ada", PASSWORD)
    for _ in range(int(ABSOLUTE / IDLE * 2) - 1):
        clock.now += IDLE / 2
        assert users.by_secret(session, session=True).name == "ada"
    clock.now += IDLE / 2
    assert users.by_secret(session, session=True) is None
    other = users.sign_in("ada", PASSWORD)
    clock.now += IDLE
    assert users.by_secret(other, session=True) is None


def test_a_clock_that_jumps_ends_sessions_and_never_lengthens_them(users, clock):
    session = users.sign_in("ada", PASSWORD)
    clock.now -= 60
    assert users.by_secret(session, session=True) is not None
    clock.now -= 3600
    assert users.by_secret(session, session=True) is None
    clock.now += 10 * ABSOLUTE
    assert users.by_secret(session, session=True) is None


def test_sessions_are_kept_over_a_restart_and_end_when_signed_out(users, clock, tmp_path):
    session = users.sign_in("ada", PASSWORD)
    again = Users(Workspace.at(tmp_path), clock)
    assert again.by_secret(session, session=True).name == "ada"
    users.sign_out(session)
    assert again.by_secret(session, session=True) is None
    again.close()


def test_a_session_is_no_token_and_a_token_no_session(users):
    session, token = users.sign_in("ada", PASSWORD), users.make_token("ada", "job", writes=False, days=2)
    assert users.by_secret(session, session=False) is None
    assert users.by_secret(token, session=True) is None
    assert users.by_secret(token, session=False).name == "ada"


def test_a_token_for_reading_changes_nothing_and_ends(users, clock):
    token = users.make_token("ada", "job", writes=False, days=2)
    assert users.by_secret(token, session=False).may(Permission.READ)
    assert not users.by_secret(token, session=False).may(Permission.CHANGE)
    clock.now += 2 * 86_400
    assert users.by_secret(token, session=False) is None


def test_disabling_and_a_new_password_end_everything(users):
    add_user(users, "grace")
    proofs = [users.sign_in("grace", PASSWORD), users.make_token("grace", "", writes=True, days=1)]
    users.disable("grace")
    assert users.by_secret(proofs[0], session=True) is users.by_secret(proofs[1], session=False) is None
    assert users.by_name("grace") is None
    assert users.sign_in("grace", PASSWORD) is None
    with pytest.raises(InputError, match="disabled"):
        users.make_token("grace", "", writes=True, days=1)
    users.disable("grace", undo=True)
    session = users.sign_in("grace", PASSWORD)
    users.set_password("grace", lambda: "another long password")
    assert users.by_secret(session, session=True) is None
    assert users.sign_in("grace", "another long password") is not None


def test_the_last_administrator_stays(users):
    with pytest.raises(InputError, match="only administrator"):
        users.disable("ada")
    assert users.by_name("ada") is not None


def test_two_roles_at_once_add_up(users):
    add_user(users, "grace", Role.EDITOR, people=["a1"])
    add_user(users, "Grace", Role.CHAIR, "venue", people=["a1", "a2"])
    grace = users.by_name("grace")
    assert grace.people == ("a1", "a2")
    assert grace.may(Permission.EDIT)
    assert grace.may(Permission.WHOLE, "venue")
    assert not grace.may(Permission.READ, "elsewhere")
    assert not grace.may(Permission.ADMINISTER, "venue")
    with pytest.raises(InputError, match="role in the workspace"):
        add_user(users, "grace", Role.ADMINISTRATOR, "venue")


def test_a_user_who_is_added_twice_at_once_stays_as_the_first_one_was_added(users):
    def password():
        add_user(users, "grace", Role.EDITOR, people=["a1"])
        return PASSWORD

    with pytest.raises(InputError, match="just added"):
        users.add("grace", password, Role.READER)
    assert users.by_name("grace").people == ("a1",)
