"""Affinity models on eLife's real reviewers: every query against every author of the collection, profiles of 20.

Beside the measures of the ranking, Spearman's correlation between the number of papers of an author and the mean score
of that author over all queries shows how much a long profile is rewarded for its length alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.runs import Run
from panelist.records import Paper, Submission
from retriever.affinity.model import BlockModel
from retriever.affinity.profiles import PROFILE_SIZE, most_recent
from retriever.affinity.sparse import sparse_scores

DEPTH = 200
"""How many reviewers of a query are ranked: 100 are measured, and its own authors are removed before."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A run, and the correlation of mean scores with the length of profiles; NaN if either is constant."""

    run: Run
    length_correlation: float


def collection_profiles(collection: Sequence[Paper], size: int = PROFILE_SIZE) -> dict[str, tuple[Paper, ...]]:
    """For each author of the collection, by id, their most recent papers."""
    papers: dict[str, list[Paper]] = defaultdict(list)
    for paper in collection:
        for authorship in paper.authorships:
            papers[authorship.author.id].append(paper)
    return {author: most_recent(papers[author], size) for author in sorted(papers)}


def rank(benchmark: ELife, model: BlockModel, queries: Sequence[Submission], size: int = PROFILE_SIZE) -> Ranked:
    """Rank all authors of the collection for some queries."""
    from scipy.stats import spearmanr

    profiles = collection_profiles(benchmark.collection, size)
    blocks = model.prepare(queries, list(profiles.values()))
    means = np.zeros(len(profiles))

    def watch(start: int, block: NDArray[np.float32]) -> None:
        means[start : start + block.shape[1]] = block.mean(axis=0)

    ids = [query.id for query in queries]
    scores = sparse_scores(blocks, ids, list(profiles), DEPTH, watch=watch, reviewers_too=False)
    query = np.repeat(np.arange(len(ids)), np.diff(scores.starts))
    run = Run.of(ids, list(profiles), query, scores.reviewer, scores.scores, tag=type(model).__name__)
    lengths = np.array([len(profile) for profile in profiles.values()])
    varied = np.ptp(lengths) > 0 and np.ptp(means) > 0
    return Ranked(run, float(spearmanr(lengths, means).statistic) if varied else float("nan"))
