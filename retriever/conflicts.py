"""Conflicts of interest: who should not review a submission, with the evidence, and how sure we are.

Certain conflicts rest on ids: the submission's own authors, their co-authors of the last years, people at an
institution with the same ROR, and what the user declared. A name alone, of a person or of an institution, makes a
*possible* conflict: it is shown with its evidence and left to the editor, because a namesake is somebody else.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.affiliations import institution_key, normalised
from indexing.index import Index
from indexing.units import NO_YEAR
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Author, Conflict, ConflictKind, Submission


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """What counts as a conflict. A number of years of None switches that kind off."""

    own_authors: bool = True
    coauthor_years: int | None = 3
    institution_years: int | None = 3


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why one reviewer has a conflict, in numbers; put into words only for those who are shown."""

    kind: ConflictKind
    certain: bool
    who: str = ""
    unit: int = -1
    institution: int = -1


class Conflicts:
    """The conflicts of one submission, by author number.

    Attributes:
        certain: author numbers with at least one certain conflict.
        unknown: ids of the submission's authors who are not in the index.
    """

    def __init__(self, index: Index, submission: Submission) -> None:
        self._index, self._submission = index, submission
        self._reasons: dict[int, list[_Reason]] = defaultdict(list)
        self.certain: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.unknown: tuple[str, ...] = ()

    def _add(self, author: int, reason: _Reason) -> None:
        self._reasons[author].append(reason)

    def _finish(self) -> None:
        sure = [author for author, reasons in self._reasons.items() if any(reason.certain for reason in reasons)]
        self.certain = np.array(sorted(sure), dtype=np.int64)

    def explain(self, authors: Iterable[int], corpus: CorpusStore) -> dict[int, tuple[Conflict, ...]]:
        """The conflicts of those among `authors` who have any, in words; certain ones first."""
        wanted = {author: self._reasons[author] for author in authors if author in self._reasons}
        units = sorted({reason.unit for reasons in wanted.values() for reason in reasons if reason.unit >= 0})
        ids = dict(zip(units, self._index.units.paper_ids(units), strict=True))
        papers = corpus.papers(list(ids.values()))
        explained = {}
        for author, reasons in wanted.items():
            reviewer = self._index.ownership.author_ids[author]
            explained[author] = tuple(
                Conflict(
                    self._submission.id, reviewer, reason.kind, self._evidence(reason, ids, papers), reason.certain
                )
                for reason in sorted(
                    reasons, key=lambda reason: (not reason.certain, list(ConflictKind).index(reason.kind))
                )
            )
        return explained

    def _evidence(self, reason: _Reason, ids: dict[int, str], papers: dict[str, Any]) -> str:
        if reason.kind is ConflictKind.AUTHOR:
            return "author of the submission" if reason.certain else f"has the name of the author {reason.who}"
        if reason.kind is ConflictKind.DECLARED:
            return "declared by the user"
        if reason.kind is ConflictKind.INSTITUTION:
            name = self._index.affiliations[reason.institution].name
            year = int(self._index.units.years[reason.unit])
            return f"at {name}{'' if year == NO_YEAR else f' in {year}'}, as {reason.who}"
        paper = papers.get(ids[reason.unit])
        title = ids[reason.unit] if paper is None else paper.title
        year = int(self._index.units.years[reason.unit])
        return f"co-authored “{title}”{'' if year == NO_YEAR else f' in {year}'} with {reason.who}"


def find_conflicts(
    index: Index,
    corpus: CorpusStore,
    submission: Submission,
    ranked: NDArray[np.integer[Any]],
    rules: ConflictRules,
    declared: Sequence[str] = (),
) -> Conflicts:
    """The conflicts of a submission.

    Args:
        index: where its possible reviewers are from.
        corpus: where names are looked up.
        submission: what is to be reviewed.
        ranked: author numbers that may be on the panel; only these are compared by institution.
        rules: what counts.
        declared: ids of reviewers with a conflict that the user knows of.
    """
    conflicts = Conflicts(index, submission)
    ids = index.ownership.author_ids
    for number in ids.find(declared).tolist():
        if number >= 0:
            conflicts._add(number, _Reason(ConflictKind.DECLARED, certain=True))
    numbers = ids.find([author.id for author in submission.authors]).tolist()
    own = {number: author for number, author in zip(numbers, submission.authors, strict=True) if number >= 0}
    conflicts.unknown = tuple(a.id for number, a in zip(numbers, submission.authors, strict=True) if number < 0)
    named = _by_name(index, corpus, submission, set(own))
    people = [(number, author, True) for number, author in own.items()] + [(n, author, False) for n, author in named]
    if rules.own_authors:
        for number, author, certain in people:
            conflicts._add(number, _Reason(ConflictKind.AUTHOR, certain, author.name or author.id))
    themselves = {number for number, _, certain in people if certain}
    since = _reference_year(index, submission)
    if rules.coauthor_years is not None:
        _coauthors(conflicts, index, people, themselves, since - rules.coauthor_years)
    if rules.institution_years is not None:
        _colleagues(conflicts, index, submission, people, themselves, ranked, since - rules.institution_years)
    conflicts._finish()
    return conflicts


def _by_name(index: Index, corpus: CorpusStore, submission: Submission, known: set[int]) -> list[tuple[int, Author]]:
    """Indexed people with the name of an author who is known by name only."""
    found = []
    for name in submission.author_names:
        namesakes = corpus.find_authors(name)
        numbers = index.ownership.author_ids.find([author.id for author in namesakes]).tolist()
        found += [(n, Author(a.id, name)) for n, a in zip(numbers, namesakes, strict=True) if n >= 0 and n not in known]
    return found


def _reference_year(index: Index, submission: Submission) -> int:
    """The year that 'within the last years' counts from: the submission's, else the newest of the index."""
    newest = index.units.years[index.live]
    return submission.year if submission.year is not None else int(newest.max()) if len(newest) else NO_YEAR


def _recent(index: Index, units: NDArray[np.integer[Any]], since: int) -> NDArray[np.bool_]:
    """Which units are of `since` or later; a unit without a year may be, so it counts."""
    years = index.units.years[units]
    mask: NDArray[np.bool_] = (years >= since) | (years == NO_YEAR)
    return mask


def _coauthors(
    conflicts: Conflicts, index: Index, people: Sequence[tuple[int, Author, bool]], themselves: set[int], since: int
) -> None:
    """Those who wrote with the authors since then, each with the latest paper they share."""
    for number, author, certain in people:
        units = index.ownership.units_of(number)
        units = units[_recent(index, units, since)]
        units = units[np.argsort(index.units.years[units], kind="stable")]
        places, others = index.ownership.pairs(units)
        latest = dict(zip(others.tolist(), units[places].tolist(), strict=True))  # the last assignment wins
        for other, unit in latest.items():
            if other != number and other not in themselves:
                who = (author.name or author.id) + ("" if certain else " (matched by name)")
                conflicts._add(other, _Reason(ConflictKind.COAUTHOR, certain, who, unit))


def _colleagues(
    conflicts: Conflicts,
    index: Index,
    submission: Submission,
    people: Sequence[tuple[int, Author, bool]],
    themselves: set[int],
    ranked: NDArray[np.integer[Any]],
    since: int,
) -> None:
    """Those of `ranked` who are at, or since then were at, an institution of the submission or of its authors."""
    affiliations = index.affiliations
    places: dict[int, str] = {}  # institution number -> whose it is: a certain match
    names: dict[int, str] = {}  # number of an institution's name -> whose it is: a possible match
    given = affiliations.keys.find([institution_key(place) for place in submission.institutions])
    alike = affiliations.plain_names.find([normalised(place.name) for place in submission.institutions])
    names.update((number, "the submission") for number in alike.tolist() if number >= 0)
    sources: list[tuple[str, bool, NDArray[np.integer[Any]]]] = [("the submission", True, given[given >= 0])]
    for number, author, certain in people:
        _, where = _whereabouts(index, np.array([number]), since)
        sources.append((author.name or author.id, certain, affiliations.institutions[where]))
    for who, certain, institutions in sources:
        for institution in np.unique(institutions).tolist():
            if certain and affiliations.rors[institution]:
                places.setdefault(institution, who)
            names.setdefault(int(affiliations.name_numbers[institution]), who)
    rows, where = _whereabouts(index, ranked, since)
    there = affiliations.institutions[where]
    sure = np.isin(there, list(places))
    maybe = np.isin(affiliations.name_numbers[there], list(names))
    seen: set[tuple[int, bool]] = set()
    for place in np.flatnonzero(sure | maybe)[::-1].tolist():  # backwards: the latest unit of an author first
        author_number, institution = int(ranked[rows[place]]), int(there[place])
        certain = bool(sure[place])
        if author_number in themselves or (author_number, certain) in seen:
            continue
        seen.add((author_number, certain))
        who = places[institution] if certain else names[int(affiliations.name_numbers[institution])]
        unit = int(affiliations.units[where[place]])
        conflicts._add(author_number, _Reason(ConflictKind.INSTITUTION, certain, who, unit, institution))


def _whereabouts(
    index: Index, authors: NDArray[np.integer[Any]], since: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Affiliations of these authors since then, and those on their latest paper however old it is."""
    rows, places = index.affiliations.entries(authors)
    units = index.affiliations.units[places]
    years = index.units.years[units].astype(np.int64)
    latest = np.zeros(len(authors), dtype=np.int64)
    np.maximum.at(latest, rows, years)
    kept = _recent(index, units, since) | (years == latest[rows])
    return rows[kept], places[kept]


def read_conflicts(path: Path) -> dict[str, tuple[str, ...]]:
    """Read declared conflicts from a CSV file of `paper,reviewer` (a third column, as OpenReview's -1, is ignored).

    Raises:
        InputError: the file cannot be read, or a line has fewer than two fields.
    """
    declared: dict[str, list[str]] = defaultdict(list)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line, row in enumerate(csv.reader(file), start=1):
                fields = [field.strip() for field in row]
                if not any(fields) or (line == 1 and fields[:2] == ["paper", "reviewer"]):
                    continue
                if len(fields) < 2 or not all(fields[:2]):
                    raise InputError(f"{path}:{line}: expected 'paper,reviewer', received '{','.join(row)}'")
                declared[fields[0]].append(fields[1])
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read conflicts from '{path}': {error}") from error
    return {paper: tuple(reviewers) for paper, reviewers in declared.items()}
