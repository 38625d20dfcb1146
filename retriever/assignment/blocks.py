"""Blocks of a paper's candidates, of which at most one each is drawn, so that no draw can break a rule of the paper.

Rules cross one another (regions, institutions, juniors, co-authors), and no rounding keeps crossing bounds and all
probabilities at once. Disjoint blocks it keeps (Budish, Che, Kojima & Milgrom 2013, *Designing Random Allocation
Mechanisms*). So a paper's candidates are put into blocks in such a way that whoever is drawn, one of a block at most,
keeps the rules: a region that may have two reviewers lies in two blocks at most, co-authors share a block, and juniors
lie in so few blocks that the others must give the seniors.
"""

from collections import defaultdict

import numpy as np

from retriever.assignment.flow import Groups
from retriever.assignment.options import Rules
from retriever.assignment.problem import Flags, Ints, Problem

_DROPPED = -1


def form_blocks(problem: Problem, rules: Rules, chosen: Flags) -> Ints:
    """(candidates) the block of each, -1 for those that fit into none; `chosen` is an assignment that keeps the rules.

    The pairs of the assignment have a block of their own, so that it stays possible. The others follow from the best to
    the worst: into a new block where the rules allow one, else into the one that they mix least, or the smallest.
    A row that needs one reviewer has one block: that takes nothing away. Roles take turns, as they share what the rules
    leave. Where the assignment breaks a soft rule, draws may break it as far as that.
    """
    people, pairs = problem.committee, problem.candidates
    kinds = [(getattr(people, kind), most) for kind, most in rules.apart.items() if kind != "coauthors"]
    if rules.seniors:
        kinds.append((np.where(people.senior, -1, 0), -1))
    codes = np.stack([code for code, _ in kinds] or [np.full(len(people.role), -1)], axis=1).tolist()
    most = np.array([most for _, most in kinds] or [0])
    coauthors = people.coauthors if "coauthors" in rules.apart else {}
    locked = defaultdict[int, list[int]](list)
    for row, person in problem.locked.tolist():
        locked[int(problem.row_paper[row])].append(person)
    juniors = np.bincount(pairs.row, weights=~people.senior[pairs.reviewer], minlength=problem.rows)
    # Where the pool of a row has seniors only, the rule may be kept whoever the others are.
    secure = np.bincount(problem.row_paper, weights=problem.open_demand * (juniors == 0)) >= rules.seniors
    missing, single = problem.open_demand.tolist(), (problem.open_demand == 1).tolist()
    block = np.full(len(pairs), _DROPPED, dtype=np.int64)
    paper = problem.row_paper[pairs.row]
    seniors = np.bincount(paper, weights=chosen & people.senior[pairs.reviewer], minlength=len(problem.papers))
    sought = people.senior[pairs.reviewer] & (seniors < rules.seniors)[paper]  # before juniors have all blocks
    order = np.lexsort((pairs.reviewer, -problem.worth, ~sought, ~chosen, paper))
    cuts = np.searchsorted(paper[order], np.arange(len(problem.papers) + 1))
    for number in range(len(problem.papers)):
        arcs = order[cuts[number] : cuts[number + 1]]
        juniors_allowed = len(pairs) if secure[number] else problem.needed[number] - rules.seniors
        limits = np.where(most < 0, juniors_allowed, most).tolist()
        blocks = _Blocks(int(cuts[number]), limits, coauthors)
        for person in locked.get(number, ()):
            blocks.open(_DROPPED, person, codes[person])  # nobody can join: it belongs to no row
        waiting = defaultdict[int, list[tuple[int, int]]](list)
        for arc, row, person, seed in zip(
            arcs.tolist(), pairs.row[arcs].tolist(), pairs.reviewer[arcs].tolist(), chosen[arcs].tolist(), strict=True
        ):
            # Each row has as many blocks as it needs before anybody joins one.
            if seed or (missing[row] > 0 and blocks.allowed(person, codes[person]) is None):
                block[arc] = blocks.open(row, person, codes[person])
                missing[row] -= 1
            else:
                waiting[row].append((arc, person))
        placed = dict.fromkeys(waiting, 0)
        while waiting:  # the row that has the fewest is next
            row = min(waiting, key=lambda row: (placed[row], len(waiting[row])))
            arc, person = waiting[row].pop(0)
            block[arc] = blocks.place(row, person, codes[person], single[row])
            placed[row] += block[arc] >= 0
            if not waiting[row]:
                del waiting[row]
    return block


class _Blocks:
    """The blocks of one paper while they are formed; numbers begin where those of the paper's candidates do."""

    def __init__(self, start: int, limits: list[int], together: dict[int, set[int]]) -> None:
        self._number, self._limits, self._together = start, limits, together
        self._touched: dict[tuple[int, int], set[int]] = {}  # a kind and a code of it -> the blocks that have it
        self._row: dict[int, int] = {}
        self._size: dict[int, int] = {}
        self._block_of: dict[int, int] = {}  # reviewer -> block

    def open(self, row: int, person: int, codes: list[int]) -> int:
        """A new block that begins with this reviewer; locked pairs, of no row, have numbers below 0."""
        number = self._number if row >= 0 else -2 - len(self._row)
        self._number += row >= 0
        self._row[number], self._size[number] = row, 0
        return self._join(number, person, codes)

    def allowed(self, person: int, codes: list[int]) -> set[int] | None:
        """The blocks that the rules allow for this reviewer; None: any, and a new one, too."""
        allowed: set[int] | None = None
        for kind, (code, limit) in enumerate(zip(codes, self._limits, strict=False)):
            if code >= 0:
                blocks = self._touched.get((kind, code), set())
                if len(blocks) >= limit:
                    allowed = blocks if allowed is None else allowed & blocks
        for other in self._together.get(person, ()):
            if other in self._block_of:
                blocks = {self._block_of[other]}
                allowed = blocks if allowed is None else allowed & blocks
        return allowed

    def place(self, row: int, person: int, codes: list[int], single: bool) -> int:
        """The block that takes this reviewer, a new one where the rules allow it and is of use; -1 where none does."""
        allowed = self.allowed(person, codes)
        if allowed is None and not (single and row in self._row.values()):
            return self.open(row, person, codes)
        blocks_of_row = (number for number, other in self._row.items() if other == row)
        possible = [number for number in blocks_of_row if allowed is None or number in allowed]
        if not possible:
            return _DROPPED
        number = min(possible, key=lambda number: (self._new(number, codes), self._size[number]))
        return self._join(number, person, codes)

    def _new(self, number: int, codes: list[int]) -> int:
        """How many codes a block would have more: each takes a possibility away from others."""
        return sum(code >= 0 and number not in self._touched.get((kind, code), ()) for kind, code in enumerate(codes))

    def _join(self, number: int, person: int, codes: list[int]) -> int:
        self._size[number] += 1
        self._block_of[person] = number
        for kind, code in enumerate(codes):
            if code >= 0:
                self._touched.setdefault((kind, code), set()).add(number)
        return number


def block_groups(problem: Problem, block: Ints) -> Groups:
    """The blocks of several candidates, as bounds of a flow."""
    number, of_pair, size = np.unique(block, return_inverse=True, return_counts=True)
    several = (size > 1) & (number >= 0)
    new = np.where(several, np.cumsum(several) - 1, -1)
    row = np.zeros(len(number), dtype=np.int64)
    row[of_pair] = problem.candidates.row
    count = int(several.sum())
    return Groups(new[of_pair], np.ones(count, dtype=np.int64), row[several])
