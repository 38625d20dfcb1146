"""Who in the index is an author of a submission: surely by id, ORCID or the paper itself, possibly by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from indexing.hits import NO_UNIT
from indexing.index import Index
from indexing.tables.affiliations import normalised
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Submission
from retriever.conference.identity import identity_key, spellings

FIRST = 5
"""How many of the best candidates, and of the papers found by the title alone, are compared with the submission."""


class Person(Struct, frozen=True, gc=False):
    """Somebody in the index who is an author of the submission, for certain or by name only.

    Attributes:
        number: of the author in the index.
        name: as the submission has it.
        certain: known by more than the name.
        evidence: why, in words.
        followed: whether co-authors and colleagues are in conflict too. Not those of a namesake of an author whose id
            is known: that is somebody else, most likely.
    """

    number: int
    name: str
    certain: bool
    evidence: str
    followed: bool = True

    def __str__(self) -> str:
        return self.name if self.certain else f"{self.name} (matched by name)"


class PeopleFinder:
    """Finds the authors of submissions in one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    def completed(self, submission: Submission) -> Submission:
        """The submission with the names and the ORCIDs of its authors that the corpus has, where it lacks them."""
        if not submission.authors:
            return submission
        forms = [spellings(author.id) for author in submission.authors]
        known = self._corpus.authors([form for own in forms for form in own])
        authors = []
        for author, own in zip(submission.authors, forms, strict=True):
            for form in own:
                author = _completed(author, known.get(form))
            authors.append(author)
        return structs.replace(submission, authors=tuple(authors))

    def find(self, submission: Submission, units: NDArray[np.int64]) -> tuple[list[Person], list[str]]:
        """The authors who are in the index, each once, and the ids of those who are not.

        Args:
            submission: as `completed` returns it.
            units: the best candidates: one of them may be the submission.
        """
        people: dict[int, Person] = {}
        own = {author.id for author in submission.authors}
        indexed: set[str] = set()
        numbers = self.numbers([author.id for author in submission.authors])
        for author, same in zip(submission.authors, numbers, strict=True):
            for number in same:
                people[number] = Person(number, author.name, True, "author of the submission")
                indexed.add(author.id)
        for number, author in self._with_orcids(submission.authors):
            evidence = f"has the ORCID of the author {author.name}"
            people.setdefault(number, Person(number, author.name, True, evidence))
            indexed.add(author.id)
        known = [author for author in submission.authors if author.id in indexed]
        unknown = [author for author in submission.authors if author.id not in indexed]
        units = units[:FIRST]
        if not people and submission.title:
            # An abstract of its own may keep the paper from the best candidates, and so may a pool.
            units = np.union1d(units, self._titled_like(submission.title))
        itself = dict(self._authors_of_itself(submission, units))
        ids = self._index.ownership.author_ids.take([*itself])
        called = self._corpus.authors(ids) if ids else {}
        for key, (number, evidence) in zip(ids, itself.items(), strict=True):
            name = called[key].name if key in called else key
            people.setdefault(number, Person(number, name, True, evidence))
        for name in (*submission.author_names, *(author.name for author in unknown)):
            self._add_namesakes(people, name, own, followed=True)
        for author in known:
            self._add_namesakes(people, author.name, own, followed=False)
        return list(people.values()), [author.id for author in unknown]

    def numbers(self, ids: Sequence[str]) -> list[list[int]]:
        """The numbers of each of these ids, however it is written, and in the index perhaps in several ways."""
        forms = [(row, form) for row, one in enumerate(ids) for form in spellings(one)]
        found: list[list[int]] = [[] for _ in ids]
        for (row, _), number in zip(forms, self._find([form for _, form in forms]), strict=True):
            if number >= 0:
                found[row].append(number)
        return found

    def _find(self, ids: Sequence[str]) -> list[int]:
        """The numbers of these very ids; -1 for those that are not indexed."""
        return self._index.ownership.author_ids.find(ids).tolist() if ids else []

    def _with_orcids(self, authors: Sequence[Author]) -> list[tuple[int, Author]]:
        """Everybody in the index with the ORCID of one of these authors, which may be an id; and that author."""
        given: dict[str, Author] = {}
        for author in authors:
            for one in (author.id, author.orcid or ""):
                key = identity_key(one)
                if key is not None and key.startswith("orcid:"):
                    given[key] = author
        if not given:
            return []
        forms = {form: author for key, author in given.items() for form in spellings(key)}
        forms |= {one.id: forms[one.orcid or ""] for one in self._corpus.find_orcids([*forms])}
        return [(number, one) for number, one in zip(self._find([*forms]), forms.values(), strict=True) if number >= 0]

    def _authors_of_itself(self, submission: Submission, units: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
        """The authors of papers that are the submission, by id or by title."""
        owned = self._index.ownership
        same = int(self._index.units.find([submission.id])[0])
        if same >= 0:
            for number in owned.authors_of(same).tolist():
                yield number, "author of the indexed paper with the id of the submission"
        title = normalised(submission.title)
        if not title:
            return
        ids = self._index.units.paper_ids(units)
        papers = self._corpus.papers(ids)
        for unit, key in zip(units.tolist(), ids, strict=True):
            if key in papers and normalised(papers[key].title) == title:
                for number in owned.authors_of(unit).tolist():
                    yield number, f"author of “{papers[key].title}”, which has the title of the submission"

    def _titled_like(self, title: str) -> NDArray[np.int64]:
        """The units that a search for a title finds first."""
        live = None if self._index.units.complete else self._index.live
        found = self._index.lexical().search([title], FIRST, allowed=live)
        units: NDArray[np.int64] = found.units[0][found.units[0] != NO_UNIT]
        return units

    def _add_namesakes(self, people: dict[int, Person], name: str, own: Set[str], *, followed: bool) -> None:
        """Add those of this name, but for the authors of the submission, whose ids are `own`."""
        namesakes = [author.id for author in self._corpus.find_authors(name) if author.id not in own]
        for number in self._index.ownership.author_ids.find(namesakes).tolist():
            if number >= 0:
                people.setdefault(number, Person(number, name, False, f"has the name of the author {name}", followed))


def _completed(author: Author, known: Author | None) -> Author:
    """An author with the name and the ORCID that the corpus has, where the submission lacks them."""
    if known is None:
        return author
    name = known.name if author.name in ("", author.id) else author.name
    return Author(author.id, name or author.id, author.orcid or known.orcid)
