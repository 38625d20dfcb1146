"""The finder: a submission in, a panel out. Search, fuse, aggregate, conflicts, filters, diversity, explanation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index, open_index
from indexing.ownership import gather_rows
from indexing.parallel import ahead
from indexing.text import Text
from indexing.units import NO_YEAR
from panelist.closing import Closing
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Author, Conflict, Diversity, Match, Panel, Submission
from panelist.workspace import Workspace
from retriever.aggregate import RankedAuthors, aggregate
from retriever.candidates import Candidates
from retriever.careers import Careers
from retriever.conflicts import ConflictFinder, Conflicts
from retriever.contenders import ContenderFinder
from retriever.diversity import rerank
from retriever.explain import Explainer, found_by
from retriever.lookup import Lookup

BATCH = 128
"""Submissions searched together by `find_many` and `rank`."""

_SPARE = 50
"""How many candidates with a conflict are reckoned with; where there are more, the search for conflicts is widened."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class _Scope:
    """Who and what is looked at: masks over authors and over the units that any of them wrote; None for all."""

    authors: NDArray[np.bool_] | None
    units: NDArray[np.bool_] | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ranking:
    """Who is left for one submission after conflicts and filters: places in `ranked`, best first."""

    submission: Submission
    places: NDArray[np.int64]
    hidden: NDArray[np.int64]
    conflicts: Conflicts | None
    notes: tuple[str, ...]


class Finder(Closing):
    """Finds reviewers in one index. Safe to share between threads; a context manager."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self.index, self.corpus = index, corpus
        self._explainer = Explainer(index, corpus)
        self._conflicts = ConflictFinder(index, corpus)
        self._contenders = ContenderFinder(index)

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
        for ranked, candidates, rankings in self._rank(submissions, lookup, None):
            for ranking in rankings:
                yield self._panel(ranking, ranked, candidates, lookup)

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
        for ranked, _, rankings in self._rank(submissions, lookup, vectors):
            for ranking in rankings:
                best = ranking.places[: lookup.size]
                ids = self.index.ownership.author_ids.take(ranked.authors[best])
                yield list(zip(ids, ranked.scores[best].tolist(), strict=True))

    def close(self) -> None:
        """Let go of the index and the corpus."""
        self.index.close()
        self.corpus.close()

    def _rank(
        self, submissions: Sequence[Submission], lookup: Lookup, vectors: NDArray[np.float32] | None
    ) -> Iterator[tuple[RankedAuthors, Candidates, list[_Ranking]]]:
        scope = self._scope(lookup)
        texts = [_text(submission) for submission in submissions]
        if vectors is not None and len(vectors) != len(texts):
            raise InputError(f"{len(texts)} submissions, but {len(vectors)} vectors: give one for each")
        batches = [slice(first, first + BATCH) for first in range(0, len(texts), BATCH)]

        def search(batch: slice) -> tuple[Candidates, RankedAuthors]:
            known = None if vectors is None else vectors[batch]
            candidates = lookup.search.run(self.index, texts[batch], allowed=scope.units, vectors=known)
            return candidates, aggregate(candidates, self.index.ownership, lookup.aggregation, allowed=scope.authors)

        for batch, (candidates, ranked) in zip(batches, ahead(search, batches), strict=True):
            rankings = [
                self._admit(submission, ranked, query, lookup, scope.notes)
                for query, submission in enumerate(submissions[batch])
            ]
            yield ranked, candidates, rankings

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
        self, submission: Submission, ranked: RankedAuthors, query: int, lookup: Lookup, notes: tuple[str, ...]
    ) -> _Ranking:
        """Who may be on the panel of one submission."""
        places = np.arange(ranked.starts[query], ranked.starts[query + 1])
        # Votes of weight zero, such as those of papers that share nothing with the submission, make nobody an expert.
        places = places[ranked.scores[places] > 0]
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
                clash = np.isin(authors, conflicts.certain) & (lookup.conflicts == "hide")
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
        return _Ranking(submission, places, hidden, conflicts, notes)

    def _panel(self, ranking: _Ranking, ranked: RankedAuthors, candidates: Candidates, lookup: Lookup) -> Panel:
        front = ranking.places[: lookup.reach]
        careers = Careers.of(self.index, ranked.authors[front])
        relevance = lookup.aggregation.relevance(ranked.scores[front])
        order = np.arange(min(lookup.size, len(front)))
        plain = relevance[order]
        if lookup.diversity > 0 and len(front) > 0:
            several = np.arange(min(lookup.contenders, len(front)))
            described = self._contenders.describe(
                ranked, candidates, front[several], relevance[several], careers.take(several)
            )
            best = rerank(described, lookup.size, lookup.diversity, lookup.diversity_algorithm)
            order[: len(best)] = best
        chosen = front[order]
        hidden = ranking.hidden
        if len(chosen) == lookup.size:
            hidden = hidden[hidden < chosen.max()]
        conflicts: dict[int, tuple[Conflict, ...]] = {}
        if ranking.conflicts is not None:
            shown = np.concatenate([chosen, hidden])
            conflicts = ranking.conflicts.explain(ranked.authors[shown].tolist(), self.corpus)
        matches = self._matches(ranking.submission, chosen, careers.take(order), ranked, candidates, conflicts, lookup)
        return Panel(
            submission=ranking.submission,
            matches=matches,
            diversity=_diversity(matches),
            relevance_cost=_cost(plain, relevance[order]),
            hidden=tuple(one for author in ranked.authors[hidden].tolist() for one in conflicts[author]),
            notes=ranking.notes,
        )

    def _matches(
        self,
        submission: Submission,
        chosen: NDArray[np.int64],
        careers: Careers,
        ranked: RankedAuthors,
        candidates: Candidates,
        conflicts: dict[int, tuple[Conflict, ...]],
        lookup: Lookup,
    ) -> tuple[Match, ...]:
        authors = ranked.authors[chosen]
        ids = self.index.ownership.author_ids.take(authors)
        people = self.corpus.authors(ids)
        places = careers.institutions.tolist()
        papers = self._explainer.explain(
            *(submission, candidates, ranked, chosen, lookup.aggregation.pooling),
            papers=lookup.papers,
            sentences=lookup.sentences,
        )
        stages = found_by(candidates, ranked, chosen)
        return tuple(
            Match(
                rank=row + 1,
                author=people.get(author) or Author(author, author),
                score=score,
                papers=papers[row],
                institutions=() if places[row] < 0 else (self.index.affiliations[places[row]],),
                paper_count=int(careers.papers[row]),
                citation_count=int(careers.citations[row]),
                first_year=_year(careers.first_years[row]),
                last_year=_year(careers.last_years[row]),
                found_by=stages[row],
                conflicts=conflicts.get(int(authors[row]), ()),
            )
            for row, (author, score) in enumerate(zip(ids, ranked.scores[chosen].tolist(), strict=True))
        )


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


def _cost(plain: NDArray[np.float64], chosen: NDArray[np.float64]) -> float:
    """What share of the plain panel's relevance the chosen one gives up."""
    total = float(plain.sum())
    return max(1 - float(chosen.sum()) / total, 0.0) if total > 0 else 0.0


def _year(year: int) -> int | None:
    return None if year == NO_YEAR else int(year)


def _diversity(matches: Sequence[Match]) -> Diversity:
    """How varied the members of a panel are; σ is the population standard deviation, as in exHarmony."""
    places = [place for match in matches for place in match.institutions]
    papers = [match.paper_count for match in matches]
    citations = [match.citation_count for match in matches]
    return Diversity(
        institutions=len({place.ror or place.name for place in places}),
        countries=len({place.country for place in places if place.country}),
        sigma_citations=_deviation(citations),
        sigma_papers=_deviation(papers),
    )


def _deviation(counts: Sequence[int]) -> float:
    """σ = √(n · Σ x² − (Σ x)²) / n, in whole numbers up to the root."""
    size = len(counts)
    return math.sqrt(size * sum(one * one for one in counts) - sum(counts) ** 2) / size if size else 0.0
