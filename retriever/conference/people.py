"""Who everybody is: sources of people and papers, and one identity for a person out of all of them.

A source numbers its people and has their papers and institutions as arrays: an index with its corpus, or the records
of a conference (`retriever.conference.records`). People are the same in any sources who share an identity key: an id in
any form, an ORCID, an e-mail address. A name alone identifies nobody.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexing.hits import NO_UNIT
from indexing.index import Index
from indexing.tables.affiliations import Affiliations, normalised
from indexing.tables.names import key_code
from indexing.tables.ownership import Ownership
from indexing.tables.units import NO_YEAR
from panelist.corpus.identity import comparable, identity_key, identity_keys, spellings
from panelist.corpus.names import plain_name
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Paper, Submission

FIRST = 5
"""How many of the best candidates, and of the papers found by the title alone, are compared with the submission."""


class Known(Struct, frozen=True, gc=False):
    """What a source knows of a person; the first key is that of the id."""

    keys: tuple[str, ...]
    name: str


class Source(Protocol):
    """People by number, with their papers (units) and institutions. Safe to share between threads."""

    ownership: Ownership  # who wrote which unit
    affiliations: Affiliations  # who worked where, by unit
    years: NDArray[np.int16]  # of the units, `NO_YEAR` where unknown

    @property
    def newest(self) -> int:
        """The latest year of a published paper."""

    @property
    def twins(self) -> Mapping[int, Sequence[int]]:
        """Of everybody who is here under several numbers all of these."""

    def numbers(self, keys: Sequence[str]) -> list[list[int]]:
        """For each id, ORCID or e-mail address, in any form, the people who have it."""

    def people(self, numbers: Sequence[int]) -> list[Known]:
        """What is known of these people."""

    def people_named(self, names: Sequence[str]) -> list[list[int]]:
        """For each name everybody who has it, up to case, accents, spacing and titles."""

    def known_beyond_submissions(self, number: int) -> bool:
        """Whether more is known of a person than that they wrote a submission."""

    def papers(self, units: Iterable[int]) -> Mapping[int, Paper]:
        """The papers of these units."""

    def find_units(self, submission: Submission, candidates: NDArray[np.int64], *, thorough: bool) -> dict[int, str]:
        """The units that are the submission, by id or by title, and why the authors of each are its authors.

        `candidates` are units that may be, best first; `thorough` has the source search for the title, too.
        """


class IndexSource:
    """What an index and its corpus say of people."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus
        self.ownership, self.affiliations, self.years = index.ownership, index.affiliations, index.units.years

    @cached_property
    def newest(self) -> int:
        """Give the latest year of a published paper; see `Source`."""
        return int(self.years[self._index.live].max(initial=NO_YEAR))

    @cached_property
    def twins(self) -> dict[int, list[int]]:
        """Give the numbers of everybody who has several; see `Source`."""
        authors = self._corpus.shared_orcids()
        same: dict[str, list[int]] = defaultdict(list)
        found = self.ownership.author_ids.find([author.id for author in authors]).tolist()
        for author, number in zip(authors, found, strict=True):
            if number >= 0 and (key := identity_key(author.orcid or "")):
                same[key].append(number)
        return {number: numbers for numbers in same.values() if len(numbers) > 1 for number in numbers}

    def numbers(self, keys: Sequence[str]) -> list[list[int]]:
        """Find the people of each key; see `Source`."""
        if not keys:
            return []
        forms = [(row, form) for row, key in enumerate(keys) for form in spellings(key)]
        with_orcid = {row for row, key in enumerate(keys) if (identity_key(key) or "").startswith("orcid:")}
        orcids = {form: row for row, form in forms if row in with_orcid}
        holders = self._corpus.find_orcids([*orcids]) if orcids else []
        forms += [(orcids[holder.orcid or ""], holder.id) for holder in holders]
        numbers_of_keys: list[list[int]] = [[] for _ in keys]
        rows, writers = self._index.names.people([key_code(comparable(key)) for key in keys])
        for row, number in zip(rows.tolist(), writers.tolist(), strict=True):
            numbers_of_keys[row].append(number)
        if forms:
            numbers = self.ownership.author_ids.find([form for _, form in forms]).tolist()
            for (row, _), number in zip(forms, numbers, strict=True):
                if number >= 0 and number not in numbers_of_keys[row]:
                    numbers_of_keys[row].append(number)
        return numbers_of_keys

    def people(self, numbers: Sequence[int]) -> list[Known]:
        """Say what is known of these people; see `Source`."""
        ids = self.ownership.author_ids.take(numbers)
        known = self._corpus.authors(ids) if ids else {}
        authors = (known.get(key) or Author(key, key) for key in ids)
        return [Known(keys_of(author), author.name) for author in authors]

    def people_named(self, names: Sequence[str]) -> list[list[int]]:
        """Find everybody of each name; see `Source`."""
        namesakes = self._corpus.find_authors(*names)
        numbers: dict[str, list[int]] = defaultdict(list)
        found = self.ownership.author_ids.find([author.id for author in namesakes]).tolist()
        for author, number in zip(namesakes, found, strict=True):
            if number >= 0:
                numbers[plain_name(author.name)].append(number)
        return [numbers.get(plain_name(name), []) for name in names]

    def known_beyond_submissions(self, number: int) -> bool:
        """Tell whether more is known of a person than a submission; see `Source`."""
        return True

    def papers(self, units: Iterable[int]) -> Mapping[int, Paper]:
        """Read the papers of these units; see `Source`."""
        return papers_of(units, self._index, self._corpus)

    def find_units(self, submission: Submission, candidates: NDArray[np.int64], *, thorough: bool) -> dict[int, str]:
        """Find the units that are the submission; see `Source`."""
        same = int(self._index.units.find([submission.id])[0])
        units_found = {} if same < 0 else {same: "author of the indexed paper with the id of the submission"}
        title = normalised(submission.title)
        if not title:
            return units_found
        units = candidates[:FIRST]
        if thorough:  # an abstract of its own may keep the paper from the best candidates, and so may a pool
            live = None if self._index.units.complete else self._index.live
            hits = self._index.lexical().search([submission.title], FIRST, allowed=live).units[0]
            units = np.union1d(units, hits[hits != NO_UNIT])
        for unit, paper in self.papers(units.tolist()).items():
            if normalised(paper.title) == title:
                units_found.setdefault(unit, has_title(paper))
        return units_found


def papers_of(units: Iterable[int], index: Index, corpus: CorpusStore) -> dict[int, Paper]:
    """The papers of these units; one that has left the corpus since it was indexed is its id alone."""
    distinct = list(dict.fromkeys(units))
    ids = index.units.paper_ids(distinct)
    papers = corpus.papers(ids) if ids else {}
    return {unit: papers.get(key) or Paper(key, title=key) for unit, key in zip(distinct, ids, strict=True)}


def has_title(paper: Paper) -> str:
    """Why an author of this paper is an author of the submission."""
    return f"author of “{paper.title}”, which has the title of the submission"


def keys_of(author: Author) -> tuple[str, ...]:
    """What identifies an author: the id in any form, a right ORCID, the e-mail addresses."""
    orcid = identity_key(author.orcid) if author.orcid else None
    orcids = [orcid] if orcid and orcid.startswith("orcid:") else []
    addresses = identity_keys(author.email) if author.email else ()
    return tuple(dict.fromkeys(filter(None, [*identity_keys(author.id), *orcids, *addresses])))


def is_name(author: Author, keys: Collection[str]) -> bool:
    """Whether an author is called by a name, and not by an id in any form."""
    return author.name not in ("", author.id) and identity_key(author.name) not in keys


def group_members(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """For each of so many numbers the least one of its group; the numbers of a pair are in one group."""
    parents = [*range(count)]  # a tree of numbers for each group

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    for pair in pairs:
        one, other = map(root, pair)
        parents[max(one, other)] = min(one, other)
    return [root(number) for number in range(count)]


def resolve(
    sources: Sequence[Source],  # where to look
    people: Sequence[set[str]],  # the keys of each person; those that the sources know of the same person are added
) -> list[list[dict[int, Known]]]:
    """Find people by their identity keys in every source.

    Returns:
        For each person and each source, their numbers and what is known of them.
    """
    numbers: list[list[dict[int, Known]]] = [[{} for _ in sources] for _ in people]
    pending = [(row, key) for row, keys in enumerate(people) for key in keys]
    while pending:
        more: list[tuple[int, str]] = []
        for position, source in enumerate(sources):
            matches = source.numbers([key for _, key in pending])
            fresh = {
                (row, number)
                for (row, _), same in zip(pending, matches, strict=True)
                for number in same
                if number not in numbers[row][position]
            }
            distinct = sorted({number for _, number in fresh})
            known = dict(zip(distinct, source.people(distinct), strict=True)) if distinct else {}
            for row, number in sorted(fresh):
                numbers[row][position][number] = known[number]
                for key in known[number].keys:
                    if key not in people[row]:
                        people[row].add(key)
                        more.append((row, key))
        pending = more
    return numbers
