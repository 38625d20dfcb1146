"""What the routes share: the finder's service, the workers, the jobs, the desks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from indexing.parallel import cores
from panelist.app import confined
from panelist.app.access.roles import Permission, Viewer, permission_of
from panelist.app.access.seeing import SeenConferences, SeenDesk, SeenTables, Sight
from panelist.app.access.users import Users
from panelist.app.desk.conference.conflicts import ConflictTables
from panelist.app.desk.conference.inspection import ScoreViews
from panelist.app.desk.conference.store import Conferences
from panelist.app.desk.conference.view import Labels, labels_of
from panelist.app.desk.database import Desk
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.submissions import SavedSubmissions
from panelist.app.web.jobs import Jobs
from panelist.app.web.problems import ProblemError
from panelist.app.web.security import Attempts
from panelist.app.web.service import FinderService
from panelist.app.web.workers import Threads
from panelist.words import counted

if TYPE_CHECKING:
    from panelist.app.web.oidc import Provider


@dataclass(frozen=True, slots=True)
class ServerState:
    """What lives as long as the server."""

    service: FinderService
    jobs: Jobs
    desk: Desk
    conferences: Conferences
    submissions: SavedSubmissions
    people: DeskPeople
    conflicts: ConflictTables
    sight: Sight
    users: Users
    score_views: ScoreViews = field(default_factory=ScoreViews)
    # A look-up spends most of its time outside the interpreter lock, on all cores: a few at a time are fastest.
    lookups: Threads = field(default_factory=lambda: Threads("lookup", max(2, cores()), waiting=500))
    heavy: Threads = field(default_factory=lambda: Threads("heavy", 1, waiting=8))
    records: Threads = field(default_factory=lambda: Threads("records", 2, waiting=8))  # waits for other servers
    sign_ins: Threads = field(default_factory=lambda: Threads("sign-in", 1, waiting=16))  # one after the other
    wrong_passwords: Attempts = field(default_factory=lambda: Attempts("password"))
    online: bool = False
    provider: Provider | None = None

    @classmethod
    def over(
        cls, service: FinderService, users: Users, *, online: bool = False, provider: Provider | None = None
    ) -> ServerState:
        """The state of a server over a service that has been started."""
        home, desk = service.workspace.path, Desk(service.workspace)
        conferences = Conferences(desk)
        conferences.recover()
        kept, people = SavedSubmissions(desk), DeskPeople(desk)
        tables = ConflictTables(conferences, service.finder)
        sight = Sight(conferences, tables, service.finder)
        own = (desk, conferences, kept, people, tables, sight, users)
        return cls(service, Jobs(home / "jobs"), *own, online=online, provider=provider)

    def labels(self, conference: str) -> Labels:
        """What the papers and people of a conference are called."""
        with self.service.finder() as finder:
            return labels_of(self.conferences.get(conference), finder.corpus)

    def close(self) -> None:
        """Stop everything, in an order in which nothing is used after it was closed."""
        confined.stop_all()
        self.jobs.close()
        self.lookups.close()
        self.heavy.close()
        self.records.close()
        self.sign_ins.close()
        self.desk.close()
        self.users.close()
        self.service.close()

    def seen_by(self, viewer: Viewer) -> ServerState:
        """What a user sees: no route has anything else to answer from."""
        conferences = SeenConferences(self.desk, viewer, self.sight)
        desk = SeenDesk(self.desk, viewer, self.users)
        return replace(
            self,
            desk=desk,
            submissions=SavedSubmissions(desk),
            people=DeskPeople(desk),
            conferences=conferences,
            conflicts=SeenTables(conferences, self.sight),
        )


def _state(request: Request) -> ServerState:
    """The state as whoever asks sees it; refused where they would decide about papers of a conflict of theirs."""
    state: ServerState = request.app.state.panelist
    viewer, conference = request.scope.get("viewer"), request.path_params.get("conference")
    if viewer is None:
        return state
    deciding = permission_of(request.scope["route"], request.method) is Permission.WHOLE
    if conference is not None and deciding and (hidden := state.sight.hidden(viewer, conference).papers):
        words = counted(len(hidden), "paper")
        detail = f"you may not see {words} of this conference, so another chair has to do this: appoint one"
        raise ProblemError(403, detail)
    return state.seen_by(viewer)


StateOf = Annotated[ServerState, Depends(_state)]
