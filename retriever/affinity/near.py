"""How well every pair of a conference fits: how near a reviewer's papers are to a submission, on an absolute scale.

The evidence is that of a look-up (`retriever.fit`), over the papers of a profile, so that a grade means the same in
both. Pairs are graded after they were chosen, some submissions at a time. All papers are compared with these, which
also tells whether anything of the committee is near a submission at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.tables.nearness import Nearness
from indexing.tables.ownership import gather_rows
from panelist.records import Coverage, Paper
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import DenseSimilarity
from retriever.coverage import coverage, looked_at
from retriever.fit import NEAR, near_evidence, shipped

_CELLS = 1 << 24  # similarities, and papers of pairs, at a time: 64 MB


@dataclass(frozen=True, slots=True, eq=False)
class Grades:
    """Of pairs the probability that they fit and how many papers are near; the coverage of submissions, if known."""

    fit: NDArray[np.float32]
    near_papers: NDArray[np.int32]
    coverage: list[Coverage]


@dataclass(frozen=True, slots=True, eq=False)
class NearPapers:
    """How near the papers of profiles are to submissions."""

    similarity: DenseSimilarity
    profiles: Profiles
    submissions: int
    nearness: Nearness
    cited: csr_array | None = field(default=None)  # (submissions, reviewers): see `retriever.affinity.cited`

    def grades(
        self,
        submission: NDArray[np.int64],
        reviewer: NDArray[np.int64],
        reviewers: Sequence[str],
        aliases: Mapping[str, str] = MappingProxyType({}),  # other ids of reviewers, such as those that papers give
    ) -> Grades:
        """The grades of these pairs of row numbers, by ascending submission; `reviewers` are all ids."""
        led, named = self._led(reviewers, aliases)
        fit, papers_near = np.zeros(len(submission), np.float32), np.zeros(len(submission), np.int32)
        covered: list[Coverage] = []
        papers = np.arange(len(self.profiles.papers))
        write = self.similarity.writer(papers)
        width = max(1, _CELLS // max(len(papers), 1))
        for offset in range(0, self.submissions, width):
            products = np.empty((len(papers), min(width, self.submissions - offset)), np.float32)
            write(offset, products)
            lengths = self.similarity.lengths(offset, offset + products.shape[1])
            nearness = self.nearness.scaled(products / np.where(lengths > 0, lengths, 1))
            smallest = len(papers) - looked_at(len(papers))
            if self.nearness.sure:
                covered += map(coverage, np.partition(nearness, smallest, axis=0)[smallest:].T)
            begin, end = np.searchsorted(submission, [offset, offset + nearness.shape[1]]).tolist()
            step = max(1, _CELLS // 32)
            for start in range(begin, end, step):
                batch = slice(start, min(start + step, end))
                entries, counts = gather_rows(self.profiles.starts, reviewer[batch])
                pairs = np.repeat(np.arange(len(counts)), counts)
                values = nearness[self.profiles.members[entries], (submission[batch] - offset)[pairs]]
                if self.profiles.weights is not None:  # what was dropped is as near as random papers are
                    values = values * self.profiles.weights[entries]
                evidence = near_evidence(values, pairs, len(counts), led[entries], named[reviewer[batch]])
                if self.cited is not None:
                    evidence["cited"] = np.asarray(self.cited[submission[batch], reviewer[batch]], np.float64).ravel()
                fit[batch] = shipped().probability(evidence)
                papers_near[batch] = np.bincount(pairs[values >= NEAR], minlength=len(counts))
        return Grades(fit, papers_near, covered)

    def _led(self, reviewers: Sequence[str], aliases: Mapping[str, str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(members) whether the reviewer is the paper's last author; (reviewers) whether their papers name them."""
        people = [
            [aliases.get(one.author.id, one.author.id) for one in paper.authorships] if isinstance(paper, Paper) else []
            for paper in self.profiles.papers
        ]
        led, named = np.zeros(len(self.profiles.members), np.bool_), np.zeros(len(reviewers), np.bool_)
        for row, (reviewer, start) in enumerate(zip(reviewers, self.profiles.starts.tolist(), strict=False)):
            for member in range(start, int(self.profiles.starts[row + 1])):
                authors = people[self.profiles.members[member]]
                led[member], named[row] = bool(authors) and authors[-1] == reviewer, named[row] or reviewer in authors
        return led, named
