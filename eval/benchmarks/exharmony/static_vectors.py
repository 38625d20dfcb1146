"""Static vectors, trained on a collection: Doc2Vec for papers, and Word Mover's Distance over those of its words.

Doc2Vec is its distributed bag of words with word vectors trained beside it (Le & Mikolov 2014; the variant that Lau &
Baldwin 2016 found best, https://aclanthology.org/W16-1609). Word Mover's Distance is the least cost of moving the words
of one text to those of another (Kusner et al. 2015, https://proceedings.mlr.press/v37/kusnerb15.html), exact.
One thread and fixed seeds: the same texts give the same vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.lexical.tokens import Vocabulary
from panelist.errors import InputError
from panelist.extras import require

DIMENSION = 100  # as in exHarmony
EPOCHS = 10
SEED = 0
_RATES = (0.025, 0.0001)  # gensim's own, from the first to the last epoch
_RAREST = 2  # words of fewer occurrences get no vector


def check_installed() -> None:
    """Refuse to begin without the packages."""
    require("Doc2Vec and Word Mover's Distance", "gensim", "ot")


class StaticVectors:
    """Vectors of texts and of their words.

    Attributes:
        texts_: (texts, dimension) float32, of length 1; zero for a text without a known word.
    """

    def __init__(self, dimension: int = DIMENSION, epochs: int = EPOCHS, seed: int = SEED) -> None:
        self.dimension, self.epochs, self.seed = dimension, epochs, seed

    def fit(self, texts: Sequence[str], after_epoch: Callable[[], None] = lambda: None) -> StaticVectors:
        """Train on these texts."""
        check_installed()
        from gensim.models.callbacks import CallbackAny2Vec
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument

        class Epochs(CallbackAny2Vec):  # type: ignore[misc]  # gensim has no types
            def on_epoch_end(self, model: Any) -> None:
                after_epoch()

        self._vocabulary = Vocabulary()
        words = [[str(word) for word in self._vocabulary.learn(text)] for text in texts]
        # Not given the texts at once: building the vocabulary first tells whether there is anything to learn.
        self._model = Doc2Vec(
            vector_size=self.dimension,
            dm=0,
            dbow_words=1,
            min_count=_RAREST,
            epochs=self.epochs,
            alpha=_RATES[0],
            min_alpha=_RATES[1],
            seed=self.seed,
            workers=1,
        )
        documents = [TaggedDocument(text, [number]) for number, text in enumerate(words)]
        self._model.build_vocab(documents)
        if not len(self._model.wv):
            raise InputError(f"the collection has no word that occurs {_RAREST} times: nothing to train vectors on")
        self._model.train(documents, total_examples=len(documents), epochs=self.epochs, callbacks=[Epochs()])
        has_words = np.array([any(word in self._model.wv for word in text) for text in words], dtype=np.bool_)
        self.texts_ = _unit(np.where(has_words[:, None], self._model.dv.vectors, 0))
        self._words = _unit(self._model.wv.vectors)
        self._bags = [self._bag(text) for text in words]
        return self

    def infer(self, text: str) -> NDArray[np.float32]:
        """The vector of another text, of length 1; zero where it has no known word.

        gensim's own inference starts from Python's hash of the text, which changes from process to process; this is
        the same descent, started from zero and with the same random numbers for every text.
        """
        from gensim.models.doc2vec import train_document_dbow

        words = [str(word) for word in self._vocabulary.read(text)]
        vector = np.zeros((1, self.dimension), dtype=np.float32)
        self._model.random = np.random.RandomState(self.seed)  # what gensim draws from
        work, locks = np.zeros(self._model.layer1_size, dtype=np.float32), np.ones(1, dtype=np.float32)
        if any(word in self._model.wv for word in words):
            for rate in np.linspace(*_RATES, self.epochs).tolist():
                train_document_dbow(
                    *(self._model, words, [0], rate, work),
                    **{"learn_words": False, "learn_hidden": False, "doctag_vectors": vector, "doctags_lockf": locks},
                )
        unit: NDArray[np.float32] = _unit(vector)[0]
        return unit

    def distances(self, text: str, documents: NDArray[np.int64]) -> NDArray[np.float64]:
        """Word Mover's Distance of another text to some of the texts trained on; infinite where one has no word.

        Words are compared by the distance of their vectors, which have length 1, so it is between 0 and 2.
        """
        from ot import emd2

        words, shares = self._bag([str(word) for word in self._vocabulary.read(text)])
        costs = np.sqrt(np.maximum(2 - 2 * (self._words[words] @ self._words.T), 0)).astype(np.float64)
        distances = np.full(len(documents), np.inf)
        for position, other in enumerate(documents.tolist()):
            other_words, their_shares = self._bags[other]
            if len(words) and len(other_words):
                distances[position] = emd2(shares, their_shares, np.ascontiguousarray(costs[:, other_words]))
        return distances

    def _bag(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The known words of a text, by their numbers in the model, and each one's share of its occurrences."""
        numbers = self._model.wv.key_to_index
        codes = np.array([numbers[word] for word in words if word in numbers], dtype=np.int64)
        distinct, counts = np.unique(codes, return_counts=True)
        return distinct, counts / max(len(codes), 1)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of length 1; zero stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
