"""What each role may do, where it holds, what a route declares, and which papers somebody may not see."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from fastapi.params import Depends as Dependency

from panelist.app.access.roles import Permission, Role, User, needs, permission_of
from panelist.app.access.sight import EVERYTHING, Sight, sight_of
from panelist.records import Conflict, ConflictKind
from retriever.assignment.assignment import AssignedPair
from retriever.conference.conflicts.table import ConflictTable, Decision, TableHeader

EVERYBODY = {Permission.OPEN, Permission.LOOK}
ALLOWED = {
    Role.ADMINISTRATOR: {*Permission},
    Role.CHAIR: {Permission.READ, Permission.CHANGE, Permission.WHOLE, Permission.CREATE},
    Role.AREA_CHAIR: {Permission.READ},
    Role.EDITOR: {Permission.DESK, Permission.EDIT},
    Role.READER: {Permission.READ},
}
CHANGING = {Permission.EDIT, Permission.CHANGE, Permission.WHOLE, Permission.CREATE, Permission.ADMINISTER}


@pytest.mark.parametrize("role", Role)
def test_a_role_allows_what_it_is_for_and_a_token_for_reading_only_that(role):
    user = User("ada").granted(role, "")
    assert {permission for permission in Permission if user.may(permission)} == EVERYBODY | ALLOWED[role]
    reader = User("ada", roles=user.roles, writes=False)
    assert {one for one in Permission if reader.may(one)} == (EVERYBODY | ALLOWED[role]) - CHANGING


def test_a_user_without_a_role_looks_up_only():
    assert {permission for permission in Permission if User("ada").may(permission)} == EVERYBODY
    assert {one for one in Permission if User("ada").may(one, "venue")} == EVERYBODY


def test_a_role_holds_where_it_was_given_and_one_of_the_workspace_everywhere():
    user = User("ada").granted(Role.READER, "").granted(Role.CHAIR, "venue").granted(Role.AREA_CHAIR, "venue")
    assert user.roles_in("venue") == {Role.READER, Role.CHAIR, Role.AREA_CHAIR}
    assert user.roles_in("elsewhere") == user.roles_in(None) == {Role.READER}
    assert user.may(Permission.WHOLE, "venue")
    assert not user.may(Permission.WHOLE, "elsewhere")
    assert not user.may(Permission.WHOLE)


def route(*dependencies):
    assert all(isinstance(dependency, Dependency) for dependency in dependencies)
    return SimpleNamespace(dependencies=dependencies)


def test_a_route_needs_what_it_declares_last_for_reading_and_for_changing():
    both, one = needs(Permission.READ, Permission.CHANGE), needs(Permission.ADMINISTER)
    for method in ("GET", "HEAD", "OPTIONS"):
        assert permission_of(route(both), method) is Permission.READ
        assert permission_of(route(one, both), method) is Permission.READ
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert permission_of(route(both), method) is Permission.CHANGE
        assert permission_of(route(both, one), method) is Permission.ADMINISTER
    assert permission_of(route(one), "GET") is Permission.ADMINISTER


def test_a_route_that_declares_nothing_needs_what_nobody_has():
    assert permission_of(route(Dependency(dependency=print)), "GET") is None
    assert permission_of(SimpleNamespace(), "POST") is None


ORCID = "0000-0002-1825-0097"
PAPERS = ("p1", "p2", "p3", "p4")


def table_of(reviewer, aliases=()):
    """A table in which p1 is a certain conflict, p2 a possible one, p3 a confirmed and p4 a dismissed one."""
    reasons = [
        Conflict(paper, reviewer, ConflictKind.COAUTHOR, "wrote together", certain=paper == "p1") for paper in PAPERS
    ]
    table = ConflictTable.grouped(reasons, TableHeader(aliases=dict(aliases)))
    for paper, verdict in (("p3", "confirmed"), ("p4", "dismissed")):
        table = table.decide(paper, reviewer, Decision(verdict, "chair", datetime(2026, 1, 2, tzinfo=UTC)))
    return table


def pair(paper, reviewer, role="Area_Chair"):
    return AssignedPair(paper=paper, reviewer=reviewer, score=1.0, role=role)


@pytest.mark.parametrize("role", [Role.ADMINISTRATOR, Role.CHAIR, Role.READER])
def test_who_sees_a_conference_sees_all_but_conflicts_of_their_own_in_any_form_of_their_ids(role):
    table = table_of(f"https://orcid.org/{ORCID}", {"ada@turin.it": ORCID})
    for ids in ([ORCID], ["somebody", f"orcid:{ORCID}"], ["ADA@turin.it"]):
        sight = sight_of(ids, [role, Role.AREA_CHAIR], [table], PAPERS, [])
        assert sight.hidden == sight.titles == {"p1", "p3"}
        assert [paper for paper in PAPERS if sight.shows(paper)] == ["p2", "p4"]
    for ids in ([], ["somebody"]):
        assert sight_of(ids, [role], [table], PAPERS, []) == EVERYTHING


def test_conflicts_of_any_table_count():
    tables = [table_of("somebody"), table_of(ORCID)]
    assert sight_of([ORCID], [Role.CHAIR], tables, PAPERS, []).hidden == {"p1", "p3"}
    assert sight_of([ORCID], [Role.CHAIR], tables[::-1], PAPERS, []).hidden == {"p1", "p3"}


def test_area_chairs_see_the_papers_that_are_theirs_and_none_of_a_conflict():
    assigned = [
        pair("p1", ORCID),
        pair("p2", ORCID),
        pair("p3", "somebody"),
        pair("p4", ORCID, role="reviewer"),
    ]
    own_table = table_of(ORCID, {"ada@turin.it": ORCID})
    for key in (f"orcid:{ORCID}", "ada@turin.it"):
        sight = sight_of([key], [Role.AREA_CHAIR], [own_table, ConflictTable()], PAPERS, assigned)
        assert sight == Sight(hidden=frozenset({"p1", "p3", "p4"}), titles=frozenset({"p1", "p3"}))
    assert sight_of([], [Role.AREA_CHAIR], [], PAPERS, assigned) == Sight(hidden=frozenset(PAPERS))
    assert sight_of([ORCID], [], [ConflictTable()], PAPERS, assigned[:2]).hidden == {"p3", "p4"}
