"""How well an encoder finds a paper's abstract by its title: the task that the bi-encoder is trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder
from indexing.text import Text
from indexing.training.pairs import TitleTwins


@dataclass(frozen=True, slots=True)
class TitleSearch:
    """Titles whose abstract is known, and the abstracts among which it is to be found.

    Attributes:
        pairs: all pairs.
        titles: positions of the pairs whose titles are asked.
        abstracts: positions of the pairs whose abstracts are ranked; it begins with `titles`.
        twins: abstracts of twins of a paper count neither for nor against.
    """

    pairs: Sequence[Text]
    titles: NDArray[np.int64]
    abstracts: NDArray[np.int64]
    twins: TitleTwins

    def ranks(self, encoder: Encoder, progress: Callable[[int], None] = lambda _: None) -> NDArray[np.int64]:
        """The rank of each title's own abstract, from 1; abstracts that are as similar come before it."""
        queries = encoder.encode([Text(self.pairs[row].title) for row in self.titles], progress)
        documents = encoder.encode([Text("", self.pairs[row].abstract) for row in self.abstracts], progress)
        scores = queries @ documents.T
        own = np.arange(len(self.titles))
        others = ~self.twins.between(self.titles, self.abstracts)
        ranks: NDArray[np.int64] = 1 + ((scores >= scores[own, own][:, None]) & others).sum(axis=1)
        return ranks


def measures(ranks: NDArray[np.int64]) -> dict[str, float]:
    """Mean reciprocal rank, and how often the own abstract comes first."""
    return {"mrr": float((1 / ranks).mean()), "recall_at_1": float((ranks == 1).mean())}
