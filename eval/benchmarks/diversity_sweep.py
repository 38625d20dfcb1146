"""Relevance against diversity: what a panel gains and gives up as the weight λ of diversity moves.

Papers are searched and contenders described once for each submission; only the choice among them is made again for each
λ. A submission's own authors are not contenders; other conflicts are ignored, because anybody may have reviewed it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.lookup import encode_queries
from eval.measures.ranking import measure, parse_measures
from eval.runs import Qrels, Run
from panelist.progress import Progress
from panelist.records import Submission
from retriever.careers import Careers, diversity_of
from retriever.conference.conflicts.rules import ConflictRules
from retriever.diversity import rerank
from retriever.finder import Finder
from retriever.lookup import Lookup

WEIGHTS = tuple(step / 10 for step in range(11))
RELEVANCE = "ndcg@10,recall@10"
OWN_AUTHORS = ConflictRules(coauthor_years=None, institution_years=None)


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
    lookup = dataclasses.replace(lookup, diversity=1.0, conflicts="hide", conflict_rules=OWN_AUTHORS)
    chosen = np.full((len(weights), len(submissions), lookup.size), -1, dtype=np.int64)
    variety = np.zeros((len(weights), len(submissions), 4))
    vectors = encode_queries(finder, submissions, lookup)
    for query, shortlist in enumerate(finder.shortlists(submissions, lookup, vectors=vectors)):
        if len(shortlist.rows):
            contenders = finder.contenders(shortlist, lookup)
            for row, weight in enumerate(weights):
                best = rerank(contenders, lookup.size, weight, lookup.diversity_algorithm)
                authors = shortlist.ranked.authors[contenders.rows[best]]
                chosen[row, query, : len(best)] = authors
                variety[row, query] = _variety(contenders.labels[:, best], Careers.of(index, authors))
        progress("panels", query + 1, len(submissions))
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
    institutions, countries = (facet[facet >= 0].tolist() for facet in labels[:2])
    found = diversity_of(institutions, countries, careers.papers.tolist(), careers.citations.tolist())
    return [found.institutions, found.countries, found.sigma_papers, found.sigma_citations]
