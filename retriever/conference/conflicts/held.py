"""Who may be an author of a submission, and is therefore on no panel until somebody says that it is another person.

Whoever has the full name of an author may be that author. Where a name only fits, by initials or a short form,
something else must speak for it: they wrote with another author, were at an institution of the submission or of an
author, or wrote what the submission cites.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from string import ascii_lowercase

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import institution_key
from indexing.tables.names import NameCode, name_code
from panelist.corpus.identity import comparable
from panelist.records import ConflictKind
from retriever.conference.authors import AuthorMatch
from retriever.conference.conflicts.finder import Conflicts
from retriever.conference.given_names import spelling
from retriever.conference.names import People, first_letters, name_words, same_full_name


def hold_back(
    conflicts: Conflicts,
    index: Index,
    ranked: NDArray[np.integer],  # who may be on the panel
    cited: NDArray[np.int64],  # the units that the submission cites
) -> tuple[Conflicts, frozenset[int]]:
    """The conflicts with those whose names fit, and the numbers of those who may be authors."""
    names = conflicts.authors.names
    if not conflicts.rules.own_authors or not names:
        return conflicts, frozenset()
    numbers = np.intersect1d(fitting(index, names), ranked).tolist()
    name_of = {number: person.name for number, person in zip(numbers, conflicts.source.people(numbers), strict=True)}
    conflicts = conflicts.with_names(People(name_of))
    asked = {*ranked.tolist()}
    namesakes = [person for person in conflicts.authors.people[conflicts.position] if not person.certain]
    held = {person.number for person in namesakes if person.number in asked and not _is_another(conflicts, person)}
    support = _Support(conflicts, cited)
    reasons = dict(conflicts.reasons)
    for number in name_of.keys() - {person.number for person in namesakes}:
        grounds = reasons.get(number, ())
        if not any(reason.kind is ConflictKind.AUTHOR and not reason.certain for reason in grounds):
            continue
        if any(same_full_name(name_of[number], name) for name in names):
            held.add(number)
        elif support_words := support.of(number):
            held.add(number)
            reasons[number] = [
                structs.replace(reason, words=f"{reason.words}, and {support_words}")
                if reason.kind is ConflictKind.AUTHOR
                else reason
                for reason in grounds
            ]
    twins = conflicts.source.twins
    held = {twin for number in held for twin in twins.get(number, (number,)) if twin in asked}
    return replace(conflicts, reasons=reasons), frozenset(held)


def fitting(index: Index, names: Iterable[str]) -> NDArray[np.int64]:
    """Everybody in an index whose surname and first initial fit one of these names, in any of its spellings."""
    keys = sorted(set().union(*map(_surname_keys, names)))
    return index.names.people([NameCode(key, 0, 0) for key in keys])[1]


@lru_cache(maxsize=1 << 12)  # authors come again whenever something of their submission is tried
def _surname_keys(name: str) -> frozenset[str]:
    """The keys of `NameCode` that may be of somebody with this name."""
    words = name_words(name)
    keys = {
        f"{letter} {surname}"
        for *given, family in ((words, words[1:] + words[:1]) if words else ())
        for surname in {family, name_code(f"x {family}").key.partition(" ")[2]}
        for letter in ascii_lowercase
        if surname and {letter, spelling(f"{letter}h")[:1]} & first_letters(given)  # Philip is Filip, Karl is Carl
    }
    return frozenset(keys | {name_code(name).key} - {""})


def _is_another(conflicts: Conflicts, namesake: AuthorMatch) -> bool:
    """Whether a namesake of an author who is known by id has another ORCID than the author."""
    if namesake.followed:
        return False
    authors = [person for person in conflicts.authors.people[conflicts.position] if person.certain]
    known, *others = conflicts.source.people([namesake.number, *(person.number for person in authors)])
    same = [other for person, other in zip(authors, others, strict=True) if namesake.name in (person.name, other.name)]
    own, theirs = (
        {key for person in people for key in person.keys if key.startswith("orcid:")} for people in ([known], same)
    )
    return bool(own and theirs and not own & theirs)


class _Support:
    """What speaks for somebody being an author, beside a name that fits."""

    def __init__(self, conflicts: Conflicts, cited: NDArray[np.int64]) -> None:
        self._conflicts, self._source = conflicts, conflicts.source
        self._authors = {person.number: person for person in conflicts.authors.people[conflicts.position]}
        self._cited = {*cited.tolist()}

    def of(self, number: int) -> str:
        """The best support for somebody, in words; empty where there is none."""
        if together := self._authors.keys() & self._source.ownership.coauthors_of(number):
            return f"wrote with {self._authors[min(together)]}"
        places = self._places(number)
        if shared := places.keys() & self._workplaces():
            return f"was at {places[min(shared)]}"
        cited = self._cited.intersection(self._source.ownership.units_of(number).tolist())
        return "wrote what the submission cites" if cited else ""

    def _workplaces(self) -> set[str]:
        places = {comparable(institution_key(place)) for place in self._conflicts.submission.institutions}
        return places.union(*(self._places(number) for number, person in self._authors.items() if person.certain))

    def _places(self, number: int) -> dict[str, str]:
        """Where somebody was: what tells each institution, as it is compared and as it is written."""
        table = self._source.affiliations
        keys = (table.keys[institution] for institution in sorted({*table.of_author(number)[1].tolist()}))
        return {comparable(key): key for key in keys}
