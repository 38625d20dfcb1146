"""Repairing an assignment in which pairs became conflicts, with the fewest changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from retriever.assignment.assignment import Assignment
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import Pair, Records
from retriever.assignment.options import AssignOptions
from retriever.assignment.solve import assign


def repair(records: Records, pairs: Collection[Pair], options: AssignOptions | None = None) -> Assignment:
    """Replace the pairs of an assignment that must not be, and change as few others as possible.

    Its notes name the conflicts; `changed` of its summary are pairs that are gone, those that are not `kept` are new.

    Raises:
        InfeasibleError: there is no assignment without conflicts.
        RecordError: a locked pair became a conflict: release it first; or somebody is unknown.
    """
    how = replace(options or AssignOptions(), keep=True, prefer_old=0.0)
    return assign(make_problem(replace(records, existing=pairs), how))
