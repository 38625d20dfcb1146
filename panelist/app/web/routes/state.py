"""What the routes share: the finder's service, the threads that answer, the jobs, the desks."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial, wraps
from typing import Annotated, Any, Literal, Self, TypeVar

from fastapi import Depends, Request

from indexing.parallel import cores
from panelist.app import confined
from panelist.app.access.roles import Permission, Role, User, permission_of
from panelist.app.access.sight import EVERYTHING, Sight, sight_of
from panelist.app.access.users import Users
from panelist.app.desk.conference.archive import carry_over
from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.conflicts import SOURCES, TABLE, ConflictTables
from panelist.app.desk.conference.contents import all_papers
from panelist.app.desk.conference.outcomes import chosen_pairs
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.conference.view import ConferenceView, labels_of
from panelist.app.desk.database import Desk, SeenDesk, desk_path
from panelist.app.desk.editor.history import paper_of
from panelist.app.desk.editor.people import DeskPeople
from panelist.app.desk.editor.submissions import SavedSubmissions
from panelist.app.web.jobs import Jobs, QueuedJob, Work
from panelist.app.web.oidc import Provider
from panelist.app.web.problems import ProblemError
from panelist.app.web.security import Attempts
from panelist.app.web.service import FinderService
from panelist.app.web.workers import Workers
from panelist.words import Labels, counted

Result = TypeVar("Result")


class Threads:
    """A few threads that live as long as the server, since Java wants its threads to stay, and a queue with an end."""

    def __init__(self, name: str, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + waiting
        self._taken = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do this work in one of the threads."""
        if self._taken >= self._most:
            raise ProblemError(503, "the server is busy: try again in a moment", {"Retry-After": "2"})
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except asyncio.CancelledError:  # there is no time to answer: the server stops
            raise ProblemError(503, "the server stops: ask again when it is back", {"Retry-After": "10"}) from None
        finally:
            self._taken -= 1

    def close(self) -> None:
        """Wait for what is being done; what waits is dropped."""
        self._pool.shutdown(cancel_futures=True)


Pool = Literal["lookups", "heavy", "records"]


def in_threads(
    name: Pool | Callable[[Mapping[str, Any]], Pool],
) -> Callable[[Callable[..., Result]], Callable[..., Awaitable[Result]]]:
    """Run a route in those threads of the server's state that have this name, which may depend on its parameters.

    The route takes the `state`.
    """

    def decorate(answer: Callable[..., Result]) -> Callable[..., Awaitable[Result]]:
        @wraps(answer)
        async def route(**parameters: Any) -> Result:
            threads: Threads = getattr(parameters["state"], name(parameters) if callable(name) else name)
            return await threads.run(partial(answer, **parameters))

        return route

    return decorate


class ServerState:
    """What lives as long as the server, over a service that has been started."""

    def __init__(
        self,
        service: FinderService,
        users: Users,
        *,
        online: bool = False,
        provider: Provider | None = None,
        workers: int = 1,
    ) -> None:
        self.service, self.users, self.online, self.provider = service, users, online, provider
        self.jobs, self.desk = Jobs(service.workspace.path / "jobs"), Desk(service.workspace)
        self.conferences = Conferences(self.desk)
        self.viewer: User | None = None
        self.client = ""  # the address of the request
        if desk_path(service.workspace).exists():
            carry_over(self.conferences)
            self.conferences.collect()
        self.submissions, self.people = SavedSubmissions(self.desk), DeskPeople(self.desk)
        self.conflicts = ConflictTables(self.conferences, service.finder)
        self.every_job = self.jobs
        self.workers = Workers(workers - 1, service)
        # A look-up spends most of its time outside the interpreter lock, on all cores: a few at a time are fastest.
        self.lookups = Threads("lookup", max(2, workers, cores()), waiting=500)
        self.heavy = Threads("heavy", 1, waiting=8)
        self.records = Threads("records", 2, waiting=8)  # waits for other servers
        self.sign_ins = Threads("sign-in", 1, waiting=16)  # one after the other
        self.wrong_passwords = Attempts("password")

    @property
    def sees_desk(self) -> bool:
        """Whether the user may see the editor's desk, and so the history of reviews."""
        return self.viewer is None or self.viewer.may(Permission.DESK)

    @property
    def history_excluded(self) -> tuple[str, ...]:
        """Papers of the history of reviews: those saved submissions that the user does not see."""
        if self.viewer is None or not desk_path(self.service.workspace).exists():
            return ()
        return tuple(map(paper_of, self.submissions.hidden()))

    def conference(self, conference: str) -> Conference:
        """A conference as the user sees it: all that a route may answer from."""
        stored = self.conferences.get(conference)
        return stored.seen(self.sight(stored))

    def all_conferences(self) -> list[Conference]:
        """The conferences that the user may see, the newest first."""
        return [
            conference.seen(self.sight(conference))
            for conference in self.conferences.list()
            if self.viewer is None or self.viewer.may(Permission.READ, conference.id)
        ]

    def sight(self, conference: Conference) -> Sight:
        """What the user sees of a conference."""
        if self.viewer is None:
            return EVERYTHING
        with self.service.finder() as finder:
            index = finder.index.path.name
        roles, revision = self.viewer.roles_in(conference.id), conference.revision
        return _sight(conference, self.viewer.people, roles, self.conflicts, revision, index)

    def view(self, conference: str) -> ConferenceView:
        """A conference with its conflicts, changes by hand and names, as the user sees it."""
        return self.conflicts.view(self.conference(conference))

    def labels(self, conference: Conference) -> Labels:
        """What the papers and people of a conference are called."""
        with self.service.finder() as finder:
            return labels_of(conference, finder.corpus)

    def close(self) -> None:
        """Stop everything, in an order in which nothing is used after it was closed."""
        confined.stop_all()
        threads = (self.lookups, self.heavy, self.records, self.sign_ins)
        for resource in (self.workers, self.jobs, *threads, self.desk, self.users, self.service):
            resource.close()

    def begin(self, work: Work, conference: str = "") -> QueuedJob:
        """Begin a job of the user, perhaps in a conference."""
        return self.jobs.start(work, self.client, conference)

    def seen_by(self, viewer: User | None, client: str) -> Self:
        """The state for a request of a user, or of anybody where there are no users, from an address."""
        seen = copy(self)
        seen.viewer, seen.client = viewer, client
        if viewer is not None:
            seen.jobs, seen.desk = self.jobs.seen_by(viewer), SeenDesk(self.desk, viewer, self.users)
            seen.submissions, seen.people = SavedSubmissions(seen.desk), DeskPeople(seen.desk, viewer.name)
        return seen


@remembered(TABLE, *SOURCES, "scores", "chosen", most=64)
def _sight(
    conference: Conference,
    people: tuple[str, ...],
    roles: frozenset[Role],
    conflicts: ConflictTables,
    revision: int,
    index: str,
) -> Sight:
    """What a user sees: it follows from conflicts, from decisions about them (`revision`), and from the index."""
    tables = [conflicts.of(conference)]
    if people:  # who need not be on the committee
        tables.append(conflicts.of_people(conference, people))
    return sight_of(people, roles, tables, all_papers(conference), chosen_pairs(conference))


def _state(request: Request) -> ServerState:
    """The state for a request. A chair may not decide about a whole conference of which a conflict hides papers."""
    state: ServerState = request.app.state.panelist
    seen = state.seen_by(request.scope.get("viewer"), request.client.host if request.client else "")
    conference = request.path_params.get("conference")
    deciding = permission_of(request.scope["route"], request.method) is Permission.WHOLE
    if seen.viewer and conference is not None and deciding and (hidden := seen.conference(conference).sight.hidden):
        words = counted(len(hidden), "paper")
        detail = f"you may not see {words} of this conference, so another chair has to do this: appoint one"
        raise ProblemError(403, detail)
    return seen


StateOf = Annotated[ServerState, Depends(_state)]
