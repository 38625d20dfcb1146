"""What a bi-encoder learns from: queries, and the documents that each of them is to find; and how well one does."""

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.encoders import Encoder
from indexing.lexical import open_lexical, write_lexical
from indexing.lexical.tokens import Vocabulary
from indexing.text import Text, encodable
from panelist.errors import InputError
from panelist.records import Paper

TWINS_FROM = 0.8
"""Titles that share this part of their words belong to versions of one paper (a preprint, a correction)."""

_CHUNK = 512  # queries between two calls of `progress`


Related = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Tells which documents count neither for nor against a query: (queries, documents) whether they belong together; a
query and a document of one paper always do."""


@dataclass(frozen=True, slots=True, eq=False)
class TextPairs:
    """The papers to learn from; row i of `queries` and row i of `documents` are of the same paper."""

    kind: Literal["titles", "references"]  # what makes a pair: title and abstract of a paper, or shared references
    queries: Sequence[Text]
    documents: Sequence[Text]
    positives: NDArray[np.int64]  # (queries, most) rows of the documents to find, best first; then -1
    related: Related  # documents that are not negatives of a query

    def digest(self) -> str:
        """Identifies texts and positives."""
        digest = hashlib.sha256(self.positives.tobytes())
        for texts in (self.queries, self.documents):
            digest.update(orjson.dumps([list(text) for text in texts]))
        return digest.hexdigest()[:16]


def readable_papers(papers: Iterable[Paper], until: int | None = None) -> list[tuple[Paper, Text]]:
    """The papers with a title and an abstract, and these, in the order given.

    Of papers with the same title, or with the same abstract, the first is taken: the others would teach a model that
    the right abstract is a wrong one. `until` takes only papers of this year or before, so that later ones can serve
    for evaluation; those without a year are left out then.
    """
    readable: list[tuple[Paper, Text]] = []
    seen: set[str] = set()
    for paper in papers:
        title, abstract = map(encodable, Text.of(paper))
        if not title or not abstract or (until is not None and (paper.year is None or paper.year > until)):
            continue
        keys = {"title " + _plain(title), "abstract " + _plain(abstract)}
        if keys.isdisjoint(seen):
            readable.append((paper, Text(title, abstract)))
        seen |= keys
    if not readable:
        years = "" if until is None else f" of {until} or before"
        raise InputError(f"no paper{years} in the corpus has both a title and an abstract: import papers that have")
    return readable


def title_pairs(papers: Iterable[Paper], until: int | None = None) -> TextPairs:
    """The titles of papers, each with its own abstract to find; see `readable_papers`."""
    return pairs_of_titles([text for _, text in readable_papers(papers, until)])


def pairs_of_titles(texts: Sequence[Text]) -> TextPairs:
    """Pair each title with its abstract."""
    titles, abstracts = [Text(text.title) for text in texts], [Text("", text.abstract) for text in texts]
    positives = np.arange(len(texts), dtype=np.int64)[:, None]
    return TextPairs("titles", titles, abstracts, positives, TitleTwins([text.title for text in texts]).between)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


class TitleTwins:
    """Which papers may be versions of one another, told by the stems that their titles share (Jaccard)."""

    def __init__(self, titles: Sequence[str]) -> None:
        vocabulary = Vocabulary()
        words = [sorted(set(vocabulary.learn(title))) for title in titles]
        sizes = np.array([len(row) for row in words], dtype=np.int64)
        columns = np.array([word for row in words for word in row], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        shape = (len(titles), max(len(vocabulary.numbers), 1))
        self._words = csr_array((np.ones(len(columns), np.float32), columns, starts), shape=shape)
        self._sizes = sizes

    def between(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(rows, columns): whether two papers are twins; a paper is its own."""
        shared = (self._words[rows] @ self._words[columns].T).toarray()
        union = self._sizes[rows][:, None] + self._sizes[columns][None, :] - shared
        twins: NDArray[np.bool_] = (union > 0) & (shared >= TWINS_FROM * union) | (rows[:, None] == columns[None, :])
        return twins


@dataclass(frozen=True, slots=True, eq=False)
class PairSearch:
    """Queries of which one document each is to be found, and the documents among which it is."""

    pairs: TextPairs  # documents that are related to a query otherwise count neither for nor against
    queries: NDArray[np.int64]  # rows of the queries
    documents: NDArray[np.int64]  # rows of the documents that are ranked, those of the queries first

    def ranks(self, encoder: Encoder, progress: Callable[[int], None] = lambda _: None) -> NDArray[np.int64]:
        """The rank of each query's own document, from 1; documents that are as similar come before it."""
        queries = encoder.encode([self.pairs.queries[row] for row in self.queries], progress)
        scores = queries @ encoder.encode([self.pairs.documents[row] for row in self.documents], progress).T
        diagonal = np.arange(len(self.queries))
        negative = ~self.pairs.related(self.queries, self.documents)
        ranks: NDArray[np.int64] = 1 + ((scores >= scores[diagonal, diagonal][:, None]) & negative).sum(axis=1)
        return ranks


def measure_ranks(ranks: NDArray[np.int64]) -> dict[str, float]:
    """Mean reciprocal rank, and how often the own document comes first."""
    return {"mrr": float((1 / ranks).mean()), "recall_at_1": float((ranks == 1).mean())}


class HardNegatives:
    """Hard negatives: the documents that BM25 takes for what belongs to a query, and that do not; a context manager.

    Thakur et al., "BEIR", 2021, and exHarmony ("SciBERT-R"), which draws from the best 1,000 of over a million.
    """

    def __init__(self, pairs: TextPairs) -> None:
        self._pairs = pairs
        self._open = ExitStack()

    def __enter__(self) -> Self:
        path = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="panelist-negatives-")))
        with write_lexical(path, "bm25s") as writer:
            writer.add(range(len(self._pairs.documents)), [text.plain() for text in self._pairs.documents])
        self._index = self._open.enter_context(open_lexical(path, "bm25s"))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def mine(
        self,
        rows: NDArray[np.int64],
        depth: int,
        *,
        allowed: NDArray[np.bool_] | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> NDArray[np.int64]:
        """(rows, depth): rows of documents, best first by BM25; -1 where there are no more.

        Neither the document of the query's own paper nor one that is related to it is among them: these are lost from
        the depth. `allowed` is a mask over documents; `progress` gets the number of queries done since its last call.
        """
        negatives = np.full((len(rows), depth), -1, dtype=np.int64)
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            hits = self._index.search([self._pairs.queries[row].plain() for row in chunk], depth + 1, allowed=allowed)
            for position, (row, units) in enumerate(zip(chunk, hits.units, strict=True), start):
                documents = units[units >= 0]
                negative = documents[~self._pairs.related(np.array([row]), documents)[0]][:depth]
                negatives[position, : len(negative)] = negative
            progress(len(chunk))
        return negatives
