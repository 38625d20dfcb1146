"""What a history changes in a look-up: candidates, their order, and the words that say why.

On the scale of similarities somebody is lifted by

    n · ln(1 + reviews) + r · near(paper reviewed)² + e · near(paper edited)²

with the weights n, r, e of `HistoryWeights`, over the nearest paper of each kind, where `near` is 0 for random papers
and 1 for nearest neighbours. The `NEAREST` people are candidates even if no search found them. docs/research/ranking.md
has the measurements that the weights rest on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from indexing.hits import top_k
from indexing.tables.nearness import Nearness
from panelist.records import Submission
from panelist.words import counted
from retriever.aggregate import Aggregation, Lift
from retriever.fit import NEAR
from retriever.history.seen import Seen
from retriever.history.table import EDITED, REVIEWED, History
from retriever.stages import RankedAuthors

NEAREST = 200
"""How many of the people whose reviews or editorships are nearest become candidates."""


@dataclass(frozen=True, slots=True)
class HistoryWeights:
    """How much the number of reviews counts, the nearest paper reviewed, and the nearest paper edited."""

    reviews: float = 0.1
    reviewed: float = 0.4
    edited: float = 0.4


REVIEWERS, EDITORS = HistoryWeights(), HistoryWeights(0.0, 0.0, 1.0)
"""What measured best for those who review and for those who handle a submission."""


def nearest_people(seen: Seen, role: str) -> NDArray[np.int64]:
    """The author numbers of those whose reviews or editorships are nearest; of editors their editorships alone."""
    near = seen.edited if role == "editor" else np.maximum(seen.reviewed, seen.edited)
    best = top_k(near.astype(np.float32), NEAREST)
    return seen.history.authors[best[near[best] > 0]]


def gains_of(seen: Seen, weights: HistoryWeights) -> NDArray[np.float64]:
    """(people) how much everybody with a history is lifted."""
    near = weights.reviewed * seen.reviewed**2 + weights.edited * seen.edited**2
    gains: NDArray[np.float64] = weights.reviews * np.log1p(seen.reviews) + near
    return gains


def gains_in(
    history: History, submissions: Sequence[Submission], vectors: NDArray[np.float32], nearness: Nearness
) -> csr_array:
    """(submissions, people of the history) how much somebody is lifted as a reviewer, on the day of each submission."""
    gains = [
        csr_array(gains_of(Seen.of(history, submission, vector, nearness), REVIEWERS)[None].astype(np.float32))
        for submission, vector in zip(submissions, vectors, strict=True)
    ]
    return csr_array(vstack(gains))


def lift(seen: Seen, aggregation: Aggregation, weights: HistoryWeights) -> Lift:
    """A function that lifts the scores of those with a history; the others keep theirs to the last bit."""
    gains = np.append(gains_of(seen, weights), 0.0)
    return lambda authors, scores: aggregation.raised(scores, gains[seen.history.find(authors)])


def lowered(
    ranked: RankedAuthors, seen: Seen, penalty: float, sharpness: float
) -> tuple[RankedAuthors, NDArray[np.int64]]:
    """The ranking with everybody's relevance divided by (1 + reviews)^penalty, and the former row of each.

    Reviews are those of the last twelve months, and once more those that are open.
    """
    scores = ranked.scores * (1.0 + seen.busy(ranked.authors)) ** (-penalty * sharpness)
    order = np.argsort(-scores, kind="stable")
    return replace(ranked.take(order), scores=scores[order]), order


def history_words(seen: Seen, authors: NDArray[np.int32]) -> list[tuple[str, ...]]:
    """What these people did before, in words; nothing for those without a history."""
    return [_words(seen, row) if row >= 0 else () for row in seen.history.find(authors).tolist()]


def _words(seen: Seen, person: int) -> tuple[str, ...]:
    events = slice(*np.searchsorted(seen.history.persons, (person, person + 1)))
    near = seen.seen[events] & (seen.near[seen.history.papers[events]] >= NEAR)
    kinds = seen.history.kinds[events]
    done = (("reviewed", seen.reviews[person], REVIEWED), ("edited", seen.editorships[person], EDITED))
    parts = [
        f"{did} {counted(int(total), 'paper')}, {(near & (kinds == kind)).sum()} near this one"
        for did, total, kind in done
        if total
    ]
    if parts and seen.last[person]:
        parts.append(f"last in {date.fromordinal(int(seen.last[person])):%B %Y}")
    if seen.recent[person]:
        parts.append(f"{seen.recent[person]} in the last 12 months, {seen.open[person]} open now")
    return ("; ".join(parts),) if parts else ()
