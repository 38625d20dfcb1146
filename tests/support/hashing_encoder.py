"""An encoder for tests of what is learned from vectors."""

import numpy as np


class Hashing:
    """An encoder without weights: a sentence is the sum of its words' random vectors."""

    name, revision, dimension = "hashing", "hashing-1", 32

    def encode(self, texts, progress=None):
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.plain().lower().split():
                vectors[row] += np.random.default_rng(sum(map(ord, word))).normal(size=self.dimension)
        if progress is not None:
            progress(len(texts))
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
