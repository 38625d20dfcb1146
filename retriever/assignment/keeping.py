"""Keeping an assignment with methods that know of no earlier one: what can stay is held, the rest is solved again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retriever.assignment.problem import Flags, Problem

KEEPING = frozenset({"total", "fair", "leximin"})
"""The methods that keep as many old pairs as possible by themselves."""

_HELD = "as many pairs as possible were kept, and only the others "
HELD_NOTES = {
    "envy": _HELD + "were picked in turn: a paper may envy another one for what was kept",
    "random": _HELD + "were drawn, each with at most the cap; those that were kept are certain in this draw",
    "perturbed": _HELD + "were drawn, each with at most the cap; those that were kept are certain in this draw",
}
"""What the chair should know of the other methods."""


def held_problem(problem: Problem, solved: Problem, chosen: Flags) -> Problem:
    """A problem in which the old pairs of a solution stay: what is left to choose are the open slots.

    Args:
        problem: as it was given.
        solved: as the solution has it, perhaps with other candidates.
        chosen: (candidates of `solved`) by a method that keeps.
    """
    pairs, reviewers = solved.candidates, len(problem.reviewers)
    stay = chosen & pairs.old
    row, who = pairs.row[stay], pairs.reviewer[stay].astype(np.int64)
    own = problem.candidates.row * reviewers + problem.candidates.reviewer
    return replace(
        problem.with_candidates(~np.isin(own, row * reviewers + who)),
        locked=np.concatenate([problem.locked, np.stack([row, who], axis=1)]),
        locked_score=np.concatenate([problem.locked_score, pairs.score[stay]]),
        held=len(row),
        keep=False,
    )
