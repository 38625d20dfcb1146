"""The files of a conference: which kinds there are, under what names they are kept, and how to read them again."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path

import msgspec
import numpy as np
import orjson
from msgspec import Struct, structs
from numpy.typing import NDArray

from panelist.app.desk.conference.intake.reading import Oddity
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.readers.bibliography.printed import as_line
from panelist.corpus.readers.ids import read_ids
from panelist.corpus.readers.submissions import read_submissions
from panelist.corpus.store import CorpusStore
from panelist.records import Confidence, Paper, Submission
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.scores import read_scores
from retriever.conference.committee import Committee, from_corpus, read_members
from retriever.confidence import confidence

SUBMISSIONS = "submissions.jsonl"
FILE_NAMES = {
    "submissions": (SUBMISSIONS,),
    "committee": ("committee.txt", "profiles.jsonl"),
    "constraints": ("constraints.csv",),
    "bids": ("bids.csv",),
    "quotas": ("quotas.csv",),
    "demands": ("demands.csv",),
    "reviewers": ("reviewers.csv",),
    "scores": ("scores.csv", "confidence.csv", "scores.json"),
}
"""The kinds of files, and what is kept of each; `profiles.jsonl` only where the committee came with its papers."""

RECORDS = "files.json"  # what is known of the files

HIDDEN = "hidden.json"
"""In a copy of a conference for somebody with conflicts: the titles of the papers that it does not have."""


class FileRecord(Struct, frozen=True):
    """What is known of a file that was kept: its name when it was sent, what was read and what is odd."""

    name: str
    at: datetime
    bytes: int
    digest: str
    summary: str
    odd: tuple[Oddity, ...] = ()


def read_records(conference: StoredConference) -> dict[str, FileRecord]:
    """The files that a conference has, by kind."""
    path = conference.path / RECORDS
    return msgspec.json.decode(path.read_bytes(), type=dict[str, FileRecord]) if path.exists() else {}


def records_with(conference: StoredConference, kind: str) -> dict[str, FileRecord]:
    """The files of a conference, of which one is of this kind."""
    records = read_records(conference)
    if kind not in records:
        raise NotFoundError(f"the conference has no file of the kind '{kind}'")
    return records


def write_records(path: Path, records: dict[str, FileRecord]) -> None:
    """Write what `read_records` reads."""
    path.write_bytes(msgspec.json.encode(records))


def fingerprint(path: Path) -> str:
    """A digest of a file's content, so that a copy has the same, whenever it was made; empty where there is no file."""
    return _fingerprint(path, path.stat().st_mtime_ns) if path.exists() else ""


@lru_cache(maxsize=64)
def _fingerprint(path: Path, changed: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "blake2b").hexdigest()


def submission_line(submission: Submission) -> bytes:
    """A submission as a line of the JSON that `read_submissions` takes."""
    record = structs.asdict(submission)
    bibliography = map(as_line, record.pop("bibliography"))
    record["references"] = [*dict.fromkeys((*submission.references, *bibliography))]
    for name in ("authors", "institutions"):
        record[name] = [structs.asdict(part) for part in record[name]]
    return orjson.dumps({name: value for name, value in record.items() if value}) + b"\n"


def load_submissions(conference: StoredConference) -> list[Submission]:
    """The submissions; none where the conference has only scores."""
    path = conference.path / SUBMISSIONS
    return read_submissions(path) if path.exists() else []


def hidden_titles(conference: StoredConference) -> dict[str, str]:
    """The titles of papers with which whoever looks has a conflict of interest; nothing else is known of them."""
    path = conference.path / HIDDEN
    return msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.exists() else {}


def load_committee(conference: StoredConference) -> tuple[str, ...]:
    """The ids of the committee; none where the conference has only scores."""
    path = conference.path / "committee.txt"
    return read_ids(path) if path.exists() else ()


def profiles_path(conference: StoredConference) -> Path:
    """Where the papers of the committee are, if it came with them; else they are those of the corpus."""
    return conference.path / "profiles.jsonl"


def load_reviewers(conference: StoredConference, corpus: CorpusStore, size: int = PROFILE_SIZE) -> Committee:
    """The committee with its profiles, from what was sent or from the corpus; without one, those who have scores."""
    ids = load_committee(conference) or scored_ids(conference)[1]
    if profiles_path(conference).exists():
        with profiles_path(conference).open("rb") as lines:
            committee = Committee.of(map(msgspec.json.Decoder(Paper).decode, lines), ids, size)
    else:
        committee = from_corpus(corpus, ids, size)
    people = conference.path / "reviewers.csv"
    return committee.with_members(read_members(people)) if people.exists() else committee


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


_TABLES = 4  # conferences whose scores stay in memory


def load_table(conference: StoredConference) -> ScoreTable:
    """All scores of a conference."""
    return _load(conference)[0]


def scored_ids(conference: StoredConference) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The papers and the reviewers of the scores; none where there are no scores yet."""
    try:
        table = load_table(conference)
    except NotFoundError:
        return (), ()
    return table.papers, table.reviewers


def load_near(conference: StoredConference) -> NDArray[np.uint8] | None:
    """(pairs of the table) how many near papers each score rests on, at most three; None where that is not known."""
    return _load(conference)[1]


def load_grades(conference: StoredConference, pairs: Iterable[tuple[str, str]]) -> list[Confidence | None]:
    """How sure the scores of pairs of papers and reviewers are; None where that is not known."""
    table, near = _load(conference)
    if near is None:
        return [None for _ in pairs]
    papers, reviewers = ({key: at for at, key in enumerate(keys)} for keys in (table.papers, table.reviewers))

    def grade(paper: int, reviewer: int) -> Confidence | None:
        start, stop = np.searchsorted(table.paper, (paper, paper + 1))  # scores of ours are sorted by paper
        at = np.flatnonzero(table.reviewer[start:stop] == reviewer)
        return confidence(int(near[start + at[0]])) if len(at) else None

    return [grade(papers.get(paper, -1), reviewers.get(reviewer, -1)) for paper, reviewer in pairs]


def _load(conference: StoredConference) -> tuple[ScoreTable, NDArray[np.uint8] | None]:
    path = conference.path / "scores.csv"
    try:
        seen = path.stat()
    except FileNotFoundError:
        raise NotFoundError("there are no scores yet: score the submissions, or add a file of scores") from None
    return _read(path, seen.st_mtime_ns, seen.st_size, seen.st_ino)


@lru_cache(maxsize=_TABLES)
def _read(path: Path, *state: int) -> tuple[ScoreTable, NDArray[np.uint8] | None]:
    table, near = read_scores(path), path.with_name("confidence.csv")
    counts = read_scores(near).score.astype(np.uint8) if near.exists() else np.empty(0, dtype=np.uint8)
    # Lines of the scores may have been left out: both must be of the same pairs.
    return table, counts if len(counts) == len(table.score) else None
