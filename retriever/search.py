"""Search: the texts of submissions to candidate papers, lexically, by vectors, or both, fused into one list.

Fusion gives every paper one score in [0, 1], in one of two ways (Fox & Shaw 1994; Cormack, Clarke & Büttcher 2009),
with weights w_l for lexical and w_d for dense hits:

- `weighted`: each search's scores are divided by its best score for the query, so that the best paper of each gets 1,
  and averaged: s(p) = (w_l · l(p)/l_max + w_d · d(p)/d_max) / (w_l + w_d). A search that did not find p adds 0.
- `rrf`: reciprocal rank, s(p) = Σ w / (60 + rank(p)), divided by the highest value it can reach.

For ablations, methods of ranx serve too (`retriever.fusing`).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from indexing.hits import NO_UNIT, Hits, sort_falling
from indexing.index import Index
from indexing.lexical.engine import Repeated, Words
from indexing.text import Text
from panelist.errors import InputError
from retriever.coverage import NEAREST
from retriever.fusing import METHODS, fuse_by_ranx
from retriever.stages import DENSE, LEXICAL, Candidates, Meaning, merge

Mode = Literal["hybrid", "lexical", "dense"]
Fusion = Literal["weighted", "rrf"]

SearchFunction = Callable[..., list[Candidates]]
"""A function that does what `search` does, perhaps with a cache."""

RRF_OFFSET = 60


@dataclass(frozen=True, slots=True)
class Search:
    """How papers are found.

    Attributes:
        mode: which searches are made.
        depth: how many papers each of them returns.
        expand: expand the lexical query by pseudo-relevance feedback (RM3; engine `lucene`).
        repeated: how a word counts that a query repeats, `distinct` (once) or `counted`; see `indexing.lexical.engine`.
        bm25: k1 and b of the lexical search, where they are not to be those of the index (engine `lucene`).
        fusion: how both are joined: `weighted`, `rrf`, or one of `retriever.fusing.METHODS`.
        lexical_weight: weight of the lexical search in the fusion.
        dense_weight: weight of the dense search.
    """

    mode: Mode = "hybrid"
    depth: int = 1000
    expand: bool = False
    fusion: str = "weighted"
    lexical_weight: float = 0.5
    dense_weight: float = 1.0
    repeated: Repeated = "distinct"
    bm25: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("search mode", self.mode, get_args(Mode)),
            ("fusion", self.fusion, (*get_args(Fusion), *METHODS)),
        ):
            if value not in choices:
                raise InputError(f"unknown {name} '{value}': use one of {', '.join(choices)}")
        if self.depth < 1:
            raise InputError(f"search depth {self.depth} is too small: give a number of papers, at least 1")
        weights = (self.lexical_weight, self.dense_weight)
        if not (all(0 <= weight < float("inf") for weight in weights) and sum(weights) > 0):
            raise InputError(f"fusion weights {weights[0]} and {weights[1]} make no sense: give two positive numbers")
        _ = self.words  # refuses what words cannot be

    @property
    def words(self) -> Words:
        """How the words of a query count."""
        return Words(self.repeated, self.expand, self.bm25)


def search(
    index: Index,
    texts: Sequence[Text],
    settings: Search,
    *,
    allowed: NDArray[np.bool_] | None = None,
    vectors: NDArray[np.float32] | None = None,
) -> list[Candidates]:
    """Find papers for a batch of texts.

    `allowed` is a mask over units: only these are found, whatever the depth; never tombstones, nor what was retracted.
    `vectors` (texts, dimension) are the encoded texts, where they are known already.
    """
    depth = min(settings.depth, max(1, len(index.units)))  # hits are padded to the depth
    allowed = index.units.searchable(allowed)

    def search_lexically() -> Hits:
        plain = [text.plain() for text in texts]
        return index.lexical().search(plain, depth, allowed=allowed, words=settings.words)

    def search_by_vectors() -> tuple[Hits, NDArray[np.float32]]:
        encoded = index.encoder().encode(texts) if vectors is None else vectors
        return index.dense().search(encoded, depth, allowed=allowed), encoded

    if settings.mode == "lexical":
        return fuse(search_lexically(), None, settings)
    if settings.mode == "dense":
        (dense, encoded), lexical = search_by_vectors(), None
    elif vectors is not None:
        lexical, (dense, encoded) = search_lexically(), search_by_vectors()
    else:
        with ThreadPoolExecutor(1) as other:  # the Java machine and the encoder do not wait for each other
            running = other.submit(search_by_vectors)
            lexical, (dense, encoded) = search_lexically(), running.result()
    meanings = (
        Meaning(vector, units[units != NO_UNIT])
        for vector, units in zip(encoded, dense.units[:, :NEAREST], strict=True)
    )
    return [
        replace(joined, meaning=topic) for joined, topic in zip(fuse(lexical, dense, settings), meanings, strict=True)
    ]


def fuse(lexical: Hits | None, dense: Hits | None, settings: Search) -> list[Candidates]:
    """Join the hits of one or both searches for the same batch of queries.

    With one search only, its weight does not matter: the fused score is its normalised score.
    """
    total = settings.lexical_weight + settings.dense_weight
    is_single = lexical is None or dense is None
    shares = _reciprocal_ranks if settings.fusion == "rrf" else _shares
    searches = [
        (hits.units, shares(hits) * np.float32(1.0 if is_single else weight / total), name)
        for hits, weight, name in (
            (lexical, settings.lexical_weight, LEXICAL),
            (dense, settings.dense_weight, DENSE),
        )
        if hits is not None
    ]
    queries = range(len(searches[0][0]))
    joined = [
        _join([_matches(units[query], scores[query], name) for units, scores, name in searches]) for query in queries
    ]
    if settings.fusion in METHODS and lexical is not None and dense is not None:
        weights = settings.lexical_weight, settings.dense_weight
        return fuse_by_ranx(joined, (lexical, dense), settings.fusion, weights)
    return joined


def _matches(units: NDArray[np.int64], scores: NDArray[np.float32], search: int) -> Candidates:
    """What one search found for one query; what is missing is at the end."""
    count = np.count_nonzero(units != NO_UNIT)
    return Candidates(units[:count], scores[:count], np.full(count, search, dtype=np.uint8))


def _join(searches: Sequence[Candidates]) -> Candidates:
    """What one search or two have found, each unit once with the sum of its scores, best first."""
    if len(searches) == 1:
        return searches[0]
    units, scores, found_by = merge(searches)
    order = sort_falling(scores, units << 2 | found_by)  # below 2³², so there is room for a billion units
    return Candidates(order >> 2, np.sort(scores)[::-1], (order & 3).astype(np.uint8), dense=searches[1])


def _shares(hits: Hits) -> NDArray[np.float32]:
    """Each score as a share of its query's best; cosines below zero count as zero, and so does a best of zero."""
    best = np.maximum(hits.scores[:, :1], 0)
    shares = np.maximum(hits.scores, 0) / np.where(best > 0, best, 1)
    return shares.astype(np.float32, copy=False)


def _reciprocal_ranks(hits: Hits) -> NDArray[np.float32]:
    ranks = np.arange(1, hits.units.shape[1] + 1)
    shares = ((RRF_OFFSET + 1) / (RRF_OFFSET + ranks)).astype(np.float32)
    return np.broadcast_to(shares, hits.units.shape)
