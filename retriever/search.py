"""Search: the texts of submissions to candidate papers, lexically, by vectors, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexing.hits import Hits
from indexing.index import Index
from indexing.text import Text
from panelist.errors import InputError
from retriever.candidates import Candidates
from retriever.fuse import FUSIONS, Fusion, fuse

Mode = Literal["hybrid", "lexical", "dense"]

MODES = ("hybrid", "lexical", "dense")


@dataclass(frozen=True, slots=True)
class Search:
    """How papers are found.

    Attributes:
        mode: which searches are made.
        depth: how many papers each of them returns.
        expand: expand the lexical query by pseudo-relevance feedback (RM3; engine `lucene`).
        fusion: how both are joined (`retriever.fuse`).
        lexical_weight: weight of the lexical search in the fusion.
        dense_weight: weight of the dense search.
    """

    mode: Mode = "hybrid"
    depth: int = 1000
    expand: bool = False
    fusion: Fusion = "weighted"
    lexical_weight: float = 0.5
    dense_weight: float = 1.0

    def __post_init__(self) -> None:
        for name, value, known in (("search mode", self.mode, MODES), ("fusion", self.fusion, FUSIONS)):
            if value not in known:
                raise InputError(f"unknown {name} '{value}': use one of {', '.join(known)}")
        if self.depth < 1:
            raise InputError(f"search depth {self.depth} is too small: give a number of papers, at least 1")
        weights = (self.lexical_weight, self.dense_weight)
        if not (all(0 <= weight < float("inf") for weight in weights) and sum(weights) > 0):
            raise InputError(f"fusion weights {weights[0]} and {weights[1]} make no sense: give two positive numbers")

    def run(
        self,
        index: Index,
        texts: Sequence[Text],
        *,
        allowed: NDArray[np.bool_] | None = None,
        vectors: NDArray[np.float32] | None = None,
    ) -> Candidates:
        """Find papers for a batch of texts.

        Args:
            index: where to search.
            texts: what to search for.
            allowed: a mask over units: only these are found, whatever the depth. Tombstones are never found.
            vectors: (texts, dimension) the encoded texts, where they are known already.

        Raises:
            InputError: the vectors do not fit, or the engine cannot expand queries.
        """
        depth = min(self.depth, max(1, len(index.units)))  # hits are padded to the depth
        if not index.units.complete:
            allowed = index.live if allowed is None else index.live & allowed
        lexical: Hits | None = None
        dense: Hits | None = None
        if self.mode != "dense":
            plain = [text.plain() for text in texts]
            lexical = index.lexical().search(plain, depth, allowed=allowed, expand=self.expand)
        if self.mode != "lexical":
            encoded = index.encoder().encode(texts) if vectors is None else vectors
            dense = index.dense().search(encoded, depth, allowed=allowed)
        return fuse(
            lexical,
            dense,
            method=self.fusion,
            lexical_weight=self.lexical_weight,
            dense_weight=self.dense_weight,
        )
