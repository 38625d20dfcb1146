"""The finder: a submission in, a panel out. Search, fuse, aggregate, conflicts, filters, diversity, explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index, open_index
from indexing.tables.ownership import gather_rows
from indexing.text import Text
from panelist.closing import Closing
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Panel, Submission
from panelist.workspace import Workspace
from retriever.aggregate import RankedAuthors, aggregate
from retriever.assembly import Assembler, Ranking
from retriever.candidates import Candidates
from retriever.conflicts import ConflictFinder
from retriever.filters import Filters
from retriever.lookup import Lookup

BATCH = 512
"""Submissions searched together by `find_many` and `rank`."""

_SPARE = 50
"""How many candidates with a conflict are reckoned with; where there are more, the search for conflicts is widened."""

_ANYBODY = Filters()

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class _Scope:
    """Who and what is looked at: masks over authors and over the units that any of them wrote; None for all."""

    authors: NDArray[np.bool_] | None
    units: NDArray[np.bool_] | None
    notes: tuple[str, ...]


class Finder(Closing):
    """Finds reviewers in one index. Safe to share between threads; a context manager."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self.index, self.corpus = index, corpus
        self._conflicts = ConflictFinder(index, corpus)
        self._assembler = Assembler(index, corpus)

    @classmethod
    def open(cls, workspace: Workspace | Path | str) -> Finder:
        """The finder of a workspace, or of the workspace in this directory.

        Raises:
            InputError: there is no corpus yet.
            IndexDirectoryError: there is no index yet, or it is damaged.
        """
        workspace = workspace if isinstance(workspace, Workspace) else Workspace.at(Path(workspace))
        corpus = workspace.open_corpus()
        try:
            return cls(open_index(workspace.index_path), corpus)
        except BaseException:
            corpus.close()
            raise

    def find(self, submission: Submission, lookup: Lookup | None = None) -> Panel:
        """The panel for one submission."""
        return next(self.find_many([submission], lookup))

    def find_many(self, submissions: Sequence[Submission], lookup: Lookup | None = None) -> Iterator[Panel]:
        """Panels for many submissions, in their order: faster than one by one, and the same."""
        lookup = lookup or Lookup()
        for ranking in self._rank(submissions, lookup, None):
            yield self._assembler.assemble(ranking, lookup)

    def rank(
        self,
        submissions: Sequence[Submission],
        lookup: Lookup | None = None,
        *,
        vectors: NDArray[np.float32] | None = None,
    ) -> Iterator[list[tuple[str, float]]]:
        """The plain ranking for each submission, as (reviewer id, score): what runs and benchmarks want.

        Args:
            submissions: what to find reviewers for.
            lookup: diversity and explanation do not matter here.
            vectors: (submissions, dimension) the encoded submissions, where they are known already.
        """
        lookup = lookup or Lookup()
        for ranking in self._rank(submissions, lookup, vectors):
            best = ranking.places[: lookup.size]
            ids = self.index.ownership.author_ids.take(ranking.ranked.authors[best])
            yield list(zip(ids, ranking.ranked.scores[best].tolist(), strict=True))

    def close(self) -> None:
        """Let go of the index and the corpus."""
        self.index.close()
        self.corpus.close()

    def _rank(
        self, submissions: Sequence[Submission], lookup: Lookup, vectors: NDArray[np.float32] | None
    ) -> Iterator[Ranking]:
        scope = self._scope(lookup)
        texts = [_text(submission) for submission in submissions]
        if vectors is not None and len(vectors) != len(texts):
            raise InputError(f"{len(texts)} submissions, but {len(vectors)} vectors: give one for each")
        for first in range(0, len(texts), BATCH):
            batch = slice(first, first + BATCH)
            known = None if vectors is None else vectors[batch]
            candidates = lookup.search.run(self.index, texts[batch], allowed=scope.units, vectors=known)
            rankings = aggregate(candidates, self.index.ownership, lookup.aggregation, allowed=scope.authors)
            for submission, ranked in zip(submissions[batch], rankings, strict=True):
                yield self._admit(submission, candidates, ranked, lookup, scope.notes)

    def _scope(self, lookup: Lookup) -> _Scope:
        ownership = self.index.ownership
        listed = lookup.filters.include + lookup.filters.exclude
        notes = _unknown(listed, ownership.author_ids.find(listed), "reviewers to include or exclude")
        if lookup.pool is None:
            return _Scope(None, None, notes)
        numbers = ownership.author_ids.find(lookup.pool)
        if not (numbers >= 0).any():
            raise InputError(
                f"none of the {len(lookup.pool)} reviewers of the pool is in the index: give ids as "
                "'panelist find --json' shows them"
            )
        authors = np.zeros(len(ownership.author_ids), dtype=np.bool_)
        authors[numbers[numbers >= 0]] = True
        places, _ = gather_rows(ownership.author_starts, np.flatnonzero(authors))
        units = np.zeros(len(self.index.units), dtype=np.bool_)
        units[ownership.author_units[places]] = True
        return _Scope(authors, units, notes + _unknown(lookup.pool, numbers, "reviewers of the pool"))

    def _admit(
        self,
        submission: Submission,
        candidates: Candidates,
        ranked: RankedAuthors,
        lookup: Lookup,
        notes: tuple[str, ...],
    ) -> Ranking:
        """Who may be on the panel of one submission."""
        # Votes of weight zero, such as those of papers that share nothing with the submission, make nobody an expert.
        places = np.arange(np.count_nonzero(ranked.scores > 0))
        if lookup.filters != _ANYBODY:
            relevant = ranked.vote_starts[places + 1] - ranked.vote_starts[places]
            places = places[lookup.filters.passing(self.index, ranked.authors[places], relevant)]
        hidden = places[:0]
        conflicts = None
        if lookup.conflicts != "ignore":
            reach = lookup.reach + _SPARE  # the conflicts of thousands are of no interest
            declared = lookup.declared.get(submission.id, ())
            while True:
                first = places[:reach]
                authors = ranked.authors[first]
                conflicts = self._conflicts.find(submission, authors, lookup.conflict_rules, declared)
                barred = conflicts.certain if lookup.conflicts == "hide" else frozenset()
                clash = np.fromiter(map(barred.__contains__, authors.tolist()), np.bool_, len(authors))
                hidden, left = first[clash], first[~clash]
                if len(left) >= lookup.reach or reach >= len(places):
                    break
                reach *= 4
            places = left
        if conflicts is not None and conflicts.unknown:
            unknown = ", ".join(conflicts.unknown)
            notes = (*notes, f"not in the index, so without known co-authors or institution: {unknown}")
        if len(places) < lookup.size:
            notes = (*notes, f"only {len(places)} of {lookup.size} reviewers found: widen the pool or the filters")
        return Ranking(submission, candidates, ranked, places, hidden, conflicts, notes)


def _text(submission: Submission) -> Text:
    """The submission's text, without control characters."""
    title, abstract = (_CONTROL.sub(" ", part).strip() for part in (submission.title, submission.abstract))
    if not title and not abstract:
        raise InputError(f"submission '{submission.id}' has neither title nor abstract: give at least one of them")
    try:
        f"{title}{abstract}".encode()
    except UnicodeEncodeError as error:
        raise InputError(f"submission '{submission.id}' is no Unicode text: save it as UTF-8") from error
    return Text(title, abstract)


def _unknown(ids: Sequence[str], numbers: NDArray[np.int64], what: str) -> tuple[str, ...]:
    """A note that some of these ids are not in the index, if so."""
    missing = [one for one, number in zip(ids, numbers.tolist(), strict=True) if number < 0]
    if not missing:
        return ()
    shown = ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
    return (f"{len(missing)} of the {len(ids)} {what} not in the index: {shown}",)
