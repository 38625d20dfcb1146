"""The records of a conference as a source of people: profiles, the committee's table, and the submissions themselves.

People who share an identity key are one person, and papers that share an id, a DOI or a title are one paper, whoever
lists them: two reviewers with the same paper under two ids are co-authors.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from indexing.tables.affiliations import Affiliations, institution_key, institution_tables, normalised
from indexing.tables.arrays import StringTable
from indexing.tables.ownership import Ownership
from indexing.tables.units import NO_YEAR
from indexing.text import Text
from panelist.corpus.identity import comparable
from panelist.corpus.names import openreview_name, plain_name
from panelist.corpus.reference_keys import bare_doi
from panelist.progress import Progress, silent
from panelist.records import Author, Authorship, Institution, Paper, Submission
from retriever.conference.committee import Committee
from retriever.conference.people import Known, group_members, has_title, is_name, keys_of

_LEAST_WORDS = 3
"""Shorter titles, such as "Editorial", are of many papers."""

_BITS = 32
_Wrote = dict[int, tuple[Institution, ...]]
"""Where somebody was when they wrote a paper, by unit << _BITS | node."""


class RecordSource:
    """What a conference's own records say."""

    twins: Mapping[int, Sequence[int]] = {}  # who shares an identity key has one number

    def __init__(
        self, committee: Committee, submissions: Sequence[Submission] = (), progress: Progress = silent
    ) -> None:
        self._people = _People()
        self._units = _Units()
        self._texts: dict[str, list[int]] = {}  # of submissions
        wrote: _Wrote = {}
        read: dict[int, int] = {}  # units of papers that were met
        for row, (reviewer, papers) in enumerate(zip(committee.ids, committee.papers, strict=True)):
            progress("reading names", row, len(committee.ids))
            naming, *namings = committee.namings(reviewer)
            node = self._people.node(naming)
            for author in namings:
                self._people.join(node, author)
            if places := committee.institutions(reviewer):  # as if a paper without a year told it
                wrote[self._units.add(Paper("", ""), []) << _BITS | node] = places
            for paper in papers:
                unit = read.get(id(paper))  # most are papers of several reviewers
                if unit is None:
                    unit = read[id(paper)] = self._units.add(paper, _same_paper(paper))
                    self._add_team(wrote, unit, paper)
                wrote.setdefault(unit << _BITS | node, ())
        listed_people, published = len(self._people.nodes), len(self._units.papers)
        for submission in submissions:
            paper = _as_paper(submission)
            unit = self._units.add(paper, _same_paper(paper)[1:])  # ids of submissions are another matter
            self._texts.setdefault(plain_abstract(submission), []).append(unit)
            self._add_team(wrote, unit, paper)
        self._number = self._people.numbered()
        self._is_listed = np.zeros(len(self._people.known), dtype=np.bool_)
        self._is_listed[self._number[:listed_people]] = True
        self._build(wrote)
        self.newest = int(self.years[:published].max(initial=NO_YEAR))

    def _add_team(self, wrote: _Wrote, unit: int, paper: Paper) -> None:
        for authorship in paper.authorships:
            pair = unit << _BITS | self._people.node(authorship.author)
            wrote[pair] = wrote.get(pair, ()) + authorship.institutions

    def numbers(self, keys: Sequence[str]) -> list[list[int]]:
        """Find the people of each key; see `Source`."""
        numbers = (self._people.numbers.get(comparable(key)) for key in keys)
        return [[] if number is None else [number] for number in numbers]

    def people(self, numbers: Sequence[int]) -> list[Known]:
        """Say what is known of these people; see `Source`."""
        return [self._people.known[number] for number in numbers]

    def names(self, number: int) -> list[str]:
        """All names that a person has."""
        return self._people.names_of[number]

    def people_named(self, names: Sequence[str]) -> list[list[int]]:
        """Find everybody of each name; see `Source`."""
        return [self._people.by_name.get(plain_name(name), []) for name in names]

    def known_beyond_submissions(self, number: int) -> bool:
        """Tell whether more is known of a person than a submission; see `Source`."""
        return bool(self._is_listed[number])

    def papers(self, units: Iterable[int]) -> Mapping[int, Paper]:
        """Read the papers of these units; see `Source`."""
        return {unit: self._units.papers[unit] for unit in units}

    def find_units(self, submission: Submission, candidates: NDArray[np.int64], *, thorough: bool) -> dict[int, str]:
        """Find the units that are the submission; see `Source`."""
        evidence = {}
        unit_of_id = self._units.marks.get(("id", submission.id))
        if unit_of_id is not None:
            evidence[unit_of_id] = "author of a paper with the id of the submission"
        for mark in marks(submission):
            for unit in self._units.titled.get(mark, ()):
                evidence.setdefault(unit, has_title(self._units.papers[unit]))
        for unit in self._texts.get(plain_abstract(submission), ()) if submission.abstract else ():
            title = self._units.papers[unit].title
            evidence.setdefault(unit, f"author of the submission “{title}”, which has the same text")
        return evidence

    def _build(self, wrote: _Wrote) -> None:
        """The arrays of `wrote`."""
        pairs = np.fromiter(wrote, dtype=np.int64, count=len(wrote))
        units, people = len(self._units.papers), len(self._people.known)
        written, node = np.divmod(pairs, 1 << _BITS)
        distinct = np.stack(np.divmod(np.unique(written << _BITS | self._number[node]), 1 << _BITS), axis=1)
        by_author = distinct[np.argsort(distinct[:, 1], kind="stable")]
        self.ownership = Ownership(
            StringTable.of([]),  # people are found by `numbers`
            np.searchsorted(distinct[:, 0], np.arange(units + 1)),
            distinct[:, 1].astype(np.int32),
            np.searchsorted(by_author[:, 1], np.arange(people + 1)),
            by_author[:, 0].astype(np.int32),
        )
        self.years = np.array([paper.year or NO_YEAR for paper in self._units.papers], dtype=np.int16)
        places: dict[str, tuple[int, Institution]] = {}
        entries = sorted(
            {
                (
                    int(self._number[pair % (1 << _BITS)]),
                    pair >> _BITS,
                    places.setdefault(institution_key(institution), (len(places), institution))[0],
                )
                for pair, institutions in wrote.items()
                for institution in institutions
            }
        )
        rows = np.array(entries, dtype=np.int64).reshape(-1, 3)
        self.affiliations = Affiliations(
            **institution_tables([institution for _, institution in places.values()]),
            starts=np.searchsorted(rows[:, 0], np.arange(people + 1)),
            units=rows[:, 1].astype(np.int32),
            institutions=rows[:, 2].astype(np.int32),
        )


class _People:
    """People as they are met; those who share an identity key become one when they are numbered."""

    def __init__(self) -> None:
        self.nodes: dict[Author, int] = {}
        self._joined: list[tuple[int, int]] = []  # nodes that are one person
        self.numbers: dict[str, int] = {}  # by identity key
        self.known: list[Known] = []
        self.names_of: list[list[str]] = []
        self.by_name: dict[str, list[int]] = defaultdict(list)

    def node(self, author: Author) -> int:
        """The node of an author."""
        return self.nodes.setdefault(author, len(self.nodes))

    def join(self, node: int, author: Author) -> None:
        """State that an author is the person of a node."""
        self._joined.append((node, self.node(author)))

    def numbered(self) -> NDArray[np.int64]:
        """The number of the person that each node belongs to, once everybody is met."""
        node_of_key: dict[str, int] = {}  # key -> the first node that has it
        keys_of_nodes = ((node, key) for node, author in enumerate(self.nodes) for key in keys_of(author))
        joined = chain(((node, node_of_key.setdefault(key, node)) for node, key in keys_of_nodes), self._joined)
        order: dict[int, int] = {}  # the first node of a person -> number
        numbers = [order.setdefault(node, len(order)) for node in group_members(len(self.nodes), joined)]
        keys: list[list[str]] = [[] for _ in order]
        for key, node in node_of_key.items():
            keys[numbers[node]].append(key)
            self.numbers[key] = numbers[node]
        names: list[list[str]] = [[] for _ in order]
        for author, number in zip(self.nodes, numbers, strict=True):
            if is_name(author, keys[number]):
                names[number].append(author.name)
        for number, (own_keys, written) in enumerate(zip(keys, names, strict=True)):
            distinct = [*map(openreview_name, written)]
            distinct += [openreview_name(key) for key in own_keys if key.startswith("~")]
            distinct = list(dict.fromkeys(filter(None, distinct)))
            self.names_of.append(distinct)
            self.known.append(Known(tuple(own_keys), distinct[0] if distinct else own_keys[0]))
            for plain in dict.fromkeys(map(plain_name, distinct)):
                self.by_name[plain].append(number)
        return np.array(numbers, dtype=np.int64)


class _Units:
    """Papers as they are met: equal marks make them one."""

    def __init__(self) -> None:
        self.papers: list[Paper] = []
        self.marks: dict[tuple[str, str], int] = {}
        self.titled: dict[tuple[str, str], tuple[int, ...]] = {}

    def add(self, paper: Paper, identities: Sequence[tuple[str, str]]) -> int:
        """The unit of a paper that is the same as others with one of these marks."""
        unit = next((self.marks[mark] for mark in identities if mark in self.marks), len(self.papers))
        if unit == len(self.papers):
            self.papers.append(paper)
        elif self.papers[unit].year is None and paper.year is not None:
            self.papers[unit] = paper
        for mark in identities:
            self.marks.setdefault(mark, unit)
        for mark in marks(paper):
            units = self.titled.get(mark, ())
            if unit not in units:
                self.titled[mark] = (*units, unit)
        return unit


def marks(record: Submission | Paper) -> list[tuple[str, str]]:
    """What tells that a paper is a submission: the title up to case and punctuation, or else the text."""
    title = normalised(record.title)
    if title:
        return [("title", title)]
    text = Text.of(record).plain()
    return [("text", text)] if text else []


def plain_abstract(submission: Submission) -> str:
    """The abstract, up to case and spacing."""
    return " ".join(submission.abstract.casefold().split())


def _same_paper(paper: Paper) -> list[tuple[str, str]]:
    """What tells that two papers are one: the id, the DOI, and the title, or the text where the title is too short."""
    title = normalised(paper.title)
    content = ("title", title) if title.count(" ") + 1 >= _LEAST_WORDS else ("text", Text.of(paper).plain())
    return [("id", paper.id), *([("doi", bare_doi(paper.doi))] if paper.doi else []), content]


def _as_paper(submission: Submission) -> Paper:
    """A submission as a paper of its authors, of this year. Where it names one institution, they are all there."""
    workplaces = submission.institutions if len(submission.institutions) == 1 else ()
    team = tuple(Authorship(author, workplaces) for author in submission.authors)
    year = submission.year or datetime.now(UTC).year
    return Paper(submission.id, submission.title, submission.abstract, year, team)
