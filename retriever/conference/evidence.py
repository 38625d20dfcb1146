"""What the conflicts of a conference rest on: papers of a corpus, cut down to the people concerned, to be kept with it.

A corpus loses people and papers, and a conference may move to another corpus. The conflicts that rest on what is
lost are then found by what the conference kept, and stay until somebody dismisses them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from indexing.index import Index
from indexing.tables.affiliations import institution_key, normalised
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Authorship, ConflictKind, Institution, Paper
from retriever.conference.conflicts.finder import Conflicts
from retriever.conference.people import IndexSource, Known, Source, keys_of


class Evidence:
    """Collects what conflicts rest on in all sources but the first one, which is the conference itself."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._people: list[dict[int, set[int]]] = [defaultdict(set) for _ in sources]  # unit -> those concerned
        self._submitted: list[dict[int, Author]] = [{} for _ in sources]  # as a submission identifies them

    def add(self, conflicts_by_source: Sequence[tuple[Conflicts, Iterable[int]]]) -> None:
        """Add the conflicts of one submission with these people, by source."""
        reasons = [
            [(number, reason) for number in people for reason in conflicts.reasons.get(number, ())]
            for conflicts, people in conflicts_by_source
        ]
        if not any(reasons):
            return
        placed = any(reason.kind is ConflictKind.INSTITUTION for pairs in reasons for _, reason in pairs)
        for position, source in enumerate(self._sources[1:], 1):
            authors = {person.number: person for person in conflicts_by_source[position][0].authors.people[position]}
            units = self._people[position]
            for number, reason in reasons[position]:
                if reason.unit >= 0:
                    units[reason.unit] |= {
                        number,
                        *(authors.keys() & source.ownership.authors_of(reason.unit).tolist()),
                    }
                elif reason.kind is ConflictKind.AUTHOR:
                    self._add_units(position, number, placed=False)
            for number, person in authors.items():
                if person.certain:
                    self._add_units(position, number, placed=placed)
                if person.given is not None:
                    self._submitted[position][number] = person.given

    def _add_units(self, position: int, number: int, *, placed: bool) -> None:
        """Add the newest paper of a person, which shows who it is, and where `placed` that of every institution."""
        source = self._sources[position]
        units = {*source.ownership.units_of(number)[-1:].tolist()}
        if placed:
            written, institutions = source.affiliations.of_author(number)
            order = np.argsort(source.years[written], kind="stable")
            units |= {*dict(zip(institutions[order].tolist(), written[order].tolist(), strict=True)).values()}
        for unit in units:
            self._people[position][unit].add(number)

    def papers(self) -> tuple[Paper, ...]:
        """What was collected: titles and years, and of the authors those who are concerned."""
        papers: dict[str, Paper] = {}
        for source, units, authors in zip(self._sources, self._people, self._submitted, strict=True):
            numbers = sorted({number for concerned in units.values() for number in concerned})
            rows = zip(numbers, source.people(numbers), strict=True)
            people = {number: _identified(person, authors.get(number)) for number, person in rows}
            for unit, paper in source.papers(units).items():
                before = papers[paper.id].authorships if paper.id in papers else ()
                team = [Authorship(people[author], _places(source, author, unit)) for author in sorted(units[unit])]
                authorships = tuple(dict.fromkeys([*before, *team]))
                papers[paper.id] = Paper(paper.id, paper.title, "", int(source.years[unit]) or None, authorships)
        return tuple(papers.values())


def lost_evidence(kept: Sequence[Paper], indexed: tuple[Index, CorpusStore] | None) -> list[Paper]:
    """Those of the papers that an index with its corpus does not have, or not with the same people and places."""
    if indexed is None or not kept:
        return [*kept]
    source = IndexSource(*indexed)
    units = indexed[0].units.find([paper.id for paper in kept]).tolist()
    people = list(dict.fromkeys(entry.author for paper in kept for entry in paper.authorships))
    keys = [key for author in people for key in keys_of(author)]
    holders = dict(zip(keys, map(frozenset, source.numbers(keys)), strict=True))
    holders_of = {author: frozenset.intersection(*(holders[key] for key in keys_of(author))) for author in people}
    current = source.papers([unit for unit in units if unit >= 0])

    def is_known(unit: int, entry: Authorship) -> bool:
        return any(
            {*map(institution_key, entry.institutions)} <= {*map(institution_key, _places(source, number, unit))}
            for number in holders_of[entry.author].intersection(source.ownership.authors_of(unit).tolist())
        )

    return [
        paper
        for paper, unit in zip(kept, units, strict=True)
        if unit < 0
        or normalised(current[unit].title) != normalised(paper.title)
        or not all(is_known(unit, entry) for entry in paper.authorships)
    ]


def _identified(person: Known, author: Author | None) -> Author:
    """A person with what identifies them, in a source and in a submission."""
    keys = [*person.keys, *(keys_of(author) if author else ())]
    orcid = next((key for key in keys if key.startswith("orcid:")), None)
    return Author(person.keys[0], person.name, orcid, next((key for key in keys if "@" in key), None))


def _places(source: Source, number: int, unit: int) -> tuple[Institution, ...]:
    """Where somebody was when they wrote a paper."""
    units, institutions = source.affiliations.of_author(number)
    return tuple(source.affiliations[institution] for institution in institutions[units == unit].tolist())
