"""The ACL matching model: the cosine of abstracts in vectors learned from a corpus, and each reviewer's three best."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.acl import AclEncoder, acl_folder
from indexing.text import Text
from panelist.progress import Progress, counting, silent
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.model import BlockModel, Blocks
from retriever.affinity.pooling import best_three
from retriever.affinity.profiles import Documents, Profiles
from retriever.affinity.similarity import DenseSimilarity


class AclModel(BlockModel):
    """Means of subword vectors, compared by cosine: s₁ + s₂/2 + s₃/3 (Stelmakh et al. 2023, Appendix B)."""

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder  # where `panelist train acl` put the model; the user's cache by default
        self._encoder: AclEncoder | None = None

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Encode the texts.

        Raises:
            ModelError: the model has not been trained, or its folder is damaged.
        """
        collected = Profiles.of(profiles)
        papers = self._encode(collected.papers, "encoding papers", progress)
        queries = self._encode(submissions, "encoding submissions", progress)
        return PooledBlocks(DenseSimilarity(papers, queries), collected, len(submissions), best_three)

    def _encode(self, documents: Documents, stage: str, progress: Progress) -> NDArray[np.float32]:
        if self._encoder is None:
            folder = acl_folder() if self.folder is None else Path(self.folder).expanduser()
            self._encoder = AclEncoder.open(folder)
        texts = [Text.of(document) for document in documents]
        return self._encoder.encode(texts, counting(progress, stage, len(texts)))
