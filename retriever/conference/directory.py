"""The directory of a conference: who its reviewers and authors are, out of every source, and their conflicts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import compress

import numpy as np
from msgspec import structs

from indexing.index import Index
from panelist.corpus.identity import comparable, is_wrong_orcid
from panelist.corpus.names import plain_name
from panelist.corpus.store import CorpusStore
from panelist.progress import Progress, silent
from panelist.records import Conflict, ConflictKind, Paper, Submission
from panelist.words import counted
from retriever.conference.committee import Committee
from retriever.conference.conflicts.finder import ConflictFinder, other_form
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.evidence import Evidence
from retriever.conference.names import People
from retriever.conference.people import IndexSource, Source, group_members, has_title, keys_of, resolve
from retriever.conference.records import RecordSource, marks, plain_abstract

Indexed = tuple[Index, CorpusStore]
"""An index, and the corpus that it was built of."""

_LACKS = {
    "no name and no ORCID": "whether they are authors cannot be known",
    "an ORCID without a name": "whether they are authors who come without an ORCID cannot be known",
    "no paper": "whom they wrote with cannot be known",
    "no institution": "whose colleagues they are cannot be known",
    "an ORCID with a wrong check digit": "it identifies nobody",
}
"""What may not be known of a reviewer, and what that means."""


class Directory:
    """Everybody of a conference, and which reviewers have a conflict with a submission.

    Sources are the committee's papers and table, the submissions themselves, and an index with its corpus. A reviewer
    who is in several of them is one person.
    """

    def __init__(
        self,
        committee: Committee,  # the reviewers
        submissions: Sequence[Submission],  # all of them: their authors may be reviewers of others
        indexed: Indexed | None = None,  # an index, if there is one
        kept: Sequence[Paper] = (),  # evidence of former conflicts that the index no longer has
        progress: Progress = silent,  # called for every reviewer
    ) -> None:
        self.committee = committee
        self.unknown: dict[str, int] = {}  # submissions asked about of whose authors none is known, and how many
        self._thorough = committee.of_corpus
        readable = committee
        if committee.of_corpus and indexed is not None:  # the index has the papers
            readable = replace(committee, papers=((),) * len(committee.ids))
        records = RecordSource(readable, submissions, progress)
        self.sources: list[Source] = [records]
        if indexed is not None:
            self.sources.append(IndexSource(*indexed))
        if kept:
            self.sources.append(RecordSource(Committee.of(kept)))
        self.evidence = Evidence(self.sources)
        self._finder = ConflictFinder(self.sources)
        namings = map(committee.namings, committee.ids)
        self._keys = [{key for author in authors for key in keys_of(author)} for authors in namings]
        resolved = resolve(self.sources, self._keys)
        self._rows: list[dict[int, list[int]]] = [{} for _ in self.sources]
        names: list[tuple[int, str]] = []  # of rows
        for row, numbers in enumerate(resolved):
            for rows, same in zip(self._rows, numbers, strict=True):
                for number in same:
                    rows.setdefault(number, []).append(row)
            found = [name for number in numbers[0] for name in records.names(number)]
            others = (person for people in numbers[1:] for person in people.values())
            found += [person.name for person in others if comparable(person.name) != person.keys[0]]
            names += [(row, name) for name in dict.fromkeys(found)]
        self._ranked = [np.array(sorted(rows), dtype=np.int64) for rows in self._rows]
        self._named = [row for row, _ in names]
        self._people = People({number: name for number, (_, name) in enumerate(names)})
        self._by_key: dict[str, dict[int, None]] = defaultdict(dict)
        for row, keys in enumerate(self._keys):
            for key in keys:
                self._by_key[key][row] = None
        self._names_of_copies = _names_of_copies(submissions)
        authors = [author for submission in submissions for author in submission.authors]
        self._by_name_only = any(submission.author_names for submission in submissions) or not all(
            map(_orcid, map(keys_of, authors))
        )

    def conflicts(self, submission: Submission, rules: ConflictRules, declared: Sequence[str] = ()) -> list[Conflict]:
        """Every reason why a reviewer should not review a submission."""
        ids = self.committee.ids
        given = dict.fromkeys([*submission.author_names, *self._names_of_copies.get(submission.id, ())])
        submission = structs.replace(submission, author_names=tuple(given))
        every: list[Conflict] = []
        authors: set[int] = set()  # rows that are authors, whatever they are called, or are said to be others
        asked: set[tuple[int, str]] = set()  # rows that may be authors of a name
        found = self._finder.find(submission, self._ranked, rules, thorough=self._thorough)
        self.evidence.add([*zip(found, self._rows, strict=True)])
        if (given or submission.authors) and not (found[0].authors.matched or found[0].authors.namesakes):
            self.unknown[submission.id] = len(found[0].authors.names)
        declared = (*declared, *submission.conflicts)
        for rows, conflicts in zip(self._rows, found, strict=True):
            if declared:
                conflicts = conflicts.with_declared(declared)
            words = conflicts.explain({number: ids[rows[number][0]] for number in conflicts.reasons if number in rows})
            for number, reasons in words.items():
                first, *others = rows[number]
                every += reasons
                for row in others:
                    same = {"": "", ids[first]: ids[row]}  # the namesake is the reviewer, under another id
                    every += [
                        structs.replace(reason, reviewer=ids[row], namesake=same.get(reason.namesake, reason.namesake))
                        for reason in reasons
                    ]
                for reason in reasons:
                    if reason.kind is ConflictKind.AUTHOR and not reason.author:
                        authors.update(rows[number])
                    elif reason.kind is ConflictKind.AUTHOR:
                        asked.update((row, reason.author) for row in rows[number])
        if rules.own_authors:
            of_paper = found[0].authors
            for rows, different in zip(self._rows, of_paper.others, strict=True):
                authors.update(row for number in different for row in rows.get(number, ()))
            for name in of_paper.names:
                for number in self._people.like(name):
                    if (row := self._named[number]) not in authors and (row, name) not in asked:
                        asked.add((row, name))
                        form = other_form(self._people.names[number], name)
                        because = (submission.id, ids[row], form.kind, form.words, False)
                        every.append(Conflict(*because, author=name, namesake=ids[row]))
        return every

    def numbers(self, keys: Sequence[str]) -> list[list[int]]:
        """For each id, ORCID or e-mail address, in any form, the rows of the reviewers who have it."""
        rows_of_keys = [dict(self._by_key.get(comparable(key), {})) for key in keys]
        for rows, source in zip(self._rows, self.sources, strict=True):
            for found, same in zip(rows_of_keys, source.numbers(keys), strict=True):
                found |= {row: None for number in same for row in rows.get(number, ())}
        return [sorted(found) for found in rows_of_keys]

    def people_named(self, names: Sequence[str]) -> list[list[int]]:
        """For each name the rows of the reviewers who have it, and -1 for somebody else of the name of a reviewer."""
        rows_of_names = [sorted(self._by_name.get(plain_name(name), ())) for name in names]
        for rows, source in zip(self._rows, self.sources, strict=True):
            for reviewers, numbers in zip(rows_of_names, source.people_named(names), strict=True):
                if reviewers and reviewers[0] >= 0 and any(number not in rows for number in numbers):
                    reviewers.insert(0, -1)
        return rows_of_names

    @cached_property
    def _by_name(self) -> Mapping[str, set[int]]:
        """Rows by normalised names."""
        rows: dict[str, set[int]] = defaultdict(set)
        for row, name in zip(self._named, self._people.names.values(), strict=True):
            rows[plain_name(name)].add(row)
        return rows

    def aliases(self) -> dict[str, str]:
        """The other identity keys of each reviewer; where a person has several rows, all are those of the first."""
        ids = self.committee.ids
        first = group_members(len(ids), ((next(iter(rows)), row) for rows in self._by_key.values() for row in rows))
        own_keys = {comparable(reviewer) for reviewer in ids}
        others = {key: first[next(iter(rows))] for key, rows in self._by_key.items() if key not in own_keys}
        others |= {comparable(ids[row]): other for row, other in enumerate(first) if other != row}
        return {key: ids[row] for key, row in others.items()}

    def unchecked_people(self, rules: ConflictRules) -> dict[str, str]:
        """What cannot be known of each reviewer who is not fully known."""
        with_name = {*self._named}
        written = [bool(papers) for papers in self.committee.papers]
        placed = [bool(self.committee.institutions(reviewer)) for reviewer in self.committee.ids]
        for rows, source in zip(self._rows, self.sources, strict=True):
            papers, places = np.diff(source.ownership.author_starts) > 0, np.diff(source.affiliations.starts) > 0
            for number, person_rows in rows.items():
                for row in person_rows:
                    written[row] |= bool(papers[number]) and source is not self.sources[0]
                    placed[row] |= bool(places[number])
        people = {}
        for row, reviewer in enumerate(self.committee.ids):
            nameless, orcid = rules.own_authors and row not in with_name, _orcid(self._keys[row])
            lacking = (  # in the order of _LACKS
                nameless and not orcid,
                nameless and orcid and self._by_name_only,
                rules.coauthor_years is not None and not written[row],
                rules.institution_years is not None and not placed[row],
                is_wrong_orcid(self.committee.author(reviewer).orcid or reviewer),
            )
            if any(lacking):
                people[reviewer] = ", ".join(compress(_LACKS, lacking))
        return people


def _orcid(keys: Iterable[str]) -> bool:
    """Whether an ORCID is among these identity keys."""
    return any(key.startswith("orcid:") for key in keys)


def unchecked(
    people: Mapping[str, str],
    committee: int,
    submissions: Iterable[Submission],
    rules: ConflictRules,
    conflicts: Iterable[Conflict],
) -> Iterator[str]:
    """What cannot be checked for a whole conference, in words, and what is known no longer."""
    total = counted(committee, "reviewer")
    for lack, means in _LACKS.items():
        count = sum(lack in lacks.split(", ") for lacks in people.values())
        if count:
            yield f"{count:,} of {total} {'has' if count == 1 else 'have'} {lack}: {means}"
    nameless = sum(not (submission.authors or submission.author_names) for submission in submissions)
    if nameless:
        yield f"{counted(nameless, 'submission')} without any author: their conflicts cannot be known"
    if unknown := rules.unchecked():
        yield f"nothing is known here of {', '.join(unknown)}"
    if pairs := len({(reason.submission, reason.reviewer) for reason in conflicts if reason.lost}):
        conflict = counted(pairs, "conflict rests", "conflicts rest")
        yield f"{conflict} on what the corpus no longer has: they stay until somebody dismisses them"


def own_papers(submissions: Sequence[Submission], committee: Committee) -> list[tuple[Submission, str, Paper]]:
    """Submissions that are among the papers of a reviewer, by id or by title: (submission, reviewer, paper)."""
    by_mark: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for submission in submissions:
        for mark in (("id", submission.id), *marks(submission)):
            by_mark[mark].append(submission)
    pairs: dict[tuple[str, str], tuple[Submission, str, Paper]] = {}
    same: dict[int, list[Submission]] = {}  # of a paper, which may be of several reviewers
    for reviewer, papers in zip(committee.ids, committee.papers, strict=True):
        for paper in papers:
            if id(paper) not in same:
                of_paper = (("id", paper.id), *marks(paper))
                same[id(paper)] = [submission for mark in of_paper for submission in by_mark.get(mark, ())]
            for submission in same[id(paper)]:
                pairs.setdefault((submission.id, reviewer), (submission, reviewer, paper))
    order = {submission.id: row for row, submission in enumerate(submissions)}
    return sorted(pairs.values(), key=lambda pair: (order[pair[0].id], pair[1]))


def own_paper_conflict(submission: Submission, reviewer: str, paper: Paper) -> Conflict:
    """The conflict of a reviewer who has the submission among their papers."""
    same = any(mark in marks(paper) for mark in marks(submission))
    evidence = has_title(paper) if same else "author of a paper with the id of the submission"
    return Conflict(submission.id, reviewer, ConflictKind.AUTHOR, evidence)


def _names_of_copies(submissions: Sequence[Submission]) -> dict[str, list[str]]:
    """For submissions of which there is another one with the same title or text, the names of that one's authors."""
    groups: dict[tuple[str, str], list[Submission]] = defaultdict(list)
    for submission in submissions:
        text = [("abstract", plain_abstract(submission))] if submission.abstract else []
        for mark in (*marks(submission), *text):
            groups[mark].append(submission)
    names: dict[str, list[str]] = defaultdict(list)
    for group in groups.values():
        if len(group) > 1:
            for submission in group:
                names[submission.id] += [
                    name for other in group if other is not submission for name in other.author_names
                ]
    return names
