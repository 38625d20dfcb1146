"""Two assignments side by side: what they share, what changed, and what that did to the papers."""

from msgspec import Struct


class Side(Struct, frozen=True, gc=False):
    """One assignment: how many pairs, their total score, the lowest sum of a paper, the greatest load."""

    pairs: int
    total: float
    lowest: float
    greatest_load: int


class Comparison(Struct, frozen=True, gc=False):
    """What two assignments share."""

    first: Side  # one of them
    second: Side  # the other
    common: int  # pairs of both
    changed_papers: tuple[str, ...]  # papers whose reviewers differ
    only_first: tuple[tuple[str, str], ...]  # pairs of the first
    only_second: tuple[tuple[str, str], ...]  # pairs of the second


def compare(first: dict[tuple[str, str], float], second: dict[tuple[str, str], float]) -> Comparison:
    """What two assignments, by pair, share."""
    only_first = tuple(pair for pair in first if pair not in second)
    only_second = tuple(pair for pair in second if pair not in first)
    changed = tuple(dict.fromkeys(paper for paper, _ in (*only_first, *only_second)))
    return Comparison(_side(first), _side(second), len(first) - len(only_first), changed, only_first, only_second)


def _side(pairs: dict[tuple[str, str], float]) -> Side:
    sums: dict[str, float] = {}
    loads: dict[str, int] = {}
    for (paper, reviewer), score in pairs.items():
        sums[paper] = sums.get(paper, 0.0) + score
        loads[reviewer] = loads.get(reviewer, 0) + 1
    return Side(len(pairs), sum(sums.values()), min(sums.values(), default=0.0), max(loads.values(), default=0))
