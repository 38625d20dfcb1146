"""A pool of reviewers: only they are looked at, before anything is cut; who is not indexed is noted."""

from types import SimpleNamespace

import numpy as np
import pytest
from indexing_support import HashingEncoder
from panel_support import ids
from tables_support import affiliations_of, ownership_of

from indexing.dense.faiss_flat import ExactIndex
from indexing.hits import NO_HITS, pad_rows
from indexing.tables.arrays import StringTable
from indexing.tables.nearness import measure_nearness
from indexing.tables.units import Units, text_digests
from indexing.text import Text
from panelist.app.demo import submissions
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from panelist.records import Submission
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.search import Search

SAMPLES = submissions()


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_a_pool_is_applied_before_the_depth_is_cut(demo_finder, mode):
    ranking = next(demo_finder.rank([SAMPLES[2]], Lookup(size=500, search=Search(mode=mode))))
    pool = tuple(reviewer for reviewer, _ in ranking[-6:])
    panel = demo_finder.find(SAMPLES[2], Lookup(size=6, pool=pool, search=Search(mode=mode, depth=20)))
    assert set(ids(panel)) == set(pool)


class ManyAuthors:
    """An index of a hundred thousand papers by as many authors, in arrays."""

    def __init__(self, count, dimension=8):
        dice = np.random.default_rng(3)
        self.words = [f"w{number}" for number in range(200)]
        encoder = HashingEncoder("hashing", dimension, "1")
        words = encoder.encode([Text(word) for word in self.words])
        vectors = words[dice.integers(0, 200, count)] + words[dice.integers(0, 200, count)]
        self.vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        texts = [Text("x")] * count
        self.units = Units(
            StringTable.of([f"p{number}" for number in range(count)]),
            np.repeat(text_digests(texts[:1]), count, axis=0),
            np.ones(count, np.bool_),
            np.full(count, 2020, np.int16),
            np.zeros(count, np.int32),
        )
        ones = np.ones(count, np.int64)
        names = [f"a{number}" for number in range(count)]
        self.ownership = ownership_of(names, count, np.arange(count), ones, np.arange(count))
        nothing = np.zeros(0, np.int64)
        self.affiliations = affiliations_of([], count, nothing, nothing, nothing)
        self.live, self.nearness = self.units.live, measure_nearness(self.vectors)
        self.manifest = SimpleNamespace(counts=SimpleNamespace(papers=count))
        self.encoder = lambda: encoder
        self.dense = lambda: ExactIndex(self.vectors)
        self.lexical = lambda: self
        self.close = lambda: None

    def search(self, queries, k, *, allowed=None):
        return pad_rows([NO_HITS] * len(queries), k)


def test_a_pool_of_50_among_100_000_authors_fills_the_panel(tmp_path):
    index = ManyAuthors(100_000)
    pool = tuple(f"a{number}" for number in range(7, 100_000, 2_000))
    assert len(pool) == 50
    with Finder(index, SqliteStore(tmp_path / "corpus.sqlite")) as finder:
        submission, search = Submission("s", "w1 w2 w3"), Search(mode="dense", depth=1000)
        panel = finder.find(submission, Lookup(size=10, pool=pool, search=search, conflicts="ignore"))
        # Cosines below zero make nobody an expert: the panel has all members of the pool with one above.
        vector = index.encoder().encode([Text("w1 w2 w3")])[0]
        above = [author for author in pool if index.vectors[int(author[1:])] @ vector > 0]
        whole = finder.find(submission, Lookup(size=50, pool=pool, search=search, conflicts="ignore"))
        unrestricted = next(finder.rank([submission], Lookup(size=1000, search=search, conflicts="ignore")))
    assert len(panel.matches) == 10
    assert set(ids(whole)) == set(above)
    assert ids(panel) == ids(whole)[:10]
    assert len({author for author, _ in unrestricted} & set(pool)) < 5  # cut first, the pool would be nearly empty


def test_those_of_the_pool_who_are_not_indexed_are_noted(demo_finder):
    pool = ("ghost", *(reviewer for reviewer, _ in next(demo_finder.rank([SAMPLES[2]]))))
    panel = demo_finder.find(SAMPLES[2], Lookup(pool=pool))
    assert len(panel.matches) == 10
    assert any("1 of the 11 reviewers of the pool" in note and "ghost" in note for note in panel.notes)


@pytest.mark.parametrize("pool", [(), ("ghost", "spectre")])
def test_a_pool_of_nobody_is_refused(demo_finder, pool):
    with pytest.raises(InputError, match=r"nobody .*pool \(\d ids\) .*index"):
        demo_finder.find(SAMPLES[2], Lookup(pool=pool))
