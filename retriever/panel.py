"""The panel: chosen reviewers with their careers, conflicts in words, and the papers that make them experts."""

from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import Author, ConflictsChecked, Match, MatchedPaper, Panel
from retriever.careers import Careers, diversity_of
from retriever.conference.names import People
from retriever.conference.people import papers_of
from retriever.confidence import confidence, near_papers
from retriever.lookup import Lookup
from retriever.references.joining import words
from retriever.stages import SEARCHES, Shortlist
from retriever.terms import Rarity, best_sentence, shared_terms, word_weights

SAMPLE = 1000
"""Papers from which the rarity of words is learned: evenly spaced over the index, so always the same."""


class PanelMaker:
    """Makes panels of what was chosen, for one index. Safe to share between threads."""

    def __init__(self, index: Index, corpus: CorpusStore) -> None:
        self._index, self._corpus = index, corpus

    @cached_property
    def rarity(self) -> Rarity:
        """How rare words are in this corpus, learned from a sample of its papers."""
        live = np.flatnonzero(self._index.live)
        sample = live[:: max(1, len(live) // SAMPLE)]
        papers = self._corpus.papers(self._index.units.paper_ids(sample))
        return Rarity(Text.of(paper).plain() for paper in papers.values())

    def make(self, shortlist: Shortlist, chosen: NDArray[np.int64], lookup: Lookup) -> Panel:
        """The panel of one submission: `chosen` are the rows of its members, in order."""
        ranked, hidden = shortlist.ranked, shortlist.hidden
        if len(chosen) == lookup.size:
            hidden = hidden[hidden < chosen.max()]
        involved = ranked.authors[np.concatenate([chosen, hidden])].tolist()
        everybody = self._index.ownership.author_ids.take(involved)
        ids = everybody[: len(chosen)]
        people = self._corpus.authors(ids)
        looked_for = shortlist.conflicts
        if looked_for is not None:
            names = {n: people[key].name for n, key in zip(involved, ids, strict=False) if key in people}
            looked_for = looked_for.with_names(People(names))
        conflicts = looked_for.explain(dict(zip(involved, everybody, strict=True))) if looked_for else {}
        papers = self._matching_papers(shortlist, chosen, lookup)
        searches = ranked.found_by(chosen)
        lifts = [()] * len(chosen) if shortlist.reasons is None else shortlist.reasons(chosen)
        cited = shortlist.citations
        references = [()] * len(chosen) if cited is None else words(cited, ranked, chosen)
        careers = Careers.of(self._index, ranked.authors[chosen])
        affiliations = self._index.affiliations
        institutions = [(affiliations[number],) if number >= 0 else () for number in careers.institutions.tolist()]
        near = near_papers(ranked, chosen, len(self._index.units)).tolist()
        scores, columns = ranked.scores[chosen].tolist(), (column.tolist() for column in careers.columns()[:4])
        matches = tuple(
            Match(
                rank=row + 1,
                author=people.get(ids[row]) or Author(ids[row], ids[row]),
                score=scores[row],
                papers=papers[row],
                institutions=institutions[row],
                paper_count=paper_count,
                citation_count=citation_count,
                first_year=None if first_year == NO_YEAR else first_year,
                last_year=None if last_year == NO_YEAR else last_year,
                found_by=searches[row],
                conflicts=conflicts.get(involved[row], ()),
                lifted_by=lifts[row],
                references=references[row],
                near_papers=near[row],
                confidence=confidence(near[row]),
            )
            for row, (paper_count, citation_count, first_year, last_year) in enumerate(zip(*columns, strict=True))
        )
        relevance = lookup.aggregation.relevance
        plain = float(relevance(ranked.scores[shortlist.rows[: len(chosen)]]).sum())
        lost = 1 - float(relevance(ranked.scores[chosen]).sum()) / plain if plain > 0 else 0.0
        return Panel(
            submission=shortlist.submission,
            matches=matches,
            diversity=diversity_of(
                (institution.ror or institution.name for match in matches for institution in match.institutions),
                (institution.country for match in matches for institution in match.institutions if institution.country),
                [match.paper_count for match in matches],
                [match.citation_count for match in matches],
            ),
            relevance_cost=max(lost, 0.0),
            hidden=tuple(conflict for author in involved[len(chosen) :] for conflict in conflicts[author]),
            notes=shortlist.notes,
            conflicts_checked=looked_for.checked() if looked_for else ConflictsChecked(),
        )

    def _matching_papers(
        self, shortlist: Shortlist, rows: NDArray[np.int64], lookup: Lookup
    ) -> list[tuple[MatchedPaper, ...]]:
        """The best matching papers of the authors in these rows, and what each shares with the submission."""
        ranked, text = shortlist.ranked, Text.of(shortlist.submission)
        positions = ranked.positions(rows, lookup.papers)
        candidates = ranked.candidates
        units = candidates.units[positions].tolist()
        papers = papers_of(units, self._index, self._corpus)
        texts = [Text.of(paper).plain() for paper in papers.values()]
        terms = dict(zip(papers, shared_terms(text, texts, self.rarity), strict=True))
        quotes: dict[int, str | None] = {}
        if lookup.sentences:
            weights = word_weights(text, self.rarity)
            quotes = {unit: best_sentence(weights, *Text.of(paper)) for unit, paper in papers.items()}
        matching = (
            MatchedPaper(papers[unit], score, share, SEARCHES[found_by], terms[unit], quotes.get(unit))
            for unit, score, share, found_by in zip(
                *(units, candidates.scores[positions].tolist(), ranked.shares(rows, lookup.papers).tolist()),
                candidates.found_by[positions].tolist(),
                strict=True,
            )
        )
        return [tuple(islice(matching, count)) for count in ranked.counts(rows, lookup.papers).tolist()]
