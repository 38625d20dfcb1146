"""The committee: reviewers with their papers, from OpenReview's archives, CSV, or the corpus by author id.

What is scored of a reviewer is the profile, their most recent papers. Conflicts are looked for in all papers, and in
what a table says of the people themselves (`reviewers.csv`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import Struct, structs

from panelist.corpus.identity import comparable
from panelist.corpus.names import openreview_name
from panelist.corpus.readers import openreview, tables
from panelist.corpus.readers.report import ReadReport, note_columns
from panelist.corpus.store import CorpusStore
from panelist.corpus.systems.columns import EASYCHAIR, MORE_PAIRS, PEOPLE, Columns, name_in
from panelist.corpus.systems.pairs import find_header
from panelist.errors import InputError
from panelist.records import Author, Institution, Paper
from panelist.words import counted
from retriever.affinity.profiles import PROFILE_SIZE, most_recent

logger = logging.getLogger(__name__)

_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_AT_ONCE = 500
"""Reviewers whose papers are read together."""

_PERSON: Columns = {"reviewer": ("reviewer", "reviewer_id", *PEOPLE["reviewer"], "id", "user")}
_MORE: Columns = {
    **{name: PEOPLE[name] for name in PEOPLE if name not in ("reviewer", "role")},
    **{"ror": ("ror",), "person": MORE_PAIRS["person"], "same_as": ("same_as",)},
}
_OTHERS = ("match", "evidence", "seniority", "role", "roles", "authored")
"""Columns of Panelist's own tables of reviewers that other commands read."""


class Member(Struct, frozen=True):
    """What a table says of a reviewer."""

    name: str = ""
    orcid: str | None = None
    email: str | None = None
    institution: Institution | None = None
    aliases: tuple[str, ...] = ()  # other ids of the same person, such as a second profile in the corpus
    other_lines: tuple[Member, ...] = ()  # what other lines and tables say

    def completed_by(self, other: Member) -> Member:
        """What this line says of a person, and another line where this one says nothing; both are kept."""
        names = ("name", "orcid", "email", "institution", "aliases")
        values = {name: getattr(self, name) or getattr(other, name) for name in names}
        lines = (*other.other_lines, structs.replace(other, other_lines=()), *self.other_lines)
        return Member(**values, other_lines=tuple(dict.fromkeys(lines)))


@dataclass(frozen=True, slots=True)
class Committee:
    """The reviewers of a conference.

    Attributes:
        ids: of the reviewers.
        profiles: what is scored of each: the most recent papers, newest first; a profile may be empty.
        papers: all papers of each, for conflicts; where they are not given, those of the profiles.
        members: by identity key of the id, what a table says.
        of_corpus: whether the papers are those of a corpus, whose index has the same people.
    """

    ids: tuple[str, ...]
    profiles: tuple[tuple[Paper, ...], ...]
    papers: tuple[tuple[Paper, ...], ...] = ()
    members: Mapping[str, Member] = field(default_factory=dict)
    of_corpus: bool = False

    def __post_init__(self) -> None:
        if not self.papers:
            object.__setattr__(self, "papers", self.profiles)

    @classmethod
    def owning(cls, owned: Mapping[str, Sequence[Paper]], size: int = PROFILE_SIZE) -> Committee:
        """A committee, by id, of people who have these papers."""
        papers = tuple(map(tuple, owned.values()))
        return cls(tuple(owned), tuple(most_recent(written, size) for written in papers), papers)

    @classmethod
    def of(cls, papers: Iterable[Paper], ids: Iterable[str] = (), size: int = PROFILE_SIZE) -> Committee:
        """Those with these ids, or where none are given everybody who wrote one of the papers, in ascending order."""
        owned: dict[str, list[Paper]] = {reviewer: [] for reviewer in ids}
        everybody = not owned
        for paper in papers:
            for author in (authorship.author.id for authorship in paper.authorships):
                if everybody or author in owned:
                    owned.setdefault(author, []).append(paper)
        return cls.owning({reviewer: owned[reviewer] for reviewer in sorted(owned)}, size)

    def author(self, reviewer: str) -> Author:
        """A reviewer as far as a table knows the person."""
        return self.namings(reviewer)[0]

    def lines(self, reviewer: str) -> tuple[Member, ...]:
        """All that tables say of a reviewer."""
        member = self.members.get(comparable(reviewer)) or Member()
        return (member, *member.other_lines)

    def aliases(self, reviewer: str) -> tuple[str, ...]:
        """The other ids under which tables say that a reviewer is known."""
        return tuple(dict.fromkeys(alias for line in self.lines(reviewer) for alias in line.aliases))

    def namings(self, reviewer: str) -> list[Author]:
        """A reviewer under every id and name that tables have."""
        merged, *_ = lines = self.lines(reviewer)
        aliases = [Author(alias, merged.name or openreview_name(reviewer)) for alias in self.aliases(reviewer)]
        authors = [Author(reviewer, line.name or openreview_name(reviewer), line.orcid, line.email) for line in lines]
        return [*dict.fromkeys([*authors, *aliases])]

    def institutions(self, reviewer: str) -> tuple[Institution, ...]:
        """Where tables say that a reviewer works."""
        return tuple(dict.fromkeys(line.institution for line in self.lines(reviewer) if line.institution))

    def with_members(self, members: Mapping[str, Member]) -> Committee:
        """The same people with what a further table says of them; what it leaves open stays as it was known."""
        merged = dict(self.members)
        for reviewer, member in members.items():
            old = merged.get(comparable(reviewer))
            merged[comparable(reviewer)] = member.completed_by(old) if old else member
        return replace(self, members=merged)

    def with_papers(self, more: Mapping[str, Sequence[Paper]], size: int = PROFILE_SIZE) -> Committee:
        """The same people, some of whom have written more."""
        papers = tuple(
            (*written, *more.get(reviewer, ())) for reviewer, written in zip(self.ids, self.papers, strict=True)
        )
        profiles = (
            most_recent(owned, size) if reviewer in more else profile
            for reviewer, owned, profile in zip(self.ids, papers, self.profiles, strict=True)
        )
        return replace(self, papers=papers, profiles=tuple(profiles))


def holds_profiles(path: Path) -> bool:
    """Whether this path holds reviewers with their papers: a directory with `archives`, or a CSV file."""
    return path.is_dir() or path.name.endswith(_TABLES)


def read_profiles(path: Path, size: int = PROFILE_SIZE) -> Committee:
    """Reviewers with their papers, from OpenReview's layout (a directory) or `csv_expertise` (a file).

    In a directory, a `reviewers.csv` beside the archives tells more of the people, see `read_members`.

    Raises:
        InputError: the path does not exist, or nothing in it can be used; single bad entries are logged.
    """
    report = ReadReport()
    owned: dict[str, list[Paper]] = {}
    if path.is_dir():
        owned = {openreview.owner(archive): [] for archive in openreview.find(path)}
        for author, paper in openreview.read_archives(path, report):
            owned[author.id].append(paper)
        committee = Committee.owning({reviewer: owned[reviewer] for reviewer in sorted(owned)}, size)
    else:
        committee = Committee.of(tables.read([path], report), (), size)
    if not any(committee.profiles):
        reason = f": {report.rejections[0]}" if report.rejections else ""
        raise InputError(f"no usable paper of any reviewer in '{path}'{reason}")
    if report.rejected:
        logger.warning("%d entries of '%s' were skipped, e.g. %s", report.rejected, path, report.rejections[0])
    table = path / "reviewers.csv"
    return committee.with_members(read_members(table)) if table.is_file() else committee


def is_roster(path: Path) -> bool:
    """Whether a file is a table of people by ids of the corpus, without their papers; see `read_roster`."""
    if not path.is_file() or not path.name.endswith(_TABLES):
        return False
    header, _ = find_header(tables.read_cells(path, ReadReport(), _PERSON), _PERSON)
    if header is None or {"paper", "title"} & {*header.names}:
        return False
    return header.names[header.positions["reviewer"]] not in PEOPLE["reviewer"]  # addresses and numbers are no ids


def read_roster(path: Path) -> dict[str, Member]:
    """The committee as `panelist committee match` writes it: ids of the corpus, with what is known of each person.

    Rows with the same e-mail address are one person, who has several profiles in the corpus; so is a row that is the
    same as an earlier one.
    """
    people: dict[str, tuple[str, Member]] = {}
    for reviewer, member in read_members(path).items():
        keys = [comparable(key) for key in (member.email or reviewer, *member.aliases)]
        key = next((key for key in keys if key in people), keys[0])
        if key not in people:
            people[key] = reviewer, member
            continue
        holder, former = people[key]
        aliases = (*former.aliases, reviewer, *member.aliases)
        people[key] = holder, structs.replace(former.completed_by(member), aliases=aliases)
    return dict(people.values())


def read_members(path: Path) -> dict[str, Member]:
    """What a table with a header says of reviewers: `reviewer`, and any of name, email, orcid, institution, ror."""
    report = ReadReport()
    members: dict[str, Member] = {}
    if not path.is_file():
        raise InputError(f"no such file: '{path}'")
    for _, cells in tables.read_rows(path, _PERSON, report, _MORE):
        columns = ("orcid", "email", "institution", "ror", "country", "person", "same_as")
        orcid, email, name, ror, country, number, holder = (cells.get(column) or None for column in columns)
        institution = Institution(name or ror or "", ror, country) if name or ror else None
        aliases = tuple(filter(None, (number and f"{EASYCHAIR}{number}", holder)))
        member, reviewer = Member(name_in(cells), orcid, email, institution, aliases), cells["reviewer"]
        members[reviewer] = member.completed_by(members[reviewer]) if reviewer in members else member
    note_columns(path, (), _OTHERS)
    if report.rejected:
        raise InputError(f"{report.example()}: correct the reviewers and try again")
    return members


def from_corpus(
    corpus: CorpusStore,
    ids: Iterable[str] | None,
    size: int = PROFILE_SIZE,
    members: Mapping[str, Member] | None = None,  # what a table says, other ids of the same person included
) -> Committee:
    """Reviewers by author id with their papers in the corpus; None stands for all its authors.

    Somebody who is not in the corpus has an empty profile.
    """
    if ids is None:
        return replace(Committee.of(corpus.iter_papers(), (), size), of_corpus=True)
    order = sorted(ids)
    known_as = {reviewer: (reviewer, *member.aliases) for reviewer, member in (members or {}).items()}
    papers: list[tuple[Paper, ...]] = []
    for start in range(0, len(order), _AT_ONCE):
        chosen = order[start : start + _AT_ONCE]
        profiles_of = [known_as.get(reviewer, (reviewer,)) for reviewer in chosen]
        written = corpus.papers_of([key for keys in profiles_of for key in keys])
        papers_by_id = corpus.papers(sorted({paper for paper_ids in written.values() for paper in paper_ids}))
        for keys in profiles_of:
            paper_ids = dict.fromkeys(paper for key in keys for paper in written.get(key, ()))
            papers.append(tuple(papers_by_id[paper] for paper in paper_ids if paper in papers_by_id))
    profiles = tuple(most_recent(every_paper, size) for every_paper in papers)
    committee = Committee(tuple(order), profiles, tuple(papers), of_corpus=True)
    return committee.with_members(members) if members else committee


def check_known(committee: Committee) -> None:
    """Refuse reviewers who have no paper in the corpus."""
    missing = [reviewer for reviewer, papers in zip(committee.ids, committee.papers, strict=True) if not papers]
    if missing:
        total = f" ({counted(len(missing), 'reviewer')} in all)" if len(missing) > 1 else ""
        raise InputError(
            f"reviewer '{missing[0]}' is not in the corpus{total}: give ids as 'POST /reviewers' shows them"
        )
