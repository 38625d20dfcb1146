"""The conflict table of a conference: found from its files, renewed when they change, asked at every decision.

It rests on submissions, committee, people, declared conflicts, rules and the index, never on scores. What people
decided about a pair is in the history; a dismissed pair that has a new reason is open again.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Self

import msgspec
from msgspec import Struct, structs

from panelist.app.desk.conference.assignment.manual import ManualChanges, put_together
from panelist.app.desk.conference.files import (
    FILE_NAMES,
    fingerprint,
    load_committee,
    load_reviewers,
    load_submissions,
    scored_ids,
)
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.conference.view import ConferenceView, Labels, Look, ShownConflict, Slice, labels_of
from panelist.app.desk.errors import ConflictedError
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Submission
from panelist.words import counted, first_of
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.reading.scores import conflicts_among_bids
from retriever.assignment.reading.tables import FORBIDDEN, read_constraints, read_people
from retriever.conference.committee import from_corpus
from retriever.conference.conference import Conference
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Possible, read_table, write_table
from retriever.finder import Finder

TABLE = "conflicts.jsonl"
RULES = "conflict_rules.json"
_SOURCES = ("submissions", "committee", "reviewers", "constraints", "bids")  # where conflicts are looked for
_TABLES = 4  # conferences whose tables stay in memory


def read_rules(conference: StoredConference) -> ConflictRules:
    """What counts as a conflict in a conference."""
    path = conference.path / RULES
    return msgspec.json.decode(path.read_bytes(), type=ConflictRules) if path.exists() else ConflictRules()


class ConflictTables:
    """The conflict tables of conferences, by the corpus and index of a finder. Safe to share between threads."""

    def __init__(self, conferences: Conferences, finder: Callable[[], AbstractContextManager[Finder]]) -> None:
        self._conferences, self._finder = conferences, finder
        self._tables: OrderedDict[str, ConflictTable] = OrderedDict()
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def of(self, conference: StoredConference, progress: Progress = silent) -> ConflictTable:
        """The conflicts of a conference as its files and its history are now; looked for again if need be."""
        return self._decided(conference, put_together(self._conferences.events(conference.id)), progress)

    def view(self, conference: str, progress: Progress = silent) -> ConferenceView:
        """A conference with its conflicts, changes by hand and names."""
        stored = self._conferences.get(conference)
        manual = put_together(self._conferences.events(conference))
        table = self._decided(stored, manual, progress)
        with self._finder() as finder:
            return ConferenceView(stored, table, manual, labels_of(stored, finder.corpus))

    def _decided(self, conference: StoredConference, manual: ManualChanges, progress: Progress) -> ConflictTable:
        with self._locks[conference.id], self._finder() as finder:  # whoever comes second waits for the first
            table = self._table(conference, finder, progress)
        return ConflictTable(manual.decisions.values()).renewed(table) if manual.decisions else table

    def _table(self, conference: StoredConference, finder: Finder, progress: Progress) -> ConflictTable:
        digest = _digest(conference, finder)
        table = self._tables.pop(digest, None) or _saved_table(conference, digest)
        if table is None:
            whole = open_conference(conference, finder)
            conflicts = whole.conflicts(read_rules(conference), _declared(conference), progress)
            table = ConflictTable(conflicts, structs.replace(conflicts.header, digest=digest))
            write_table(table, conference.path / TABLE)
        self._tables[digest] = table
        while len(self._tables) > _TABLES:
            self._tables.popitem(last=False)
        return table


def refuse_conflicts(view: ConferenceView, pairs: Iterable[tuple[str, str]], possible: Possible = "avoid") -> None:
    """Refuse pairs that must not stand."""
    if bad := view.conflicts.check(pairs, possible):
        person, paper = view.labels.person, view.labels.paper
        words = [f"{person(pair.reviewer)} on “{paper(pair.submission)}” ({pair.evidence})" for pair in bad]
        what = counted(len(bad), "pair has a conflict of interest", "pairs have a conflict of interest")
        raise ConflictedError(f"{what}: {first_of(words, '; ')}")


class ConflictRow(Struct, frozen=True):
    """A conflict with the title of its paper and the name of its reviewer."""

    conflict: ShownConflict
    title: str
    name: str

    @classmethod
    def of(cls, pair: ConflictPair, labels: Labels) -> Self:
        """A pair of the table, to be shown."""
        return cls(ShownConflict.of(pair), labels.paper(pair.submission), labels.person(pair.reviewer))


def conflict_rows(view: ConferenceView, certain: bool | None, look: Look) -> Slice[ConflictRow]:
    """Certain conflicts, those that are not, or (None) all."""
    rows = (ConflictRow.of(pair, view.labels) for pair in view.conflicts if certain in (None, pair.certain))
    return look.at(
        rows, lambda row: (row.conflict.submission, row.conflict.reviewer, row.title, row.name, row.conflict.evidence)
    )


def open_conference(conference: StoredConference, finder: Finder, size: int = PROFILE_SIZE) -> Conference:
    """The conference of these files; without submissions, the papers that have scores are known by their ids alone."""
    submissions = load_submissions(conference) or [Submission(paper, "") for paper in scored_ids(conference)[0]]
    committee = load_reviewers(conference, finder.corpus, size)
    return Conference(submissions, committee, (finder.index, finder.corpus))


def conflicts_of(conference: StoredConference, people: Iterable[str], finder: Finder) -> ConflictTable:
    """The conflicts of people who need not be on the committee, by the same rules."""
    submissions = open_conference(conference, finder).submissions
    alone = Conference(submissions, from_corpus(finder.corpus, tuple(people)), (finder.index, finder.corpus))
    return alone.conflicts(read_rules(conference), _declared(conference))


def _declared(conference: StoredConference) -> dict[str, list[str]]:
    """The conflicts that the chair sent or bids state, and who wrote a submission by the table of people."""
    constraints, people, bids = (conference.path / f"{kind}.csv" for kind in ("constraints", "reviewers", "bids"))
    pairs = conflicts_among_bids(bids) if bids.exists() else []
    if constraints.exists():
        pairs += [pair for pair, value in read_constraints(constraints).items() if value == FORBIDDEN]
    if people.exists():
        pairs += [(paper, who) for who, person in read_people(people).items() for paper in person.authored]
    declared: dict[str, list[str]] = defaultdict(list)
    for paper, who in pairs:
        declared[paper].append(who)
    return declared


def _saved_table(conference: StoredConference, digest: str) -> ConflictTable | None:
    """The table that lies beside the files, where it is of this state of them."""
    try:
        table = read_table(conference.path / TABLE)
    except InputError:  # there is none, or it is damaged: conflicts are looked for again
        return None
    return table if table.header.digest == digest else None


def _digest(conference: StoredConference, finder: Finder) -> str:
    """What the table rests on. Without a committee, those who have scores are the committee."""
    kinds = _SOURCES if load_committee(conference) else (*_SOURCES, "scores")
    files = [fingerprint(conference.path / name) for kind in kinds for name in FILE_NAMES[kind]]
    state = msgspec.json.encode((str(conference.path), files, read_rules(conference), finder.index.path.name))
    return blake2b(state, digest_size=16).hexdigest()
