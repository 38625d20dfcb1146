"""Affinity models rank all authors of eLife's collection."""

import numpy as np

from eval.benchmarks.elife.affinity import collection_profiles, rank
from eval.benchmarks.elife.benchmark import ELife
from eval.runs import Qrels
from panelist.records import Author, Authorship, Paper
from retriever.affinity.models.bm25 import Bm25Model


def test_elife_ranks_all_authors_and_sees_the_reward_of_length():
    papers = []
    for number in range(12):
        authors = [Authorship(Author(f"a{author}", "")) for author in range(number + 1)]
        papers.append(
            Paper(f"c{number:02}", f"Topic {number}", f"Words{number} of {number}", 2000 + number, tuple(authors))
        )
    query = Paper("q", "Topic 3", "words3", 2019)
    qrels = Qrels.of(["q"], ["a3"], np.array([0]), np.array([0]), np.array([1]))
    benchmark = ELife.split([*papers, query], {"reviewers": qrels})
    profiles = collection_profiles(benchmark.collection, 5)
    assert {author: len(profile) for author, profile in profiles.items()}["a0"] == 5
    assert [paper.id for paper in profiles["a9"]] == ["c11", "c10", "c09"]
    ranked = rank(benchmark, Bm25Model(breadth=1), benchmark.queries)
    assert len(ranked.run.docs) == 12
    assert ranked.length_correlation > 0
