"""The trivial model: everybody is equally fit for everything. Any other has to beat it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.affinity.model import Document


class TrivialModel:
    """Scores 1 for every pair, whatever the texts; half of all weighted pairs are then lost."""

    def score(self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]) -> NDArray[np.float32]:
        """A (submissions, profiles) matrix of ones."""
        return np.ones((len(submissions), len(profiles)), dtype=np.float32)
