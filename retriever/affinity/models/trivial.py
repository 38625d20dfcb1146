"""The trivial model: everybody suits everything equally well. Every other model has to beat it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panelist.progress import Progress, silent
from retriever.affinity.model import BlockModel, Blocks, Document, MatrixBlocks


class TrivialModel(BlockModel):
    """Scores 1 for every pair, whatever the texts: half of all weighted pairs count as lost."""

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """Only count submissions and profiles: no text matters."""
        return MatrixBlocks(np.broadcast_to(np.float32(1), (len(submissions), len(profiles))))
