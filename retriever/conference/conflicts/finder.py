"""Conflicts of interest: who should not review a submission, with the evidence, and how sure we are.

Certain conflicts rest on ids (`identity`): the submission's own authors, their co-authors of the last years,
people at an institution with the same ROR, and what the user declared. A name alone, of a person or of an institution,
makes a *possible* conflict: it is shown with its evidence and left to the editor, because a namesake is somebody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from panelist.corpus.store import CorpusStore
from panelist.records import Conflict, ConflictKind, Paper, Submission
from retriever.conference.conflicts.colleagues import Institutions, Workplaces
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.names import People
from retriever.conference.people import PeopleFinder, Person

_SUBMISSION = "the submission's authors"
_KINDS = list(ConflictKind)


class _Reason(Struct, frozen=True, gc=False):
    """Why one reviewer has a conflict, in numbers; put into words only for those who are shown."""

    kind: ConflictKind
    certain: bool
    who: str = ""
    unit: int = -1
    institution: int = -1

    def order(self) -> tuple[bool, int]:
        """Certain reasons first, then by kind."""
        return not self.certain, _KINDS.index(self.kind)


_Reasons = dict[int, list[_Reason]]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The conflicts of one submission, by author number.

    Attributes:
        index: that has the reviewers.
        submission: what is to be reviewed, with the names of its authors that the corpus has.
        rules: what was looked for.
        reasons: author number -> why; in words by `explain`.
        certain: author numbers with at least one certain conflict.
        unknown: ids of the submission's authors who are not in the index.
        missing: ids of declared reviewers who are not in the index.
    """

    index: Index
    submission: Submission
    rules: ConflictRules
    reasons: Mapping[int, Sequence[_Reason]]
    certain: frozenset[int]
    unknown: tuple[str, ...]
    missing: tuple[str, ...]

    def written_together(self, authors: Iterable[int]) -> list[int]:
        """The units that these authors have written with authors of the submission: `explain` names them."""
        reasons = (reason for author in authors for reason in self.reasons.get(author, ()))
        return [reason.unit for reason in reasons if reason.kind is ConflictKind.COAUTHOR]

    def explain(self, authors: Iterable[int], papers: Mapping[int, Paper]) -> dict[int, tuple[Conflict, ...]]:
        """The conflicts of those among `authors` who have any, in words; certain ones first.

        Args:
            authors: author numbers.
            papers: by unit, the `written_together` of these authors.
        """
        return {
            author: tuple(
                Conflict(
                    self.submission.id,
                    self.index.ownership.author_ids[author],
                    reason.kind,
                    self._evidence(reason, papers),
                    reason.certain,
                )
                for reason in sorted(self.reasons[author], key=_Reason.order)
            )
            for author in authors
            if author in self.reasons
        }

    def with_names(self, people: People) -> Conflicts:
        """The same, and possible conflicts of those whose names may be that of an author in another form.

        Args:
            people: reviewers by author number.
        """
        if not self.rules.own_authors:
            return self
        reasons = {author: list(own) for author, own in self.reasons.items()}
        for name in (*self.submission.author_names, *(author.name for author in self.submission.authors)):
            for number in people.like(name):
                own = reasons.setdefault(number, [])
                if all(reason.kind is not ConflictKind.AUTHOR for reason in own):
                    evidence = f"{people.names[number]} may be another form of the name of the author {name}"
                    own.append(_Reason(ConflictKind.AUTHOR, certain=False, who=evidence))
        return replace(self, reasons=reasons)

    def notes(self) -> tuple[str, ...]:
        """What the user should know about how conflicts were looked for."""
        notes = []
        if self.unknown:
            notes.append(f"not in the index, so without known co-authors or institution: {', '.join(self.unknown)}")
        if self.missing:
            notes.append(f"declared as in conflict, but not in the index: {', '.join(self.missing)}")
        if unchecked := self.rules.unchecked():
            notes.append(f"not checked for conflicts, because the corpus does not have them: {unchecked}")
        return tuple(notes)

    def _evidence(self, reason: _Reason, papers: Mapping[int, Paper]) -> str:
        if reason.kind is ConflictKind.AUTHOR:
            return reason.who
        if reason.kind is ConflictKind.DECLARED:
            return "declared by the user"
        year = int(self.index.units.years[reason.unit])
        when = "" if year == NO_YEAR else f" in {year}"
        if reason.kind is ConflictKind.COAUTHOR:
            return f"co-authored “{papers[reason.unit].title}”{when} with {reason.who}"
        return f"at {self.index.affiliations[reason.institution].name}{when}, as {reason.who}"


class ConflictFinder:
    """Finds the conflicts of submissions with the reviewers of one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index = index
        self.people = PeopleFinder(index, corpus)
        self._institutions = Institutions(index.affiliations)

    def find(
        self,
        submission: Submission,
        ranked: NDArray[np.integer[Any]],
        rules: ConflictRules,
        declared: Sequence[str] = (),
        candidates: NDArray[np.int64] | None = None,
    ) -> Conflicts:
        """The conflicts of a submission.

        Args:
            submission: what is to be reviewed.
            ranked: author numbers that may be on the panel: only their co-authorships and institutions are looked at.
            rules: what counts.
            declared: ids of reviewers with a conflict that the user knows of.
            candidates: the units that were found for the submission, best first: one of them may be the submission.
        """
        reasons: _Reasons = defaultdict(list)
        submission = self.people.completed(submission)
        numbers = self.people.numbers(declared)
        for number in {number for same in numbers for number in same}:
            reasons[number].append(_Reason(ConflictKind.DECLARED, certain=True))
        people, unknown = self.people.find(submission, np.zeros(0, np.int64) if candidates is None else candidates)
        if rules.own_authors:
            for person in people:
                reasons[person.number].append(_Reason(ConflictKind.AUTHOR, person.certain, person.evidence))
        followed = [person for person in people if person.followed]
        year = reference_year(submission, self._newest)
        if rules.coauthor_years is not None:
            self._add_coauthors(reasons, followed, ranked, year - rules.coauthor_years)
        if rules.institution_years is not None:
            self._add_colleagues(reasons, submission, followed, ranked, year - rules.institution_years)
        sure = frozenset([author for author, own in reasons.items() for reason in own if reason.certain])
        missing = tuple(dict.fromkeys(key for key, same in zip(declared, numbers, strict=True) if not same))
        return Conflicts(self._index, submission, rules, dict(reasons), sure, tuple(unknown), missing)

    @cached_property
    def _newest(self) -> int:
        return int(self._index.units.years[self._index.live].max(initial=NO_YEAR))

    def _add_coauthors(
        self, reasons: _Reasons, people: Sequence[Person], ranked: NDArray[np.integer[Any]], since: int
    ) -> None:
        """Those of `ranked` who wrote with the authors since then, each with the latest paper they share."""
        from retriever.kernels.conflicts import coauthored_since

        owned, years = self._index.ownership, self._index.units.years
        own = {person.number for person in people if person.certain}
        rows, others, units = coauthored_since(
            np.array([person.number for person in people], dtype=np.int64),
            np.sort(ranked).astype(np.int32),
            *(owned.author_starts, owned.author_units, owned.unit_starts, owned.unit_authors),
            *(years, since, NO_YEAR),
        )
        latest: dict[tuple[int, int], tuple[int, int]] = {}
        for row, other, year, unit in zip(
            rows.tolist(), others.tolist(), years[units].tolist(), units.tolist(), strict=True
        ):
            if other not in own and other != people[row].number:
                latest[row, other] = max(latest.get((row, other), (year, unit)), (year, unit))
        for (row, other), (_, unit) in latest.items():
            reasons[other].append(_Reason(ConflictKind.COAUTHOR, people[row].certain, str(people[row]), unit))

    def _add_colleagues(
        self,
        reasons: _Reasons,
        submission: Submission,
        people: Sequence[Person],
        ranked: NDArray[np.integer[Any]],
        since: int,
    ) -> None:
        """Those of `ranked` who are at, or since then were at, an institution of the submission or of its authors."""
        from retriever.kernels.colleagues import recent_affiliations

        affiliations, years = self._index.affiliations, self._index.units.years
        workplaces = Workplaces()
        for given in submission.institutions:
            workplaces.add(self._institutions, given, _SUBMISSION, certain=True)
        numbers = np.array([person.number for person in people], dtype=np.int64)
        rows, entries = recent_affiliations(numbers, affiliations.starts, affiliations.units, years, since, NO_YEAR)
        own = zip(rows.tolist(), affiliations.institutions[entries].tolist(), strict=True)
        for row, institution in dict.fromkeys(own):
            person = people[row]
            workplaces.add(self._institutions, affiliations[institution], str(person), certain=person.certain)
        if not workplaces:
            return
        rows, entries, sure = workplaces.colleagues(self._index, ranked, since)
        institutions, units = affiliations.institutions[entries], affiliations.units[entries]
        # An author of the submission is not their own colleague, nor is a namesake possibly one.
        done = {person.number for person in people if person.certain}
        namesakes = {person.number for person in people if not person.certain}
        # The best evidence of each reviewer first: certain, then the latest.
        for entry in np.lexsort((-units, -years[units], ~sure)).tolist():
            author, institution, certain = int(ranked[rows[entry]]), int(institutions[entry]), bool(sure[entry])
            if author not in done and (certain or author not in namesakes):
                done.add(author)
                who = workplaces.whose(affiliations, institution, certain=certain)
                reason = _Reason(ConflictKind.INSTITUTION, certain, who, int(units[entry]), institution)
                reasons[author].append(reason)


def reference_year(submission: Submission, newest: int) -> int:
    """The year that 'the last years' count from: the submission's, or that of the newest paper; never a future one.

    One paper with a wrong year would otherwise switch off all conflicts with co-authors and colleagues.
    """
    return min(newest if submission.year is None else submission.year, datetime.now(UTC).year)
