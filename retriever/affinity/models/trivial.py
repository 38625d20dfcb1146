"""The trivial model: everybody is equally fit for everything. Any other has to beat it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent
from retriever.affinity.model import Document, PanelModel, Panels


@dataclass(slots=True)
class _Ones:
    submissions: int
    reviewers: int

    def panel(self, start: int, stop: int) -> NDArray[np.float32]:
        return np.ones((stop - start, self.submissions), dtype=np.float32)


class TrivialModel(PanelModel):
    """Scores 1 for every pair, whatever the texts; half of all weighted pairs are then lost."""

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Panels:
        """Nothing is read: only the numbers of submissions and profiles matter."""
        return _Ones(len(submissions), len(profiles))
