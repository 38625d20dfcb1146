"""Rules as rows of a MILP: what may be chosen together, as matrices over the candidates with upper bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from retriever.assignment.problem import Floats, Ints, Problem
from retriever.assignment.rules import Rules


def rule_matrices(problem: Problem, rules: Rules) -> list[tuple[Any, Floats]]:
    """Every rule as a matrix and upper bounds; locked pairs are taken off the bounds."""
    people, pairs = problem.committee, problem.candidates
    paper = problem.row_paper[pairs.row]
    locked_paper, locked_who = problem.row_paper[problem.locked[:, 0]], problem.locked[:, 1]
    lines: list[tuple[Ints, float]] = []
    for kind, code in (("institution", people.institution), ("region", people.region)):
        if kind in rules.apart:
            for one in range(len(problem.papers)):
                mine = np.flatnonzero(paper == one)
                of_locked = code[locked_who[locked_paper == one]]
                for group in np.unique(code[pairs.reviewer[mine]]):
                    members = mine[code[pairs.reviewer[mine]] == group]
                    if group >= 0 and len(members) > 1:
                        lines.append((members, rules.apart[kind] - float((of_locked == group).sum())))
    if rules.seniors:
        wanted = np.bincount(problem.row_paper, weights=problem.demand, minlength=len(problem.papers))
        for one in range(len(problem.papers)):
            members = np.flatnonzero((paper == one) & ~people.senior[pairs.reviewer])
            taken = float((~people.senior[locked_who[locked_paper == one]]).sum())
            lines.append((members, float(wanted[one]) - rules.seniors - taken))
    if "coauthors" in rules.apart:
        lines += _never_both(
            problem, [(one, a, one, b) for a, b in people.coauthors for one in range(len(problem.papers))]
        )
    if rules.no_cycles:
        authored = [(int(one), int(author)) for one, author in people.authored]
        lines += _never_both(problem, [(p, b, q, a) for p, a in authored for q, b in authored if a < b])
    return [_matrix(lines, len(pairs))] if lines else []


def _never_both(problem: Problem, quadruples: list[tuple[int, int, int, int]]) -> list[tuple[Ints, float]]:
    """At most one of two pairs (paper, reviewer), for those that are candidates or locked."""
    pairs = problem.candidates
    keys = {
        (int(one), int(who)): arc
        for arc, (one, who) in enumerate(zip(problem.row_paper[pairs.row], pairs.reviewer, strict=True))
    }
    locked = {(int(problem.row_paper[row]), int(who)) for row, who in problem.locked}
    lines = []
    for p, a, q, b in quadruples:
        members = [keys[pair] for pair in ((int(p), int(a)), (int(q), int(b))) if pair in keys]
        fixed = sum(pair in locked for pair in ((int(p), int(a)), (int(q), int(b))))
        if members and len(members) + fixed == 2:
            lines.append((np.array(members), 1.0 - fixed))
    return lines


def _matrix(lines: list[tuple[Ints, float]], width: int) -> tuple[Any, Floats]:
    from scipy.sparse import coo_array

    columns = np.concatenate([members for members, _ in lines])
    rows = np.repeat(np.arange(len(lines)), [len(members) for members, _ in lines])
    matrix = coo_array((np.ones(len(columns)), (rows, columns)), shape=(len(lines), width)).tocsr()
    return matrix, np.array([most for _, most in lines])
