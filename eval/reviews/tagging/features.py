"""Features of a sentence, for the linear tagger: n-grams of words and characters, neighbours, heading, shape.

Each block is TF-IDF with logarithmic term frequencies and length 1, times a weight that was chosen by cross-validation;
the shape is a few numbers between 0 and 1. Vocabulary and inverse document frequencies are the only learned parts.

The heads over MiniLM read vectors instead: all layers of the sentence, and one layer of what is beside it. Every
sentence is encoded once, by itself; encoding it together with the one before it would take twice the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from indexing.encoders import Encoder
from indexing.text import Text
from panelist.progress import Progress, counting, silent

_LOCATION = re.compile(
    r"\b(?:sec|section|fig|figure|table|tab|eq|eqn|equation|line|page|p|appendix|theorem|algorithm)s?\b\.?\s*\(?\d",
    re.I,
)
_LIST = re.compile(r"\s*(?:[-*•–]|\(?\d+[.)])\s")
SHAPE = (
    "position", "first", "last", "length", "short", "question", "digit", "list item", "location", "quotation",
    "first person", "colon", "citation", "heading",
)  # fmt: skip
_SHAPE_WEIGHT = 0.5
_PARTS = 7  # vectors that the encoder sets side by side: five means and two maxima, for MiniLM's six layers
_BESIDE = 2  # which of them is taken of a neighbour or a heading: the mean after the fourth layer


@dataclass(frozen=True, slots=True)
class NgramBlock:
    """One kind of n-gram: which text it reads, its weight, and how it is cut.

    Of those in at least `least` sentences the `most` frequent are learned, so that the file stays small.
    """

    source: str
    weight: float
    ngrams: tuple[int, int]
    analyzer: str = "word"
    least: int = 2
    most: int = 20_000


BLOCKS = {
    "words": NgramBlock("text", 1.0, (1, 3)),
    "characters": NgramBlock("text", 1.0, (2, 5), "char_wb", 3, 30_000),
    "previous": NgramBlock("previous", 0.4, (1, 2), least=3, most=8_000),
    "next": NgramBlock("next", 0.4, (1, 2), least=3, most=8_000),
    "heading": NgramBlock("heading", 0.5, (1, 1), most=1_000),
}


class Features:
    """Turns reviews into rows, one per sentence; a block has its n-grams in the order of the columns, and their idf."""

    def __init__(self) -> None:
        self.vocabularies_: dict[str, list[str]] = {}
        self.idf_: dict[str, NDArray[np.float32]] = {}
        self._vectorizers: dict[str, Any] = {}

    @classmethod
    def restored(cls, vocabularies: Mapping[str, list[str]], idf: Mapping[str, NDArray[np.float32]]) -> Features:
        """Features that were learned before."""
        features = cls()
        features.vocabularies_, features.idf_ = dict(vocabularies), dict(idf)
        for name, words in features.vocabularies_.items():
            vectorizer = _vectorizer(BLOCKS[name], dict(zip(words, range(len(words)), strict=True)))
            vectorizer.idf_ = features.idf_[name]
            features._vectorizers[name] = vectorizer
        return features

    def fit(self, reviews: Sequence[Sequence[Sentence]]) -> Features:
        """Learn vocabularies and frequencies."""
        sources = _sources(reviews)
        for name, block in BLOCKS.items():
            vectorizer = _vectorizer(block)
            try:
                vectorizer.fit(sources[block.source])
            except ValueError:  # nothing is frequent enough: no review has a heading, say
                continue
            self._vectorizers[name] = vectorizer
            self.vocabularies_[name] = vectorizer.get_feature_names_out().tolist()
            self.idf_[name] = vectorizer.idf_.astype(np.float32)
        return self

    def transform(self, reviews: Sequence[Sequence[Sentence]]) -> sp.csr_matrix:
        """(sentences, features), the sentences of all reviews in order."""
        sources = _sources(reviews)
        blocks = [
            vectorizer.transform(sources[BLOCKS[name].source]) * BLOCKS[name].weight
            for name, vectorizer in self._vectorizers.items()
        ]
        shapes = np.array([row for review in reviews for row in shape(review)], np.float32).reshape(-1, len(SHAPE))
        return sp.csr_matrix(
            sp.hstack([*blocks, sp.csr_matrix(shapes * _SHAPE_WEIGHT)], format="csr", dtype=np.float32)
        )


def shape(review: Sequence[Sentence]) -> list[list[float]]:
    """What can be seen without reading: see `SHAPE`."""
    rows = []
    for number, sentence in enumerate(review):
        text, words = sentence.text, len(sentence.text.split())
        rows.append(
            [
                number / len(review),
                number == 0,
                number + 1 == len(review),
                min(words, 60) / 30,
                words < 5,
                "?" in text,
                re.search(r"\d", text) is not None,
                _LIST.match(text) is not None,
                _LOCATION.search(text) is not None,
                '"' in text or "“" in text,
                re.search(r"\bI\b", text) is not None,
                text.endswith(":"),
                "et al" in text or re.search(r"\[\d+\]|\(\w+,? \d{4}\)", text) is not None,
                sentence.is_heading,
            ]
        )
    return rows


def _sources(reviews: Sequence[Sequence[Sentence]]) -> dict[str, list[str]]:
    """What each kind of block reads of every sentence, empty where there is nothing."""
    texts = [[sentence.text for sentence in review] for review in reviews]
    return {
        "text": [text for review in texts for text in review],
        "previous": [text for review in texts for text in ["", *review][: len(review)]],
        "next": [text for review in texts for text in [*review, ""][1:]],
        "heading": [sentence.heading for review in reviews for sentence in review],
    }


def _vectorizer(block: NgramBlock, vocabulary: dict[str, int] | None = None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(
        analyzer=block.analyzer,
        ngram_range=block.ngrams,
        min_df=block.least if vocabulary is None else 1,
        max_features=block.most if vocabulary is None else None,
        sublinear_tf=True,
        vocabulary=vocabulary,
        dtype=np.float32,
    )


def encode_in_context(
    reviews: Sequence[Sequence[Sentence]], encoder: Encoder, progress: Progress = silent
) -> NDArray[np.float32]:
    """(sentences, features): the sentence, the one before, the one after, the heading (0 where there is none)."""
    sources = _sources(reviews)
    texts = list(filter(None, dict.fromkeys([*sources["text"], *sources["heading"]])))
    count = counting(progress, "encoding sentences", len(texts))
    encoded = encoder.encode([Text(text) for text in texts], count) if texts else np.zeros((0, encoder.dimension))
    table = np.vstack([encoded, np.zeros((1, encoder.dimension))]).astype(np.float32)  # the last row is 'nothing'
    rows = {text: row for row, text in enumerate([*texts, ""])}
    width = max(1, encoder.dimension // _PARTS)
    narrow = table[:, _BESIDE * width : (_BESIDE + 1) * width]
    tables = {"text": table, "previous": narrow, "next": narrow, "heading": narrow}
    blocks = [vectors[[rows[text] for text in sources[name]]] for name, vectors in tables.items()]
    return np.hstack(blocks, dtype=np.float32)
