"""A conference as a decision sees it: its record, conflicts, changes by hand, and what papers and people are called."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from typing import Generic, Self, TypeVar

from msgspec import Struct

from panelist.app.desk.conference.assignment.manual import ManualChanges
from panelist.app.desk.conference.files import ProfileIndex, load_committee, load_submissions, profiles_path, scored_ids
from panelist.app.desk.conference.store import StoredConference
from panelist.corpus.store import CorpusStore
from panelist.records import Conflict
from retriever.conference.committee import read_members
from retriever.conference.conflicts.table import ConflictPair, ConflictTable, Decision
from retriever.conference.names import openreview_name

Row = TypeVar("Row")
_ID = re.compile(r"(\S*[^\s,:;.)])([,:;.)]*)")  # a word, and the punctuation after it
_TEXT = re.compile(r">([^<>]+)<")  # a text of a page


@dataclass(frozen=True, slots=True)
class Labels:
    """Titles of papers and names of people by id, as far as they are known."""

    titles: Mapping[str, str]
    names: Mapping[str, str]

    def paper(self, paper: str) -> str:
        """The title of a paper, else its id."""
        return self.titles.get(paper) or paper

    def person(self, reviewer: str) -> str:
        """The name of a person, else the id."""
        return self.names.get(reviewer) or reviewer

    def in_words(self, words: str) -> str:
        """A sentence with titles and names in the place of ids: ids have no spaces, so each is a word of its own."""
        return _ID.sub(lambda match: self._label(match[1]) + match[2], words)

    def in_page(self, page: str) -> str:
        """A page with titles and names in the place of ids, in its texts."""
        return _TEXT.sub(lambda match: f">{escape(self.in_words(unescape(match[1])), quote=False)}<", page)

    def _label(self, word: str) -> str:
        if word in self.titles:
            return f"“{self.titles[word]}”"
        paper, dash, reviewer = word.partition("–")  # a pair of a report
        if dash and paper in self.titles:
            return f"“{self.titles[paper]}” – {self.person(reviewer)}"
        return self.names.get(word, word)


def labels_of(conference: StoredConference, corpus: CorpusStore) -> Labels:
    """What the papers and people of a conference are called; read once for each revision."""
    titles, names, unnamed = _own_labels(conference)
    authors = corpus.authors(unnamed) if unnamed else {}
    return Labels(titles, names | {who: author.name for who, author in authors.items() if author.name != who})


@lru_cache(maxsize=8)
def _own_labels(conference: StoredConference) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Titles, names, and people without a name, by the conference's own files."""
    titles = {submission.id: submission.title for submission in load_submissions(conference) if submission.title}
    names: dict[str, str] = {}
    if profiles_path(conference).exists():
        names |= {who: name for who, name in ProfileIndex(profiles_path(conference)).names.items() if name != who}
    people = conference.path / "reviewers.csv"
    if people.exists():
        names |= {who: member.name for who, member in read_members(people).items() if member.name}
    ids = dict.fromkeys([*load_committee(conference), *scored_ids(conference)[1]])
    unnamed = tuple(who for who in ids if who not in names and not who.startswith("~"))
    names |= {who: openreview_name(who) for who in ids if who not in names and who.startswith("~")}
    return titles, names, unnamed


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """Some rows of a list, and how many there are in all."""

    total: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Look:
    """Which rows of a list to show: those that contain a text, some of them, in an order that the list knows."""

    search: str = ""
    offset: int = 0
    limit: int = 50
    sort: str = ""

    def at(self, every: Iterable[Row], texts: Callable[[Row], Iterable[str]]) -> Slice[Row]:
        """Of all rows, in their order, those to show."""
        text = self.search.casefold().strip()
        rows = [row for row in every if not text or any(text in part.casefold() for part in texts(row))]
        return Slice(len(rows), rows[self.offset : self.offset + self.limit])


class ShownConflict(Struct, frozen=True):
    """A conflict as pages and programs get it: with what follows from its reasons and from what was decided."""

    submission: str
    reviewer: str
    certain: bool  # a reason is certain, or somebody confirmed it
    possible: bool  # neither certain nor dismissed
    evidence: str
    reasons: tuple[Conflict, ...]
    decision: Decision | None

    @classmethod
    def of(cls, pair: ConflictPair) -> Self:
        """A pair of the table, to be shown."""
        return cls(*(getattr(pair, name) for name in cls.__struct_fields__))


@dataclass(frozen=True, slots=True)
class ConferenceView:
    """A conference at one revision."""

    stored: StoredConference  # its record; its files lie at `stored.path`
    conflicts: ConflictTable  # as they are now, with what people decided
    manual: ManualChanges  # what was changed by hand
    labels: Labels  # titles and names

    def conflict(self, paper: str, reviewer: str) -> ShownConflict | None:
        """The conflict of a pair, dismissed or not; None where there is none."""
        pair = self.conflicts.of(paper, reviewer)
        return None if pair is None else ShownConflict.of(pair)
