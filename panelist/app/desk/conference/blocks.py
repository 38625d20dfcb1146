"""Blocks of scores that are kept on disk while they are computed: what was cut off resumes where it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from panelist.files import replacing
from panelist.progress import Progress, silent
from retriever.affinity.model import BlockModel, Blocks, Document
from retriever.affinity.near import NearPapers


class KeptModel(BlockModel):
    """A model whose blocks are kept in a directory.

    Args:
        model: that computes them.
        directory: of these very submissions, reviewers and parameters; it exists.
    """

    def __init__(self, model: BlockModel, directory: Path) -> None:
        self._model, self._directory = model, directory

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """See `BlockModel`."""
        return _KeptBlocks(self._model.prepare(submissions, profiles, progress), self._directory)


class _KeptBlocks:
    """See `Blocks`. A file has the scores of a block, and its near papers where they are counted."""

    def __init__(self, blocks: Blocks, directory: Path) -> None:
        self.submissions, self.reviewers = blocks.submissions, blocks.reviewers
        self._blocks, self._directory = blocks, directory
        self._near: NearPapers | None = None

    def count_near(self) -> NearPapers | None:
        """See `Blocks`."""
        self._near = self._blocks.count_near()
        return self._near

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """See `Blocks`."""
        file = self._directory / f"{start}-{stop}.npz"
        near = np.empty(0, dtype=np.uint8) if self._near is None else self._near.bits[:, start:stop]
        if file.exists():
            with np.load(file, allow_pickle=False) as kept:
                near[...] = kept["near"]
                scores: NDArray[np.float32] = kept["scores"]
                return scores
        block = self._blocks.block(start, stop)
        with replacing(file) as part:
            np.savez(part, scores=block, near=near)
        return block
