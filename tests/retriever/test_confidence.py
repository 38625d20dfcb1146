"""Near papers, counted for a look-up and for every pair of a conference, against loops; and the grades they give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelist.app import demo
from panelist.records import Confidence, Submission
from retriever.affinity import blocks
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.model import whole
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import DenseSimilarity
from retriever.affinity.sparse import sparse_scores
from retriever.confidence import confidence, near_papers, near_rank
from retriever.lookup import Lookup
from retriever.search import Search


def test_grades_rise_with_the_number_of_near_papers():
    grades = [confidence(near) for near in range(5)]
    assert grades == [Confidence.LOW, Confidence.LOW, Confidence.MEDIUM, Confidence.HIGH, Confidence.HIGH]
    assert [near_rank(papers) for papers in (3, 2_000, 50_000)] == [10, 10, 250]


@settings(max_examples=40)
@given(
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=9),
    submissions=st.integers(1, 20),
    seed=st.integers(0, 100),
    tile=st.integers(1, 9),
)
def test_near_papers_of_every_pair_agree_with_loops(lengths, submissions, seed, tile):
    dice = np.random.default_rng(seed)
    papers, queries = (dice.standard_normal((n, 4)).astype(np.float32) for n in (30, submissions))
    members = [dice.choice(30, length, replace=False) for length in lengths]
    documents = tuple(Submission(str(paper), str(paper)) for paper in range(30))
    profiles = Profiles(documents, np.cumsum([0, *lengths]), np.concatenate(members).astype(np.int64))
    similarity = DenseSimilarity(papers, queries)
    products = papers @ queries.T
    found = PooledBlocks(similarity, profiles, submissions, ProfilePooling.parse("max").plan)
    near = found.count_near()
    np.testing.assert_allclose(near.thresholds, np.maximum(np.sort(products, axis=0)[-10], 0), rtol=1e-5, atol=1e-30)
    near.thresholds -= np.float32(1e-5)  # products of other shapes may round differently: no paper is at the threshold
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "TILE", tile)
        whole(found)
    names = [f"r{n}" for n in range(len(lengths))], [f"s{n}" for n in range(submissions)]
    kept = sparse_scores(found, names[1], names[0], 2)
    counts = iter(near.of(kept.submission, kept.reviewer).tolist())
    for submission, (_, chosen, _) in enumerate(kept.rows()):
        for reviewer in chosen.tolist():
            own = products[members[reviewer].astype(np.int64), submission]
            assert next(counts) == min(3, int((own >= near.thresholds[submission]).sum()))


def test_a_match_says_how_many_papers_are_near_and_how_sure_it_is(demo_finder):
    submission = demo.submissions()[0]
    lookup = Lookup(size=20, search=Search("lexical"), conflicts="ignore")
    panel = demo_finder.find(submission, lookup)
    (shortlist,) = demo_finder.shortlists([submission], lookup)
    index, ranked = demo_finder.index, shortlist.ranked
    nearest = set(ranked.candidates.units[: near_rank(index.manifest.counts.papers)].tolist())
    for match, row in zip(panel.matches, shortlist.rows, strict=False):
        number = index.ownership.author_ids.find([match.author.id])[0]
        assert ranked.authors[row] == number
        own = index.ownership.author_units[
            index.ownership.author_starts[number] : index.ownership.author_starts[number + 1]
        ]
        assert match.near_papers == len(nearest.intersection(own.tolist()))
        assert match.confidence == confidence(match.near_papers)
    assert near_papers(ranked, shortlist.rows[:0], 100).tolist() == []
