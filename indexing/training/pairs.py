"""What a bi-encoder learns from: the titles of papers and their own abstracts, each paper once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.lexical.tokens import Vocabulary
from indexing.text import Text, encodable
from panelist.errors import InputError
from panelist.records import Paper

TWINS_FROM = 0.8
"""Titles that share this part of their words belong to versions of one paper (a preprint, a correction)."""


def title_pairs(papers: Iterable[Paper], until: int | None = None) -> list[Text]:
    """The papers with a title and an abstract, in the order given.

    Of papers with the same title, or with the same abstract, the first is kept: the others would teach a model that
    the right abstract is a wrong one.

    Args:
        papers: a corpus.
        until: take only papers of this year or before, so that later ones can serve for evaluation; those without a
            year are left out then.

    Raises:
        InputError: there is no such paper.
    """
    pairs: list[Text] = []
    seen: set[str] = set()
    for paper in papers:
        title, abstract = map(encodable, Text.of(paper))
        if not title or not abstract or (until is not None and (paper.year is None or paper.year > until)):
            continue
        keys = {"title " + _plain(title), "abstract " + _plain(abstract)}
        if keys.isdisjoint(seen):
            pairs.append(Text(title, abstract))
        seen |= keys
    if not pairs:
        years = "" if until is None else f" of {until} or before"
        raise InputError(f"no paper{years} in the corpus has both a title and an abstract: import papers that have")
    return pairs


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
