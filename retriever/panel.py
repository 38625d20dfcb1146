"""The panel: chosen reviewers with their careers, matching papers and conflicts in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Diversity, Match, Panel
from retriever.careers import Careers
from retriever.explain import Explainer, papers_of
from retriever.lookup import Lookup
from retriever.stages import Evidence, Shortlist


class PanelMaker:
    """Makes panels of what was chosen, for one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus
        self._explainer = Explainer(index, corpus)

    def make(self, shortlist: Shortlist, chosen: NDArray[np.int64], evidence: Evidence, lookup: Lookup) -> Panel:
        """The panel of one submission.

        Args:
            shortlist: who may be on it.
            chosen: the rows of those who are, in order.
            evidence: their matching papers.
            lookup: what was asked.
        """
        ranked, hidden = shortlist.ranked, shortlist.hidden
        if len(chosen) == lookup.size:
            hidden = hidden[hidden < chosen.max()]
        involved = ranked.authors[np.concatenate([chosen, hidden])].tolist()
        ids = self._index.ownership.author_ids.take(ranked.authors[chosen])
        people = self._corpus.authors(ids)
        found = shortlist.conflicts
        if found is not None:
            found = found.with_names(
                {n: people[key].name for n, key in zip(involved, ids, strict=False) if key in people}
            )
        shared = found.written_together(involved) if found else []
        papers = papers_of([*evidence.units, *shared], self._index, self._corpus)
        conflicts = found.explain(involved, papers) if found else {}
        explained = self._explainer.explain(shortlist.submission, evidence, papers, sentences=lookup.sentences)
        searches = ranked.found_by(chosen)
        lifts = [()] * len(chosen) if shortlist.learned is None else shortlist.learned.reasons(chosen)
        careers = Careers.of(self._index, ranked.authors[chosen])
        known = careers.institutions >= 0
        named = iter(self._index.affiliations.take(careers.institutions[known]))
        institutions = [(next(named),) if one else () for one in known.tolist()]
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
                found_by=searches[row],
                conflicts=conflicts.get(involved[row], ()),
                lifted_by=lifts[row],
            )
            for row, (paper_count, citation_count, first_year, last_year) in enumerate(zip(*columns, strict=True))
        )
        relevance = lookup.aggregation.relevance
        plain = relevance(ranked.scores[shortlist.rows[: len(chosen)]])
        return Panel(
            submission=shortlist.submission,
            matches=matches,
            diversity=_diversity(matches),
            relevance_cost=_cost(plain, relevance(ranked.scores[chosen])),
            hidden=tuple(one for author in involved[len(chosen) :] for one in conflicts[author]),
            notes=shortlist.notes,
        )


def _cost(plain: NDArray[np.float64], chosen: NDArray[np.float64]) -> float:
    """What share of the relevance of the plain ranking the chosen ones lack."""
    total = float(plain.sum())
    return max(1 - float(chosen.sum()) / total, 0.0) if total > 0 else 0.0


def _diversity(matches: Sequence[Match]) -> Diversity:
    """How varied the members of a panel are; σ is the population standard deviation, as in exHarmony."""
    institutions = [institution for match in matches for institution in match.institutions]
    return Diversity(
        institutions=len({one.ror or one.name for one in institutions}),
        countries=len({one.country for one in institutions if one.country}),
        sigma_citations=_deviation([match.citation_count for match in matches]),
        sigma_papers=_deviation([match.paper_count for match in matches]),
    )


def _deviation(counts: Sequence[int]) -> float:
    """σ = √(n · Σ x² − (Σ x)²) / n, in whole numbers up to the root."""
    size = len(counts)
    return math.sqrt(size * sum(one * one for one in counts) - sum(counts) ** 2) / size if size else 0.0
