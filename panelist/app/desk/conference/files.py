"""The files of a conference: which kinds there are, under what names they are kept, and how to read them again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import Any

import msgspec
import orjson
from msgspec import Struct

from panelist.app.desk.conference.intake.findings import Oddity
from panelist.app.desk.conference.scores import scored_ids
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotKeptError
from panelist.corpus.readers.bibliography.printed import as_line
from panelist.corpus.readers.ids import read_ids
from panelist.corpus.readers.submissions import read_submissions
from panelist.corpus.store import CorpusStore
from panelist.records import Paper, Submission
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.conference.committee import Committee, from_corpus, read_members

SUBMISSIONS = "submissions.jsonl"
KEPT = {
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

RECORDS = "files.json"
"""What is known of the files."""


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
    """The files of a conference, by kind."""
    records = read_records(conference)
    if kind not in records:
        raise NotKeptError(f"the conference has no file of the kind '{kind}'")
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
    known = [msgspec.structs.asdict(one) for one in submission.authors]
    institutions = [msgspec.structs.asdict(one) for one in submission.institutions]
    record: dict[str, Any] = {
        "id": submission.id,
        "title": submission.title,
        "abstract": submission.abstract,
        "authors": known,
        "author_names": submission.author_names,
        "institutions": institutions,
        "references": [*dict.fromkeys((*submission.references, *map(as_line, submission.bibliography)))],
        "year": submission.year,
    }
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


def has_profiles(conference: StoredConference) -> bool:
    """Whether the committee came with its papers; else they are those of the corpus."""
    return profiles_path(conference).exists()


def profiles_path(conference: StoredConference) -> Path:
    """Where the papers of the committee are, if it came with them."""
    return conference.path / "profiles.jsonl"


def load_reviewers(conference: StoredConference, corpus: CorpusStore, size: int = PROFILE_SIZE) -> Committee:
    """The committee with its profiles, from what was sent or from the corpus; without one, those who have scores."""
    ids = load_committee(conference) or scored_ids(conference)[1]
    if has_profiles(conference):
        committee = Committee.of(read_papers(profiles_path(conference)), ids, size)
    else:
        committee = from_corpus(corpus, ids, size)
    people = conference.path / "reviewers.csv"
    return committee.with_members(read_members(people)) if people.exists() else committee


def profile_lines(papers: Iterable[Paper]) -> Iterator[bytes]:
    """Papers as lines."""
    for paper in papers:
        yield msgspec.json.encode(paper) + b"\n"


def read_papers(path: Path) -> Iterator[Paper]:
    """All papers."""
    decoder = msgspec.json.Decoder(Paper)
    with path.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


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
        found = []
        with self._path.open("rb") as file:
            for start in self._starts.get(member, ()):
                file.seek(start)
                found.append(msgspec.json.decode(file.readline(), type=Paper))
        return found
