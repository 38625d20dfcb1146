"""Solutions as a page shows them: slices of who reviews what, and two of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from panelist.app.desk.conference.assignment.solutions import (
    Pairs,
    directory_of,
    read_pairs,
    read_solution,
    scores_changed,
)
from panelist.app.desk.conference.assignment.solving import solve
from panelist.app.desk.conference.scores import load_grades
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView, Labels, Look, ShownConflict, Slice
from panelist.errors import InputError
from panelist.progress import silent
from panelist.records import Confidence
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.compare import compare
from retriever.assignment.explain.why import Explanation, explain_pair

Order = Literal["paper", "reviewer", "score"]
_ORDERS: dict[str, Callable[[AssignedPair], Any]] = {
    "reviewer": lambda pair: (pair.reviewer, pair.paper),
    "score": lambda pair: (pair.score, pair.paper),
}
_LISTED = 200
"""Pairs that a comparison lists; the files have all."""


class AssignedRow(Struct, frozen=True):
    """A pair of a solution with its conflict, how sure its score is, and what was changed about it by hand.

    `hand` is 1 for locked, -1 for forbidden, 0 for free; None: nothing was changed.
    """

    pair: AssignedPair
    title: str
    name: str
    confidence: Confidence | None
    hand: int | None
    conflict: ShownConflict | None


def pair_slice(view: ConferenceView, number: int, look: Look) -> Slice[AssignedRow]:
    """Some pairs of a solution."""
    pairs, labels = cached_pairs(view.stored, number).pairs, view.labels
    if look.sort in _ORDERS:  # else as they are kept: by paper, role and score
        pairs = sorted(pairs, key=_ORDERS[look.sort])
    found = look.at(pairs, lambda one: (one.paper, one.reviewer, labels.paper(one.paper), labels.person(one.reviewer)))
    rows = [
        AssignedRow(
            one,
            labels.paper(one.paper),
            labels.person(one.reviewer),
            grade,
            view.manual.pairs.get((one.paper, one.reviewer)),
            view.conflict(one.paper, one.reviewer),
        )
        for one, grade in zip(found.rows, grades_of(view.stored, number, found.rows), strict=True)
    ]
    return Slice(found.total, rows)


def grades_of(conference: StoredConference, number: int, pairs: Sequence[AssignedPair]) -> list[Confidence | None]:
    """How sure the scores of a solution's pairs are; None where that is not known, or the scores have changed since."""
    if scores_changed(conference, read_solution(conference, number)):
        return [None for _ in pairs]
    return load_grades(conference, ((one.paper, one.reviewer) for one in pairs))


def side_by_side(conference: StoredConference, labels: Labels, first: int, second: int) -> dict[str, Any]:
    """What two solutions share, and what changed from the first to the second."""
    sides = [
        {(one.paper, one.reviewer): one.score for one in cached_pairs(conference, number).pairs}
        for number in (first, second)
    ]
    found = compare(sides[0], sides[1])
    return {
        "common": found.common,
        "changed_papers": len(found.changed_papers),
        "gone": [[labels.paper(paper), labels.person(who)] for paper, who in found.only_first[:_LISTED]],
        "new": [[labels.paper(paper), labels.person(who)] for paper, who in found.only_second[:_LISTED]],
        "gone_total": len(found.only_first),
        "new_total": len(found.only_second),
    }


def why(conference: StoredConference, number: int, paper: str, reviewer: str) -> Explanation:
    """Why a solution has a pair or has it not. The solution is made again for it, and kept for further questions.

    Raises:
        InputError: there is no such paper or reviewer, or the scores are others by now.
    """
    solution = read_solution(conference, number)
    if solution.state != "done":
        raise InputError(f"solution {number} is {solution.state}: there is nothing to explain")
    if scores_changed(conference, solution):
        raise InputError(f"the scores have changed since solution {number} was made: assign again, then ask")
    return explain_pair(_made_again(conference, number, solution.scores), paper, reviewer)


def cached_pairs(conference: StoredConference, number: int) -> Pairs:
    """The pairs of a solution; read once as long as it is looked at."""
    read_solution(conference, number)
    return _pairs(conference, number, directory_of(conference, number).stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _pairs(conference: StoredConference, number: int, changed: int) -> Pairs:
    return read_pairs(conference, number)


@lru_cache(maxsize=1)
def _made_again(conference: StoredConference, number: int, scores: str) -> Assignment:
    return solve(conference, read_solution(conference, number), silent)
