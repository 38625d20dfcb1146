"""The finder: a submission in, a panel out.

Search and fusion find papers, aggregation ranks their authors, filters drop some of them, a learned ranker, if one is
given, reorders the others, conflicts leave a shortlist, diversity chooses from it, and explanation says why.
`retriever.stages` holds what one stage hands to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import EncoderFactory
from indexing.encoders.cache import load_for_queries
from indexing.index import Index, open_index
from indexing.tables.ownership import gather_rows
from indexing.text import Text
from panelist.closing import Closing
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Author, Conflict, ConflictKind, Coverage, HistoryEvent, Panel, Submission
from panelist.words import counted, first_of
from panelist.workspace import Workspace
from retriever.aggregate import Lift, aggregate
from retriever.conference.authors import Authors
from retriever.conference.committee import Committee
from retriever.conference.conflicts.finder import ConflictFinder
from retriever.conference.conflicts.held import fitting, hold_back
from retriever.conference.conflicts.table import by_certainty
from retriever.conference.directory import Directory
from retriever.conference.names import People
from retriever.conference.people import IndexSource, keys_of
from retriever.coverage import coverage_of
from retriever.diversity import ContenderFinder, rerank, spread
from retriever.history import joining
from retriever.history.seats import kept_seats, with_seats
from retriever.history.seen import Seen
from retriever.history.table import History, vectors_in
from retriever.kernels import load_lookup_kernels
from retriever.lookup import Lookup
from retriever.panel import PanelMaker
from retriever.references.citations import Citations
from retriever.references.joining import joined, lift, with_people
from retriever.references.reading import CitationReader
from retriever.search import SearchFunction, search
from retriever.stages import Candidates, Contenders, RankedAuthors, Reasons, Shortlist
from retriever.terms import Rarity

BATCH = 512
"""Submissions that are searched together."""

_SPARE = 50
"""How many reviewers with a conflict are expected; where there are more, conflicts of more reviewers are looked for."""

_DEEPER = 15
"""How many more than a panel needs are looked at for each of ten seats that are kept for somebody."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


_Mask = NDArray[np.bool_] | None
_Vectors = NDArray[np.float32] | None


class _Scope(NamedTuple):
    """Masks over the authors and over the units that are looked at, None for all; and what the user should know."""

    authors: _Mask
    units: _Mask
    notes: tuple[str, ...]


class _Known(NamedTuple):
    """What a submission cites and who wrote it, as far as that is asked for and known."""

    citations: Citations | None
    authors: Authors | None


class _Evidence(NamedTuple):
    """What is known of a submission: papers, what it says itself, a history, and what these do to scores."""

    papers: Candidates
    known: _Known
    seen: Seen | None
    lifts: list[Lift]


class Finder(Closing):
    """Finds reviewers in one index. Safe to share between threads; a context manager."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self.index, self.corpus = index, corpus
        self._source = IndexSource(index, corpus)
        self.conflicts = ConflictFinder([self._source])
        self.history: History | None = None
        self.history_is = ""
        self._citations = CitationReader(index, corpus)
        self._contenders = ContenderFinder(index)
        self._panels = PanelMaker(index, corpus)
        self._threads = ThreadPoolExecutor(thread_name_prefix="finder")

    @classmethod
    def open(
        cls,
        workspace: Workspace | Path | str,
        progress: Progress = silent,
        *,
        load: EncoderFactory = load_for_queries,
        lexical: str | None = None,
    ) -> Finder:
        """The finder of a workspace, or of the workspace in this directory.

        There is progress where kernels have to be compiled first, which takes a while. `load` says where and how
        exactly queries are encoded: `load=EncoderLoader("cuda")`. `lexical` is an index of others that is searched in
        the place of the workspace's: `pyserini:DIR`.

        Raises:
            InputError: there is no corpus yet.
            IndexDirectoryError: there is no index yet, or it is damaged.
        """
        workspace = workspace if isinstance(workspace, Workspace) else Workspace.at(Path(workspace))
        corpus = workspace.open_corpus()
        try:
            finder = cls(open_index(workspace.index_path, load=load, lexical=lexical), corpus)
        except BaseException:
            corpus.close()
            raise
        load_lookup_kernels(progress)  # while the engines start
        finder.read_history()
        return finder

    def read_history(self) -> None:
        """Take up what the corpus knows of reviews and editorships, where that has changed."""
        fingerprint = self.corpus.history_fingerprint()
        if fingerprint != self.history_is:
            self._count(History.read(self.index, self._source, self.corpus, fingerprint) if fingerprint else None)
            self.history_is = fingerprint

    def use_history(self, events: Iterable[HistoryEvent]) -> None:
        """Count these reviews and editorships, and no others."""
        self._count(History.of(self._source, events, vectors_in(self.index)))

    def _count(self, history: History | None) -> None:
        self.history = history if history is not None and len(history.authors) else None

    def find(self, submission: Submission, lookup: Lookup | None = None, *, search: SearchFunction = search) -> Panel:
        """The panel for one submission."""
        return next(self.find_many([submission], lookup, search=search))

    def find_many(
        self, submissions: Sequence[Submission], lookup: Lookup | None = None, *, search: SearchFunction = search
    ) -> Iterator[Panel]:
        """Panels for many submissions, in their order: faster than one by one, and the same.

        `search` finds papers; a server gives one that remembers.
        """
        lookup = lookup or Lookup()
        for shortlist in self.shortlists(submissions, lookup, search=search):
            members = self._members(shortlist.ranked, lookup)
            shortlist = replace(shortlist, rows=shortlist.rows[~np.isin(shortlist.rows, members)])
            eligible = shortlist
            if lookup.per_paper is not None:
                rows = spread(shortlist.ranked, shortlist.rows, lookup.per_paper, lookup.size)
                eligible = replace(shortlist, rows=rows)
            chosen = eligible.rows[: lookup.size]
            if len(chosen) < lookup.size:
                count = (
                    f"only {len(chosen)} of {lookup.size} reviewers were found" if len(chosen) else "nobody was found"
                )
                short = f"{count}: widen pool and filters, or import papers"
                shortlist = replace(shortlist, notes=(*shortlist.notes, short))
            if lookup.diversity > 0 and len(chosen) > 0:
                contenders = self.contenders(eligible, lookup, members.tolist())
                on_panel = np.searchsorted(contenders.rows, members).tolist()
                best = rerank(contenders, lookup.size, lookup.diversity, lookup.diversity_algorithm, on_panel)
                chosen = np.concatenate([contenders.rows[best], chosen[len(best) :]])
            newcomers = lookup.newcomers if lookup.role == "reviewer" else 0
            seats = kept_seats(eligible, lookup.uncited, newcomers)
            chosen = with_seats(eligible.ranked.authors, eligible.rows, chosen, seats)
            yield self._panels.make(shortlist, chosen, lookup)

    def rank(
        self, submissions: Sequence[Submission], lookup: Lookup | None = None, *, vectors: _Vectors = None
    ) -> Iterator[list[tuple[str, float]]]:
        """The plain ranking for each submission, as (reviewer id, score): what runs and benchmarks want.

        `vectors` (submissions, dimension) are the encoded submissions, where they are known already.
        """
        return (ranking for ranking, _ in self.rank_covered(submissions, lookup, vectors=vectors))

    def rank_covered(
        self, submissions: Sequence[Submission], lookup: Lookup | None = None, *, vectors: _Vectors = None
    ) -> Iterator[tuple[list[tuple[str, float]], Coverage | None]]:
        """The same, each with whether anybody here works on it; None where only words were searched."""
        lookup = lookup or Lookup()
        for shortlist in self.shortlists(submissions, lookup, vectors=vectors):
            ranked, best = shortlist.ranked, shortlist.rows[: lookup.size]
            ids = self.index.ownership.author_ids.take(ranked.authors[best])
            meaning = ranked.candidates.meaning
            yield list(zip(ids, ranked.scores[best].tolist(), strict=True)), coverage_of(self.index, meaning)

    def shortlists(
        self,
        submissions: Sequence[Submission],
        lookup: Lookup | None = None,
        *,
        vectors: _Vectors = None,
        search: SearchFunction = search,
    ) -> Iterator[Shortlist]:
        """Who may be on the panel of each submission: at least as many as the look-up chooses from, or all."""
        lookup = lookup or Lookup()
        scope = self._scope(lookup)
        texts = [_text(submission) for submission in submissions]
        if vectors is not None and len(vectors) != len(texts):
            raise InputError(f"{len(texts)} submissions, but {len(vectors)} vectors: give one for each")
        for start in range(0, len(texts), BATCH):
            batch = slice(start, start + BATCH)
            encoded = None if vectors is None else vectors[batch]
            reading = self._threads.submit(self._read, submissions[batch], lookup)  # while the engines search
            papers = search(self.index, texts[batch], lookup.search, allowed=scope.units, vectors=encoded)
            evidence = [
                self._evidence(*found, lookup, scope.units)
                for found in zip(submissions[batch], papers, reading.result(), strict=True)
            ]
            papers, lifts = [found.papers for found in evidence], [found.lifts for found in evidence]
            owned, rule = self.index.ownership, lookup.aggregation
            rankings = aggregate(papers, owned, rule, allowed=scope.authors, lifts=lifts)
            for submission, ranked, found in zip(submissions[batch], rankings, evidence, strict=True):
                yield self._shortlist(submission, ranked, found, lookup, scope.notes)

    def _evidence(
        self, submission: Submission, papers: Candidates, known: _Known, lookup: Lookup, allowed: _Mask
    ) -> _Evidence:
        """The papers that a search found with those that references and a history add, best first."""
        citations = known.citations
        vector = None if papers.meaning is None else papers.meaning.vector
        people, lifts = [np.zeros(0, np.int64)], []
        both = citations is not None and self.history is not None  # side by side
        seeing = self._threads.submit(self._seen, submission, vector, lookup) if both else None
        if citations is not None:
            citations = citations.supported(self.index, papers.units, vector)
            weights = lookup.reference_weights
            papers = joined(citations, papers, self.index, weights, lookup.search.depth, allowed)
            people += [citations.people.authors] if weights.people > 0 else []
            lifts.append(lift(citations, lookup.aggregation, weights))
        seen = seeing.result() if seeing else self._seen(submission, vector, lookup)
        if seen is not None:
            people.append(joining.nearest_people(seen, lookup.role))
            lifts.append(joining.lift(seen, lookup.aggregation, lookup.weights))
        if lifts:
            papers = with_people(papers, self.index, np.unique(np.concatenate(people)), allowed)
        return _Evidence(papers, known._replace(citations=citations), seen, lifts)

    def _shortlist(
        self, submission: Submission, ranked: RankedAuthors, evidence: _Evidence, lookup: Lookup, notes: tuple[str, ...]
    ) -> Shortlist:
        """Those of a ranking who pass the filters, in the order of the ranker, without hidden conflicts."""
        (citations, authors), seen = evidence.known, evidence.seen
        # Votes of weight zero, as of papers that share nothing with the submission, make nobody an expert.
        rows = np.arange(np.count_nonzero(ranked.scores > 0))
        reasons = None
        if seen is not None:
            if lookup.role == "editor" and lookup.pool is None:
                rows = rows[seen.of_authors(seen.editorships, ranked.authors[rows]) > 0]
            if tired := seen.tired(ranked.authors[rows], *lookup.filters.load).sum():
                left_out = counted(int(tired), "person", "people")
                notes = (*notes, f"left out, because they reviewed of late: {left_out}")
        rows = lookup.filters.passing(self.index, ranked, rows, seen)
        if lookup.ranker is not None and len(rows) > 0:
            owned, rule = self.index.ownership, lookup.aggregation
            ranked, reasons = lookup.ranker.rerank(ranked, rows, rule, owned, citations, seen)
            rows = np.arange(len(ranked))
        if lookup.load_penalty > 0 and seen is not None and len(rows) > 0:
            sharpness = lookup.aggregation.sharpness
            ranked, order = joining.lowered(ranked.take(rows), seen, lookup.load_penalty, sharpness)
            rows = np.arange(len(ranked))
            reasons = None if reasons is None else _reordered(reasons, order)
        reach, cited = lookup.reach, np.zeros(0, np.int64)
        if citations is not None:
            notes = (*notes, citations.note(ranked.authors[rows]))
            cited = np.append(citations.indexed, citations.own_units)
        if citations is not None or seen is not None:  # the best for whom seats are kept may be far down
            reach = max(reach, len(lookup.members) + lookup.size + _DEEPER * lookup.seats)
        nobody = rows[:0]
        shortlist = Shortlist(submission, ranked, rows, nobody, nobody, None, notes, reasons, citations, seen)
        return self._without_conflicts(shortlist, authors, lookup, reach, cited)

    def _read(self, submissions: Sequence[Submission], lookup: Lookup) -> list[_Known]:
        """What submissions cite, and who wrote them."""
        return [
            _Known(
                None if lookup.references == "off" else self._citations.read(submission),
                None if lookup.conflicts == "ignore" else self.conflicts.authors(submission),
            )
            for submission in submissions
        ]

    def _seen(self, submission: Submission, vector: _Vectors, lookup: Lookup) -> Seen | None:
        """Who reviewed and edited before the submission was received; None where that is not known."""
        seen = None
        if self.history is not None and lookup.history == "auto":
            seen = Seen.of(self.history, submission, vector, self.index.nearness, lookup.history_excluded)
        if lookup.role == "editor" and lookup.pool is None and (seen is None or not seen.editorships.any()):
            raise InputError(
                f"nobody is known to have edited before '{submission.id}' was received: import a history "
                "('panelist history import'), or give the ids of a board as the pool"
            )
        return seen

    def contenders(self, shortlist: Shortlist, lookup: Lookup, members: Sequence[int] = ()) -> Contenders:
        """The best of a shortlist, which must not be empty, and members in other rows, as diversity needs them."""
        rows = np.union1d(shortlist.rows[: lookup.contenders], np.array(members, np.int64))
        relevance = lookup.aggregation.relevance(shortlist.ranked.scores[rows])
        return self._contenders.describe(shortlist.ranked, rows, relevance)

    def flagged(
        self, submission: Submission, reviewers: Sequence[str], lookup: Lookup
    ) -> dict[str, tuple[Conflict, ...]]:
        """The conflicts of a submission with those of these people who have any, by id; certain reasons first."""
        numbers = self.index.ownership.author_ids.find(reviewers)
        people = {number: reviewer for number, reviewer in zip(numbers.tolist(), reviewers, strict=True) if number >= 0}
        ranked = np.array([*people], dtype=np.int64)
        (conflicts,) = self.conflicts.find(submission, [ranked], lookup.conflict_rules)
        source = conflicts.source
        names = {n: person.name for n, person in zip(people, source.people([*people]), strict=True)}
        conflicts = conflicts.with_declared(_declared(submission, lookup)).with_names(People(names))
        flagged = {people[number]: reasons for number, reasons in conflicts.explain(people).items()}
        indexed = {*people.values()}
        if strangers := tuple(dict.fromkeys(key for key in reviewers if key not in indexed)):  # listed by hand
            committee = Committee(strangers, ((),) * len(strangers))
            directory = Directory(committee, [submission], (self.index, self.corpus))
            declared = lookup.declared.get(submission.id, ())
            reasons = directory.conflicts(submission, lookup.conflict_rules, declared)
            for reason in sorted(reasons, key=by_certainty):
                flagged[reason.reviewer] = (*flagged.get(reason.reviewer, ()), reason)
        return flagged

    def held_back(self, submission: Submission, lookup: Lookup) -> list[Conflict]:
        """Why people of the index may be authors of a submission, whether or not they would be ranked."""
        (alone,) = self.conflicts.find(submission, [np.zeros(0, np.int64)], lookup.conflict_rules)
        namesakes = [person.number for person in alone.authors.people[0]]
        numbers = np.union1d(fitting(self.index, alone.authors.names), np.array(namesakes, np.int64))
        (conflicts,) = self.conflicts.find(submission, [numbers], lookup.conflict_rules)
        conflicts, held = hold_back(conflicts, self.index, numbers, np.zeros(0, np.int64))
        people = sorted(held - conflicts.certain)
        ids = self.index.ownership.author_ids.take(people)
        words = conflicts.explain(dict(zip(people, ids, strict=True))).values()
        return [reason for reasons in words for reason in reasons if reason.kind is ConflictKind.AUTHOR]

    def done_before(self, submission: Submission, person: Author, excluded: Sequence[str] = ()) -> tuple[str, ...]:
        """What somebody reviewed and edited before a submission was received, in words."""
        if self.history is None:
            return ()
        people = np.array([number for same in self._source.numbers(keys_of(person)) for number in same], np.int32)
        vector = self.index.encoder().encode([_text(submission)])[0]
        seen = Seen.of(self.history, submission, vector, self.index.nearness, excluded)
        return next(filter(None, joining.history_words(seen, people)), ())

    @property
    def rarity(self) -> Rarity:
        """How rare words are in this corpus, learned from a sample of its papers."""
        return self._panels.rarity

    def close(self) -> None:
        """Close the index and the corpus."""
        self._threads.shutdown()
        self.index.close()
        self.corpus.close()

    def _members(self, ranked: RankedAuthors, lookup: Lookup) -> NDArray[np.int64]:
        """The rows of those who are on the panel already, as far as any of their papers was found."""
        if not lookup.members:
            return np.zeros(0, dtype=np.int64)
        numbers = self.index.ownership.author_ids.find(lookup.members)
        return np.flatnonzero(np.isin(ranked.authors, numbers) & (ranked.scores > 0))

    def _scope(self, lookup: Lookup) -> _Scope:
        ownership = self.index.ownership
        ids = lookup.filters.include + lookup.filters.exclude
        notes = _unknown(ids, ownership.author_ids.find(ids), "reviewers to include or exclude")
        if lookup.pool is None:
            return _Scope(None, None, notes)
        numbers = ownership.author_ids.find(lookup.pool)
        if not (numbers >= 0).any():
            raise InputError(
                f"nobody of the pool ({counted(len(lookup.pool), 'id')}) is in the index: give ids as "
                "the JSON of a panel shows them"
            )
        authors = np.zeros(len(ownership.author_ids), dtype=np.bool_)
        authors[numbers[numbers >= 0]] = True
        entries, _ = gather_rows(ownership.author_starts, np.flatnonzero(authors))
        units = np.zeros(len(self.index.units), dtype=np.bool_)
        units[ownership.author_units[entries]] = True
        return _Scope(authors, units, notes + _unknown(lookup.pool, numbers, "reviewers of the pool"))

    def _without_conflicts(
        self, shortlist: Shortlist, authors: Authors | None, lookup: Lookup, enough: int, cited: NDArray[np.int64]
    ) -> Shortlist:
        """A shortlist without hidden conflicts. Of a long ranking only the first rows are checked and returned.

        At least `enough` are left, if there are; `cited` are the units that the submission cites.
        """
        if lookup.conflicts == "ignore":
            return shortlist
        rules = lookup.conflict_rules
        submission, ranked, rows = shortlist.submission, shortlist.ranked, shortlist.rows
        reach = enough + _SPARE
        while True:
            checked = rows[:reach]
            people = ranked.authors[checked]
            (conflicts,) = self.conflicts.find(submission, [people], rules, ranked.candidates.units, authors=authors)
            conflicts, held = conflicts.with_declared(_declared(submission, lookup)), frozenset[int]()
            if lookup.conflicts == "hide":
                conflicts, held = hold_back(conflicts, self.index, people, cited)
            barred = conflicts.certain if lookup.conflicts == "hide" else frozenset()
            clash, unsure = (np.isin(people, np.array([*some], np.int64)) for some in (barred, held - barred))
            left = checked[~(clash | unsure)]
            if len(left) >= enough or reach >= len(rows):
                notes = shortlist.notes + conflicts.notes()
                hidden, held_rows = checked[clash], checked[unsure]
                return replace(shortlist, rows=left, hidden=hidden, held=held_rows, conflicts=conflicts, notes=notes)
            reach *= 4


def _reordered(reasons: Reasons, order: NDArray[np.int64]) -> Reasons:
    """The reasons of a ranking that was put into another order."""
    return lambda rows: reasons(order[rows])


def _declared(submission: Submission, lookup: Lookup) -> tuple[str, ...]:
    """Who is in conflict, as the user or the submission's authors say."""
    return (*lookup.declared.get(submission.id, ()), *submission.conflicts)


def _text(submission: Submission) -> Text:
    """The submission's text, without control characters."""
    title, abstract = (_CONTROL.sub(" ", text).strip() for text in (submission.title, submission.abstract))
    if not title and not abstract:
        raise InputError(f"submission '{submission.id}' has neither title nor abstract: give at least one of them")
    people = (text for author in submission.authors for text in (author.id, author.name))
    try:
        "".join([title, abstract, *submission.author_names, *people]).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"submission '{submission.id}' is not Unicode text: save it as UTF-8") from error
    return Text(title, abstract)


def _unknown(ids: Sequence[str], numbers: NDArray[np.int64], noun: str) -> tuple[str, ...]:
    """A note that some of these ids are not in the index, if so."""
    missing = [key for key, number in zip(ids, numbers.tolist(), strict=True) if number < 0]
    if not missing:
        return ()
    return (f"{len(missing)} of the {len(ids)} {noun} not in the index: {first_of(missing)}",)
