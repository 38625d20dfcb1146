"""Conflicts of interest: who should not review a submission, with the evidence, and how sure we are.

Certain conflicts rest on ids (`identity`): the submission's own authors, their co-authors of the last years,
people at an institution with the same ROR, and what the user declared. A name alone, of a person or of an institution,
makes a *possible* conflict: it is shown with its evidence and left to the editor, because a namesake is somebody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexing.tables.ownership import gather_rows
from indexing.tables.units import NO_YEAR
from panelist.records import Conflict, ConflictKind, ConflictsChecked, Institution, Paper, Submission
from panelist.words import counted
from retriever.conference.authors import AuthorMatch, Authors, find_authors, with_writers
from retriever.conference.conflicts.colleagues import Institutions, Owner, Workplaces
from retriever.conference.conflicts.rules import EVER, ConflictRules
from retriever.conference.conflicts.table import by_certainty
from retriever.conference.names import People
from retriever.conference.people import Source

_SUBMISSION = "the submission's authors"
_AUTHOR = ConflictKind.AUTHOR


class _Reason(Struct, frozen=True, gc=False):
    """Why one reviewer has a conflict, in numbers; put into words only for those who are shown."""

    kind: ConflictKind
    certain: bool
    words: str = ""
    unit: int = -1
    institution: int = -1
    author: str = ""  # whose name alone it rests on, and the id of who has it: nothing for the reviewer
    namesake: str = ""


_Reasons = dict[int, list[_Reason]]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The conflicts of one submission with the people of one source, by number."""

    source: Source  # that has the reviewers
    submission: Submission  # what is to be reviewed
    authors: Authors  # of the submission, as far as the sources know them
    rules: ConflictRules  # what was looked for
    reasons: Mapping[int, Sequence[_Reason]]  # number -> why; in words by `explain`
    missing: tuple[str, ...] = ()  # declared reviewers whom the source does not have
    position: int = 0  # of the source among all

    @property
    def certain(self) -> frozenset[int]:
        """The numbers of those with at least one certain conflict."""
        return frozenset([number for number, given in self.reasons.items() if any(reason.certain for reason in given)])

    def explain(self, people: Mapping[int, str]) -> dict[int, tuple[Conflict, ...]]:
        """The conflicts of those among these people, ids by number, who have any, in words; certain ones first."""
        concerned = [number for number in people if number in self.reasons]
        reasons = (reason for number in concerned for reason in self.reasons[number])
        papers = self.source.papers(reason.unit for reason in reasons if reason.kind is ConflictKind.COAUTHOR)
        found = {}
        for number in concerned:
            person = people[number]
            conflicts = [
                Conflict(
                    *(self.submission.id, person, reason.kind, self._evidence(reason, papers), reason.certain),
                    author=reason.author,
                    namesake=person if reason.author and reason.kind is _AUTHOR else reason.namesake,
                )
                for reason in self.reasons[number]
            ]
            found[number] = tuple(sorted(conflicts, key=by_certainty))
        return found

    def with_names(self, people: People) -> Conflicts:
        """The same, and possible conflicts of reviewers whose names may be that of an author in another form."""
        if not self.rules.own_authors:
            return self
        reasons = {number: list(given) for number, given in self.reasons.items()}
        others = self.authors.others[self.position]
        for name in self.authors.names:
            for number in people.like(name):
                if number in others:
                    continue
                grounds = reasons.setdefault(number, [])
                authors = [reason for reason in grounds if reason.kind is _AUTHOR]
                if not any(reason.certain or reason.author in ("", name) for reason in authors):
                    grounds.append(other_form(people.names[number], name))
        return replace(self, reasons=reasons)

    def with_declared(self, declared: Sequence[str]) -> Conflicts:
        """The same, and the conflicts that the user knows of, by id in any form."""
        if not declared:
            return self
        matches = self.source.numbers(declared)
        reasons = {number: list(given) for number, given in self.reasons.items()}
        twins = self.source.twins
        for person in {twin for same in matches for number in same for twin in twins.get(number, [number])}:
            reasons.setdefault(person, []).append(_Reason(ConflictKind.DECLARED, certain=True))
        missing = tuple(dict.fromkeys(reviewer for reviewer, same in zip(declared, matches, strict=True) if not same))
        return replace(self, reasons=reasons, missing=missing)

    def checked(self) -> ConflictsChecked:
        """How conflicts stand: whose could be looked for."""
        authors = self.authors
        given = len(self.submission.authors) + len(self.submission.author_names)
        unchecked = self.rules.unchecked()
        if given:
            words = f"conflicts were looked for with {len(authors.matched)} of {counted(given, 'author')} known by id"
            if not any(authors.people):
                nothing = "only institutions were" if self.submission.institutions else "nothing was"
                words = f"{nothing} checked: 0 of {counted(given, 'author')} matched"
            words += f"; by name only: {', '.join(authors.namesakes)}" if authors.namesakes else ""
            words += f"; not found: {', '.join(authors.missing)}" if authors.missing else ""
        elif any(authors.people):
            words = "no author was given: the paper itself is known, and conflicts with its authors were looked for"
        elif self.submission.institutions:
            words = "no author was given: only colleagues were looked for, authors and co-authors may be on the panel"
        else:
            words = "no author was given, so that conflicts are not checked: authors may be on the panel"
        words += f"; not checked: {', '.join(unchecked)}" if unchecked else ""
        complete = given == len(authors.matched) > 0 and not unchecked
        return ConflictsChecked(given, authors.matched, authors.namesakes, authors.missing, unchecked, complete, words)

    def notes(self) -> tuple[str, ...]:
        """What the user should know about how conflicts were looked for."""
        authors = self.authors
        entries = (
            ("not in the index, so without known co-authors or institution", authors.missing),
            ("found by name only, so that conflicts with them are possible ones", authors.namesakes),
            ("not an ORCID, because the check digit is wrong, so nobody was found by it", authors.invalid),
            ("declared as in conflict, but not in the index", self.missing),
        )
        notes = [f"{words}: {', '.join(people)}" for words, people in entries if people]
        if unchecked := self.rules.unchecked():
            notes.append(f"not checked for conflicts, because the corpus does not have them: {', '.join(unchecked)}")
        return tuple(notes)

    def _evidence(self, reason: _Reason, papers: Mapping[int, Paper]) -> str:
        if reason.kind is _AUTHOR:
            return reason.words
        if reason.kind is ConflictKind.DECLARED:
            return "declared by the user"
        year = int(self.source.years[reason.unit])
        when = "" if year == NO_YEAR else f" in {year}"
        if reason.kind is ConflictKind.COAUTHOR:
            when = when or " without a known year"
            return f"co-authored “{papers[reason.unit].title}”{when} with {reason.words}"
        return f"at {self.source.affiliations[reason.institution].name}{when}, as {reason.words}"


class ConflictFinder:
    """Finds the conflicts of submissions with the people of all sources. Safe to share between threads."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = tuple(sources)
        self._institutions = [Institutions(source.affiliations) for source in sources]

    def authors(self, submission: Submission) -> Authors:
        """The authors of a submission in every source, which can be found before anything is searched."""
        return find_authors(self.sources, submission)

    def find(
        self,
        submission: Submission,  # what is to be reviewed
        # by source, the numbers of those who may review: only their papers and institutions are looked at
        ranked: Sequence[NDArray[np.integer[Any]]],
        rules: ConflictRules,  # what counts
        # the units of the last source that were found for the submission: one of them may be it
        candidates: NDArray[np.int64] | None = None,
        *,
        thorough: bool = True,  # whether sources search for the title of the submission where no author is known
        authors: Authors | None = None,  # what `authors` says, where it was asked before
    ) -> list[Conflicts]:
        """The conflicts of a submission, by source."""
        authors = authors or self.authors(submission)
        authors = with_writers(authors, self.sources, submission, candidates, thorough=thorough)
        twins = [_twins(source, numbers) for source, numbers in zip(self.sources, ranked, strict=True)]
        ranked = [
            np.union1d(numbers, [*same]) if same else numbers for same, numbers in zip(twins, ranked, strict=True)
        ]
        followed = [[person for person in people if person.followed] for people in authors.people]
        # 'The last years' count from the submission's year, or that of the newest paper; never from a future one: a
        # paper with a wrong year would otherwise switch off all conflicts with co-authors and colleagues.
        newest = max((source.newest for source in self.sources), default=NO_YEAR)
        year = min(newest if submission.year is None else submission.year, datetime.now(UTC).year)
        places = []
        if rules.institution_years is not None:
            places = self._places(submission, followed, year - rules.institution_years)
        conflicts = []
        for position, (source, people) in enumerate(zip(self.sources, followed, strict=True)):
            reasons: _Reasons = defaultdict(list)
            if rules.own_authors:
                for person in authors.people[position]:
                    author = "" if person.key is None else person.name
                    reason = _Reason(_AUTHOR, person.certain, person.evidence, person.unit, author=author)
                    reasons[person.number].append(reason)
            if rules.coauthor_years is not None:
                _add_coauthors(reasons, source, people, ranked[position], (year, rules.coauthor_years))
            if rules.institution_years is not None and places:
                workplaces = Workplaces()
                for where, owner, certain in places:
                    workplaces.add(self._institutions[position], where, owner, certain=certain)
                if workplaces:
                    since = year - rules.institution_years
                    _add_colleagues(reasons, source, workplaces, people, (ranked[position], since))
            for same in twins[position].values():
                if shared := dict.fromkeys(reason for number in same for reason in reasons.get(number, ())):
                    reasons.update((number, [*shared]) for number in same)
            conflicts.append(Conflicts(source, submission, authors, rules, dict(reasons), position=position))
        return conflicts

    def _places(
        self, submission: Submission, people: Sequence[Sequence[AuthorMatch]], since: int
    ) -> list[tuple[Institution, Owner, bool]]:
        """Where the submission and its authors are, or since then were: the institution, whose it is, how surely."""
        from retriever.kernels.conflicts import recent_affiliations

        places = [(institution, Owner(_SUBMISSION), True) for institution in submission.institutions]
        for source, authors in zip(self.sources, people, strict=True):
            table = source.affiliations
            numbers = np.array([person.number for person in authors], dtype=np.int64)
            rows, entries = recent_affiliations(numbers, table.starts, table.units, source.years, since, NO_YEAR)
            for row, where in dict.fromkeys(zip(rows.tolist(), table.institutions[entries].tolist(), strict=True)):
                places.append((table[where], Owner.of(authors[row]), authors[row].certain))
        return list(dict.fromkeys(places))


def _twins(source: Source, people: NDArray[np.integer[Any]]) -> dict[int, Sequence[int]]:
    """Of those of these people who have several numbers all of these: what one profile says holds for the others."""
    if not source.twins:
        return {}
    return {
        twin: source.twins[number]
        for number in source.twins.keys() & {*people.tolist()}
        for twin in source.twins[number]
    }


def _add_coauthors(
    reasons: _Reasons,
    source: Source,
    people: Sequence[AuthorMatch],
    ranked: NDArray[np.integer[Any]],
    since: tuple[int, int],
) -> None:
    """Those of `ranked` who wrote with the authors in the years before a year, each with the latest paper they share.

    Without a year nobody knows when: that is possible, unless any year counts.
    """
    owned, years = source.ownership, source.years
    identified = {person.number for person in people if person.certain}
    entries, counts = gather_rows(owned.author_starts, np.array([person.number for person in people], dtype=np.int64))
    authors, units = np.repeat(np.arange(len(people)), counts), owned.author_units[entries]
    recent = (years[units] >= since[0] - since[1]) | (years[units] == NO_YEAR)
    authors, units = authors[recent], units[recent]
    papers, others = owned.pairs(units)
    ordered = np.append(np.sort(ranked), -1)  # whoever would come after all meets nobody's number
    in_question = ordered[np.searchsorted(ordered[:-1], others)] == others
    shared = units[papers[in_question]]
    pairs = (authors[papers[in_question]], others[in_question], years[shared], shared)
    latest: dict[tuple[int, int], tuple[int, int]] = {}
    for row, other, year, unit in zip(*(column.tolist() for column in pairs), strict=True):
        if other not in identified and other != people[row].number:
            latest[row, other] = max(latest.get((row, other), (year, unit)), (year, unit))
    for (row, other), (year, unit) in latest.items():
        certain = people[row].certain and (year != NO_YEAR or since[1] >= EVER)
        owner = Owner.of(people[row])
        found = _Reason(ConflictKind.COAUTHOR, certain, owner.words, unit, author=owner.author, namesake=owner.key)
        reasons[other].append(found)


def _add_colleagues(
    reasons: _Reasons,
    source: Source,
    workplaces: Workplaces,
    people: Sequence[AuthorMatch],
    reviewers: tuple[NDArray[np.integer[Any]], int],
) -> None:
    """Those of the people asked about who are at, or since a year were at, one of the workplaces."""
    ranked, since = reviewers
    table = source.affiliations
    rows, entries, sure = workplaces.colleagues(source, ranked, since)
    institutions, units = table.institutions[entries], table.units[entries]
    # An author of the submission is not their own colleague, nor is a namesake possibly one.
    done = {person.number for person in people if person.certain}
    namesakes = {person.number for person in people if not person.certain}
    asked: set[tuple[int, str, str]] = set()
    # The best evidence of each reviewer first: certain, then the latest. What rests on names needs all of them, as each
    # may turn out to be another person.
    for entry in np.lexsort((-units, -source.years[units], ~sure)).tolist():
        number, institution, certain = int(ranked[rows[entry]]), int(institutions[entry]), bool(sure[entry])
        if number not in done and (certain or number not in namesakes):
            for owner in workplaces.whose(table, institution, certain=certain):
                if number in done or (number, owner.author, owner.key) in asked:
                    continue
                asked.add((number, owner.author, owner.key))
                if not owner.author:
                    done.add(number)
                found = (ConflictKind.INSTITUTION, certain, owner.words, int(units[entry]), institution)
                reasons[number].append(_Reason(*found, owner.author, owner.key))


def other_form(name: str, author: str) -> _Reason:
    """Why somebody of this name may be this author."""
    evidence = f"{name} may be another form of the name of the author {author}"
    return _Reason(_AUTHOR, certain=False, words=evidence, author=author)
