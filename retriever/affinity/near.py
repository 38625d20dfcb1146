"""How many papers of a reviewer are near a submission, for every pair that is scored: how sure its score is.

Which similarity makes a paper near is learned for each submission from some papers of the committee; counting is one
comparison per similarity, while its tile is in the processor's cache. Counts end at three, where the grade is highest
(`retriever.confidence`), so that a pair takes two bits.
"""

import numpy as np
from numpy.typing import NDArray

from retriever.affinity.kernels.similarity import count_near
from retriever.affinity.similarity import Similarity
from retriever.confidence import GRADES, near_rank

NEAR_SAMPLE = 2048
"""Papers of the committee from which it is learned what near means; ten of them are near."""
MOST = np.uint8(len(GRADES) - 1)

_LEAST = np.finfo(np.float32).tiny  # of few papers some may share nothing with a submission: these are not near
_COLUMNS = 1024  # submissions that are compared with the sample at a time: 8 MB


class NearPapers:
    """The near papers of every pair, as far as blocks have been computed."""

    def __init__(self, thresholds: NDArray[np.float32], reviewers: int) -> None:
        self.thresholds = thresholds  # (submissions) the least similarity of a near paper
        # (2, reviewers, submissions / 8) the lower and the higher bit of every count
        self.bits = np.zeros((2, reviewers, -(-len(thresholds) // 8)), dtype=np.uint8)

    def count(self, planes: NDArray[np.float32], first: int, width: int) -> NDArray[np.uint8]:
        """The near papers among (papers, reviewers × submissions) similarities to submissions from `first` on."""
        counts = np.empty(planes.shape[1], dtype=np.uint8)
        count_near(planes, self.thresholds[first : first + width], MOST, counts)
        return counts

    def keep(self, start: int, counts: NDArray[np.uint8]) -> None:
        """Keep the counts of reviewers from `start` on: (reviewers, submissions)."""
        self.bits[:, start : start + len(counts)] = np.packbits([counts & 1, counts >> 1], axis=2)

    def of(self, submissions: NDArray[np.int64], reviewers: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The number of near papers of these pairs; three stands for three or more."""
        low, high = self.bits[:, reviewers, submissions >> 3] >> (7 - (submissions & 7)).astype(np.uint8) & 1
        counts: NDArray[np.uint8] = low + 2 * high
        return counts


def near_thresholds(
    similarity: Similarity,  # of papers to submissions
    sample: NDArray[np.int64],  # at least one of the papers
    papers: int,  # how many there are
    submissions: int,  # how many there are
) -> NDArray[np.float32]:
    """(submissions) the least similarity that makes a paper near."""
    rank = min(max(1, round(near_rank(papers) * len(sample) / papers)), len(sample))
    thresholds = np.empty(submissions, dtype=np.float32)
    write = similarity.of(sample)
    for first in range(0, submissions, _COLUMNS):
        similarities = np.empty((len(sample), min(_COLUMNS, submissions - first)), dtype=np.float32)
        write(first, similarities)
        by_submission = np.ascontiguousarray(similarities.T)
        by_submission.partition(len(sample) - rank, axis=1)
        thresholds[first : first + similarities.shape[1]] = np.maximum(by_submission[:, -rank], _LEAST)
    return thresholds
