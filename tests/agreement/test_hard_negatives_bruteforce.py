"""Hard negatives against BM25 written out, word by word."""

import numpy as np
import pytest
from bm25_twin import slow_bm25

from indexing.lexical.tokens import Vocabulary
from indexing.text import Text
from indexing.training.contrastive import draw_candidates
from indexing.training.pairs import HardNegatives, pairs_of_titles

WORDS = [f"{a}{b}{c}" for a in "bdfk" for b in "aeo" for c in "lnrt"]


def make_pairs(count, seed):
    dice = np.random.default_rng(seed)
    pairs = [
        Text(" ".join(dice.choice(WORDS, 4)), " ".join(dice.choice(WORDS, dice.integers(5, 30)))) for _ in range(count)
    ]
    pairs[3] = Text("Correction: " + pairs[0].title, pairs[0].abstract + " indeed")
    pairs[4] = Text("zzz", "yyy")  # shares no word with anything
    return pairs


@pytest.mark.parametrize("seed", [0, 1])
def test_hard_negatives_are_the_best_of_brute_force_bm25_without_the_paper_itself(seed):
    pairs = make_pairs(40, seed)
    titles = [pair.title for pair in pairs]
    allowed = np.ones(40, dtype=bool)
    allowed[30:] = False
    rows = np.array([0, 3, 4, *range(7, 36)])
    done = []
    with HardNegatives(pairs_of_titles(pairs)) as miner:
        found = miner.mine(rows, 6, allowed=allowed, progress=done.append)
    assert sum(done) == len(rows)
    vocabulary = Vocabulary()
    documents = [vocabulary.learn(pair.abstract) for pair in pairs]
    for row, some in zip(rows, found, strict=True):
        scores = slow_bm25(documents, vocabulary.learn(titles[row]))
        own = {0, 3} if row in (0, 3) else {row}
        order = [unit for unit in np.argsort(-scores, kind="stable") if scores[unit] > 0 and allowed[unit]]
        rivals = [unit for unit in order[:7] if unit not in own][:6]
        kept = some[some >= 0]
        assert own.isdisjoint(kept)
        np.testing.assert_allclose(scores[kept], scores[rivals], rtol=1e-5)  # ties may stand in either order
        assert len(set(kept)) == len(kept)
    assert (found[2] == -1).all()


def test_drawing_takes_different_candidates_and_never_padding():
    candidates = np.array([[4, 8, 1, 7], [3, 2, -1, -1], [-1, -1, -1, -1]])
    dice = np.random.default_rng(0)
    seen = set()
    for _ in range(50):
        drawn = draw_candidates(candidates, 2, dice)
        assert len(set(drawn[0])) == 2
        assert set(drawn[1]) == {2, 3}
        assert set(drawn[2]) == {-1}
        seen |= set(drawn[0])
    assert seen == {4, 8, 1, 7}
