"""Who is meant by an id: papers as they are written, reviewers in any spelling of their id."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from retriever.assignment.building.records import Pair, RecordError
from retriever.conference.conflicts.table import ConflictTable


class Ids:
    """The papers and reviewers of a problem: `papers` and `reviewers` give the ordinal of each id.

    Who is unknown is refused by a `RecordError` with the field of `Records` and the key that are given for it.
    """

    def __init__(self, papers: Iterable[str], reviewers: Iterable[str], conflicts: ConflictTable | None = None) -> None:
        self.papers = {name: at for at, name in enumerate(dict.fromkeys(papers))}
        self.reviewers = {name: at for at, name in enumerate(dict.fromkeys(reviewers))}
        self._table = ConflictTable() if conflicts is None else conflicts

    @cached_property
    def _people(self) -> dict[str, list[int]]:
        people: dict[str, list[int]] = {}
        for name, at in self.reviewers.items():
            people.setdefault(self._table.person(name), []).append(at)
        return people

    def everywhere(self, reviewer: str) -> list[int]:
        """All ordinals of a person: scores may have the same person under several ids."""
        return self._people.get(self._table.person(reviewer), [])

    def twice(self) -> list[str]:
        """The ids of people who have several."""
        names = tuple(self.reviewers)
        return [" = ".join(names[at] for at in ordinals) for ordinals in self._people.values() if len(ordinals) > 1]

    def paper(self, name: str, key: tuple[str, ...], paper: str) -> int:
        """The ordinal of a paper."""
        if paper not in self.papers:
            raise RecordError(name, key, f"no paper '{paper}' in the scores")
        return self.papers[paper]

    def reviewer(self, name: str, key: tuple[str, ...], reviewer: str, hint: str = "") -> int:
        """The ordinal of a reviewer: who has this id, else who has it in another spelling."""
        if reviewer in self.reviewers:
            return self.reviewers[reviewer]
        if others := self.everywhere(reviewer):
            return others[0]
        raise RecordError(name, key, f"no reviewer '{reviewer}' in the scores{hint}")

    def pair(self, name: str, pair: Pair, hint: str = "") -> tuple[int, int]:
        """The ordinals of a paper and a reviewer."""
        return self.paper(name, pair, pair[0]), self.reviewer(name, pair, pair[1], hint)

    def keys(self, name: str, pair: Pair) -> list[int]:
        """`paper * reviewers + reviewer` of a pair, under all ids of the reviewer."""
        paper, _ = self.pair(name, pair)
        return [paper * len(self.reviewers) + who for who in self.everywhere(pair[1])]
