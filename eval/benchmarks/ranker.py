"""Learning a ranker from judged queries, and measuring it on queries that it was not trained on.

Queries are divided into two halves by their year (by their id where all are of one year). A ranker that learned from
one half ranks the other, so every query is measured, and by a model that never saw it; settings are fixed beforehand.
People recur in both halves, as reviewers do from one year to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.lookup import encode_queries, means, orders_of, run_of
from eval.measures.statistics import bootstrap_figures, resampling_counts
from eval.runs import Qrels, Run
from indexing.index import Index
from indexing.tables.ownership import gather_rows
from indexing.tables.units import NO_YEAR
from panelist.progress import Progress, silent
from panelist.records import Paper, Submission
from retriever.careers import Careers
from retriever.filters import Filters
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.ranking.features import FEATURES, features
from retriever.ranking.model import DEPTH, Examples, RankerSettings, fit_ranker, load_lightgbm

MEASURES = ("recall@10", "recall@100", "ndcg@10")
PANEL = 10
_SWITCH: tuple[Literal["off", "auto"], ...] = ("off", "auto")
T = TypeVar("T", bound=np.generic)
BUSIEST = 0.01
"""Concentration: how much goes to this share of all authors, those who are suggested most."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Queries with the first people of their plain rankings as examples, and who is right for them.

    `people` are author numbers beside the examples. Where queries know their references, or a history is known, `less`
    is the same by a look-up that knows less: nothing first, then a history, then references. One model learns from all.
    """

    index: Index
    queries: Sequence[Submission]
    qrels: Qrels
    examples: Examples
    people: NDArray[np.int64]
    less: tuple[Judged, ...] = ()

    @classmethod
    def collect(
        cls,
        finder: Finder,
        queries: Sequence[Submission],
        qrels: Qrels,
        *,
        own_authors: bool = False,
        references: bool = False,
        history: bool = False,
        progress: Progress = silent,
    ) -> Judged:
        """Look up all queries.

        `own_authors`: whether a query's own authors are candidates, only where they are the answer; `references` and
        `history`: whether what a query cites, and who reviewed and edited before, are evidence.
        """
        lookups = (
            Lookup(size=DEPTH, conflicts="ignore", references=cited, history=served, filters=Filters(rest=0))
            for cited in _SWITCH[: 1 + references]
            for served in _SWITCH[: 1 + history]
        )
        *less, full = (_judged(finder, queries, qrels, lookup, own_authors, progress) for lookup in lookups)
        return replace(full, less=tuple(less))

    def taught(self, half: NDArray[np.bool_] | None = None) -> Examples:
        """What a ranker learns from, of all queries or of those in a mask: with all that is known, and with less."""
        mask = np.ones(len(self.queries), dtype=np.bool_) if half is None else half
        examples = self.examples.of(mask)
        for number, judged in enumerate(self.less, 1):
            examples = examples.followed_by(judged.examples.of(mask), number * len(self.queries))
        return examples

    def halves(self) -> NDArray[np.bool_]:
        """(queries) which of them are of the later half, by year; by id where there are not two years."""
        years = np.array([query.year or NO_YEAR for query in self.queries])
        distinct = np.unique(years)
        if len(distinct) > 1:
            later: NDArray[np.bool_] = years > distinct[(len(distinct) - 1) // 2]
            return later
        return np.array([blake2b(query.id.encode()).digest()[0] % 2 == 1 for query in self.queries])

    def run(self, scores: NDArray[np.float64] | None, tag: str) -> Run:
        """The people in the order of these scores, ties in the plain order; None for the plain order itself."""
        people = self.people if scores is None else self.people[np.lexsort((-scores, self.examples.query))]
        return run_of(self.index, self.by_query(people), tag)

    def by_query(self, values: NDArray[T]) -> dict[str, NDArray[T]]:
        """Values beside the examples, by the id of the query."""
        starts = np.searchsorted(self.examples.query, np.arange(1, len(self.queries)))
        return {query.id: rows for query, rows in zip(self.queries, np.split(values, starts), strict=True)}


def _judged(
    finder: Finder, queries: Sequence[Submission], qrels: Qrels, lookup: Lookup, own_authors: bool, progress: Progress
) -> Judged:
    """The first people for every query."""
    index, vectors = finder.index, encode_queries(finder, queries, lookup)
    ids = index.ownership.author_ids
    right = qrels.relevant(ids.find(list(qrels.documents)))
    rows_of_queries = []
    for number, shortlist in enumerate(finder.shortlists(queries, lookup, vectors=vectors)):
        query, ranked, rows = queries[number], shortlist.ranked, shortlist.rows[:DEPTH]
        if len(rows):
            relevance = lookup.aggregation.relevance(ranked.scores[rows])
            values = features(ranked, rows, relevance, index.ownership, shortlist.citations, shortlist.seen)
            authors = ranked.authors[rows].astype(np.int64)
            kept = ~np.isin(authors, ids.find([] if own_authors else [author.id for author in query.authors]))
            hits = np.isin(authors, right.get(query.id, np.zeros(0, np.int64)))
            columns = (values, np.full(len(rows), number), hits, authors)
            rows_of_queries.append([column[kept] for column in columns])
        progress("queries", number + 1, len(queries))
    *examples, people = (np.concatenate(column) for column in zip(*rows_of_queries, strict=True))
    return Judged(index, queries, qrels, Examples(*examples), people)


def cross_scores(
    judged: Judged, settings: RankerSettings | None = None, names: Sequence[str] = tuple(FEATURES)
) -> NDArray[np.float64]:
    """The scores of all examples, each half by a ranker that learned from the other half."""
    return cross_scores_of(judged, [judged.examples], settings, names)[0]


def cross_scores_of(
    judged: Judged,
    measured: Sequence[Examples],
    settings: RankerSettings | None = None,
    names: Sequence[str] = tuple(FEATURES),
) -> list[NDArray[np.float64]]:
    """The same of other examples of these queries, such as those of look-ups that know less."""
    later = judged.halves()
    scores = [np.zeros(len(examples.query)) for examples in measured]
    for half in (later, ~later):
        model = fit_ranker(judged.taught(half), settings, names)
        for examples, filled in zip(measured, scores, strict=True):
            tested = ~half[examples.query]
            filled[tested] = predict(model, examples, names)[tested]
    return scores


def predict(model: str, examples: Examples, names: Sequence[str] = tuple(FEATURES)) -> NDArray[np.float64]:
    """The scores that a model in LightGBM's text format gives to examples."""
    columns = [list(FEATURES).index(name) for name in names]
    trees = load_lightgbm().Booster(model_str=model)
    return np.asarray(trees.predict(examples.described[:, columns], num_threads=1), dtype=np.float64)


def compared(judged: Judged, scores: NDArray[np.float64], citations: NDArray[np.int64] | None = None) -> dict[str, Any]:
    """The plain ranking and the learned one, measure by measure with the paired difference, and whom they suggest.

    `scores` are of the learned ranking, beside the examples; `citations` of each unit, by default those of the index.
    """
    plain, learned = judged.run(None, "plain"), judged.run(scores, "learned")
    before, after = means(judged.qrels, plain, MEASURES), means(judged.qrels, learned, MEASURES)
    counts = resampling_counts(len(judged.qrels.queries))
    return {
        "queries": len(judged.qrels.queries),
        "plain": {name: ratio.value for name, ratio in before.items()},
        "learned": {name: asdict(figure) for name, figure in bootstrap_figures(after, before, counts).items()},
        "suggested": {run.tag: suggested(judged.index, run, citations) for run in (plain, learned)},
    }


def compared_rows(
    index: Index,
    runs: Mapping[str, Run],
    against: Mapping[str, str | None],
    qrels: Qrels,
    citations: NDArray[np.int64],
) -> dict[str, dict[str, Any]]:
    """For each run its figures, with the difference from the run it is compared with, and whom it suggests."""
    counts = resampling_counts(len(qrels.queries))
    values = {name: means(qrels, run, MEASURES) for name, run in runs.items()}
    return {
        name: {
            "against": other,
            "figures": bootstrap_figures(values[name], values[other] if other else None, counts),
            "suggested": suggested(index, runs[name], citations),
        }
        for name, other in against.items()
    }


def suggested(index: Index, run: Run, citations: NDArray[np.int64] | None = None) -> dict[str, float]:
    """Who the first ten of every ranking are, and how often the same people are suggested.

    `papers`, `citations` and `first_year` are means over all slots, `institutions` and `countries` the distinct ones of
    a panel, `people` how many are suggested at all, `concentration` the share of all slots that goes to the people who
    are suggested most, as many as are a hundredth of all authors of the index, and `most` how often one of them is.
    """
    slots = [people[:PANEL] for people in orders_of(index, run).values()]
    authors = np.concatenate(slots)
    careers = Careers.of(index, authors)
    begins = np.cumsum([0, *map(len, slots)])
    panels = [careers.institutions[start:end] for start, end in pairwise(begins)]
    distinct = [np.unique(panel[panel >= 0]) for panel in panels]
    country = np.array(index.affiliations.countries.all(), dtype=np.object_)
    times = np.sort(np.unique(authors, return_counts=True)[1])[::-1]
    busiest = max(1, round(BUSIEST * len(index.ownership.author_ids)))
    entries, _ = gather_rows(index.ownership.author_starts, authors)
    cited = (index.units.citations if citations is None else citations)[index.ownership.author_units[entries]]
    dated = careers.first_years[careers.first_years != NO_YEAR]
    return {
        "papers": float(careers.papers.mean()),
        "citations": float(cited.sum() / len(authors)),
        "first_year": float(dated.mean()) if len(dated) else float("nan"),
        "institutions": float(np.mean([len(panel) for panel in distinct])),
        "countries": float(np.mean([len({*country[panel]} - {""}) for panel in distinct])),
        "people": float(len(times)),
        "concentration": float(times[:busiest].sum() / len(authors)),
        "most": float(times[0]),
    }


def citations_within(index: Index, collection: Iterable[Paper]) -> NDArray[np.int64]:
    """(units) how often each paper is cited by papers of the collection itself: never by a query."""
    papers = list(collection)
    ids = {paper.id for paper in papers}
    cited = [reference for paper in papers for reference in set(paper.references) if reference in ids]
    units = index.units.find(cited)
    return np.bincount(units[units >= 0], minlength=len(index.units)).astype(np.int64)
