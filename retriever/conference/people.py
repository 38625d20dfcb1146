"""Who everybody is: sources of people and papers, and one identity for a person out of all of them.

A source numbers its people and has their papers and institutions as arrays: an index with its corpus, or the records
of a conference (`retriever.conference.records`). People are the same in any sources who share an identity key: an id in
any form, an ORCID, an e-mail address. A name alone identifies nobody.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from indexing.hits import NO_UNIT
from indexing.index import Index
from indexing.tables.affiliations import Affiliations, normalised
from indexing.tables.names import key_code
from indexing.tables.ownership import Ownership
from indexing.tables.units import NO_YEAR
from panelist.corpus.identity import comparable, identity_key, identity_keys, is_wrong_orcid, spellings
from panelist.corpus.names import openreview_name, plain_name
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Paper, Submission
from retriever.conference.names import People

FIRST = 5
"""How many of the best candidates, and of the papers found by the title alone, are compared with the submission."""


AUTHOR = "author of the submission"
"""The evidence of somebody who is given as an author, by id."""


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


class AuthorMatch(Struct, frozen=True, gc=False):
    """Somebody in a source who is an author of the submission, for certain or by name only."""

    number: int  # of the person in the source
    name: str  # as the submission has it
    certain: bool  # known by more than the name
    evidence: str  # why, in words
    # whether co-authors and colleagues are in conflict too. Not those of a namesake of an author whose id is known:
    # that is somebody else, most likely
    followed: bool = True
    unit: int = -1  # the paper that is the submission, where that tells it
    given: Author | None = None  # as the submission identifies them
    key: str | None = None  # of those found by name only: their id, or nothing where they are a name, too

    def __str__(self) -> str:
        return self.name if self.certain else f"{self.name} (matched by name)"


class Authors(Struct, frozen=True):
    """The authors of a submission, as far as the sources know them."""

    people: tuple[tuple[AuthorMatch, ...], ...]  # by source, those who are the authors, each once
    names: tuple[str, ...]  # of all authors
    matched: tuple[str, ...]  # those who were found by an identity key
    namesakes: tuple[str, ...]  # those of whom only the name was found, as they were given
    missing: tuple[str, ...]  # those of whom nothing was found, as they were given
    invalid: tuple[str, ...]  # ORCIDs with a wrong check digit
    others: tuple[frozenset[int], ...]  # by source, those of whom somebody said that they are other people


def find_authors(sources: Sequence[Source], submission: Submission) -> Authors:
    """The authors of a submission in every source, by what the submission says of them."""
    keys = [{*keys_of(author)} for author in submission.authors]
    people: list[dict[int, AuthorMatch]] = [{} for _ in sources]
    matched: dict[str, None] = {}
    names: list[tuple[str, str]] = []  # of those known by id: the id as it was given, and a name
    for author, own_keys, numbers in zip(submission.authors, keys, resolve(sources, keys), strict=True):
        found = [(position, *item) for position, same in enumerate(numbers) for item in same.items()]
        names_found = [person.name for _, _, person in found if comparable(person.name) not in own_keys]
        if is_name(author, own_keys):
            names_found.insert(0, author.name)
        name = next(filter(None, names_found), openreview_name(author.id))
        names.append((author.id, name))
        written = (one.name for source, number, one in found if sources[source].known_beyond_submissions(number))
        other_names = dict.fromkeys(other for other in written if other in names_found and other != name)
        # The same name in other forms may be that of strangers, too.
        fitting = People(dict(enumerate(other_names))).like(name) if other_names else []
        names += [(author.id, other) for number, other in enumerate(other_names) if number not in fitting]
        for position, number, holder in found:
            evidence = _identity_evidence(author, holder, name)
            people[position].setdefault(number, AuthorMatch(number, name, True, evidence, given=author))
            if sources[position].known_beyond_submissions(number):
                matched[author.id] = None
    others = tuple(frozenset(chain.from_iterable(source.numbers(submission.not_authors))) for source in sources)
    namesakes = _add_namesakes(people, sources, submission, names, matched, others)
    given = [*dict.fromkeys(key for key, _ in names if key not in matched), *submission.author_names]
    orcids = [key for author in submission.authors for key in (author.orcid, author.id) if key and is_wrong_orcid(key)]
    return Authors(
        tuple(tuple(person.values()) for person in people),
        tuple(dict.fromkeys([*submission.author_names, *(name for _, name in names)])),
        tuple(matched),
        tuple(name for name in given if name in namesakes),
        tuple(name for name in given if name not in namesakes),
        tuple(dict.fromkeys(orcids)),
        others,
    )


def with_writers(
    authors: Authors,
    sources: Sequence[Source],
    submission: Submission,
    candidates: NDArray[np.int64] | None = None,  # units of the last source that may be the submission, best first
    *,
    thorough: bool,  # have sources search for the title where no author is known
) -> Authors:
    """The authors, and those who wrote a paper of a source that is the submission."""
    namesakes = [{person.number: person for person in people if not person.certain} for people in authors.people]
    writers = [{person.number: person for person in people if person.certain} for people in authors.people]
    for position, source in enumerate(sources):
        near = candidates if position == len(sources) - 1 and candidates is not None else np.zeros(0, np.int64)
        units = source.find_units(submission, near, thorough=thorough and not any(writers))
        for unit, evidence in units.items():
            _add_writers(writers, sources, (position, unit), evidence)
    # Writers first; somebody who is both is a writer.
    people = (tuple((wrote | called | wrote).values()) for called, wrote in zip(namesakes, writers, strict=True))
    return structs.replace(authors, people=tuple(people))


def _identity_evidence(author: Author, person: Known, name: str) -> str:
    """Why somebody is this author."""
    if comparable(author.id) in person.keys[:1] or not {*keys_of(author)} & {*person.keys}:
        return AUTHOR
    shared = next(key for key in person.keys if key in keys_of(author))
    noun = "ORCID" if shared.startswith("orcid:") else "e-mail address" if "@" in shared else "id"
    return f"has the {noun} of the author {name}"


def _add_writers(
    people: list[dict[int, AuthorMatch]], sources: Sequence[Source], paper: tuple[int, int], evidence: str
) -> None:
    """Add those who wrote a paper that is the submission, in every source."""
    position, unit = paper
    writers = sources[position].ownership.authors_of(unit).tolist()
    numbers = [number for number in writers if number not in people[position]]
    for number, known in zip(numbers, sources[position].people(numbers), strict=True):
        same = [{number: known}] if len(sources) == 1 else resolve(sources, [{*known.keys}])[0]
        identified = " " not in known.keys[0]  # an author of a profile's paper may be a name alone
        for matches, numbers_there, source in zip(people, same, sources, strict=True):
            here = unit if source is sources[position] else -1
            for namesake in numbers_there:
                matches.setdefault(namesake, AuthorMatch(namesake, known.name, identified, evidence, unit=here))


def _add_namesakes(
    people: list[dict[int, AuthorMatch]],
    sources: Sequence[Source],
    submission: Submission,
    names: Sequence[tuple[str, str]],
    matched: Mapping[str, None],
    others: Sequence[frozenset[int]],
) -> set[str]:
    """Add those who have the name of an author; returns the authors, as they were given, who have namesakes."""
    with_namesakes: set[str] = set()
    names_given = [(name, name, True) for name in submission.author_names]
    names_given += [(given, name, given not in matched) for given, name in names]
    names_given.sort(key=lambda entry: not entry[2])
    for matches, source, excluded in zip(people, sources, others, strict=True):
        namesakes = [
            (number, *entry)
            for entry, same in zip(names_given, source.people_named([name for _, name, _ in names_given]), strict=True)
            for number in same
            if number not in excluded
        ]
        numbers = list(dict.fromkeys(number for number, *_ in namesakes if number not in matches))
        known = dict(zip(numbers, source.people(numbers), strict=True))
        for number, given, name, followed in namesakes:
            if number not in matches:
                key, evidence = known[number].keys[0], f"has the name of the author {name}"
                key = "" if " " in key else key
                matches[number] = AuthorMatch(number, name, False, evidence, followed, key=key)
            if source.known_beyond_submissions(number):
                with_namesakes.add(given)
    return with_namesakes
