"""What submissions cite and who reviewed before, as evidence: it decides who scores high, texts decide how high.

The reviewers of a submission of which such evidence is known are put in the order of

    s + (best − mean) · (.3 · people + 2.5 · works + history)

where s is the score of the text, and best and mean are of the submission's scores. Then the scores of the text, as they
are, are given to the reviewers in this order. So a submission has the same scores with references and without, dealt
out to other people: it neither wins nor loses against a submission of which nothing is known, which has exactly the
scores of its text, and as many reviewers are above any threshold.

`works` is the largest cosine between what the submission cites and what a paper of the reviewer cites (see
`indexing.tables.references`); `people` is ln(1 + c), where c counts the entries that the reviewer wrote, twice those as
last author. An entry that is a paper of anybody's profile has authors known by id; of others only names are known, and
each of n people whom a name may mean gets 1/n of it. Entries that an author of the submission wrote are left out. A
citation never makes a conflict; a pair that must not be chosen takes no part. `history` is the gain of a look-up
(`retriever.history.joining`) for who reviewed and edited before the submission was received.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from indexing.parallel import map_parallel, prefetch
from panelist.progress import Progress, silent
from panelist.records import Author, Paper, Submission
from retriever.affinity.cited import Cited
from retriever.affinity.kernels.evidence import Rows, gather_strengths
from retriever.affinity.kernels.sparse import LOW, make_keys
from retriever.affinity.model import BlockModel, Blocks, spans
from retriever.affinity.near import NearPapers
from retriever.affinity.profiles import Documents
from retriever.affinity.scoring import closing

PEOPLE, WORKS = 0.3, 2.5
"""How much who is cited, and what is cited, count: docs/research/affinity.md has what was measured."""
LEAST_SHARED = 0.01
"""Cosines of works below this one say nothing."""

_LATER = np.uint64(1 << 31)  # of ranks: behind all others of the same score
_LINES = 16  # submissions that a thread rearranges at a time: a line of the processor's cache
_IN_MEMORY = 1 << 26  # scores that need no file: 256 MB


class WithEvidence(BlockModel):
    """A model whose scores are rearranged by what submissions cite, and by a history; without both nothing changes."""

    def __init__(
        self,
        model: BlockModel,  # gives the scores
        reviewers: Sequence[Author],  # ids and names of the reviewers, in the order of their profiles
        # (pairs, 2) reviewer and submission, as row numbers: pairs that must not be chosen; they score -inf
        closed: NDArray[np.int64] | None = None,
        aliases: Mapping[str, str] = MappingProxyType({}),  # other ids of reviewers
        *,
        references: bool = True,  # whether it counts what submissions cite
        history: csr_array | None = None,  # (submissions, reviewers) what a history adds, above 0
    ) -> None:
        self._model, self._reviewers, self._aliases = model, reviewers, aliases
        self._references, self._history = references, history
        self._closed = np.zeros((0, 2), np.int64) if closed is None else closed

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Read the texts, and what submissions cite; see `BlockModel`."""
        blocks = self._model.prepare(submissions, profiles, progress)
        sources = (self._aliases, self._history) if self._references else (None, self._history)
        evidence = Evidence.of(submissions, profiles, self._reviewers, *sources)
        return blocks if evidence is None else RearrangedBlocks(blocks, evidence, self._closed, progress)

    def estimate(self, submissions: Documents, profiles: Sequence[Documents]) -> str | None:
        """Say what scoring would cost; see `BlockModel`."""
        return self._model.estimate(submissions, profiles)


class RearrangedBlocks:
    """The scores of others, rearranged by evidence when all of them are there."""

    def __init__(
        self, blocks: Blocks, evidence: Evidence, closed: NDArray[np.int64], progress: Progress = silent
    ) -> None:
        self.submissions, self.reviewers = blocks.submissions, blocks.reviewers
        self._blocks, self._evidence, self._closed, self._progress = blocks, evidence, closed, progress
        self._scores: NDArray[np.float32] | None = None

    def near(self) -> NearPapers | None:
        """How near papers are, and who is cited; see `Blocks`."""
        near = self._blocks.near()
        return near and replace(near, cited=self._evidence.people)

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Give the columns `start` to `stop`; see `Blocks`."""
        if self._scores is None:
            self._scores = self._rearranged()
        return self._scores[start:stop].T

    def _rearranged(self) -> NDArray[np.float32]:
        """(reviewers, submissions), if they are many in a temporary file that is gone with the array."""
        shape = (self.reviewers, self.submissions)
        if self.submissions * self.reviewers <= _IN_MEMORY:
            scores = np.empty(shape, np.float32)
        else:
            with tempfile.TemporaryFile() as file:
                scores = np.memmap(file, np.float32, "w+", shape=shape)
        ranges = list(spans(self._blocks))
        blocks = prefetch(lambda span: self._blocks.block(*span), ranges)
        for (start, stop), block in zip(ranges, blocks, strict=True):
            scores[start:stop] = block.T
            self._progress("scoring reviewers", stop, self.reviewers)
        closing(self._closed, self._evidence.empty)(0, scores.T)
        map_parallel(
            lambda offset: _rearrange(scores, offset, *self._evidence.between(offset, offset + _LINES)),
            range(0, self.submissions, _LINES),
        )
        return scores


def _rearrange(
    scores: NDArray[np.float32],  # (reviewers, submissions), overwritten
    offset: int,  # the first submission
    starts: NDArray[np.int64],  # (some submissions + 1) where those with evidence begin in `reviewers`
    reviewers: NDArray[np.int32],
    strengths: NDArray[np.float32],  # how much evidence there is, above 0
) -> None:
    """Give the scores of submissions from `offset` on to their reviewers in the order of score and evidence.

    Ties by position, those without evidence first. A score of -inf stays where it is, and counts for nobody.
    """
    count = len(scores)
    lines = np.ascontiguousarray(scores[:, offset : offset + len(starts) - 1].T)
    for line, (start, stop) in zip(lines, pairwise(starts.tolist()), strict=True):
        opened, cited = line[line > -np.inf], reviewers[start:stop]
        if start == stop or not len(opened):
            continue
        wished, ranks, keys = line.copy(), np.arange(count, dtype=np.uint64), np.empty((1, count), np.uint64)
        wished[cited] += (opened.max() - opened.mean(dtype=np.float64)) * strengths[start:stop]
        ranks[cited] |= _LATER
        make_keys(wished[None], wished.view(np.uint32)[None], ranks, keys)
        keys.sort()
        order = (LOW - (keys[0] & LOW)) & ~_LATER
        line[order.astype(np.int64)] = np.sort(line)
    scores[:, offset : offset + len(lines)] = lines.T


@dataclass(frozen=True, eq=False)
class Evidence:
    """What submissions cite, beside what reviewers wrote and cite, and what reviewers did before."""

    asks: csr_array  # (submissions, works) and
    papers: csr_array  # (works, papers): see `Cited.works`
    owners: csr_array  # (papers, reviewers) 1 where a paper is in the profile
    people: csr_array  # (submissions, reviewers): see `Cited.people`
    history: csr_array | None = None  # (submissions, reviewers)

    @classmethod
    def of(
        cls,
        submissions: Documents,
        profiles: Sequence[Documents],
        reviewers: Sequence[Author],
        aliases: Mapping[str, str] | None = MappingProxyType({}),  # None where references do not count
        history: csr_array | None = None,
    ) -> Evidence | None:
        """None where no submission cites anything, and there is no history."""
        citing = [text if isinstance(text, Submission) else Submission(text.id, text.title) for text in submissions]
        cites = aliases is not None and any(paper.bibliography or paper.references for paper in citing)
        if not cites and history is None:
            return None
        written = [[paper for paper in profile if isinstance(paper, Paper)] for profile in profiles]
        papers = {paper.id: paper for profile in written for paper in profile}
        number = {paper: row for row, paper in enumerate(papers)}
        rows = [number[paper.id] for profile in written for paper in profile]
        columns = np.repeat(np.arange(len(written)), [len(profile) for profile in written])
        shape = len(papers), len(written)
        owners = csr_array(coo_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape))
        if not cites:
            people = _empty(len(citing), len(written))
            return cls(_empty(len(citing), 0), _empty(0, len(papers)), owners, people, history)
        cited = Cited(list(papers.values()), citing, reviewers, aliases or {})
        return cls(*cited.works(), owners, cited.people(), history)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """(reviewers) who has no paper."""
        empty = np.ones(self.owners.shape[1], np.bool_)
        empty[self.owners.indices] = False
        return empty

    @cached_property
    def _arrays(self) -> tuple[Rows, Rows, Rows, Rows]:
        strengths = self.people * np.float32(PEOPLE)
        strengths = strengths if self.history is None else csr_array(strengths + self.history)
        asks, papers, owners, people = map(_parts, (self.asks, self.papers, self.owners, strengths))
        return asks, papers, owners, people

    def between(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """For submissions `start` to `stop`, or the last, .3 · people + 2.5 · works + history of all who have any.

        Returns:
            Where those of each submission begin; their numbers, ascending; their evidence.
        """
        stop, weights = min(stop, self.asks.shape[0]), (np.float32(WORKS), np.float32(LEAST_SHARED))
        return gather_strengths(*self._arrays, self.owners.shape[1], *weights, start, stop)


def _empty(rows: int, columns: int) -> csr_array:
    return csr_array(coo_array((rows, columns), dtype=np.float32))


def _parts(matrix: csr_array) -> Rows:
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data)
