"""Affinity models on eLife's real reviewers: among every author of the collection, and on a committee.

Every query is scored against every author, with profiles of 20. Beside the measures of the ranking, Spearman's
correlation between the number of papers of an author and the mean score of that author over all queries shows how much
a long profile is rewarded for its length alone.

Most authors have one paper, which is not what a committee is like. On a committee, candidates and reviewers have at
least some number of papers in the collection, and a query counts if such a person reviewed it. Beside the ranking, the
area under the curve (AUC) says how often a real reviewer scores above somebody else: above anybody, and above people
whose profile is about as long, for whom the length of a profile cannot help.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from eval.benchmarks.elife.benchmark import ELife
from eval.measures.statistics import Ratio
from eval.runs import Run
from panelist.errors import InputError
from panelist.records import Author, Confidence, Paper, Submission
from retriever.affinity.model import BlockModel, Blocks, full_matrix
from retriever.affinity.near import NearPapers
from retriever.affinity.profiles import PROFILE_SIZE, most_recent
from retriever.affinity.references import WithEvidence
from retriever.affinity.sparse import sparse_scores
from retriever.conference.committee import Committee
from retriever.conference.conference import Conference
from retriever.fit import grade

DEPTH = 200
"""How many reviewers of a query are ranked: 100 are measured, and its own authors are removed before."""
PANEL = 10
ALIKE = 0.2
"""Profiles are about as long if their lengths differ by at most this share, or by one paper."""


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


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCommittee:
    """Who could review, and who did: ids, ascending, their profiles, and papers that at least one of them reviewed.

    `right` (queries, people) are those who really reviewed, `unrelated` those who did not and are not authors of it.
    """

    people: tuple[str, ...]
    profiles: tuple[tuple[Paper, ...], ...]
    queries: tuple[Submission, ...]
    right: NDArray[np.bool_]
    unrelated: NDArray[np.bool_]

    @classmethod
    def of(cls, benchmark: ELife, least: int, size: int = PROFILE_SIZE, since: date | None = None) -> JudgedCommittee:
        """Everybody with at least `least` papers in the collection; only papers received `since` some day count."""
        written = Counter(authorship.author.id for paper in benchmark.collection for authorship in paper.authorships)
        profiles = collection_profiles(benchmark.collection, size)
        chosen = {person: profile for person, profile in profiles.items() if written[person] >= least}
        column = {person: number for number, person in enumerate(chosen)}
        qrels, queries = benchmark.qrels["reviewers"], benchmark.judged("reviewers")
        queries = tuple(query for query in queries if since is None or (query.received and query.received >= since))
        right = np.zeros((len(queries), len(column)), dtype=np.bool_)
        authors = np.zeros_like(right)
        reviewers = qrels.relevant(np.array([column.get(person, -1) for person in qrels.documents], dtype=np.int64))
        for number, query in enumerate(queries):
            right[number, [person for person in reviewers[query.id].tolist() if person >= 0]] = True
            authors[number, [column[author.id] for author in query.authors if author.id in column]] = True
        right &= ~authors
        answered = np.flatnonzero(right.any(axis=1))
        if not len(answered):
            raise InputError(f"nobody with {least} papers or more reviewed anything: ask for fewer papers")
        reviewed = tuple(queries[number] for number in answered.tolist())
        unrelated = ~(right | authors)
        return cls(tuple(chosen), tuple(chosen.values()), reviewed, right[answered], unrelated[answered])

    def with_evidence(self, model: BlockModel, references: bool, history: csr_array | None = None) -> BlockModel:
        """The model with what the queries cite as evidence, or with a history; authors of a query take no part."""
        people = [Author(person, "") for person in self.people]  # papers have their names
        closed = np.argwhere(~(self.right | self.unrelated).T)
        return WithEvidence(model, people, closed, references=references, history=history)

    def history(self, benchmark: ELife) -> csr_array | None:
        """What those of the committee reviewed and edited before each query was received."""
        committee = Committee(self.people, self.profiles)
        return Conference(self.queries, committee, history=benchmark.events).history_gains()

    def statistics(self, blocks: Blocks) -> dict[str, Ratio]:
        """AUC against all, AUC against people with profiles about as long, Recall@10 and nDCG@10, over queries.

        Also, for each grade of confidence, which share of the first ten with that grade really reviewed.
        """
        scores, near = full_matrix(blocks), blocks.near()
        lengths = np.array([len(profile) for profile in self.profiles])
        everybody, similar = np.zeros((2, len(self.queries))), np.zeros((2, len(self.queries)))
        panels: list[NDArray[np.int64]] = []
        recall, ndcg = np.zeros(len(self.queries)), np.zeros(len(self.queries))
        discounts = 1 / np.log2(np.arange(2, PANEL + 2))
        for number, (row, right, unrelated) in enumerate(zip(scores, self.right, self.unrelated, strict=True)):
            reviewers = np.flatnonzero(right)
            for person in reviewers.tolist():
                alike = np.abs(lengths - lengths[person]) <= max(1, ALIKE * lengths[person])
                for area, rivals in ((everybody, unrelated), (similar, unrelated & alike)):
                    if rivals.any():  # which share of the rivals is below; equal scores count half
                        below = (row[rivals] < row[person]).mean() + 0.5 * (row[rivals] == row[person]).mean()
                        area[:, number] += below, 1
            candidates = np.flatnonzero(right | unrelated)
            best = candidates[np.argsort(-row[candidates], kind="stable")[:PANEL]]  # ties by id
            hits = right[best]
            panels.append(best)
            recall[number] = hits.sum() / len(reviewers)
            ndcg[number] = (hits * discounts[: len(hits)]).sum() / discounts[: len(reviewers)].sum()
        return {
            "auc": Ratio.mean(everybody[0] / np.maximum(everybody[1], 1)),
            "auc alike": Ratio((similar[0] / np.maximum(similar[1], 1))[None], np.minimum(similar[1], 1.0)[None]),
            f"recall@{PANEL}": Ratio.mean(recall),
            f"ndcg@{PANEL}": Ratio.mean(ndcg),
            **({} if near is None else self._graded(near, panels)),
        }

    def _graded(self, near: NearPapers, panels: Sequence[NDArray[np.int64]]) -> dict[str, Ratio]:
        """The share of suggestions of each grade who really reviewed; a grade that nobody has is left out."""
        query, people = np.repeat(np.arange(len(panels)), [*map(len, panels)]), np.concatenate(panels)
        grades = np.array([grade(fit) for fit in near.grades(query, people, self.people).fit.tolist()])
        shares = {}
        for name in Confidence:
            graded = grades == name
            masks = (graded & self.right[query, people], graded)
            counts = (np.bincount(query[mask], minlength=len(panels)).astype(np.float64)[None] for mask in masks)
            if graded.any():
                shares[f"{name} right"] = Ratio(*counts)
        return shares
