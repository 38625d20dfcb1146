"""What a user sees of conferences: all papers but those with which they have a conflict of interest."""

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from panelist.app.access.hiding import events_without, table_without, without
from panelist.app.access.roles import Permission, Role, User
from panelist.app.access.users import Users
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.manual import ManualChanges
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.conflicts import ConflictTables, conflicts_of
from panelist.app.desk.conference.files import load_submissions, scored_ids
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.database import Desk
from panelist.progress import Progress
from panelist.sqlite_file import SqliteFile
from retriever.assignment.options import role_name
from retriever.conference.conflicts.table import ConflictTable
from retriever.finder import Finder

Finders = Callable[[], AbstractContextManager[Finder]]
_REMEMBERED = 64
_ALL = frozenset({Role.ADMINISTRATOR, Role.CHAIR, Role.READER})
"""The roles that see all papers of a conference but for conflicts; area chairs see those that are theirs."""


class Hidden(NamedTuple):
    """The papers of a conference that somebody may not see, and those of them whose titles they see."""

    papers: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()


class Sight:
    """Finds out which papers are hidden from whom, by the conference's own table of conflicts.

    A conflict counts that is certain, declared, or confirmed by a chair.
    """

    def __init__(self, conferences: Conferences, tables: ConflictTables, finder: Finders) -> None:
        self.conferences, self.tables, self.finder = conferences, tables, finder
        self._remembered: OrderedDict[object, Hidden] = OrderedDict()

    def hidden(self, viewer: User, conference: str) -> Hidden:
        """The papers that are hidden from a user."""
        stored = self.conferences.get(conference)
        table, roles = self.tables.of(stored), viewer.roles_in(conference)
        key = viewer.people, roles, stored, table.header.digest, solutions.chosen(stored)
        hidden = self._remembered.pop(key, None) or self._find(viewer, roles, stored, table)
        self._remembered[key] = hidden
        if len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)
        return hidden

    def _find(self, viewer: User, roles: frozenset[Role], stored: StoredConference, table: ConflictTable) -> Hidden:
        own = set(map(table.person, viewer.people))
        conflicts = {pair.submission for pair in table if pair.certain and table.person(pair.reviewer) in own}
        if viewer.people:
            with self.finder() as finder:
                conflicts |= {pair.submission for pair in conflicts_of(stored, viewer.people, finder) if pair.certain}
        papers = set(conflicts)
        if not roles & _ALL:
            everything = {*scored_ids(stored)[0], *(submission.id for submission in load_submissions(stored))}
            number = solutions.chosen(stored)
            pairs = [] if number is None else solutions.read_pairs(stored, number).pairs
            chaired = (pair for pair in pairs if role_name(pair.role) == "area chair")
            papers |= everything - {pair.paper for pair in chaired if table.person(pair.reviewer) in own}
        return Hidden(frozenset(papers), frozenset(conflicts))


class SeenConferences(Conferences):
    """The conferences as one user sees them. Changes are made to the whole conference."""

    def __init__(self, desk: Desk, viewer: User, sight: Sight) -> None:
        super().__init__(desk)
        self._viewer, self._sight = viewer, sight
        self._hidden: dict[str, Hidden] = {}

    def hidden(self, conference: str) -> Hidden:
        """The papers that are hidden from the user; found once for each request."""
        if conference not in self._hidden:
            self._hidden[conference] = self._sight.hidden(self._viewer, conference)
        return self._hidden[conference]

    def get(self, conference: str) -> StoredConference:
        """See `Conferences`."""
        return without(super().get(conference), *self.hidden(conference))

    def list(self) -> tuple[StoredConference, ...]:
        """See `Conferences`."""
        return tuple(stored for stored in super().list() if self._viewer.may(Permission.READ, stored.id))

    def events(self, conference: str) -> tuple[Event, ...]:
        """See `Conferences`."""
        return events_without(super().events(conference), self.hidden(conference).papers)


class SeenDesk(Desk):
    """The editor's desk as one user sees it: what they save or what is shared with them; all, as an administrator.

    Notes about people belong to the whole desk.
    """

    def __init__(self, desk: Desk, viewer: User, users: Users) -> None:
        self._whole, self._viewer, self._users, self.home = desk, viewer, users, desk.home
        self._own = {place for place, roles in viewer.roles.items() if Role.EDITOR in roles}
        self._all = Role.ADMINISTRATOR in viewer.roles_in(None)

    @property
    def file(self) -> SqliteFile:
        """See `Desk`."""
        return self._whole.file

    def sees(self, submission: str) -> bool:
        """See `Desk`."""
        return self._all or submission in self._own

    def keeps(self, submission: str) -> None:
        """Make the user who saves a submission its editor."""
        self._users.grant(self._viewer.name, Role.EDITOR, submission)
        self._own.add(submission)


class SeenTables(ConflictTables):
    """The conflict tables as one user sees them."""

    def __init__(self, conferences: SeenConferences, sight: Sight) -> None:
        super().__init__(conferences, sight.finder)
        self._seen, self._sight = conferences, sight

    def _decided(self, conference: StoredConference, manual: ManualChanges, progress: Progress) -> ConflictTable:
        table = self._sight.tables.of(self._sight.conferences.get(conference.id), progress)
        return table_without(table, self._seen.hidden(conference.id).papers)
