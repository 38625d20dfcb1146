"""The conflict table of a conference: found from its files, renewed when they change, asked at every decision.

It rests on submissions, committee, people, declared conflicts, rules and the index, never on scores. It is kept with
its evidence, so that what the corpus loses later stays a conflict. What people decided about a pair is in the history;
a dismissed pair that has a new reason is open again.
"""

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from typing import Self

import msgspec
from msgspec import Struct, structs

from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.contents import (
    PROFILES,
    ROSTER,
    conflicts_in_bids,
    load_committee,
    load_constraints,
    load_people,
    load_reviewers,
    load_submissions,
)
from panelist.app.desk.conference.curation import curation_of
from panelist.app.desk.conference.manual import sum_changes
from panelist.app.desk.conference.scores import scored_ids
from panelist.app.desk.conference.state import Conference as State
from panelist.app.desk.conference.state import remembered
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice, labels_of
from panelist.app.desk.errors import ConflictedError
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Submission
from panelist.words import Labels, counted, first_of
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.reading.tables import FORBIDDEN
from retriever.conference.committee import from_corpus
from retriever.conference.conference import Conference
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Possible, read_table, write_table
from retriever.conference.curation import applicable
from retriever.conference.directory import unchecked
from retriever.finder import Finder

TABLE, RULES = "conflicts", "rules"
SOURCES = ("submissions", "committee", ROSTER, PROFILES, "reviewers", "constraints", "bids", RULES)
"""The rows in which conflicts are looked for."""
_GROUNDS = 3  # changes where tables say more of what they rest on: earlier ones are found again


def load_rules(conference: State) -> ConflictRules:
    """What counts as a conflict in a conference."""
    return conference.record(RULES, ConflictRules) or ConflictRules()


class ConflictTables:
    """The conflict tables of conferences, by the corpus and index of a finder. Safe to share between threads."""

    def __init__(self, conferences: Conferences, finder: Callable[[], AbstractContextManager[Finder]]) -> None:
        self._conferences, self.finder = conferences, finder
        self._locks: dict[str, threading.Lock] = defaultdict(threading.Lock)

    def of(self, conference: State, progress: Progress = silent) -> ConflictTable:
        """The conflicts of a conference as its files and its history are now, looked for again if need be."""
        state = conference.complete or conference
        with self.finder() as finder:
            table = self._kept(state, finder)
            if table is None:
                with self._locks[state.id]:  # whoever comes second waits for the first instead of looking, too
                    newest = self._conferences.get(state.id)
                    if _digest(newest, finder) == _digest(state, finder):
                        state = newest
                    table = self._kept(state, finder) or self._find(state, finder, progress)
        manual = sum_changes((conference.complete or conference).events)
        decided = ConflictTable(manual.decisions.values()).renewed(table) if manual.decisions else table
        judges = tuple(dict.fromkeys(key for other in manual.others for key in other.judge))
        own_conflicts = self.of_people(state, judges) if judges else ConflictTable()  # who need not be on the committee
        return hide_conflicts(decided.told_apart(manual.others, own_conflicts), conference)

    def view(self, conference: State, progress: Progress = silent) -> ConferenceView:
        """A conference with its conflicts, changes by hand and names."""
        table = self.of(conference, progress)
        with self.finder() as finder:
            labels = labels_of(conference, finder.corpus)
        return ConferenceView(conference, table, sum_changes(conference.events), labels)

    def of_people(self, conference: State, people: Iterable[str]) -> ConflictTable:
        """The conflicts of people who need not be on the committee, by the same rules."""
        with self.finder() as finder:
            return _conflicts_of(conference, tuple(people), finder, finder.index.path.name)

    def found(self, conference: State) -> ConflictTable:
        """The conflicts of what may be seen and what they rest on, found as if there were nothing else."""
        with self.finder() as finder:
            return _found(conference, finder, conference.content(TABLE, read_table))

    def _kept(self, conference: State, finder: Finder) -> ConflictTable | None:
        """The table that is kept, where it is of this state of files and index."""
        if conference.record(TABLE, str) != _digest(conference, finder):
            return None
        with suppress(InputError):  # damaged: conflicts are looked for again
            return conference.content(TABLE, read_table)
        return None

    def _find(self, conference: State, finder: Finder, progress: Progress) -> ConflictTable:
        """Look for conflicts, also in what earlier tables rest on, and keep the table."""
        digest, before = _digest(conference, finder), None
        with suppress(InputError):
            before = conference.content(TABLE, read_table)
        conflicts = _found(conference, finder, before, progress)
        table = ConflictTable(conflicts, structs.replace(conflicts.header, digest=digest))
        blobs = self._conferences.blobs
        with blobs.incoming() as folder:
            write_table(table, folder / "table.jsonl", evidence=True)
            blob = blobs.put(folder / "table.jsonl", ".jsonl")
        with self._conferences.note(conference.id) as change:
            if _digest(change.before, finder) == digest:
                change.put(TABLE, blob, digest)
        return table


def hide_conflicts(table: ConflictTable, conference: State) -> ConflictTable:
    """The conflicts of the papers that may be seen; what rests on who wrote another one does not name it."""
    shows, header = conference.sight.shows, table.header
    if not conference.sight.hidden:
        return table
    told = conference.told()

    def without_titles(pair: ConflictPair) -> ConflictPair:
        reasons = (structs.replace(reason, evidence=told(reason.evidence)) for reason in pair.reasons)
        return structs.replace(pair, reasons=tuple(reasons))

    pairs = [without_titles(pair) for pair in table if shows(pair.submission)]
    reasons = (reason for pair in pairs for reason in pair.reasons)
    committee, papers, rules = len(header.reviewers), _all_submissions(conference), header.rules or ConflictRules()
    header = structs.replace(
        header,
        submissions=tuple(filter(shows, header.submissions)),
        unchecked=tuple(unchecked(header.unchecked_people, committee, papers, rules, reasons)),
        unknown={paper: count for paper, count in header.unknown.items() if shows(paper)},
        evidence=(),
    )
    return ConflictTable(pairs, header)


def refuse_conflicts(view: ConferenceView, pairs: Iterable[tuple[str, str]], possible: Possible = "avoid") -> None:
    """Refuse pairs that must not stand."""
    if bad := view.conflicts.check(pairs, possible):
        person, paper = view.labels.person, view.labels.paper
        words = [f"{person(pair.reviewer)} on “{paper(pair.submission)}” ({pair.evidence})" for pair in bad]
        clash = counted(len(bad), "pair has a conflict of interest", "pairs have a conflict of interest")
        raise ConflictedError(f"{clash}: {first_of(words, '; ')}")


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
    rows = [ConflictRow.of(pair, view.labels) for pair in view.conflicts if certain in (None, pair.certain)]
    if look.sort == "author":  # whose name a pair rests on; what rests on no name last
        rows.sort(key=lambda row: min((not reason.author, reason.author) for reason in row.conflict.reasons))
    if look.sort == "person":  # who has most conflicts first: one answer is for many
        count = Counter(row.conflict.reviewer for row in rows)
        rows.sort(key=lambda row: (-count[row.conflict.reviewer], row.name, row.conflict.reviewer))
    return look.select(
        rows, lambda row: (row.conflict.submission, row.conflict.reviewer, row.title, row.name, row.conflict.evidence)
    )


def open_conference(
    conference: State,
    finder: Finder,
    size: int = PROFILE_SIZE,
    *,
    excluded: Sequence[str] = (),  # papers of the history that do not count
) -> Conference:
    """The conference of these files, to be scored; without submissions, the papers with scores are known by id."""
    submissions = load_submissions(conference) or [Submission(paper, "") for paper in scored_ids(conference)[0]]
    committee = load_reviewers(conference, finder.corpus, size)
    choices = applicable(committee, curation_of(conference.events).values())
    indexed = finder.index, finder.corpus
    return Conference(submissions, committee, indexed, curation=choices, history_excluded=excluded)


def _found(
    conference: State, finder: Finder, before: ConflictTable | None, progress: Progress = silent
) -> ConflictTable:
    """The conflicts of a conference, also those that rest on what an earlier table kept."""
    committee = load_reviewers(conference, finder.corpus, only=(*load_committee(conference), *_extras(conference)[1]))
    kept = () if before is None else before.header.evidence
    opened = Conference(_all_submissions(conference), committee, (finder.index, finder.corpus), kept)
    return opened.conflicts(load_rules(conference), _declared(conference), progress)


@remembered("scores", *SOURCES, TABLE, most=64)
def _conflicts_of(conference: State, people: tuple[str, ...], finder: Finder, index: str) -> ConflictTable:
    table = conference.content(TABLE, read_table)
    kept = () if table is None else table.header.evidence
    committee, indexed = from_corpus(finder.corpus, people), (finder.index, finder.corpus)
    own_conference = Conference(_all_submissions(conference), committee, indexed, kept)
    return own_conference.conflicts(load_rules(conference), _declared(conference))


def _extras(conference: State) -> tuple[list[str], list[str]]:
    """Papers that are no submissions, and people who are not on the committee, who have scores: they are assigned, too.

    Files may have changed since the scores were computed, or there are scores alone.
    """
    papers, people = scored_ids(conference)
    submissions, committee = {paper.id for paper in load_submissions(conference)}, {*load_committee(conference)}
    return [paper for paper in papers if paper not in submissions], [key for key in people if key not in committee]


def _all_submissions(conference: State) -> list[Submission]:
    """The submissions, and papers that have scores only, of which the id is known."""
    return [*load_submissions(conference), *(Submission(paper, "") for paper in _extras(conference)[0])]


def _declared(conference: State) -> dict[str, list[str]]:
    """The conflicts that the chair sent or bids state, and who wrote a submission by the table of people."""
    pairs = conflicts_in_bids(conference)
    pairs += [pair for pair, value in load_constraints(conference).items() if value == FORBIDDEN]
    pairs += [
        (paper, reviewer) for reviewer, person in (load_people(conference) or {}).items() for paper in person.authored
    ]
    declared: dict[str, list[str]] = defaultdict(list)
    for paper, reviewer in pairs:
        declared[paper].append(reviewer)
    return declared


def _digest(conference: State, finder: Finder) -> str:
    """What the table rests on."""
    rows = [conference.part(kind).blob for kind in SOURCES if kind != RULES]
    state = msgspec.json.encode((_GROUNDS, rows, _extras(conference), load_rules(conference), finder.index.path.name))
    return blake2b(state, digest_size=16).hexdigest()
