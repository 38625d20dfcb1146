"""The trivial model: everybody suits everything equally well. Every other model has to beat it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent
from retriever.affinity.model import BlockModel, Blocks, Document


@dataclass(slots=True)
class _Ones:
    submissions: int
    reviewers: int

    def count_near(self) -> None:
        return None

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        return np.ones((self.submissions, stop - start), dtype=np.float32)


class TrivialModel(BlockModel):
    """Scores 1 for every pair, whatever the texts; half of all weighted pairs are then lost."""

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """Only count submissions and profiles: no text matters."""
        return _Ones(len(submissions), len(profiles))
