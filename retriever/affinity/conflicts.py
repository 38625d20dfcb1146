"""Conflicts of interest among the reviewers of a conference: those of the look-up, and those that profiles show.

As in the look-up, what rests on ids is certain, and what rests on a name is *possible*: shown with its evidence and
left to the chair. Profiles alone show who is an author, who wrote a paper with an author, and who has the submission
itself among their papers; institutions and older papers need an index. A pair is listed once, with its best reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.affiliations import normalised
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.progress import Progress, silent
from panelist.records import Author, Conflict, ConflictKind, Paper, Submission
from retriever.affinity.reviewers import Reviewers
from retriever.conference.conflicts.declared import Declared
from retriever.conference.conflicts.finder import ConflictFinder, reference_year
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.identity import comparable
from retriever.conference.names import People
from retriever.explain import papers_of


@dataclass(frozen=True, slots=True)
class OwnPaper:
    """A submission that is itself in a reviewer's profile, by id or by title: its author, or an earlier version."""

    submission: str
    reviewer: str


def own_papers(submissions: Sequence[Submission], reviewers: Reviewers) -> list[OwnPaper]:
    """Submissions that are in a profile, in the order of submissions and reviewers."""
    holders: dict[tuple[str, str], set[str]] = {key: set() for one in submissions for key in _marks(one)}
    for reviewer, profile in zip(reviewers.ids, reviewers.profiles, strict=True):
        for paper in profile:
            for key in _marks(paper):
                if key in holders:
                    holders[key].add(reviewer)
    return [
        OwnPaper(submission.id, reviewer)
        for submission in submissions
        for reviewer in sorted(set[str]().union(*(holders[key] for key in _marks(submission))))
    ]


def _marks(record: Submission | Paper) -> list[tuple[str, str]]:
    """What tells that a paper is a submission: the id, and the title up to case and punctuation, or else the text."""
    title = normalised(record.title)
    return [("id", record.id), ("title", title) if title else ("text", Text.of(record).plain())]


def find_conflicts(
    submissions: Sequence[Submission],
    reviewers: Reviewers,
    rules: ConflictRules | None = None,
    declared: Declared | None = None,
    *,
    indexed: tuple[Index, CorpusStore] | None = None,
    progress: Progress = silent,
) -> list[Conflict]:
    """All conflicts between submissions and reviewers, each pair once: certain reasons before possible ones.

    Args:
        submissions: the papers that need reviewers.
        reviewers: with their profiles.
        rules: what counts; the look-up's by default.
        declared: conflicts that the user knows of.
        indexed: the index and the corpus that the reviewers come from, if any; reviewers who are not in the index are
            judged by their profiles.
        progress: called for every submission.
    """
    rules, declared = rules or ConflictRules(), declared or {}
    lookup = None if indexed is None else IndexedConflicts(*indexed)
    ranked = None if lookup is None else lookup.numbers(reviewers.ids)
    profiles = _Profiles(reviewers if indexed is None else _without(reviewers, indexed[0]), progress)
    found: list[Conflict] = []
    for number, submission in enumerate(submissions):
        progress("looking for conflicts", number, len(submissions))
        known = declared.get(submission.id, ())
        if lookup is not None and ranked is not None:
            found += lookup.find(submission, ranked, rules, known)
        found += profiles.conflicts(submission, rules, known)
    if rules.own_authors:
        evidence = "the submission is in the reviewer's profile"
        found += [
            Conflict(one.submission, one.reviewer, ConflictKind.AUTHOR, evidence)
            for one in own_papers(submissions, reviewers)
        ]
    pairs: dict[tuple[str, str], Conflict] = {}
    for one in found:
        kept = pairs.setdefault((one.submission, one.reviewer), one)
        if one.certain and not kept.certain:
            pairs[one.submission, one.reviewer] = one
    order = {submission.id: row for row, submission in enumerate(submissions)}
    return sorted(pairs.values(), key=lambda one: (order[one.submission], one.reviewer))


class IndexedConflicts:
    """The conflicts of the look-up in words, each pair once, with its best reason."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus
        self._finder = ConflictFinder(index, corpus)
        self._people = People({})

    def numbers(self, reviewers: Sequence[str]) -> NDArray[np.int64]:
        """Those of the reviewers who are in the index, by number."""
        numbers = self._index.ownership.author_ids.find(reviewers)
        return numbers[numbers >= 0]

    def missing(self, reviewers: Sequence[str]) -> list[str]:
        """Those of the reviewers who are not in the index, however their ids are written."""
        found = self._finder.people.numbers(reviewers)
        return [one for one, same in zip(reviewers, found, strict=True) if not same]

    def find(
        self, submission: Submission, ranked: NDArray[np.int64], rules: ConflictRules, declared: Sequence[str]
    ) -> list[Conflict]:
        """The conflicts between a submission and these authors, by number."""
        self._read_names(ranked)
        conflicts = self._finder.find(submission, ranked, rules, declared).with_names(self._people)
        concerned = sorted(conflicts.reasons.keys() & ranked.tolist())
        papers = papers_of(conflicts.written_together(concerned), self._index, self._corpus)
        return [reasons[0] for reasons in conflicts.explain(concerned, papers).values()]  # certain ones come first

    def _read_names(self, ranked: NDArray[np.int64]) -> None:
        """Each name is read once for all submissions."""
        missing = [number for number in ranked.tolist() if number not in self._people.names]
        ids = self._index.ownership.author_ids.take(np.array(missing, dtype=np.int64))
        known = self._corpus.authors(ids) if ids else {}
        self._people.add({n: known[key].name if key in known else key for n, key in zip(missing, ids, strict=True)})


def _without(reviewers: Reviewers, index: Index) -> Reviewers:
    """The reviewers who are not in an index."""
    rows = [row for row, number in enumerate(index.ownership.author_ids.find(reviewers.ids).tolist()) if number < 0]
    return Reviewers(tuple(reviewers.ids[row] for row in rows), tuple(reviewers.profiles[row] for row in rows))


class _Profiles:
    """What profiles tell about people: who is called how, and who wrote with whom."""

    def __init__(self, reviewers: Reviewers, progress: Progress) -> None:
        self._reviewers = frozenset(reviewers.ids)
        self._same: dict[str, dict[str, None]] = defaultdict(dict)  # identity key -> ids
        self._orcids: dict[str, dict[str, None]] = defaultdict(dict)  # identity key -> those of the author's ORCIDs
        called: dict[tuple[str, str], None] = {}  # ids with names
        self._papers: dict[str, list[tuple[str, Paper]]] = defaultdict(list)  # author -> (reviewer, shared paper)
        self._wrote: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)  # mark of a paper -> authors' names
        years = [0]
        for row, (reviewer, profile) in enumerate(zip(reviewers.ids, reviewers.profiles, strict=True)):
            progress("reading names", row, len(reviewers.ids))
            self._same[comparable(reviewer)][reviewer] = None
            called[reviewer, _openreview_name(reviewer)] = None
            for paper in profile:
                years.append(paper.year or 0)
                marks = _marks(paper)
                for authorship in paper.authorships:
                    author = authorship.author
                    called[author.id, author.name] = None
                    for mark in marks:
                        self._wrote[mark][author.id] = author.name
                    keys = _keys(author)
                    for key in keys:
                        self._same[key][author.id] = None
                    self._orcids[keys[0]] |= dict.fromkeys(keys[1:])
                    if author.id != reviewer:
                        self._papers[author.id].append((reviewer, paper))
        self._newest = max(years)
        self._called = [one for one, name in called]
        self._people = People({n: "" if name == one else name for n, (one, name) in enumerate(called)})

    def conflicts(self, submission: Submission, rules: ConflictRules, declared: Sequence[str]) -> list[Conflict]:
        """Everything that profiles show, certain or not; a pair may be listed several times, its best reason first."""
        keys = {comparable(one) for one in declared}
        same = {one for key in keys for one in self._same.get(key, ()) if comparable(one) == key}
        named = sorted(same & self._reviewers)
        found = [Conflict(submission.id, one, ConflictKind.DECLARED, "declared by the user") for one in named]
        authors = self._authors(submission)
        if rules.own_authors:
            found += self._own(submission, authors)
        if rules.coauthor_years is not None:
            year = reference_year(submission, self._newest)
            for mark in _marks(submission):
                authors |= {one: (name, True) for one, name in self._wrote.get(mark, {}).items()}
            found += self._coauthors(submission, authors, year - rules.coauthor_years)
        return found

    def _authors(self, submission: Submission) -> dict[str, tuple[str, bool]]:
        """The authors who are in any profile, or are reviewers: the name of each by id, and whether the id is given."""
        authors = {
            one: (a.name, True)
            for a in submission.authors
            for given in _keys(a)
            for key in (given, *self._orcids.get(given, ()))
            for one in self._same.get(key, ())
        }
        names = (_openreview_name(author.name) for author in submission.authors)
        for name in (*submission.author_names, *names):
            for number in self._people.like(name):
                authors.setdefault(self._called[number], (name, False))
        return authors

    def _own(self, submission: Submission, authors: Mapping[str, tuple[str, bool]]) -> list[Conflict]:
        return [
            Conflict(
                submission.id,
                one,
                ConflictKind.AUTHOR,
                "author of the submission" if certain else f"has the name of the author {name}",
                certain,
            )
            for one, (name, certain) in authors.items()
            if one in self._reviewers
        ]

    def _coauthors(self, submission: Submission, authors: Mapping[str, tuple[str, bool]], since: int) -> list[Conflict]:
        """Reviewers who wrote with an author since then, certain first; without a year nobody knows when: possible."""
        found = []
        for one, (name, certain) in authors.items():
            who = name if certain else f"{name} (matched by name)"
            for reviewer, paper in self._papers.get(one, ()):
                if authors.get(reviewer, ("", False))[1] or (paper.year is not None and paper.year < since):
                    continue
                when = "without a known year" if paper.year is None else f"in {paper.year}"
                evidence = f"co-authored “{paper.title}” {when} with {who}"
                sure = certain and paper.year is not None
                found.append(Conflict(submission.id, reviewer, ConflictKind.COAUTHOR, evidence, sure))
        return sorted(found, key=lambda conflict: not conflict.certain)


def _keys(author: Author) -> list[str]:
    """What identifies an author: the id, in whichever form it is written, and the ORCID."""
    return [comparable(one) for one in (author.id, author.orcid) if one]


def _openreview_name(reviewer: str) -> str:
    """The name in an id of OpenReview, `~First_Last1`, for possible conflicts only; any other id as it is."""
    return reviewer[1:].rstrip("0123456789").replace("_", " ") if reviewer.startswith("~") else reviewer
