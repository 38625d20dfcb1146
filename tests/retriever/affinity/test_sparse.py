"""The matrix at scale against loops, and its CSV files."""

import csv
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from retriever.affinity import blocks, model, sparse
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.output import write_scores
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.scoring import closing, thin_submissions
from retriever.affinity.similarity import DenseSimilarity
from retriever.affinity.sparse import SparseScores, sparse_scores
from retriever.conference.conflicts.declared import write_constraints


@dataclass
class Given:
    """Blocks of a matrix that is already there."""

    scores: np.ndarray

    def __post_init__(self):
        self.submissions, self.reviewers = self.scores.shape

    def block(self, start, stop):
        return self.scores[:, start:stop].copy()


def chosen_by_loops(scores, submissions, reviewers, k):
    pairs = set()
    for s in range(len(submissions)):
        open_to = [r for r in range(len(reviewers)) if scores[s, r] > -np.inf]
        pairs |= {(s, r) for r in sorted(open_to, key=lambda r: (-scores[s, r], reviewers[r]))[:k]}
    for r in range(len(reviewers)):
        open_to = [s for s in range(len(submissions)) if scores[s, r] > -np.inf]
        pairs |= {(s, r) for s in sorted(open_to, key=lambda s: (-scores[s, r], submissions[s]))[:k]}
    return pairs


@given(
    shape=st.tuples(st.integers(1, 25), st.integers(1, 25)),
    k=st.one_of(st.none(), st.integers(1, 9)),
    width=st.integers(1, 200),
    seed=st.integers(0, 1000),
)
@settings(max_examples=80)
def test_the_union_of_the_best_agrees_with_loops_ties_by_id(shape, k, width, seed):
    dice = np.random.default_rng(seed)
    scores = np.round(dice.standard_normal(shape), 1).astype(np.float32)  # many ties, and zeros of both signs
    scores[dice.random(shape) < 0.1] = -np.inf
    reviewers = [f"r{n}" for n in dice.permutation(shape[1])]
    submissions = [f"s{n}" for n in dice.permutation(shape[0])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "spans", lambda given: model.spans(given, width))
        patch.setattr(sparse, "_CHUNK", 30)
        found = sparse_scores(Given(scores), submissions, reviewers, k)
    pairs = []
    for s, (submission, chosen, values) in enumerate(found.rows()):
        assert submission == submissions[s]
        np.testing.assert_array_equal(values, scores[s, chosen])
        order = [(-value, reviewers[r]) for value, r in zip(values.tolist(), chosen.tolist(), strict=True)]
        assert order == sorted(order)
        pairs += [(s, r) for r in chosen.tolist()]
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == chosen_by_loops(scores, submissions, reviewers, k)


def test_blocks_agree_with_loops_whatever_the_lengths_of_profiles(monkeypatch):
    monkeypatch.setattr(blocks, "TILE", 7)
    dice = np.random.default_rng(0)
    papers = dice.standard_normal((40, 6)).astype(np.float32)
    submissions = dice.standard_normal((11, 6)).astype(np.float32)
    lengths = [0, 1, 3, 20, 2, 3, 0, 9, 1]
    members = [dice.choice(40, length, replace=False) for length in lengths]
    profiles = Profiles((), np.cumsum([0, *lengths]), np.concatenate(members).astype(np.int64))
    found = PooledBlocks(DenseSimilarity(papers, submissions), profiles, 11, ProfilePooling.parse("discounted").plan)
    parts = [found.block(start, min(start + 4, 9)) for start in range(0, 9, 4)]
    for row, own in zip(np.concatenate(parts, axis=1).T, members, strict=True):
        expected = np.zeros(11)
        if len(own):
            weights = 1 / np.arange(1, len(own) + 1)
            expected = -np.sort(-(submissions @ papers[own].T), axis=1) @ weights / weights.sum()
        np.testing.assert_allclose(row, expected, atol=1e-5)


def test_passages_count_by_the_nearest():
    dice = np.random.default_rng(0)
    passages, submissions = (dice.standard_normal((n, 4)).astype(np.float32) for n in (7, 3))
    starts = np.array([0, 2, 3, 7])
    found = np.empty((2, 2), dtype=np.float32)
    DenseSimilarity(passages, submissions, starts).writer(np.array([2, 0]))(1, found)
    products = passages @ submissions[1:].T
    np.testing.assert_allclose(found, [products[3:7].max(axis=0), products[:2].max(axis=0)], rtol=1e-5)


def test_a_matrix_keeps_at_least_one_pair_per_line():
    with pytest.raises(InputError, match=r"at least 1 .*received 0"):
        sparse_scores(Given(np.ones((2, 2), np.float32)), ["a", "b"], ["c", "d"], 0)


def test_no_reviewers_and_no_submissions_make_an_empty_matrix():
    assert len(sparse_scores(Given(np.ones((2, 0), np.float32)), ["a", "b"], [], 3).scores) == 0
    assert len(sparse_scores(Given(np.ones((0, 2), np.float32)), [], ["a", "b"], 3).scores) == 0


# Files


def test_scores_are_written_as_csv_in_full_precision(tmp_path):
    values = np.array([0.12345679, -2.5, 0.0, 123456.75, 1e-9, 7.0], dtype=np.float32)
    names = ('say "hi"', "a,b", "~Åsa_Öst1")
    scores = SparseScores(("s,1", "none", "s2"), names, np.array([0, 3, 3, 6]), np.array([0, 1, 2, 2, 1, 0]), values)
    write_scores(scores, tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert [row[:2] for row in rows] == [*(["s,1", name] for name in names), *(["s2", name] for name in names[::-1])]
    assert [row[2] for row in rows] == ["0.12345679", "-2.5", "0.0", "123456.75", "1e-9", "7.0"]
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]


def test_long_files_are_written_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr("retriever.affinity.output._LINES", 4)
    dice = np.random.default_rng(0)
    scores = sparse_scores(
        Given(dice.random((9, 7)).astype(np.float32)), [f"s{n}" for n in range(9)], [f"r{n}" for n in range(7)], 2
    )
    write_scores(scores, tmp_path / "scores.csv")
    expected = [
        f"{submission},{scores.reviewers[r]},{value!s}"
        for submission, chosen, values in scores.rows()
        for r, value in zip(chosen, values, strict=True)
    ]
    assert (tmp_path / "scores.csv").read_text().splitlines() == expected


def test_constraints_name_every_pair_once(tmp_path):
    conflicts = [Conflict("s1", "r1", kind, "") for kind in (ConflictKind.AUTHOR, ConflictKind.DECLARED)]
    write_constraints([*conflicts, Conflict("s1", "r,2", ConflictKind.AUTHOR, "")], tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == 's1,r1,-1\ns1,"r,2",-1\n'


# Coverage


def test_conflicts_and_empty_profiles_are_closed_and_thin_submissions_named():
    scores = np.array([[0.9, 0.7, 0.6, 0.5], [0.8, 0.1, 0.9, 0.9]], dtype=np.float32)
    able, close = np.zeros(2, dtype=np.int64), closing(np.array([[0, 1]]), np.array([False, False, False, True]))

    def watch(start, block):
        close(start, block)
        able[:] += np.count_nonzero(block > 0.65, axis=1)

    found = sparse_scores(Given(scores), ["s1", "s2"], "abcd", watch=watch)
    assert {(s, found.reviewers[r]) for s, chosen, _ in found.rows() for r in chosen} == {
        *(("s1", reviewer) for reviewer in "abc"),
        *(("s2", reviewer) for reviewer in "bc"),
    }
    thin = thin_submissions(found, able)
    assert [(one.submission, one.able) for one in thin] == [("s2", 1), ("s1", 2)]
    assert thin[0].third_best is None
    assert thin[1].third_best == pytest.approx(0.6)
