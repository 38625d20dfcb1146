"""Perturbed maximisation: a lottery that spreads over similar reviewers, for as much quality as one wants to give up.

Xu, Jecmen, Song & Fang (2023), *A One-Size-Fits-All Approach to Improving Randomness in Paper Assignment*: maximise
Σ s·f(x) with f(x) = x - strength·x², under the same caps as `random`. The stronger the perturbation, the more random
and the lower the expected total. `quality` says what part of the greatest total is to be kept.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from retriever.assignment.flow import Flow, Groups, cheapest_flow
from retriever.assignment.methods.capped import Lottery, capped
from retriever.assignment.options import OptionError
from retriever.assignment.problem import Arcs, Floats, Ints, Problem, sorted_candidates
from retriever.assignment.watch import run

SCALE = 1_000_000
_NEAR = 1e-7  # how exactly loads hold before the last digits are settled in whole numbers
_ROUGHLY = 1e-5
_SWEEPS = 5_000
_STEPS = 40
_WEAKEST, _STRONGEST = 1e-4, 1e4
_CLOSE = 0.1  # of the logarithm of the strength
_FEW = 20_000  # pairs: settling is fast
_MARGIN = 1e-6  # whole numbers may cost a little
_ENOUGH = 4e-6  # of quality above what was asked for


def perturbed(problem: Problem, flow: Flow, groups: Groups | None = None) -> Lottery:
    """The most perturbed lottery whose expected total is at least the options' `quality` of the greatest total."""
    quality = problem.options.quality
    if problem.candidates.absent.any():
        raise OptionError(
            "perturbed needs a score for every pair that it may take: use `method` random, or give more scores"
        )
    best = problem.expected_total(flow.amount)
    likely = capped(problem, flow, groups)
    if not likely.flow.complete:
        return likely
    reached = problem.expected_total(likely.probability)
    if best > 0 and reached / best < quality - _ENOUGH:
        raise OptionError(
            f"the caps alone bring the quality down to {reached / best:.6f}, below `quality` {quality:g}: "
            "raise `cap` or lower `quality`"
        )
    ascent = _Ascent(problem, likely, groups)
    low, high = float(np.log(_WEAKEST)), float(np.log(_STRONGEST))
    best_amount: Ints | None = None
    for _ in range(_STEPS):
        strength = float(np.exp((low + high) / 2))
        close = high - low < _CLOSE
        amount = ascent.solve(strength, _NEAR if close else _ROUGHLY)
        settled = close or len(amount) <= _FEW
        if settled:  # what counts is the quality of the lottery as it will be drawn
            units = _settled(problem, amount, groups)
            amount = units / SCALE
        share = problem.expected_total(amount) / best if best > 0 else 1.0
        if share >= quality + _MARGIN or (quality == 1 and share >= 1 - _MARGIN):
            low = float(np.log(strength))
            if settled:
                best_amount = units
            if close and share - quality < _ENOUGH:
                break
        else:
            high = float(np.log(strength))
    return likely if best_amount is None else replace(likely, amount=best_amount, scale=SCALE)


class _Ascent:
    """The dual block ascent of a problem, which goes on from its last prices."""

    def __init__(self, problem: Problem, likely: Lottery, groups: Groups | None) -> None:
        pairs = problem.candidates
        self._problem = problem
        self._row = pairs.row.astype(np.int32)
        self._by_column = np.argsort(pairs.reviewer, kind="stable")
        counts = np.bincount(pairs.reviewer, minlength=len(problem.reviewers))
        self._column_starts = np.concatenate([[0], np.cumsum(counts)])
        # A pair of score 0 or less has no f of its own: a little concavity keeps the solution unique.
        self._weight = np.maximum(pairs.score, 1e-6 * max(float(np.abs(pairs.score).max(initial=0.0)), 1e-300))
        self._row_price = likely.flow.value.copy()
        self._column_price = np.maximum(likely.flow.price, 0.0)
        of_pair = np.full(len(pairs), -1) if groups is None else groups.of_pair
        count = 0 if groups is None else len(groups.room)
        self._by_group = np.argsort(of_pair, kind="stable")[np.count_nonzero(of_pair < 0) :]
        self._group_starts = np.searchsorted(of_pair[self._by_group], np.arange(count + 1))
        self._group_price, self._net = np.zeros(count), pairs.score.copy()

    def solve(self, strength: float, near: float) -> Floats:
        from retriever.assignment.kernels.ascent import ascend

        problem, pairs = self._problem, self._problem.candidates
        slope = 1.0 / (2.0 * strength * self._weight)
        edges = (pairs.starts, self._column_starts, self._by_column, self._row, pairs.reviewer)
        groups = (self._group_starts, self._by_group)
        demand, least, most = (b.astype(np.float64) for b in (problem.open_demand, problem.open_least, problem.room))
        prices = (self._row_price, self._column_price, self._group_price)
        climb = partial(ascend, *edges, *groups, self._net, slope, pairs.cap, demand, least, most)
        run("spreading", 0, partial(climb, *prices, _SWEEPS, near))
        net = self._net - self._row_price[pairs.row] - self._column_price[pairs.reviewer]
        amount: Floats = np.clip(net * slope, 0.0, pairs.cap)
        return amount


def _settled(problem: Problem, amount: Floats, groups: Groups | None) -> Ints:
    """Whole numbers of `SCALE` that meet all demands and bounds exactly, and are as near as these allow.

    A flow that has every pair twice: what it should carry at a high worth, and what it could carry beyond at a low one.
    """
    pairs = problem.candidates
    cap = np.floor(pairs.cap * SCALE + 1e-6).astype(np.int64)
    units = np.minimum(np.rint(amount * SCALE).astype(np.int64), cap)
    worth = np.concatenate([np.full(len(pairs), 2.0), amount])
    row, reviewer = np.tile(pairs.row, 2), np.tile(pairs.reviewer, 2)
    order = np.lexsort((reviewer, -worth, row))
    twice = replace(
        problem,
        demand=problem.open_demand,
        most=problem.room,
        least=problem.open_least,
        locked=np.zeros((0, 2), dtype=np.int64),
        locked_score=np.zeros(0),
        options=replace(problem.options, keep=False, prefer_old=0.0),
        candidates=sorted_candidates(problem.rows, row, Arcs.plain(reviewer, worth)),
    )
    twice_grouped = None if groups is None else replace(groups, of_pair=np.tile(groups.of_pair, 2)[order])
    flow = cheapest_flow(twice, scale=SCALE, capacity=np.concatenate([units, cap - units])[order], groups=twice_grouped)
    settled = np.zeros(2 * len(pairs), dtype=np.int64)
    settled[order] = flow.amount
    return settled[: len(pairs)] + settled[len(pairs) :]
