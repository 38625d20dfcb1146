"""Repairing an assignment in which pairs became conflicts, with the fewest changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from panelist.progress import Progress, silent
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Pair, Records
from retriever.assignment.options import AssignOptions
from retriever.assignment.solve import assign
from retriever.conference.conflicts.table import ConflictPair


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """An assignment in which no pair is a conflict, and what it changes.

    Attributes:
        assignment: the repaired one.
        conflicts: the pairs that had to go, with the evidence.
        gone: all pairs that are not there any more.
        new: pairs that were not there before.
    """

    assignment: Assignment
    conflicts: tuple[ConflictPair, ...]
    gone: tuple[Pair, ...]
    new: tuple[AssignedPair, ...]


def repair(
    records: Records, pairs: Collection[Pair], options: AssignOptions | None = None, progress: Progress = silent
) -> Repair:
    """Replace the pairs of an assignment that must not be, and change as few others as possible.

    Args:
        records: scores and conflicts as they are now; their `existing` assignment is not looked at.
        pairs: the assignment.
        options: how it was made.
        progress: called now and then.

    Raises:
        InfeasibleError: there is no assignment without conflicts.
        RecordError: a locked pair became a conflict: release it first; or somebody is unknown.
    """
    how = replace(options or AssignOptions(), keep=True, prefer_old=0.0)
    made = assign(make_problem(replace(records, existing=pairs), how), progress=progress)
    table, there = records.conflicts, {(one.paper, one.reviewer) for one in made.pairs}
    return Repair(
        made,
        () if table is None else tuple(table.check(pairs, how.possible)),
        tuple(pair for pair in pairs if pair not in there),
        tuple(one for one in made.pairs if not one.kept),
    )
