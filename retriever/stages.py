"""What one stage of a look-up hands to the next, for one submission.

    Hits ─ search ─► Candidates ─ aggregate ─► RankedAuthors ─ filters, ranker, conflicts ─► Shortlist
         ─ diversity ─► Contenders ─ panel ─► Panel

`Hits` are what an engine returns (`indexing.hits`), and the `Panel` is the answer (`panelist.records`). A *row* is a
position in `RankedAuthors`: later stages take the ranking and some of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.hits import values_at
from indexing.tables.ownership import gather_rows
from panelist.records import Submission

if TYPE_CHECKING:
    from retriever.conference.conflicts.finder import Conflicts
    from retriever.history.seen import Seen
    from retriever.references.citations import Citations

LEXICAL, DENSE, CITED, SHARED, PERSON = 1, 2, 4, 8, 16

_NAMES = {LEXICAL: "lexical", DENSE: "dense", CITED: "cited", SHARED: "shared", PERSON: "person"}
SEARCHES = {bits: tuple(name for bit, name in _NAMES.items() if bits & bit) for bits in range(1, 2 * PERSON)}
"""In words: which searches found a paper (by words, meaning, shared references), whether the submission cites it, or
whether it is only there because it cites one of its authors, or because of what one of them reviewed or edited."""

UNKNOWN = -1
"""The label of a contender whose institution or country is not known; it equals no other."""

Reasons = Callable[[NDArray[np.int64]], list[tuple[str, ...]]]
"""What lifted the people in these rows of a learned ranking, in words."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a submission means: its vector, and the units that a search found nearest to it, nearest first."""

    vector: NDArray[np.float32]
    nearest: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """The units that were found for one submission, best first, ties by ascending unit number."""

    units: NDArray[np.int64]  # unit numbers
    scores: NDArray[np.float32]  # in [0, 1], after fusion
    found_by: NDArray[np.uint8]  # the sum of those of `SEARCHES` that apply to the unit
    dense: Candidates | None = None  # what the dense search alone gave, where it was one of two
    shared: Candidates | None = None  # what shared references alone gave, where the submission's are known
    meaning: Meaning | None = None  # of the submission, where vectors were searched

    def __len__(self) -> int:
        return len(self.units)

    def scaled(self, factor: float) -> Candidates:
        """The same with all scores times a factor."""
        return replace(self, scores=self.scores * np.float32(factor))

    def dense_part(self) -> NDArray[np.float32]:
        """Which part of each score the dense search gave."""
        if self.dense is None:
            return np.where(self.found_by & DENSE, self.scores - self.shared_part(), np.float32(0))
        return values_at(self.dense.units, self.dense.scores, self.units)

    def shared_part(self) -> NDArray[np.float32]:
        """Which part of each score shared references gave."""
        shared = self.shared
        return np.zeros(len(self), np.float32) if shared is None else values_at(shared.units, shared.scores, self.units)


def merge(parts: Sequence[Candidates]) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.uint8]]:
    """The units of all parts, each once and in ascending order, with the sums of its scores and of its `found_by`."""
    units, places = np.unique(np.concatenate([group.units for group in parts]), return_inverse=True)
    scores, found_by = np.zeros(len(units), dtype=np.float32), np.zeros(len(units), dtype=np.uint8)
    for group, rows in zip(parts, np.split(places, np.cumsum([*map(len, parts)])[:-1]), strict=True):
        scores[rows] += group.scores
        found_by[rows] += group.found_by
    return units, scores, found_by


@dataclass(frozen=True, slots=True)
class RankedAuthors:
    """The authors of the candidates, best first, ties by ascending author number (that is, by id)."""

    candidates: Candidates  # the papers that voted
    authors: NDArray[np.int32]  # author numbers
    scores: NDArray[np.float64]
    counted: int | None  # how many of an author's heaviest votes make up the score; None for all
    vote_starts: NDArray[np.int64]  # (authors + 1) where the votes for each of `authors` begin and end
    votes: NDArray[np.int64]  # positions in the candidates, the heaviest vote of an author first
    vote_weights: NDArray[np.float32]  # how much each of `votes` weighs

    def __len__(self) -> int:
        return len(self.authors)

    def take(self, rows: NDArray[np.int64]) -> RankedAuthors:
        """The authors in these rows, in this order, as a ranking of their own."""
        entries, counts = gather_rows(self.vote_starts, rows)
        starts = np.append(0, np.cumsum(counts))
        authors, scores = self.authors[rows], self.scores[rows]
        return RankedAuthors(
            self.candidates, authors, scores, self.counted, starts, self.votes[entries], self.vote_weights[entries]
        )

    def counts(self, rows: NDArray[np.int64], most: int | None = None) -> NDArray[np.int64]:
        """How many papers voted for the authors in these rows; no more than `most` of each."""
        counts = self.vote_starts[rows + 1] - self.vote_starts[rows]
        return counts if most is None else np.minimum(counts, most)

    def positions(self, rows: NDArray[np.int64], most: int | None = None) -> NDArray[np.int64]:
        """The papers that voted for the authors in these rows, row after row, as positions in the candidates."""
        return self.votes[gather_rows(self.vote_starts, rows, most)[0]]

    def units(self, rows: NDArray[np.int64], most: int | None = None) -> NDArray[np.int64]:
        """The same papers as units."""
        return self.candidates.units[self.positions(rows, most)]

    def weights(self, rows: NDArray[np.int64], most: int | None = None) -> NDArray[np.float64]:
        """How much the votes of the same papers weigh."""
        return self.vote_weights[gather_rows(self.vote_starts, rows, most)[0]].astype(np.float64)

    def shares(self, rows: NDArray[np.int64], most: int | None = None) -> NDArray[np.float64]:
        """What share the same votes have in the score of their author, that is among the `counted` votes."""
        if len(rows) == 0:
            return np.zeros(0)
        counted, counts = self.counts(rows, self.counted), self.counts(rows, most)
        totals = np.add.reduceat(self.weights(rows, self.counted), np.cumsum(counted) - counted)
        rank = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        weights = np.where(rank < np.repeat(counted, counts), self.weights(rows, most), 0.0)
        shares: NDArray[np.float64] = weights / np.repeat(np.where(totals > 0, totals, 1.0), counts)
        return shares

    def found_by(self, rows: NDArray[np.int64]) -> list[tuple[str, ...]]:
        """Which of the searches found any paper of the authors in these rows."""
        if len(rows) == 0:
            return []
        counts = self.counts(rows)
        searches = self.candidates.found_by[self.positions(rows)]
        return [SEARCHES[bits] for bits in np.bitwise_or.reduceat(searches, np.cumsum(counts) - counts).tolist()]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Who is left for one submission after filters and conflicts."""

    submission: Submission  # what is to be reviewed
    ranked: RankedAuthors  # the authors that were found
    rows: NDArray[np.int64]  # those who may be on the panel, best first
    hidden: NDArray[np.int64]  # the rows of those who may not, because of a conflict
    held: NDArray[np.int64]  # the rows of those who may not, because they may be authors
    conflicts: Conflicts | None  # the conflicts of all; None where conflicts are ignored
    notes: tuple[str, ...]  # what the user should know
    reasons: Reasons | None = None  # where a learned ranker ordered them
    citations: Citations | None = None  # what the submission cites, where that counts
    seen: Seen | None = None  # who reviewed and edited before, where that counts


@dataclass(frozen=True, slots=True)
class Contenders:
    """Those of a shortlist from whom a panel is chosen, best first, and what diversity needs to know of them."""

    rows: NDArray[np.int64]  # (n) of the ranking
    relevance: NDArray[np.float64]  # (n) descending and positive
    # (n, d) the mean of the vectors of each contender's best matching papers. The inner product of two means is the
    # mean of the inner products, so `topics[i] @ topics[j]` is the mean similarity of their papers.
    topics: NDArray[np.float32]
    labels: NDArray[np.int64]  # (facets, n) institution, country, seniority; `UNKNOWN` where not known
    coauthors: Callable[[int], NDArray[np.bool_]]  # for a contender, the mask (n) of those who have written with them
    # for a contender, the matching papers and how much of their relevance each makes up (summing to 1)
    votes: Callable[[int], tuple[NDArray[np.int64], NDArray[np.float64]]]

    def __len__(self) -> int:
        return len(self.relevance)
