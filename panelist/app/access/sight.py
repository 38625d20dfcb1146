"""What a user sees of a conference: a predicate over papers, which is applied while the conference is loaded."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from panelist.app.access.roles import Role
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.options import CHAIRS, role_name
from retriever.conference.conflicts.table import ConflictTable

_ALL = frozenset({Role.ADMINISTRATOR, Role.CHAIR, Role.READER})
"""The roles that see all papers of a conference but for conflicts; area chairs see those that are theirs."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The papers of a conference that somebody may not see, and those of them whose titles they see."""

    hidden: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()

    def shows(self, paper: str) -> bool:
        """Whether a paper may be seen."""
        return paper not in self.hidden


EVERYTHING = Sight()


def sight_of(
    people: Collection[str],
    roles: Collection[Role],
    tables: Iterable[ConflictTable],
    papers: Iterable[str],
    assigned: Sequence[AssignedPair],
) -> Sight:
    """What a user with these ids and roles sees: no paper of a conflict that is certain, declared, or confirmed.

    `tables` are the conference's own and one of the user's ids alone; `assigned` is the chosen assignment.
    """
    conflicts: set[str] = set()
    chaired: set[str] = set()
    for table in tables:
        keys = set(map(table.person, people))
        conflicts |= {pair.submission for pair in table if pair.certain and table.person(pair.reviewer) in keys}
        chaired |= {pair.paper for pair in assigned if _chairs(pair) and table.person(pair.reviewer) in keys}
    unassigned = frozenset[str]() if _ALL.intersection(roles) else frozenset(papers) - chaired
    return Sight(unassigned | conflicts, frozenset(conflicts))


def _chairs(pair: AssignedPair) -> bool:
    return role_name(pair.role) in CHAIRS
