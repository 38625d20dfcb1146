"""Assembly: the best of a ranking become a panel. Diversity, evidence, conflicts in words, explanation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Diversity, Match, Panel, Submission
from retriever.aggregate import RankedAuthors
from retriever.candidates import Candidates
from retriever.careers import Careers
from retriever.conflicts import Conflicts
from retriever.contenders import ContenderFinder
from retriever.diversity import rerank
from retriever.explain import Evidence, Explainer, found_by
from retriever.lookup import Lookup
from retriever.papers import papers_of


@dataclass(frozen=True, slots=True)
class Ranking:
    """Who is left for one submission after conflicts and filters.

    Attributes:
        submission: what is to be reviewed.
        candidates: the papers that were found, for this submission among others.
        ranked: their authors.
        places: in `ranked`, best first: those who may be on the panel.
        hidden: those who may not, for a conflict.
        conflicts: the conflicts of both; None where nobody asked.
        notes: what the user should know.
    """

    submission: Submission
    candidates: Candidates
    ranked: RankedAuthors
    places: NDArray[np.int64]
    hidden: NDArray[np.int64]
    conflicts: Conflicts | None
    notes: tuple[str, ...]


class Assembler:
    """Makes panels of rankings, for one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus
        self._contenders = ContenderFinder(index)
        self._explainer = Explainer(index, corpus)

    def assemble(self, ranking: Ranking, lookup: Lookup) -> Panel:
        """The panel of one submission, of those who may be on it."""
        candidates, ranked = ranking.candidates, ranking.ranked
        front = ranking.places[: lookup.reach]
        careers = Careers.of(self._index, ranked.authors[front])
        relevance = lookup.aggregation.relevance(ranked.scores[front])
        order = np.arange(min(lookup.size, len(front)))
        plain = relevance[order]
        if lookup.diversity > 0 and len(front) > 0:
            several = slice(0, lookup.contenders)
            described = self._contenders.describe(
                ranked, candidates, front[several], relevance[several], careers.take(several)
            )
            best = rerank(described, lookup.size, lookup.diversity, lookup.diversity_algorithm)
            order[: len(best)] = best
        chosen, hidden = front[order], ranking.hidden
        if len(chosen) == lookup.size:
            hidden = hidden[hidden < chosen.max()]
        evidence = Evidence.of(candidates, ranked, chosen, lookup.aggregation.pooling, lookup.papers)
        involved = ranked.authors[np.concatenate([chosen, hidden])].tolist()
        shared = ranking.conflicts.written_together(involved) if ranking.conflicts else []
        papers = papers_of([*evidence.units, *shared], self._index, self._corpus)
        conflicts = ranking.conflicts.explain(involved, papers) if ranking.conflicts else {}
        explained = self._explainer.explain(ranking.submission, evidence, papers, sentences=lookup.sentences)
        stages = found_by(candidates, ranked, chosen)
        ids = self._index.ownership.author_ids.take(ranked.authors[chosen])
        people = self._corpus.authors(ids)
        careers = careers.take(order)
        placed = careers.institutions >= 0
        places = iter(self._index.affiliations.take(careers.institutions[placed]))
        institutions = [(next(places),) if known else () for known in placed.tolist()]
        scores, columns = ranked.scores[chosen].tolist(), (column.tolist() for column in careers.columns()[:4])
        matches = tuple(
            Match(
                rank=row + 1,
                author=people.get(ids[row]) or Author(ids[row], ids[row]),
                score=scores[row],
                papers=explained[row],
                institutions=institutions[row],
                paper_count=paper_count,
                citation_count=citation_count,
                first_year=None if first_year == NO_YEAR else first_year,
                last_year=None if last_year == NO_YEAR else last_year,
                found_by=stages[row],
                conflicts=conflicts.get(involved[row], ()),
            )
            for row, (paper_count, citation_count, first_year, last_year) in enumerate(zip(*columns, strict=True))
        )
        return Panel(
            submission=ranking.submission,
            matches=matches,
            diversity=_diversity(matches),
            relevance_cost=_cost(plain, relevance[order]),
            hidden=tuple(one for author in involved[len(chosen) :] for one in conflicts[author]),
            notes=ranking.notes,
        )


def _cost(plain: NDArray[np.float64], chosen: NDArray[np.float64]) -> float:
    """What share of the plain panel's relevance the chosen one gives up."""
    total = float(plain.sum())
    return max(1 - float(chosen.sum()) / total, 0.0) if total > 0 else 0.0


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
