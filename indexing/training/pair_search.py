"""How well an encoder finds what belongs to a query: the task that the bi-encoder is trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder
from indexing.training.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class PairSearch:
    """Queries of which one document each is to be found, and the documents among which it is.

    Attributes:
        pairs: all pairs; documents that are related to a query otherwise count neither for nor against.
        queries: rows of the queries that are asked.
        documents: rows of the documents that are ranked; it begins with that of each query.
    """

    pairs: Pairs
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
