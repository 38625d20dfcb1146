"""The finder: a submission in, a panel out.

Search and fusion find papers, aggregation ranks their authors, filters drop some of them, a learned ranker, if one is
given, reorders the others, conflicts leave a shortlist, diversity chooses from it, and explanation says why.
`retriever.stages` holds what one stage hands to the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

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
from panelist.records import Conflict, ConflictKind, Panel, Submission
from panelist.words import counted, first_of
from panelist.workspace import Workspace
from retriever.aggregate import aggregate
from retriever.conference.conflicts.finder import ConflictFinder
from retriever.conference.identity import comparable
from retriever.conference.names import People
from retriever.conference.people import AUTHOR, IndexSource
from retriever.diversity import ContenderFinder, rerank, spread
from retriever.kernels import load_lookup_kernels
from retriever.lookup import Lookup
from retriever.panel import PanelMaker
from retriever.references.citations import Citations
from retriever.references.joining import joined, lift, with_uncited
from retriever.references.reading import CitationReader
from retriever.search import SearchFunction, search
from retriever.stages import Contenders, RankedAuthors, Shortlist
from retriever.terms import Rarity

BATCH = 512
"""Submissions that are searched together."""

_SPARE = 50
"""How many reviewers with a conflict are expected; where there are more, conflicts of more reviewers are looked for."""

_DEEPER = 15
"""How many more than a panel needs are looked at for each of ten who must not be cited."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


_Mask = NDArray[np.bool_] | None


class Finder(Closing):
    """Finds reviewers in one index. Safe to share between threads; a context manager."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self.index, self.corpus = index, corpus
        self.conflicts = ConflictFinder([IndexSource(index, corpus)])
        self._citations = CitationReader(index, corpus)
        self._contenders = ContenderFinder(index)
        self._panels = PanelMaker(index, corpus)

    @classmethod
    def open(
        cls,
        workspace: Workspace | Path | str,
        progress: Progress = silent,
        *,
        load: EncoderFactory = load_for_queries,
    ) -> Finder:
        """The finder of a workspace, or of the workspace in this directory.

        There is progress where kernels have to be compiled first, which takes a while. `load` says where and how
        exactly queries are encoded: `load=EncoderLoader("cuda")`.

        Raises:
            InputError: there is no corpus yet.
            IndexDirectoryError: there is no index yet, or it is damaged.
        """
        workspace = workspace if isinstance(workspace, Workspace) else Workspace.at(Path(workspace))
        corpus = workspace.open_corpus()
        try:
            finder = cls(open_index(workspace.index_path, load=load), corpus)
        except BaseException:
            corpus.close()
            raise
        load_lookup_kernels(progress)  # while the engines start
        return finder

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
                short = f"only {len(chosen)} of {lookup.size} reviewers found: widen the pool or the filters"
                shortlist = replace(shortlist, notes=(*shortlist.notes, short))
            if lookup.diversity > 0 and len(chosen) > 0:
                contenders = self.contenders(eligible, lookup, members)
                known = np.searchsorted(contenders.rows, members).tolist()
                best = rerank(contenders, lookup.size, lookup.diversity, lookup.diversity_algorithm, known)
                chosen = np.concatenate([contenders.rows[best], chosen[len(best) :]])
            chosen = with_uncited(eligible, chosen, lookup.uncited)
            yield self._panels.make(shortlist, chosen, lookup)

    def rank(
        self,
        submissions: Sequence[Submission],
        lookup: Lookup | None = None,
        *,
        vectors: NDArray[np.float32] | None = None,
    ) -> Iterator[list[tuple[str, float]]]:
        """The plain ranking for each submission, as (reviewer id, score): what runs and benchmarks want.

        `vectors` (submissions, dimension) are the encoded submissions, where they are known already.
        """
        lookup = lookup or Lookup()
        for shortlist in self.shortlists(submissions, lookup, vectors=vectors):
            ranked, best = shortlist.ranked, shortlist.rows[: lookup.size]
            ids = self.index.ownership.author_ids.take(ranked.authors[best])
            yield list(zip(ids, ranked.scores[best].tolist(), strict=True))

    def shortlists(
        self,
        submissions: Sequence[Submission],
        lookup: Lookup | None = None,
        *,
        vectors: NDArray[np.float32] | None = None,
        search: SearchFunction = search,
    ) -> Iterator[Shortlist]:
        """Who may be on the panel of each submission: at least as many as the look-up chooses from, or all."""
        lookup = lookup or Lookup()
        (allowed_authors, allowed_units, pool_notes), weights = self._scope(lookup), lookup.reference_weights
        texts = [_text(submission) for submission in submissions]
        if vectors is not None and len(vectors) != len(texts):
            raise InputError(f"{len(texts)} submissions, but {len(vectors)} vectors: give one for each")
        for first in range(0, len(texts), BATCH):
            batch = slice(first, first + BATCH)
            known = None if vectors is None else vectors[batch]
            with self._reading(submissions[batch], lookup) as cited_by:  # while the engines search
                papers = search(self.index, texts[batch], lookup.search, allowed=allowed_units, vectors=known)
                cited = cited_by()
            papers = [
                matches if of is None else joined(of, matches, self.index, weights, lookup.search.depth, allowed_units)
                for matches, of in zip(papers, cited, strict=True)
            ]
            lifts = [None if of is None else lift(of, lookup.aggregation, weights) for of in cited]
            rankings = aggregate(papers, self.index.ownership, lookup.aggregation, allowed=allowed_authors, lifts=lifts)
            for submission, ranked, citations in zip(submissions[batch], rankings, cited, strict=True):
                # Votes of weight zero, as of papers that share nothing with the submission, make nobody an expert.
                rows = np.arange(np.count_nonzero(ranked.scores > 0))
                rows = lookup.filters.passing(self.index, ranked, rows)
                reasons = None
                if lookup.ranker is not None and len(rows) > 0:
                    ranked, reasons = lookup.ranker.rerank(
                        ranked, rows, lookup.aggregation, self.index.ownership, citations
                    )
                    rows = np.arange(len(ranked))
                notes = pool_notes if citations is None else (*pool_notes, citations.note(ranked.authors[rows]))
                reach = lookup.reach
                if citations is not None:  # the best who are not cited may be far down
                    reach = max(reach, len(lookup.members) + lookup.size + _DEEPER * lookup.uncited)
                shortlist = self._without_conflicts(submission, ranked, rows, lookup, notes, reach)
                yield replace(shortlist, reasons=reasons, citations=citations)

    @contextmanager
    def _reading(
        self, submissions: Sequence[Submission], lookup: Lookup
    ) -> Iterator[Callable[[], list[Citations | None]]]:
        """What submissions cite, read in a thread of its own where there is anything to read."""
        if lookup.references == "off" or not any(paper.bibliography or paper.references for paper in submissions):
            yield lambda: [None] * len(submissions)
            return
        with ThreadPoolExecutor(1) as thread:
            yield thread.submit(lambda: [self._citations.read(submission) for submission in submissions]).result

    def contenders(self, shortlist: Shortlist, lookup: Lookup, members: NDArray[np.int64] | None = None) -> Contenders:
        """The best of a shortlist, which must not be empty, as diversity needs to know them.

        `members` are the rows of those who are on the panel already, to be described too.
        """
        rows = shortlist.rows[: lookup.contenders]
        if members is not None and len(members) > 0:
            rows = np.union1d(rows, members)
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
        conflicts = conflicts.with_declared(lookup.declared.get(submission.id, ())).with_names(People(names))
        flagged = {people[number]: reasons for number, reasons in conflicts.explain(people).items()}
        own = {comparable(key) for who in submission.authors for key in (who.id, who.orcid, who.email) if key}
        for reviewer in set(reviewers) - set(people.values()):  # listed by hand: the index knows nothing of them
            if comparable(reviewer) in own:
                flagged[reviewer] = (Conflict(submission.id, reviewer, ConflictKind.AUTHOR, AUTHOR, True),)
        return flagged

    @property
    def rarity(self) -> Rarity:
        """How rare words are in this corpus, learned from a sample of its papers."""
        return self._panels.rarity

    def close(self) -> None:
        """Close the index and the corpus."""
        self.index.close()
        self.corpus.close()

    def _members(self, ranked: RankedAuthors, lookup: Lookup) -> NDArray[np.int64]:
        """The rows of those who are on the panel already, as far as any of their papers was found."""
        if not lookup.members:
            return np.zeros(0, dtype=np.int64)
        numbers = self.index.ownership.author_ids.find(lookup.members)
        return np.flatnonzero(np.isin(ranked.authors, numbers) & (ranked.scores > 0))

    def _scope(self, lookup: Lookup) -> tuple[_Mask, _Mask, tuple[str, ...]]:
        """Masks over the authors and over the units that are looked at, None for all; and what the user should know."""
        ownership = self.index.ownership
        listed = lookup.filters.include + lookup.filters.exclude
        notes = _unknown(listed, ownership.author_ids.find(listed), "reviewers to include or exclude")
        if lookup.pool is None:
            return None, None, notes
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
        return authors, units, notes + _unknown(lookup.pool, numbers, "reviewers of the pool")

    def _without_conflicts(
        self,
        submission: Submission,
        ranked: RankedAuthors,
        rows: NDArray[np.int64],
        lookup: Lookup,
        notes: tuple[str, ...],
        enough: int,
    ) -> Shortlist:
        """The rows without a hidden conflict. Of a long ranking only the first ones are checked and returned."""
        if lookup.conflicts == "ignore":
            return Shortlist(submission, ranked, rows, rows[:0], None, notes)
        declared = lookup.declared.get(submission.id, ())
        reach = enough + _SPARE
        while True:
            first = rows[:reach]
            authors = ranked.authors[first]
            (conflicts,) = self.conflicts.find(submission, [authors], lookup.conflict_rules, ranked.candidates.units)
            conflicts = conflicts.with_declared(declared)
            barred = conflicts.certain if lookup.conflicts == "hide" else frozenset()
            clash = np.fromiter(map(barred.__contains__, authors.tolist()), np.bool_, len(authors))
            left = first[~clash]
            if len(left) >= enough or reach >= len(rows):
                return Shortlist(submission, ranked, left, first[clash], conflicts, notes + conflicts.notes())
            reach *= 4


def _text(submission: Submission) -> Text:
    """The submission's text, without control characters."""
    title, abstract = (_CONTROL.sub(" ", part).strip() for part in (submission.title, submission.abstract))
    if not title and not abstract:
        raise InputError(f"submission '{submission.id}' has neither title nor abstract: give at least one of them")
    people = (text for author in submission.authors for text in (author.id, author.name))
    try:
        "".join([title, abstract, *submission.author_names, *people]).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"submission '{submission.id}' is not Unicode text: save it as UTF-8") from error
    return Text(title, abstract)


def _unknown(ids: Sequence[str], numbers: NDArray[np.int64], what: str) -> tuple[str, ...]:
    """A note that some of these ids are not in the index, if so."""
    missing = [key for key, number in zip(ids, numbers.tolist(), strict=True) if number < 0]
    if not missing:
        return ()
    return (f"{len(missing)} of the {len(ids)} {what} not in the index: {first_of(missing)}",)
