"""What a submission cites, as far as an index knows it: works, papers that cite the same ones, and people.

An entry has the keys of a cited work, its authors as printed, and what to call it. Cited people are known by id where
the cited work is in the corpus; else they are all whom the printed name may mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.hits import values_at
from indexing.index import Index
from indexing.tables.names import NameCode, Names, name_code
from indexing.tables.ownership import NumberedPeople, gather_rows
from panelist.corpus.readers.bibliography.printed import read_entry
from panelist.corpus.reference_keys import doi_key, keys_of
from panelist.records import Reference, Submission
from panelist.words import counted

SIMILAR = 0.2
"""From which nearness a paper speaks for a person of whom only the name is cited."""
COUPLED = 0.02
"""From which cosine of what is cited it does."""

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?10\.\d[\d.]*/\S+", re.IGNORECASE)


class Entry(NamedTuple):
    """A cited work; without keys only its `text` tells which it is."""

    keys: tuple[str, ...]
    authors: tuple[NameCode, ...]
    label: str
    text: str = ""


def entries_of(submission: Submission) -> list[Entry]:
    """What a submission cites, each work once: its bibliography, then the other references."""
    entries: list[Entry] = []
    seen: set[str] = set()
    for entry in _all(submission):
        marks = entry.keys or (entry.text,)
        if seen.isdisjoint(marks):
            entries.append(entry)
        seen.update(marks)
    return entries


def _all(submission: Submission) -> Iterator[Entry]:
    for reference in submission.bibliography:
        yield _entry(reference)
    lines = {" ".join(reference.text.split()) for reference in submission.bibliography if reference.text}
    for text in map(str.strip, submission.references):
        if " " not in text:
            yield Entry((doi_key(text) if _DOI.fullmatch(text) else text,), (), text)
        elif " ".join(text.split()) not in lines:
            yield _entry(read_entry(text))


def _entry(reference: Reference) -> Entry:
    codes = (name_code(name) for name in reference.authors)
    authors = tuple(code for code in codes if code.key)
    return Entry(keys_of(reference), authors, reference.title or reference.text, reference.text)


def names_fit(name: NameCode, others: Sequence[NameCode]) -> bool:
    """Whether a name may be one of these."""
    return any(
        name.key == other.key
        and (name.second == other.second or not name.second or not other.second)
        and (name.given == other.given or not name.given or not other.given)
        for other in others
    )


@dataclass(frozen=True, eq=False)
class CitedPeople(NumberedPeople):
    """Who is cited."""

    weights: NDArray[np.float64]  # (people) Σ (1 + last) / namesakes over the works in which they are named
    times: NDArray[np.int64]  # (people) how many works that are
    last_times: NDArray[np.int64]  # (people) how many of them name them last
    # (people) the most people whom one of these names may mean, 1 where they are known by id
    namesakes: NDArray[np.int64]
    # (people) whether only names speak for them: every cited work of theirs is outside of the corpus
    named: NDArray[np.bool_]
    works: NDArray[np.int64]  # positions of entries, beside `persons`
    persons: NDArray[np.int64]  # positions in `authors`: who wrote them

    @classmethod
    def of(cls, index: Index, entries: Sequence[Entry], units: NDArray[np.int64]) -> CitedPeople:
        """Everybody in the index who wrote one of these entries; `units` has those that are in the corpus, else -1."""
        works, writers, last, namesakes = writers_of(index.names, index.ownership.pairs, entries, units)
        authors, persons = np.unique(writers, return_inverse=True)
        count, most = len(authors), np.zeros(len(authors), np.int64)
        np.maximum.at(most, persons, namesakes)
        weights = np.zeros(count)
        np.add.at(weights, persons, (1 + last) / namesakes)
        last_times = np.bincount(persons, last, count).astype(np.int64)
        named = np.bincount(persons[units[works] >= 0], minlength=count) == 0
        return cls(authors, weights, np.bincount(persons, minlength=count), last_times, most, named, works, persons)

    def only(self, mask: NDArray[np.bool_]) -> CitedPeople:
        """Those of a mask over the people."""
        pairs, numbers = mask[self.persons], np.cumsum(mask) - 1
        of_people = ("authors", "weights", "times", "last_times", "namesakes", "named")
        columns = {name: getattr(self, name)[mask] for name in of_people}
        return CitedPeople(**columns, works=self.works[pairs], persons=numbers[self.persons[pairs]])


def writers_of(
    names: Names,
    pairs_of: Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int32]]],  # as `Ownership.pairs`
    entries: Sequence[Entry],  # cited works
    units: NDArray[np.int64],  # (entries) the paper that each is, else -1
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """Every (entry, author who wrote it or may have), whether as last author, and how many people the name may mean."""
    codes: list[NameCode] = []
    code_rows: list[int] = []
    ends: list[int] = []
    for row, (entry, unit) in enumerate(zip(entries, units.tolist(), strict=True)):
        if unit < 0 and entry.authors:
            codes += entry.authors
            code_rows += [row] * len(entry.authors)
            ends.append(len(codes) - 1)
    rows, namesakes = names.people(codes)
    alike = np.bincount(rows, minlength=len(codes))[rows]
    indexed = np.flatnonzero(units >= 0)
    pairs, writers = pairs_of(units[indexed])
    last_writers = np.append(pairs[1:] != pairs[:-1], True)[: len(pairs)]
    ending = np.zeros(len(codes), np.bool_)
    ending[ends] = True
    return (
        np.concatenate([np.array(code_rows, np.int64)[rows], indexed[pairs]]),
        np.concatenate([namesakes, writers.astype(np.int64)]),
        np.concatenate([ending[rows], last_writers]),
        np.concatenate([alike, np.ones(len(pairs), np.int64)]),
    )


@dataclass(frozen=True, eq=False)
class Citations:
    """What one submission cites, without what its authors wrote."""

    entries: Sequence[Entry]  # the cited works
    total: int  # how many there are with those of the submission's authors
    units: NDArray[np.int64]  # (entries) the unit of each in the index, -1 for those outside
    works: NDArray[np.int64]  # positions in `entries`, beside `citing`
    citing: NDArray[np.int64]  # the units that cite them, each pair once
    coupled: NDArray[np.int64]  # the units that cite any of them, best first
    cosines: NDArray[np.float32]  # (coupled) float32, how much they have in common
    people: CitedPeople  # everybody who wrote them
    own_units: NDArray[np.int64]  # the units that are cited and may be of the submission's authors

    @cached_property
    def indexed(self) -> NDArray[np.int64]:
        """The units that are cited."""
        return np.unique(self.units[self.units >= 0])

    def are_cited(self, authors: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether each of these authors is cited."""
        return self.people.find(authors) >= 0

    def evidence(
        self,
        authors: NDArray[np.int64],  # of these people
        units: NDArray[np.int64],  # their papers
        persons: NDArray[np.int64],  # positions of those in `authors`: whose they are
    ) -> dict[str, NDArray[np.float64]]:
        """How people are cited, and how much what they cite is alike; see `retriever.fit`."""
        positions = self.people.find(authors)
        cited, last = (np.append(values, 0)[positions] for values in (self.people.weights, self.people.last_times))
        coupled = np.zeros(len(authors))
        np.maximum.at(coupled, persons, self.coupling(units))
        return {"cited": np.log1p(cited), "cited_last": np.log1p(last), "coupled": coupled}

    def coupling(self, units: NDArray[np.int64]) -> NDArray[np.float64]:
        """(units) the cosine between what each of them and the submission cite."""
        return values_at(self.coupled, self.cosines, units).astype(np.float64)

    def supported(self, index: Index, selected: NDArray[np.integer], vector: NDArray[np.float32] | None) -> Citations:
        """The same without people whom a printed name alone speaks for.

        Most people of a name are in no corpus: a surname and an initial count where a paper of theirs is about
        something similar, or cites the same works. Where only words are searched, one that was found speaks for them;
        where nobody knows what similar means, all are kept.
        """
        if vector is not None and not index.nearness.sure:
            return self
        by_name = np.flatnonzero(self.people.named)
        entries, counts = gather_rows(index.ownership.author_starts, self.people.authors[by_name])
        units = index.ownership.author_units[entries].astype(np.int64)
        support = self.coupling(units) >= COUPLED
        if vector is None:
            support |= np.isin(units, selected)
        else:
            cosines = index.vectors[units].astype(np.float32, copy=False) @ vector
            support |= index.nearness.scaled(cosines) >= SIMILAR
        mask = ~self.people.named
        mask[np.repeat(by_name, counts)[support]] = True
        return replace(self, people=self.people.only(mask))

    def note(self, ranked: NDArray[np.int32]) -> str:
        """What became of the references, in words; `ranked` are the authors who are."""
        cited = int(self.are_cited(ranked).sum())
        return (
            f"{counted(self.total, 'reference')}, {len(self.indexed)} in the corpus, "
            f"{cited:,} of the people ranked {'is' if cited == 1 else 'are'} cited"
        )
