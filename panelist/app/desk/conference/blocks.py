"""Blocks of scores that are kept on disk while they are computed: what was cut off resumes where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from panelist.files import replacing
from panelist.progress import Progress, silent
from retriever.affinity.model import BlockModel, Blocks, Document


class KeptModel(BlockModel):
    """A model whose blocks are kept in a directory; texts are read only if a block is missing.

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

        def prepared() -> Blocks:
            return self._model.prepare(submissions, profiles, progress)

        return _KeptBlocks(prepared, len(submissions), len(profiles), self._directory)


class _KeptBlocks:
    """See `Blocks`. Near papers are not counted: those of blocks that were read again would be unknown."""

    near = None

    def __init__(self, prepared: Callable[[], Blocks], submissions: int, reviewers: int, directory: Path) -> None:
        self.submissions, self.reviewers = submissions, reviewers
        self._prepared, self._directory = prepared, directory
        self._blocks: Blocks | None = None

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """See `Blocks`."""
        file = self._directory / f"{start}-{stop}.npy"
        if file.exists():
            kept: NDArray[np.float32] = np.load(file, allow_pickle=False)
            return kept
        if self._blocks is None:
            self._blocks = self._prepared()
        block = self._blocks.block(start, stop)
        with replacing(file) as part:
            np.save(part, block, allow_pickle=False)
        return block
