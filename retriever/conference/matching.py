"""Which people of the corpus the people of a list are, such as a chair's committee: names, addresses, affiliations.

An id, an ORCID or an e-mail address finds somebody for certain. A name finds them probably where something else agrees:
an institution, the domain of the address, papers with others of the list, or a name that hardly two people have. All
others are open: a person decides, and what was decided is remembered by the address.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.names import name_code
from indexing.tables.units import NO_YEAR
from panelist.corpus.documents import batches
from panelist.corpus.identity import comparable
from panelist.corpus.readers.committee import ListedPerson
from panelist.corpus.store import CorpusStore
from panelist.records import Author, HistoryEvent
from panelist.words import counted
from retriever.careers import Careers
from retriever.conference.conflicts.colleagues import Institutions
from retriever.conference.names import People, name_words
from retriever.conference.people import IndexSource, Known, keys_of, papers_of, resolve

State = Literal["certain", "probable", "open", "none"]
"""How sure a match is: by identity, by name with support, several or a common name, nobody."""

MOST_NAMESAKES = 0.5
"""Somebody of a name that more others of this corpus are expected to have is not found by it alone."""

_AT_ONCE = 1_000  # events whose people are looked for together
_SAMPLE = 20_000  # authors by whose given names it is estimated how common a name is
_MOST_PROFILES = 12  # candidates that are shown
_LATEST = 3  # titles that are shown
_GENERIC = frozenset("edu ac com org net gov uni mail www cs inf student students alumni ox gmail".split())  # noqa: SIM905
_LEAST_LABEL = 3


class Profile(Struct, frozen=True):
    """Somebody of the corpus who may be the person, with what a reader tells namesakes apart by."""

    author: Author
    evidence: tuple[str, ...]  # why, in words; empty where the name alone says so
    papers: int = 0
    first_year: int | None = None
    last_year: int | None = None
    institution: str = ""
    titles: tuple[str, ...] = ()  # of the latest papers


class PersonMatch(Struct, frozen=True):
    """One person of a list; where the state is certain or probable, `chosen` are the ids that are the person."""

    person: ListedPerson
    state: State
    profiles: tuple[Profile, ...] = ()  # the most likely first
    chosen: tuple[str, ...] = ()


class PeopleMatcher:
    """Finds the people of a list in an index and its corpus."""

    def __init__(self, index: Index, corpus: CorpusStore, excluded: Iterable[str] = ()) -> None:
        """Of `excluded` it is known that they are nobody of the list."""
        self._index, self._corpus = index, corpus
        self._excluded = {*self._numbers([*excluded])}
        self._source = IndexSource(index, corpus)
        self._institutions = Institutions(index.affiliations)

    def match(
        self, people: Sequence[ListedPerson], decided: Mapping[str, Sequence[str]] | None = None
    ) -> list[PersonMatch]:
        """Match every person; `decided` has the ids that somebody chose before, by e-mail address, else by name.

        No id at all stands for nobody of the corpus.
        """
        remembered = {comparable(key): ids for key, ids in (decided or {}).items()}
        certain = self._by_identity(people)
        candidates = self._by_name(people)
        support = self._support(people, certain, candidates)
        matches = []
        for row, person in enumerate(people):
            choice = remembered.get(decision_key(person))
            if choice is not None and (not choice or self._numbers(choice)):  # else the corpus has lost whom they chose
                matches.append(self.decided(person, choice))
            elif certain[row]:
                evidence = {author: (_identity_words(person, known),) for author, known in certain[row].items()}
                matches.append(self._matched(person, "certain", evidence, [*evidence]))
            else:
                matches.append(self._named(person, candidates[row], support[row]))
        return matches

    def decided(self, person: ListedPerson, ids: Sequence[str]) -> PersonMatch:
        """The match of a person of whom somebody said which ids of the corpus they are; none for nobody there."""
        profiles = dict.fromkeys(self._numbers(ids), ("chosen before",))
        return self._matched(person, "certain" if ids else "none", profiles, [*profiles])

    def unknown(self, ids: Iterable[str]) -> list[str]:
        """Those of the ids that the index does not have."""
        keys = [*ids]
        numbers = self._index.ownership.author_ids.find(keys)
        return [key for key, number in zip(keys, numbers, strict=True) if number < 0]

    def _numbers(self, ids: Sequence[str]) -> list[int]:
        numbers = self._index.ownership.author_ids.find([*ids])
        return [int(number) for number in numbers if number >= 0]

    def _by_identity(self, people: Sequence[ListedPerson]) -> list[dict[int, Known]]:
        keys = [{*keys_of(Author(person.id or "", "", person.orcid, person.email))} for person in people]
        return [matches[0] for matches in resolve([self._source], keys)]

    def _by_name(self, people: Sequence[ListedPerson]) -> list[dict[int, Known]]:
        """For each person everybody whose name may be theirs."""
        rows, numbers = self._index.names.people([name_code(person.name) for person in people])
        distinct = np.unique(numbers).tolist()
        known_people = dict(zip(distinct, self._source.people(distinct), strict=True)) if distinct else {}
        candidates: list[dict[int, Known]] = [{} for _ in people]
        for row, number in zip(rows.tolist(), numbers.tolist(), strict=True):
            if number not in self._excluded:
                candidates[row][number] = known_people[number]
        for person, namesakes in zip(people, candidates, strict=True):
            alike = {*People({number: author.name for number, author in namesakes.items()}).like(person.name)}
            for number in [number for number in namesakes if number not in alike]:
                del namesakes[number]
        return candidates

    def _support(
        self, people: Sequence[ListedPerson], certain: list[dict[int, Known]], candidates: list[dict[int, Known]]
    ) -> list[dict[int, tuple[str, ...]]]:
        """For each person what else than the name speaks for a candidate, in words."""
        sure = [
            _full(person, namesakes) if not owners else [*owners]
            for person, owners, namesakes in zip(people, certain, candidates, strict=True)
        ]
        row_of = {numbers[0]: row for row, numbers in enumerate(sure) if len(numbers) == 1}
        support: list[dict[int, tuple[str, ...]]] = []
        for row, (person, namesakes) in enumerate(zip(people, candidates, strict=True)):
            places = self._institutions.named_like(person.institution) if person.institution else frozenset()
            reasons = {}
            for number in namesakes:
                words = []
                if name := self._workplace(number, places, _domain_label(person.email)):
                    words.append(f"works at {name}")
                coauthors = self._index.ownership.coauthors_of(number)
                if together := {row_of[other] for other in coauthors if other in row_of} - {row}:
                    words.append(f"wrote with {counted(len(together), 'other')} of the list")
                reasons[number] = tuple(words)
            support.append(reasons)
        return support

    def _workplace(self, number: int, places: frozenset[int], label: str) -> str:
        """The institution of a candidate that the list names, or that the domain of the address is called after."""
        table = self._index.affiliations
        for institution in dict.fromkeys(table.of_author(number)[1].tolist()):
            name = int(table.name_numbers[institution])
            words = table.plain_names[name].split()
            initials = "".join(word[0] for word in words if word not in ("of", "the", "and", "for"))
            if name in places or (label and (label in words or label == initials)):
                return table.names[institution]
        return ""

    def _named(
        self, person: ListedPerson, candidates: Mapping[int, Known], support: Mapping[int, tuple[str, ...]]
    ) -> PersonMatch:
        """A match by name: probable where exactly one candidate has support, or the only one has a rare name."""
        full = _full(person, candidates)
        backed = [number for number in full if support[number]] or [n for n in candidates if not full and support[n]]
        choice = backed if len(backed) == 1 else []
        evidence = dict(support)
        if not choice and not backed and len(full) == 1 and self._namesakes(person.name) <= MOST_NAMESAKES:
            choice = full
            evidence[full[0]] = ("the only one of this name, which is rare",)
        order = sorted(candidates, key=lambda number: (number not in choice, number not in full, not support[number]))
        state: State = "probable" if choice else "open" if candidates else "none"
        return self._matched(person, state, {number: evidence[number] for number in order}, choice)

    def _namesakes(self, name: str) -> float:
        """How many others of this name the corpus is expected to have: those of surname and initial, by given name."""
        code = name_code(name)
        namesakes = len(self._index.names.people([code._replace(second=0, given=0)])[1]) - 1
        forename = next((word for word in name_words(name) if len(word) > 1), "")
        bearers = self._givens[forename] - 1
        initial = sum(count for name, count in self._givens.items() if len(name) > 1 and name[0] == forename[:1])
        return max(namesakes, 0) * max(bearers, 0) / max(initial, 1)

    @cached_property
    def _givens(self) -> Counter[str]:
        """How many of a sample of authors have each given name."""
        total = len(self._index.ownership.author_ids)
        chosen = np.unique(np.linspace(0, max(total - 1, 0), min(total, _SAMPLE)).astype(np.int64)).tolist()
        return Counter(words[0] for known in self._source.people(chosen) if len(words := name_words(known.name)) > 1)

    def _matched(
        self, person: ListedPerson, state: State, evidence: Mapping[int, tuple[str, ...]], chosen: Sequence[int]
    ) -> PersonMatch:
        """The match with what is known of the candidates."""
        shown = np.array([*evidence][:_MOST_PROFILES], dtype=np.int64)
        profiles = tuple(self._profiles(shown, evidence)) if len(shown) else ()
        return PersonMatch(person, state, profiles, tuple(self._index.ownership.author_ids.take([*chosen])))

    def _profiles(self, numbers: NDArray[np.int64], evidence: Mapping[int, tuple[str, ...]]) -> list[Profile]:
        index = self._index
        ids = index.ownership.author_ids.take(numbers.tolist())
        authors = self._corpus.authors(ids)
        careers = zip(*(column.tolist() for column in Careers.of(index, numbers).columns()), strict=True)
        profiles = []
        for number, author, (papers, _, first, last, workplace) in zip(numbers.tolist(), ids, careers, strict=True):
            units = index.ownership.units_of(number)
            latest = units[np.argsort(-index.units.years[units], kind="stable")][:_LATEST]
            titles = tuple(paper.title for paper in papers_of(latest.tolist(), index, self._corpus).values())
            years = [None if year == NO_YEAR else year for year in (first, last)]
            place_name = "" if workplace < 0 else index.affiliations.names[workplace]
            profiled = authors.get(author) or Author(author, author)
            profiles.append(Profile(profiled, evidence[number], papers, years[0], years[1], place_name, titles))
        return profiles


def identified(events: Iterable[HistoryEvent], matcher: PeopleMatcher) -> Iterator[HistoryEvent]:
    """The events with the people of the corpus whom they mean: for certain by identity, `possible` by name.

    Whom a name leaves open stays as the source calls them.
    """
    for batch in batches(events, _AT_ONCE):
        people = [
            ListedPerson(0, event.name, event.email or None, event.orcid or None, "", event.person or None)
            for event in batch
        ]
        distinct = [*dict.fromkeys(people)]
        matches = dict(zip(distinct, matcher.match(distinct), strict=True))
        for event, person in zip(batch, people, strict=True):
            match = matches[person]
            yield replace(event, person=match.chosen[0], possible=match.state == "probable") if match.chosen else event


def decision_key(person: ListedPerson) -> str:
    """What a decision about a person is remembered by: the e-mail address, else the name, else an id."""
    return comparable(person.email or person.name or person.orcid or person.id or "")


def decisions(people: Iterable[ListedPerson]) -> dict[str, list[str]]:
    """Which ids somebody chose for each person, from a list with both."""
    chosen: dict[str, list[str]] = {}
    for person in people:
        ids = chosen.setdefault(decision_key(person), [])
        if person.id:
            ids.append(person.id)
    return chosen


def _full(person: ListedPerson, candidates: Mapping[int, Known]) -> list[int]:
    """Those of the candidates who have the whole name, not a form of it."""
    words = sorted(name_words(person.name))
    return [number for number, known in candidates.items() if sorted(name_words(known.name)) == words]


def _identity_words(person: ListedPerson, known: Known) -> str:
    for word, key in (("ORCID", person.orcid), ("id", person.id)):
        if key and comparable(key) in known.keys:
            return f"has this {word}"
    return "has this e-mail address on a paper"  # which is known of papers, not of the person


def _domain_label(email: str | None) -> str:
    """The word of an address that names an institution: `stanford` of ada@cs.stanford.edu; empty where none does."""
    labels = [label for label in (email or "").casefold().rpartition("@")[2].split(".")[:-1] if label not in _GENERIC]
    return labels[-1] if labels and len(labels[-1]) >= _LEAST_LABEL else ""
