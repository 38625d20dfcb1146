"""Relevance against diversity: what a panel gains and gives up as the weight λ of diversity moves.

Papers are searched and contenders described once for each submission; only the choice among them is made again for each
λ. A submission's own authors are no contenders, other conflicts are not looked at: who really reviewed may be anybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.measures.ranking import measure, parse_measures
from eval.runs import Qrels, Run
from indexing.encoders.cache import CachedEncoder
from indexing.text import Text
from panelist.progress import Progress
from panelist.records import Submission
from retriever.aggregate import aggregate
from retriever.careers import Careers
from retriever.contenders import ContenderFinder
from retriever.diversity import rerank
from retriever.finder import BATCH, Finder
from retriever.lookup import Lookup

WEIGHTS = tuple(step / 10 for step in range(11))
RELEVANCE = "ndcg@10,recall@10"


@dataclass(frozen=True, slots=True)
class Step:
    """Panels chosen with one λ: the means of the measures, and of what is distinct and spread among their members."""

    weight: float
    measures: dict[str, float]
    institutions: float
    countries: float
    sigma_papers: float
    sigma_citations: float


def sweep(
    finder: Finder,
    submissions: Sequence[Submission],
    qrels: Qrels,
    lookup: Lookup,
    progress: Progress,
    weights: Sequence[float] = WEIGHTS,
) -> list[Step]:
    """Choose the panels of all submissions with every weight, and measure them."""
    index = finder.index
    contenders = ContenderFinder(index)
    chosen = np.full((len(weights), len(submissions), lookup.size), -1, dtype=np.int64)
    variety = np.zeros((len(weights), len(submissions), 4))
    texts = [Text.of(submission) for submission in submissions]
    vectors = None if lookup.search.mode == "lexical" else CachedEncoder(index.encoder()).encode(texts)
    for first in range(0, len(submissions), BATCH):
        batch = slice(first, first + BATCH)
        candidates = lookup.search.run(index, texts[batch], vectors=None if vectors is None else vectors[batch])
        rankings = aggregate(candidates, index.ownership, lookup.aggregation)
        for query, (submission, ranked) in enumerate(zip(submissions[batch], rankings, strict=True)):
            own = index.ownership.author_ids.find([author.id for author in submission.authors])
            eligible = (ranked.scores > 0) & ~np.isin(ranked.authors, own)
            places = np.flatnonzero(eligible)[: lookup.contenders]
            if len(places):
                relevance = lookup.aggregation.relevance(ranked.scores[places])
                careers = Careers.of(index, ranked.authors[places])
                described = contenders.describe(ranked, candidates, places, relevance, careers)
                for row, weight in enumerate(weights):
                    order = rerank(described, lookup.size, weight, lookup.diversity_algorithm)
                    chosen[row, first + query, : len(order)] = ranked.authors[places[order]]
                    variety[row, first + query] = _variety(described.labels[:, order], careers.take(order))
            progress("panels", first + query + 1, len(submissions))
    people = index.ownership.author_ids.all()
    ids = [submission.id for submission in submissions]
    falling = np.broadcast_to(-np.arange(lookup.size, dtype=np.float64), chosen.shape[1:])
    steps = []
    for weight, docs, values in zip(weights, chosen, variety, strict=True):
        run = Run.of_rankings(ids, people, docs, falling, f"λ={weight:g}")
        means = {str(m): float(v.mean()) for m, v in measure(qrels, run, parse_measures(RELEVANCE)).items()}
        steps.append(Step(weight, means, *values.mean(axis=0).tolist()))
    return steps


def _variety(labels: NDArray[np.int64], careers: Careers) -> list[float]:
    """Distinct institutions and countries of a panel, σ of its members' papers and citations."""
    institutions, countries = (len(np.unique(facet[facet >= 0])) for facet in labels[:2])
    return [institutions, countries, float(careers.papers.std()), float(careers.citations.std())]
