"""Text that two reviews share: runs of eight words, found through an inverted index.

Containment is the part of the shorter review's shingles that the other one has too. Shingles of the venue's form, which
many reviews carry, do not count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from eval.reviews.reading.files import ReviewText

SHINGLE = 8  # words
NOTABLE = 0.1  # containment from which a pair is listed
SUSPICIOUS = 0.5  # containment from which a pair is called reused
_FEWEST_SHARED = 5  # shingles: a quotation of twelve words is not a copy
_FORM_SHARE = 0.05  # text that a larger share of the reviews has belongs to the form
_FORM_LEAST = 4  # reviews
_WORD = re.compile(r"\w+(?:['’]\w+)?")


@dataclass(frozen=True, slots=True)
class SharedText:
    """Two reviews with text in common."""

    first: str
    second: str
    containment: float  # shared shingles over those of the shorter review
    same_reviewer: bool  # whether both have the same author, as far as the file says
    passage: str  # the longest run that both have, as the first review writes it

    @property
    def suspected(self) -> bool:
        """Whether it is more than a shared phrase."""
        return self.containment >= SUSPICIOUS


def find_shared_text(reviews: Sequence[ReviewText]) -> list[SharedText]:
    """All pairs with notable containment, the largest first."""
    words = [[(match.start(), match.end()) for match in _WORD.finditer(review.text)] for review in reviews]
    hashes = [_shingles(review.text, spans) for review, spans in zip(reviews, words, strict=True)]
    unique = [np.unique(shingles) for shingles in hashes]
    sizes = np.array([len(shingles) for shingles in unique])
    if not sizes.sum():
        return []
    codes, columns = np.unique(np.concatenate(unique), return_inverse=True)
    rows = np.repeat(np.arange(len(reviews)), sizes)
    matrix = sp.csr_matrix((np.ones(len(rows), np.int32), (rows, columns)), shape=(len(reviews), len(codes)))
    common = np.asarray(matrix.sum(axis=0)).ravel()
    form = common > max(_FORM_LEAST, _FORM_SHARE * len(reviews))
    matrix = matrix[:, (common > 1) & ~form]
    sizes = sizes - np.bincount(rows, weights=form[columns], minlength=len(reviews)).astype(np.int64)
    shared = sp.coo_matrix(sp.triu(matrix @ matrix.T, k=1))
    pairs = []
    for row, other, count in zip(shared.row.tolist(), shared.col.tolist(), shared.data.tolist(), strict=True):
        containment = count / max(1, min(sizes[row], sizes[other]))
        if count >= _FEWEST_SHARED and containment >= NOTABLE:
            passage = _passage(reviews[row].text, words[row], hashes[row], unique[other])
            by_one_reviewer = reviews[row].reviewer != "" and reviews[row].reviewer == reviews[other].reviewer
            pairs.append(SharedText(reviews[row].id, reviews[other].id, float(containment), by_one_reviewer, passage))
    return sorted(pairs, key=lambda pair: (-pair.containment, pair.first, pair.second))


def _shingles(text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.uint64]:
    """A hash of every run of words, in order; the same on every machine."""
    tokens = [text[start:end].lower() for start, end in spans]
    return np.array(
        [
            int.from_bytes(blake2b(" ".join(tokens[i : i + SHINGLE]).encode(), digest_size=8).digest(), "little")
            for i in range(len(tokens) - SHINGLE + 1)
        ],
        np.uint64,
    )


def _passage(text: str, spans: Sequence[tuple[int, int]], hashes: NDArray[np.uint64], other: NDArray[np.uint64]) -> str:
    """The longest run of the text whose shingles the other review has too."""
    shared = np.isin(hashes, other)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], shared.astype(np.int8), [0]])))
    starts, ends = edges[::2], edges[1::2]
    longest = int((ends - starts).argmax())
    return " ".join(text[spans[starts[longest]][0] : spans[ends[longest] - 1 + SHINGLE - 1][1]].split())
