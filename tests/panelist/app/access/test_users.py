"""Users, their passwords, sessions and tokens."""

import stat

import pytest
from access_support import PASSWORD, Clock, add_user
from argon2 import PasswordHasher

from panelist.app.access.roles import Permission, Role
from panelist.app.access.users import ABSOLUTE, IDLE, LONGEST_NAME, LONGEST_PASSWORD, SHORTEST_PASSWORD, Users
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
    Users(Workspace.at(tmp_path)).close()
    assert list(tmp_path.iterdir()) == []


def test_the_first_user_makes_the_directory_of_the_workspace_and_a_closed_file_is_one_file(tmp_path):
    users = Users(Workspace.at(tmp_path / "deep" / "workspace"))
    add_user(users, "Ada", Role.ADMINISTRATOR)
    users.close()
    assert [path.name for path in (tmp_path / "deep" / "workspace").iterdir()] == ["users.sqlite"]


def test_the_first_user_must_be_able_to_administer(tmp_path):
    users = Users(Workspace.at(tmp_path))
    for role, place in ((Role.CHAIR, ""), (Role.CHAIR, "venue"), (Role.ADMINISTRATOR, "venue")):
        with pytest.raises(InputError, match=r"^the first user .*administrator.* first$"):
            add_user(users, "grace", role, place)
    assert not users.exist()


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


@pytest.mark.parametrize("password", ["", "short", "x" * (SHORTEST_PASSWORD - 1), "x" * (LONGEST_PASSWORD + 1)])
def test_passwords_that_can_be_guessed_are_refused(users, password):
    with pytest.raises(InputError, match=f"has {len(password)} characters"):
        users.set_password("ada", lambda: password)
    with pytest.raises(InputError, match="characters"):
        users.add("grace", lambda: password, Role.READER)
    assert users.by_name("grace") is None


@pytest.mark.parametrize("length", [SHORTEST_PASSWORD, LONGEST_PASSWORD])
def test_passwords_of_any_other_length_are_taken(users, length):
    users.set_password("ada", lambda: "x" * length)
    assert users.sign_in("ada", "x" * length) is not None


@pytest.mark.parametrize("name", ["", "  ", "x" * (LONGEST_NAME + 1), "a\x00b"])
def test_names_that_nobody_could_type_are_refused(users, name):
    with pytest.raises(InputError, match="1 to 100 printable characters"):
        add_user(users, name)
    assert [user.name for user in users.list()] == ["ada"]


def test_users_are_listed_by_name_with_what_they_were_given(users):
    assert users.add("Zoe  Z", lambda: PASSWORD, Role.READER, people=["z1"])
    add_user(users, "b" * LONGEST_NAME)
    assert not users.add("zoe z", None, Role.CHAIR, scope="venue", people=["z2", "z1"])
    assert [user.name for user in users.list()] == ["ada", "b" * LONGEST_NAME, "zoe z"]
    zoe = users.by_name("ZOE z")
    assert zoe.people == ("z1", "z2")
    assert zoe.roles == {"": {Role.READER}, "venue": {Role.CHAIR}}
    assert users.sign_in("zoe z", PASSWORD) is not None


def test_a_role_of_the_workspace_is_given_there_only_and_roles_are_taken_back_by_submission(users):
    for role in (Role.ADMINISTRATOR, Role.EDITOR):
        with pytest.raises(InputError, match=f"{role.value} is a role in the workspace"):
            add_user(users, "grace", role, "venue")
    add_user(users, "grace", Role.READER)
    users.grant("Grace", Role.EDITOR, "s1")
    users.grant("grace", Role.EDITOR, "s2")
    users.unshare("s1", ["Grace"])
    assert users.by_name("grace").roles == {"": {Role.READER}, "s2": {Role.EDITOR}}
    assert users.sign_in("grace", PASSWORD) is not None


def test_what_is_done_with_somebody_unknown_says_so(users):
    for act in (
        lambda: users.grant("nobody", Role.READER, "venue"),
        lambda: users.unshare("s1", ["nobody"]),
        lambda: users.disable("nobody"),
        lambda: users.set_password("nobody", lambda: PASSWORD),
        lambda: users.make_token("nobody", "job", writes=True, days=1),
    ):
        with pytest.raises(InputError, match="there is no user 'nobody'"):
            act()
    assert users.by_secret("nothing", session=True) is users.by_secret("", session=False) is None


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


def test_a_session_that_is_used_ends_two_hours_after_its_last_request(users, clock):
    session, idle = users.sign_in("ada", PASSWORD), users.sign_in("ada", PASSWORD)
    clock.now += IDLE - 1
    assert users.by_secret(session, session=True) is not None
    clock.now += IDLE - 1
    assert users.by_secret(idle, session=True) is None
    assert users.by_secret(session, session=True) is not None


def test_a_clock_that_jumps_ends_sessions_and_never_lengthens_them(users, clock):
    session = users.sign_in("ada", PASSWORD)
    clock.now -= 5 * 60
    assert users.by_secret(session, session=True) is not None
    clock.now -= 1
    assert users.by_secret(session, session=True) is None
    clock.now += 10 * ABSOLUTE
    assert users.by_secret(session, session=True) is None


def test_requests_of_one_minute_write_nothing(users, clock, tmp_path):
    session = users.sign_in("ada", PASSWORD)
    states = []
    for moment in (0, 60, 61):
        clock.now = 1_800_000_000.0 + moment
        assert users.by_secret(session, session=True) is not None
        states.append([path.read_bytes() for path in sorted(tmp_path.iterdir())])
    assert states[0] == states[1] != states[2]


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
    clock.now += 2 * 86_400 - 1
    assert users.by_secret(token, session=False).name == "ada"
    clock.now += 1
    assert users.by_secret(token, session=False) is None


def test_a_token_for_writing_does_what_its_user_may(users):
    token, session = users.make_token("ada", "", writes=True, days=1), users.sign_in("ada", PASSWORD)
    assert token.startswith("panelist_")
    assert not session.startswith("panelist_")
    for secret, kind in ((token, False), (session, True)):
        assert users.by_secret(secret, session=kind).may(Permission.ADMINISTER)


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
    session = users.sign_in("ada", PASSWORD)
    add_user(users, "grace", Role.ADMINISTRATOR)
    add_user(users, "chair", Role.CHAIR, "venue")
    users.disable("grace")
    with pytest.raises(InputError, match="only administrator"):
        users.disable("ada")
    assert users.by_secret(session, session=True) is not None
    users.disable("grace", undo=True)
    users.disable("ada")
    assert users.by_secret(session, session=True) is None


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
