"""The panel: chosen reviewers with their careers, conflicts in words, and the papers that make them experts."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.units import NO_YEAR
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Conflict, ConflictsChecked, Coverage, Match, MatchedPaper, Panel
from panelist.words import counted
from retriever.careers import Careers, diversity_of
from retriever.conference.names import People
from retriever.conference.people import papers_of
from retriever.coverage import coverage_of
from retriever.fit import evidence_of, shipped
from retriever.history.joining import history_words
from retriever.lookup import Lookup
from retriever.references.joining import citation_words
from retriever.stages import SEARCHES, Meaning, Shortlist
from retriever.terms import Rarity, best_sentence, shared_terms, word_weights

_NAMED = 3  # how many of the nearest papers are named where none is near

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
        ranked, hidden, held = shortlist.ranked, shortlist.hidden, shortlist.held
        if len(chosen) == lookup.size:
            hidden, held = hidden[hidden < chosen.max()], held[held < chosen.max()]
        involved = ranked.authors[np.concatenate([chosen, hidden, held])].tolist()
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
        references = [()] * len(chosen) if cited is None else citation_words(cited, ranked, chosen)
        seen = shortlist.seen
        history = [()] * len(chosen) if seen is None else history_words(seen, ranked.authors[chosen])
        careers = Careers.of(self._index, ranked.authors[chosen])
        affiliations = self._index.affiliations
        institutions = [(affiliations[number],) if number >= 0 else () for number in careers.institutions.tolist()]
        graded, meaning = self._graded(shortlist, ranked.authors[chosen]), ranked.candidates.meaning
        covered = coverage_of(self._index, meaning)
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
                history=history[row],
                **graded[row],
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
            hidden=_all(conflicts, involved[len(chosen) : len(chosen) + len(hidden)]),
            held_back=_all(conflicts, involved[len(chosen) + len(hidden) :]),
            notes=shortlist.notes,
            conflicts_checked=looked_for.checked() if looked_for else ConflictsChecked(),
            coverage=covered,
            evidence=self._evidence(matches, covered, meaning),
        )

    def _graded(self, shortlist: Shortlist, authors: NDArray[np.int32]) -> list[dict[str, Any]]:
        """How well these people fit, as fields of their matches; nothing where the submission's meaning is unknown."""
        meaning, model = shortlist.ranked.candidates.meaning, shipped()
        if meaning is None:
            return [{}] * len(authors)
        evidence, near = evidence_of(self._index, meaning.vector, authors, shortlist.citations, shortlist.seen)
        return [
            {"near_papers": count, "fit": fit, "confidence": model.grade(fit)}
            for count, fit in zip(near.tolist(), model.probability(evidence).tolist(), strict=True)
        ]

    def _evidence(self, matches: Sequence[Match], covered: Coverage | None, meaning: Meaning | None) -> str:
        """What the panel rests on, in one line."""
        if meaning is None:
            return "nearness is not known: only words were searched"
        if covered is Coverage.NONE:
            papers = papers_of(meaning.nearest[:_NAMED].tolist(), self._index, self._corpus).values()
            return f"no paper here is near: the nearest are {', '.join(f'“{paper.title}”' for paper in papers)}"
        near = [match.near_papers or 0 for match in matches]
        cited = sum(any(line.startswith("cited") for line in match.references) for match in matches)
        line = f"rests on {counted(sum(near), 'near paper')} by {sum(map(bool, near))} of {len(near)} people"
        line = line if any(near) else "none of these people wrote a near paper"
        line = f"{line}, {cited} of whom the submission cites" if cited else line
        return f"few papers here are near; {line}" if covered is Coverage.THIN else line

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


def _all(conflicts: Mapping[int, tuple[Conflict, ...]], people: Iterable[int]) -> tuple[Conflict, ...]:
    return tuple(conflict for person in people for conflict in conflicts[person])
