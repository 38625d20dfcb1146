"""What the files of a conference hold, read from its blobs and filtered by what may be seen.

Tables are read once for each digest; what is hidden is left out of the records, and lines are counted again.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import orjson
from msgspec import Struct, structs

from panelist.app.desk.conference.audit import content_digest
from panelist.app.desk.conference.curation import curation_of
from panelist.app.desk.conference.findings import Oddity
from panelist.app.desk.conference.scores import Scores, find_scores, hide_scores, score_record, scored_ids, scores_csv
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.identity import comparable
from panelist.corpus.readers.bibliography.printed import as_line
from panelist.corpus.readers.ids import read_ids
from panelist.corpus.readers.submissions import read_submissions
from panelist.corpus.store import CorpusStore
from panelist.corpus.systems.columns import BID_WORDS, ROLES
from panelist.records import Paper, Submission
from panelist.spreadsheet import csv_text
from panelist.words import encoded
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.building.records import Pair, Quota, Reviewer, ScoreTable
from retriever.assignment.options import REVIEWER, role_name
from retriever.assignment.reading import tables
from retriever.assignment.reading.scores import conflicts_among_bids, read_scores
from retriever.conference.committee import Committee, Member, from_corpus, read_members
from retriever.conference.roster import Listed

FILE_NAMES = {
    "submissions": "submissions.jsonl",
    "committee": "committee.txt",
    "constraints": "constraints.csv",
    "bids": "bids.csv",
    "quotas": "quotas.csv",
    "demands": "demands.csv",
    "reviewers": "reviewers.csv",
    "scores": "scores.csv",
    "contacts": "contacts.csv",
}
"""The kinds of files, and what they are called when they are taken away."""
PROFILES = "profiles"  # the papers of the committee, where it came with them
ROSTER = "roster"  # who the people of a committee's list are, and what was decided of them
LAST_COLUMN = {"constraints": "constraint", "bids": "bid", "quotas": "max", "demands": "demand"}
_SUMMARY = "without the papers with which you have a conflict of interest"
Key = TypeVar("Key")
Value = TypeVar("Value")


class FileRecord(Struct, frozen=True):
    """What is known of a file that was kept: its name when it was sent, what was read and what is odd."""

    name: str
    at: datetime
    bytes: int
    digest: str
    summary: str
    odd: tuple[Oddity, ...] = ()


def inputs_of(conference: Conference) -> dict[str, str]:
    """The digests of the files that scores depend on, and of what was decided about papers of profiles."""
    records_by_kind = ((kind, conference.record(kind, FileRecord)) for kind in ("submissions", "committee"))
    inputs = {kind: record.digest for kind, record in records_by_kind if record is not None}
    if choices := curation_of((conference.complete or conference).events):
        inputs["curation"] = content_digest(encoded(sorted(choices.items())).decode())
    return inputs


def scores_are_old(conference: Conference) -> bool:
    """Whether the scores were computed of other files or choices, as far as it may be seen."""
    if (record := score_record(conference)) is None:
        return False
    now, before = inputs_of(conference), dict(record.inputs)
    if conference.sight.hidden and record.texts:
        now["submissions"], before["submissions"] = str(text_digests(conference)), str(record.texts)
    return now != before


@remembered("submissions")
def text_digests(conference: Conference) -> dict[str, str]:
    """A digest of each submission that may be seen."""
    return {paper.id: content_digest(submission_line(paper).decode())[:16] for paper in load_submissions(conference)}


@remembered(*FILE_NAMES)
def file_records(conference: Conference) -> dict[str, FileRecord]:
    """The files that a conference has, by kind."""
    records_by_kind = ((kind, conference.record(kind, FileRecord)) for kind in FILE_NAMES)
    records = {kind: record for kind, record in records_by_kind if record is not None}
    if not conference.sight.hidden:
        return records
    sizes = {kind: len(file_content(conference, kind)) for kind in records}
    return {
        kind: structs.replace(record, odd=(), summary=_SUMMARY, bytes=sizes[kind], digest="")
        for kind, record in records.items()
        if sizes[kind]
    }


def file_record(conference: Conference, kind: str) -> FileRecord:
    """What is known of a file that the conference must have."""
    records = file_records(conference)
    if kind not in records:
        raise NotFoundError(f"the conference has no file of the kind '{kind}'")
    return records[kind]


def file_content(conference: Conference, kind: str) -> bytes:
    """A file to take away, without what may not be seen; empty where there is none."""
    if kind == "scores":
        scores = find_scores(conference, kind)
        return b"" if scores is None else scores_csv(scores)
    blob = conference.part(kind).blob
    if not blob or not conference.sight.hidden or kind in ("committee", "quotas", "contacts"):
        return conference.blobs.read(blob) if blob else b""
    if kind == "submissions":
        return b"".join(map(submission_line, load_submissions(conference)))
    if kind == "reviewers":
        people = people_rows(conference)
        columns = list(people[0][1]) if people else ["reviewer"]
        return csv_text([columns, *([row[name] for name in columns] for _, row in people)]).encode()
    return csv_text(row for _, row in file_rows(conference, kind)).encode()


def submission_line(submission: Submission) -> bytes:
    """A submission as a line of the JSON that `read_submissions` takes."""
    record = structs.asdict(submission)
    bibliography = map(as_line, record.pop("bibliography"))
    record["references"] = [*dict.fromkeys((*submission.references, *bibliography))]
    for name in ("authors", "institutions"):
        record[name] = [structs.asdict(entry) for entry in record[name]]
    return orjson.dumps({name: value for name, value in record.items() if value}) + b"\n"


def load_submissions(conference: Conference) -> list[Submission]:
    """The submissions; none where the conference has only scores."""
    submissions = conference.content("submissions", read_submissions) or []
    return [submission for submission in submissions if conference.sight.shows(submission.id)]


def hidden_titles(conference: Conference) -> dict[str, str]:
    """The titles of papers with which whoever looks has a conflict of interest; nothing else is known of them."""
    submissions = conference.content("submissions", read_submissions) or []
    titles = {paper.id: paper.title for paper in submissions if paper.id in conference.sight.titles and paper.title}
    return {paper: titles.get(paper, paper) for paper in sorted(conference.sight.titles)}


def load_committee(conference: Conference) -> tuple[str, ...]:
    """The ids of the committee; none where the conference has only scores."""
    return conference.content("committee", read_ids) or ()


def file_rows(conference: Conference, kind: str) -> list[tuple[int, list[str]]]:
    """The rows of constraints, bids, quotas or demands, with their lines; of papers that may be seen."""
    rows = conference.content(kind, _READ_ROWS[kind]) or []
    if not conference.sight.hidden or kind == "quotas":
        return rows
    shown = (row for _, row in rows if conference.sight.shows(row[0].strip()))
    return list(enumerate(shown, 1))


def people_rows(conference: Conference) -> list[tuple[int, dict[str, str]]]:
    """The rows of the table of people, with their lines; papers that may not be seen were written by nobody."""
    rows = conference.content("reviewers", _read_people_rows) or []
    if not conference.sight.hidden:
        return rows
    return [(line, row | {"authored": " ".join(filter(conference.sight.shows, authored(row)))}) for line, row in rows]


def authored(row: Mapping[str, str]) -> list[str]:
    """The papers that somebody wrote, by a row of the table of people."""
    return row.get("authored", "").replace(";", " ").split()


def load_roster(conference: Conference) -> list[Listed]:
    """The people of the committee, where a list of names or addresses was sent: as they were found and decided."""
    if conference.part(PROFILES).blob:
        return []
    committee = frozenset(load_committee(conference))
    return [entry for entry in remembered_people(conference) if entry.id in committee]


def remembered_people(conference: Conference) -> list[Listed]:
    """Everybody of whom something was decided, and the people of the committee; some may have left it."""
    return conference.json(ROSTER, list[Listed]) or []


def load_members(conference: Conference) -> dict[str, Member]:
    """What is known of the people of the committee, by the chair's list and by the table of people."""
    table = conference.content("reviewers", read_members) or {}
    roster = {entry.id: entry.member for entry in load_roster(conference)}
    ids = {comparable(person): person for person in (*table, *load_committee(conference))}
    members = Committee((), ()).with_members(roster).with_members(table).members
    return {ids[key]: member for key, member in members.items()}


def load_people(conference: Conference) -> dict[str, Reviewer] | None:
    """Who the reviewers are, by the table of people, else by the roles of the committee's list; None without either."""
    people = conference.content("reviewers", tables.read_people)
    if people is None:
        persons = {entry.id: entry.match.person for entry in load_roster(conference)}
        roles = {key: role_name(ROLES.get(person.role.lower(), person.role)) for key, person in persons.items()}
        if any(roles.values()):
            people = {
                key: Reviewer(institution=persons[key].institution, role=role or REVIEWER)
                for key, role in roles.items()
            }
    if people is None or not conference.sight.hidden:
        return people
    return hide_authored(conference, people)


def hide_authored(conference: Conference, people: Mapping[str, Reviewer]) -> dict[str, Reviewer]:
    """The people as whoever looks may know them: authors of no paper that is hidden."""
    shows = conference.sight.shows
    return {key: replace(person, authored=tuple(filter(shows, person.authored))) for key, person in people.items()}


def known_addresses(conference: Conference) -> dict[str, str]:
    """The addresses of everybody who may be assigned, by id; empty where none is known."""
    members = load_members(conference)
    ids = dict.fromkeys([*load_committee(conference), *scored_ids(conference)[1]])
    addresses = {person: members[person].email if person in members else None for person in ids}
    return {person: email or (person if "@" in person else "") for person, email in addresses.items()}


def load_constraints(conference: Conference) -> dict[Pair, int]:
    """Conflicts and locks that the chair sent."""
    return _shown(conference, conference.content("constraints", tables.read_constraints) or {})


def load_quotas(conference: Conference) -> dict[str, Quota]:
    """How much reviewers take, by the chair's file."""
    return conference.content("quotas", tables.read_quotas) or {}


def load_demands(conference: Conference) -> dict[Pair, int]:
    """How many reviews papers need, by paper and role."""
    return _shown(conference, conference.content("demands", tables.read_demands) or {})


def load_bids(conference: Conference, name: str = "bids") -> ScoreTable | None:
    """The bids; None where there are none."""
    bids = conference.content(name, _read_bids)
    return None if bids is None else hide_scores(Scores(bids, None), conference.sight.hidden).table


def conflicts_in_bids(conference: Conference) -> list[Pair]:
    """The pairs of which reviewers stated a conflict where they bid."""
    return [pair for pair in conference.content("bids", conflicts_among_bids) or [] if conference.sight.shows(pair[0])]


def _shown(conference: Conference, by_pair: Mapping[Pair, Value]) -> dict[Pair, Value]:
    return {pair: value for pair, value in by_pair.items() if conference.sight.shows(pair[0])}


def load_reviewers(
    conference: Conference, corpus: CorpusStore, size: int = PROFILE_SIZE, only: Sequence[str] = ()
) -> Committee:
    """The committee with its profiles, from what was sent or from the corpus; without one, those who have scores."""
    ids = only or load_committee(conference) or scored_ids(conference)[1]
    if profiles := conference.part(PROFILES).blob:
        with conference.blobs.path(profiles).open("rb") as lines:
            committee = Committee.of(map(msgspec.json.Decoder(Paper).decode, lines), ids, size)
        members = load_members(conference)
        return committee.with_members(members) if members else committee
    committee = from_corpus(corpus, ids, size, load_members(conference))
    written = {entry.id: entry.papers for entry in load_roster(conference) if entry.papers}
    return committee.with_papers(written, size) if written else committee


def load_profiles(conference: Conference) -> "ProfileIndex | None":
    """The papers of the committee by member; None where they are those of the corpus."""
    return conference.content(PROFILES, ProfileIndex)


class ProfileIndex:
    """Where the papers of each member are, so that one profile is read without the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.names: dict[str, str] = {}
        self._starts: dict[str, list[int]] = defaultdict(list)
        decoder = msgspec.json.Decoder(Paper)
        with path.open("rb") as lines:
            start = 0
            for line in lines:
                for authorship in decoder.decode(line).authorships:
                    self.names[authorship.author.id] = authorship.author.name
                    self._starts[authorship.author.id].append(start)
                start += len(line)

    def papers(self, member: str) -> list[Paper]:
        """The papers of one member."""
        papers = []
        with self._path.open("rb") as file:
            for start in self._starts.get(member, ()):
                file.seek(start)
                papers.append(msgspec.json.decode(file.readline(), type=Paper))
        return papers


def all_papers(conference: Conference) -> dict[str, None]:
    """The ids of all submissions, and of papers that have scores only."""
    return dict.fromkeys([*(paper.id for paper in load_submissions(conference)), *scored_ids(conference)[0]])


def paper_numbers(conference: Conference) -> dict[str, int]:
    """The numbers of papers: their ids where all are numbers, as systems give them, else as they are in their file."""
    ids = all_papers(conference)
    numbered = all(paper.isascii() and paper.isdecimal() and len(paper) < 10 for paper in ids)
    return {paper: int(paper) if numbered else position for position, paper in enumerate(ids, 1)}


def _read_rows(kind: str, path: Path) -> list[tuple[int, list[str]]]:
    return list(tables.read_rows(path, LAST_COLUMN[kind]))


_READ_ROWS: dict[str, Callable[[Path], list[tuple[int, list[str]]]]] = {
    kind: partial(_read_rows, kind) for kind in LAST_COLUMN
}


def _read_people_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    return list(tables.read_table(path, tables.COLUMNS))


def _read_bids(path: Path) -> ScoreTable:
    return read_scores(path, BID_WORDS)
