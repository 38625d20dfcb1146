"""Who in the index is an author of a submission: surely by id, ORCID or the paper itself, possibly by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import normalised
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Submission
from retriever.conflicts.identity import identity_key, spellings

FIRST = 3
"""How many of the best candidates are compared with the submission: a paper of the same title is among them."""


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
        known = self._corpus.authors([author.id for author in submission.authors])
        authors = tuple(_completed(author, known.get(author.id)) for author in submission.authors)
        return structs.replace(submission, authors=authors)

    def find(self, submission: Submission, units: NDArray[np.int64]) -> tuple[list[Person], list[str]]:
        """The authors who are in the index, each once, and the ids of those who are not.

        Args:
            submission: as `completed` returns it.
            units: the best candidates: one of them may be the submission.
        """
        people: dict[int, Person] = {}
        numbers = self.numbers([author.id for author in submission.authors])
        given = list(zip(submission.authors, numbers, strict=True))
        known = [(author, number) for author, number in given if number >= 0]
        unknown = [author for author, number in given if number < 0]
        own = {author.id for author in submission.authors}
        for author, number in known:
            people[number] = Person(number, author.name, True, "author of the submission")
        for number, name in self._with_orcids(submission.authors):
            people.setdefault(number, Person(number, name, True, f"has the ORCID of the author {name}"))
        itself = dict(self._authors_of_itself(submission, units))
        ids = self._index.ownership.author_ids.take([*itself])
        called = self._corpus.authors(ids) if ids else {}
        for key, (number, evidence) in zip(ids, itself.items(), strict=True):
            name = called[key].name if key in called else key
            people.setdefault(number, Person(number, name, True, evidence))
        for name in (*submission.author_names, *(author.name for author in unknown)):
            self._add_namesakes(people, name, own, followed=True)
        for author, _ in known:
            self._add_namesakes(people, author.name, own, followed=False)
        return list(people.values()), [author.id for author in unknown]

    def numbers(self, ids: Sequence[str]) -> list[int]:
        """The numbers of the authors with these ids, however they are written; -1 for those who are not indexed."""
        table = self._index.ownership.author_ids
        found: list[int] = table.find(ids).tolist() if ids else []
        for row, number in enumerate(found):
            if number < 0 and identity_key(ids[row]) is not None:
                found[row] = max(table.find(spellings(ids[row])).tolist())
        return found

    def _with_orcids(self, authors: Sequence[Author]) -> list[tuple[int, str]]:
        """Everybody in the index with the ORCID of one of these authors, which may be an id; and that author's name."""
        names: dict[str, str] = {}
        for author in authors:
            for given in (author.id, author.orcid or ""):
                key = identity_key(given)
                if key is not None and key.startswith("orcid:"):
                    names[key] = author.name
        if not names:
            return []
        forms = {form: name for key, name in names.items() for form in spellings(key)}
        forms |= {one.id: forms[one.orcid or ""] for one in self._corpus.find_orcids([*forms])}
        numbers = self._index.ownership.author_ids.find([*forms]).tolist()
        return [(number, name) for number, name in zip(numbers, forms.values(), strict=True) if number >= 0]

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
        first = units[:FIRST].tolist()
        ids = self._index.units.paper_ids(first)
        papers = self._corpus.papers(ids)
        for unit, key in zip(first, ids, strict=True):
            if key in papers and normalised(papers[key].title) == title:
                for number in owned.authors_of(unit).tolist():
                    yield number, f"author of “{papers[key].title}”, which has the title of the submission"

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
