"""When there are too few reviews: as few as possible are missing, and no paper misses two before others miss one.

Reviews that are missing are given by imagined reviewers, the first of a paper at a price above all that scores can
gain, the second at twice that price, and so on: convex, hence the shortage is spread evenly.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retriever.assignment.flow import cheapest_flow
from retriever.assignment.problem import Arcs, Ints, Problem, positions_within, sorted_candidates


def spread_shortage(problem: Problem) -> Ints:
    """(rows) how many reviews of each are left out, so that the rest can be given."""
    pairs, reviewers = problem.candidates, len(problem.reviewers)
    most = int(problem.open_demand.max(initial=0))
    row = np.repeat(np.arange(problem.rows), problem.open_demand)
    nth = positions_within(problem.open_demand)
    price = (2 * min(problem.rows, reviewers) + 4) * (2 * float(np.abs(problem.worth).max(initial=0.0)) + 1)
    imagined = replace(
        problem,
        reviewers=(*problem.reviewers, *(f"missing {number}" for number in range(1, most + 1))),
        most=np.concatenate([problem.most, np.full(most, problem.rows)]),
        least=np.concatenate([problem.least, np.zeros(most, dtype=np.int64)]),
        candidates=sorted_candidates(
            problem.rows,
            np.concatenate([pairs.row, row]),
            Arcs.plain(
                np.concatenate([pairs.reviewer, reviewers + nth]).astype(np.int32),
                np.concatenate([problem.worth, -price * (1.0 + nth)]),
            ),
        ),
        options=replace(problem.options, keep=False, prefer_old=0.0),
    )
    flow = cheapest_flow(imagined)
    missing = (imagined.candidates.reviewer >= reviewers) & (flow.amount > 0)
    return np.bincount(imagined.candidates.row[missing], minlength=problem.rows)
