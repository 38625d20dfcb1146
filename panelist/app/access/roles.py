"""Roles, what each may do, what routes declare that they need, and who asks. `web.security.enforce` compares these."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

SAFE = ("GET", "HEAD", "OPTIONS")  # the methods of requests that change nothing

WORKSPACE = ""  # the scope of a role that holds in the whole workspace; every other scope is the id of a conference


class Role(StrEnum):
    """What somebody is, in the workspace or in one conference."""

    ADMINISTRATOR = "administrator"
    CHAIR = "chair"
    AREA_CHAIR = "area chair"
    EDITOR = "editor"
    READER = "reader"


class Permission(StrEnum):
    """What a route lets somebody do."""

    OPEN = "ask without signing in"
    LOOK = "look up reviewers, people and papers"
    DESK = "see the editor's desk"
    EDIT = "change the editor's desk"
    READ = "see a conference"
    CHANGE = "change papers of a conference by hand"
    WHOLE = "decide about a conference as a whole"
    CREATE = "make a conference"
    ADMINISTER = "administer the workspace"


READING = frozenset({Permission.OPEN, Permission.LOOK, Permission.DESK, Permission.READ})
"""What a token of the scope `read` may do."""

_SEEING = frozenset({Permission.OPEN, Permission.LOOK, Permission.READ})
MAY: Mapping[Role, frozenset[Permission]] = {
    Role.ADMINISTRATOR: frozenset(Permission),
    Role.CHAIR: _SEEING | {Permission.CHANGE, Permission.WHOLE, Permission.CREATE},
    Role.AREA_CHAIR: _SEEING,
    Role.EDITOR: frozenset({Permission.OPEN, Permission.LOOK, Permission.DESK, Permission.EDIT}),
    Role.READER: _SEEING,
}


class User(Struct, frozen=True, omit_defaults=True):
    """A user, who asks: ids of the person in conferences and in the corpus, and roles by scope.

    A scope is the workspace, the id of a conference, or, for an editor, that of a saved submission. `writes` says
    whether more than reading is allowed: a token may allow less than its user may do.
    """

    name: str
    people: tuple[str, ...] = ()
    roles: dict[str, frozenset[Role]] = {}
    disabled: bool = False
    writes: bool = True

    def granted(self, role: Role, scope: str) -> Self:
        """The user with one more role."""
        return replace(self, roles=self.roles | {scope: self.roles.get(scope, frozenset()) | {role}})

    def roles_in(self, conference: str | None) -> frozenset[Role]:
        """The roles in a conference; those in the workspace hold there, too. None for what is in no conference."""
        return self.roles.get(WORKSPACE, frozenset()) | self.roles.get(conference or WORKSPACE, frozenset())

    def may(self, permission: Permission, conference: str | None = None) -> bool:
        """Whether any of the roles allows it: of two roles at once, each adds what it allows."""
        if permission not in READING and not self.writes:
            return False
        if permission in (Permission.OPEN, Permission.LOOK):
            return True
        return any(permission in MAY[role] for role in self.roles_in(conference))


class Needs:
    """What a route needs: to be asked (GET), and to be asked for a change."""

    def __init__(self, reading: Permission, changing: Permission) -> None:
        self.reading, self.changing = reading, changing

    async def __call__(self) -> None:
        """Declare only; `enforce` reads it."""


def needs(reading: Permission, changing: Permission | None = None) -> Any:
    """Declare what routes need, in the `dependencies` of a router or of one route, which goes before its router's."""
    from fastapi import Depends  # the command line needs roles, not the server

    return Depends(Needs(reading, changing or reading))


def permission_of(route: Any, method: str) -> Permission | None:
    """What a route declares that it needs; None where it declares nothing."""
    dependencies = (declared.dependency for declared in getattr(route, "dependencies", ()))
    needs = [dependency for dependency in dependencies if isinstance(dependency, Needs)]
    return None if not needs else needs[-1].reading if method in SAFE else needs[-1].changing
