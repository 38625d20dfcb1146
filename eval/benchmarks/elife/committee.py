"""Affinity models on a committee: eLife's real reviewers among people who have written several papers.

Among all authors most have one paper, which is not what a committee is like. Here candidates and reviewers have at
least some number of papers in the collection, and a query counts if such a person reviewed it. Beside the ranking, the
area under the curve (AUC) says how often a real reviewer scores above somebody else: above anybody, and above people
whose profile is about as long, for whom the length of a profile cannot help.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.affinity import collection_profiles
from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.reliability import shares_right
from eval.measures.statistics import Ratio
from panelist.errors import InputError
from panelist.records import Author, Paper, Submission
from retriever.affinity.model import BlockModel, Blocks, whole
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.affinity.references import WithReferences

DEPTH = 10
ALIKE = 0.2
"""Profiles are about as long if their lengths differ by at most this share, or by one paper."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCommittee:
    """Who could review, and who did: ids, ascending, their profiles, and papers that at least one of them reviewed.

    `right` (queries, people) are those who really reviewed, `others` those who did not and are no authors of the paper.
    """

    people: tuple[str, ...]
    profiles: tuple[tuple[Paper, ...], ...]
    queries: tuple[Submission, ...]
    right: NDArray[np.bool_]
    others: NDArray[np.bool_]

    @classmethod
    def of(cls, benchmark: ELife, least: int, size: int = PROFILE_SIZE) -> JudgedCommittee:
        """Everybody with at least `least` papers in the collection.

        Raises:
            InputError: nobody among them reviewed anything.
        """
        written = Counter(authorship.author.id for paper in benchmark.collection for authorship in paper.authorships)
        profiles = collection_profiles(benchmark.collection, size)
        chosen = {person: profile for person, profile in profiles.items() if written[person] >= least}
        column = {person: number for number, person in enumerate(chosen)}
        qrels, queries = benchmark.qrels["reviewers"], benchmark.judged("reviewers")
        right = np.zeros((len(queries), len(column)), dtype=np.bool_)
        authors = np.zeros_like(right)
        row = {query: number for number, query in enumerate(qrels.queries)}
        for number, query in enumerate(queries):
            judged = slice(qrels.offsets[row[query.id]], qrels.offsets[row[query.id] + 1])
            reviewers = [qrels.documents[doc] for doc in qrels.docs[judged][qrels.relevance[judged] > 0].tolist()]
            right[number, [column[reviewer] for reviewer in reviewers if reviewer in column]] = True
            authors[number, [column[author.id] for author in query.authors if author.id in column]] = True
        right &= ~authors
        answered = np.flatnonzero(right.any(axis=1))
        if not len(answered):
            raise InputError(f"nobody with {least} papers or more reviewed anything: ask for fewer papers")
        reviewed = tuple(queries[number] for number in answered.tolist())
        others = ~(right | authors)
        return cls(tuple(chosen), tuple(chosen.values()), reviewed, right[answered], others[answered])

    def with_references(self, model: BlockModel) -> BlockModel:
        """The model with what the queries cite as evidence; authors of a query take no part."""
        people = [Author(person, "") for person in self.people]  # papers have their names
        return WithReferences(model, people, np.argwhere(~(self.right | self.others).T))

    def statistics(self, blocks: Blocks) -> dict[str, Ratio]:
        """AUC against all, AUC against people with profiles about as long, Recall@10 and nDCG@10, over queries.

        Also, for each grade of confidence, which share of the first ten with that grade really reviewed.
        """
        counts = blocks.count_near()
        scores = whole(blocks)
        lengths = np.array([len(profile) for profile in self.profiles])
        everybody, similar = np.zeros((2, len(self.queries))), np.zeros((2, len(self.queries)))
        near, correct = [], []
        recall, ndcg = np.zeros(len(self.queries)), np.zeros(len(self.queries))
        discounts = 1 / np.log2(np.arange(2, DEPTH + 2))
        for number, (row, right, others) in enumerate(zip(scores, self.right, self.others, strict=True)):
            reviewers = np.flatnonzero(right)
            for person in reviewers.tolist():
                alike = np.abs(lengths - lengths[person]) <= max(1, ALIKE * lengths[person])
                for area, rivals in ((everybody, others), (similar, others & alike)):
                    if rivals.any():
                        area[:, number] += _share_below(row[rivals], row[person]), 1
            candidates = np.flatnonzero(right | others)
            best = candidates[np.argsort(-row[candidates], kind="stable")[:DEPTH]]  # ties by id
            hits = right[best]
            if counts is not None:
                near.append(counts.of(np.full(len(best), number), best))
                correct.append(hits)
            recall[number] = hits.sum() / len(reviewers)
            ndcg[number] = (hits * discounts[: len(hits)]).sum() / discounts[: len(reviewers)].sum()
        return {
            "auc": Ratio.mean(everybody[0] / np.maximum(everybody[1], 1)),
            "auc alike": Ratio((similar[0] / np.maximum(similar[1], 1))[None], np.minimum(similar[1], 1.0)[None]),
            f"recall@{DEPTH}": Ratio.mean(recall),
            f"ndcg@{DEPTH}": Ratio.mean(ndcg),
            **{f"{grade} right": share for grade, share in shares_right(near, correct).items()},
        }


def _share_below(scores: NDArray[np.floating], score: float) -> float:
    """The share of scores below this one; equal ones count half."""
    return float(((scores < score).sum() + 0.5 * (scores == score).sum()) / len(scores))
