"""Keeping an assignment with methods that know of no earlier one: what can stay is held, the rest is solved again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retriever.assignment.problem import Flags, Problem


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
        options=replace(problem.options, keep=False),
    )
