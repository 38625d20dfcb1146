"""What a bi-encoder learns from: queries, and the documents that each of them is to find; and how well one does."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.encoders import Encoder
from indexing.lexical.tokens import Vocabulary
from indexing.text import Text, encodable
from panelist.errors import InputError
from panelist.records import Paper

TWINS_FROM = 0.8
"""Titles that share this part of their words belong to versions of one paper (a preprint, a correction)."""


class Related(Protocol):
    """Tells which documents count neither for nor against a query."""

    def between(self, queries: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(queries, documents): whether they belong together; a query and a document of one paper always do."""


@dataclass(frozen=True, slots=True, eq=False)
class TextPairs:
    """The papers to learn from; row i of `queries` and row i of `documents` are of the same paper.

    Attributes:
        kind: what makes a pair: a paper's own title and abstract, or references that two papers share.
        queries: one for each paper.
        documents: one for each paper.
        positives: (queries, most) rows of the documents that a query is to find, best first; -1 where there are no
            more.
        related: documents that are no negatives of a query.
    """

    kind: Literal["titles", "references"]
    queries: Sequence[Text]
    documents: Sequence[Text]
    positives: NDArray[np.int64]
    related: Related

    def digest(self) -> str:
        """Identifies texts and positives."""
        digest = hashlib.sha256(self.positives.tobytes())
        for texts in (self.queries, self.documents):
            digest.update(orjson.dumps([list(text) for text in texts]))
        return digest.hexdigest()[:16]


def readable_papers(papers: Iterable[Paper], until: int | None = None) -> list[tuple[Paper, Text]]:
    """The papers with a title and an abstract, and these, in the order given.

    Of papers with the same title, or with the same abstract, the first is kept: the others would teach a model that
    the right abstract is a wrong one. `until` takes only papers of this year or before, so that later ones can serve
    for evaluation; those without a year are left out then.

    Raises:
        InputError: there is no such paper.
    """
    kept: list[tuple[Paper, Text]] = []
    seen: set[str] = set()
    for paper in papers:
        title, abstract = map(encodable, Text.of(paper))
        if not title or not abstract or (until is not None and (paper.year is None or paper.year > until)):
            continue
        keys = {"title " + _plain(title), "abstract " + _plain(abstract)}
        if keys.isdisjoint(seen):
            kept.append((paper, Text(title, abstract)))
        seen |= keys
    if not kept:
        years = "" if until is None else f" of {until} or before"
        raise InputError(f"no paper{years} in the corpus has both a title and an abstract: import papers that have")
    return kept


def title_pairs(papers: Iterable[Paper], until: int | None = None) -> TextPairs:
    """The titles of papers, each with its own abstract to find; see `readable_papers`."""
    return pairs_of_titles([text for _, text in readable_papers(papers, until)])


def pairs_of_titles(texts: Sequence[Text]) -> TextPairs:
    """Each title with its abstract."""
    titles, abstracts = [Text(text.title) for text in texts], [Text("", text.abstract) for text in texts]
    positives = np.arange(len(texts), dtype=np.int64)[:, None]
    return TextPairs("titles", titles, abstracts, positives, TitleTwins([text.title for text in texts]))


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
    """Queries of which one document each is to be found, and the documents among which it is.

    Attributes:
        pairs: all pairs; documents that are related to a query otherwise count neither for nor against.
        queries: rows of the queries that are asked.
        documents: rows of the documents that are ranked; it begins with that of each query.
    """

    pairs: TextPairs
    queries: NDArray[np.int64]
    documents: NDArray[np.int64]

    def ranks(self, encoder: Encoder, progress: Callable[[int], None] = lambda _: None) -> NDArray[np.int64]:
        """The rank of each query's own document, from 1; documents that are as similar come before it."""
        queries = encoder.encode([self.pairs.queries[row] for row in self.queries], progress)
        documents = encoder.encode([self.pairs.documents[row] for row in self.documents], progress)
        scores = queries @ documents.T
        own = np.arange(len(self.queries))
        others = ~self.pairs.related.between(self.queries, self.documents)
        ranks: NDArray[np.int64] = 1 + ((scores >= scores[own, own][:, None]) & others).sum(axis=1)
        return ranks


def measures(ranks: NDArray[np.int64]) -> dict[str, float]:
    """Mean reciprocal rank, and how often the own document comes first."""
    return {"mrr": float((1 / ranks).mean()), "recall_at_1": float((ranks == 1).mean())}
