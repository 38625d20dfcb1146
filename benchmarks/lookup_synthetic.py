"""A million papers in arrays for `benchmarks/lookup.py`: clusters of papers, and authors who stay in theirs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.dense import build_vector_index, open_vector_index
from indexing.dense.faiss_flat import ExactIndex
from indexing.tables.affiliations import Affiliations, institution_tables
from indexing.tables.arrays import StringTable, open_array, save_array
from indexing.tables.ownership import Ownership
from indexing.tables.units import Units
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.records import Author, Authorship, Institution, Paper, Submission
from retriever.finder import Finder
from retriever.lookup import Lookup

PAPERS_PER_CLUSTER = 500
AUTHORS_PER_CLUSTER = 200
INSTITUTIONS = 5_000
SPREAD = 0.8  # length of the noise around a cluster's centre, of length 1
SEED = 11


class SyntheticIndex:
    """What a finder reads of an index, made up; the vectors and their index are kept in a directory.

    Each cluster has its papers, and its authors, some of whom write much more than others. One authorship in ten is of
    somebody from anywhere. An author has one institution.
    """

    def __init__(self, path: Path, count: int, dimension: int) -> None:
        dice = np.random.default_rng(SEED)
        self.clusters = max(1, count // PAPERS_PER_CLUSTER)
        self.cluster = dice.integers(0, self.clusters, count)
        self.vectors = self._vectors(path, dimension, dice)
        years = dice.integers(2000, 2025, count).astype(np.int16)
        ids = StringTable.of([f"paper:{number}" for number in range(count)])
        citations = dice.integers(0, 100, count).astype(np.int32)
        self.units = Units(ids, np.zeros((count, 2), np.uint64), np.ones(count, np.bool_), years, citations)
        self.live = self.units.live
        self._own(dice)
        self._dense = open_vector_index(path / "dense", self.vectors)

    def _vectors(self, path: Path, dimension: int, dice: np.random.Generator) -> NDArray[np.float32]:
        centres = dice.standard_normal((self.clusters, dimension), dtype=np.float32)
        self.centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        if not (path / "dense").exists():
            path.mkdir(parents=True, exist_ok=True)
            vectors = self.near(self.cluster, dice)
            save_array(path / "vectors.npy", vectors)
            build_vector_index(vectors, path / "part")
            (path / "part").rename(path / "dense")
        return open_array(path / "vectors.npy")

    def near(self, clusters: NDArray[np.int64], dice: np.random.Generator) -> NDArray[np.float32]:
        """A vector of unit length near the centre of each of these clusters."""
        vectors = dice.standard_normal((len(clusters), self.centres.shape[1]), dtype=np.float32)
        vectors *= SPREAD / np.sqrt(vectors.shape[1])
        vectors += self.centres[clusters]
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _own(self, dice: np.random.Generator) -> None:
        """Who wrote what, and where they work."""
        count = len(self.cluster)
        people = self.clusters * AUTHORS_PER_CLUSTER
        lengths = dice.integers(1, 8, count)
        paper = np.repeat(np.arange(count), lengths)
        within = (AUTHORS_PER_CLUSTER * dice.random(len(paper)) ** 2).astype(np.int64)
        authors = self.cluster[paper] * AUTHORS_PER_CLUSTER + within
        anywhere = dice.random(len(paper)) < 0.1
        authors[anywhere] = dice.integers(0, people, int(anywhere.sum()))
        _, first = np.unique(paper * people + authors, return_index=True)  # nobody twice on one paper
        paper, authors = paper[np.sort(first)], authors[np.sort(first)]
        used, number = np.unique(authors, return_inverse=True)
        names = [f"author:{author:07}" for author in used.tolist()]  # ascending, so positions are author numbers
        self.ownership = Ownership(
            StringTable.of(names),
            _starts(np.bincount(paper, minlength=count)),
            number.astype(np.int32),
            _starts(np.bincount(number)),
            paper[np.argsort(number, kind="stable")].astype(np.int32),
        )
        institutions = [
            Institution(f"Institute {one}", f"https://ror.example/{one}", f"{chr(65 + one % 26)}{chr(65 + one % 7)}")
            for one in range(INSTITUTIONS)
        ]
        home = dice.integers(0, INSTITUTIONS, len(used))
        self.affiliations = Affiliations(
            **institution_tables(institutions),
            starts=self.ownership.author_starts,
            units=self.ownership.author_units,
            institutions=home[np.sort(number)].astype(np.int32),
        )

    def dense(self) -> ExactIndex:
        """The vector index."""
        return self._dense

    def encoder(self) -> SyntheticIndex:
        """Itself: it knows the vectors of its submissions."""
        return self

    def encode(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """The vector of a text is near the cluster that its first word names."""
        clusters = [int(text.title.split()[0].removeprefix("topic")) for text in texts]
        return np.concatenate([self.near(np.array([one]), np.random.default_rng(one)) for one in clusters])

    def close(self) -> None:
        """Nothing to let go of."""


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)])


def make_text(cluster: int, dice: random.Random) -> tuple[str, str]:
    """A title of 10 and an abstract of 150 words, one in five of them of the cluster.

    So two papers of a cluster share one word in nine; real abstracts share one in twelve with what they find.
    """
    words = [
        f"term{60 * cluster + dice.randrange(60)}" if dice.random() < 0.2 else f"word{dice.randrange(3000)}"
        for _ in range(160)
    ]
    return f"topic{cluster} " + " ".join(words[:10]), ". ".join(" ".join(words[n : n + 15]) for n in range(10, 160, 15))


def make_submissions(index: SyntheticIndex, count: int) -> list[Submission]:
    """Submissions like papers of the index, by three of the authors of one each."""
    dice = random.Random(SEED)
    made = []
    for number in range(count):
        unit = dice.randrange(len(index.cluster))
        title, abstract = make_text(int(index.cluster[unit]), dice)
        authors = index.ownership.author_ids.take(index.ownership.authors_of(unit)[:3])
        made.append(Submission(f"s{number}", title, abstract, tuple(map(_author, authors)), year=2025))
    return made


def _author(author_id: str) -> Author:
    return Author(author_id, author_id.replace(":", " "))


class _Recorder:
    """A corpus without papers that remembers for which it was asked."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        self.asked.update(paper_ids)
        return {}

    def authors(self, author_ids: Sequence[str]) -> dict[str, Author]:
        return {}

    def find_authors(self, *names: str) -> list[Author]:
        return []


def make_papers(index: SyntheticIndex, corpus: CorpusStore, asked: Sequence[Submission], lookup: Lookup) -> None:
    """Write to the corpus those papers, of the million, that answering these submissions asks for."""
    recorder = _Recorder()
    list(Finder(index, recorder).find_many(asked, lookup))  # type: ignore[arg-type]
    dice = random.Random(SEED)
    papers = []
    for paper_id in sorted(recorder.asked):
        unit = int(paper_id.removeprefix("paper:"))
        title, abstract = make_text(int(index.cluster[unit]), dice)
        authors = index.ownership.author_ids.take(index.ownership.authors_of(unit))
        team = tuple(Authorship(_author(one)) for one in authors)
        papers.append(Paper(paper_id, title, abstract, int(index.units.years[unit]), team, "Journal of Topics"))
    corpus.upsert(papers)
