"""Leads on collusion, on real bids with planted groups: are they found, and who is named by mistake?

The bids have no authors, so they are invented: people write papers that are near to those they bid on (two papers each,
on average), and so honest people of one field bid on each other's papers, as they do. As in Jecmen et
al. 2024, a group of authors at random then bids on a share of the papers of its other members; overlap is the members
found, of all who are members or were named with them (Jaccard).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from retriever.assignment.collusion import Bidding, find_leads

_PAPERS = 2.0  # of a person, on average
Kind = Literal["mixed", "field", "ring"]  # people at random, of one field, or a ring at random


@dataclass(frozen=True, slots=True)
class Found:
    """What leads say of planted groups, on average over trials."""

    overlap: float  # of the best lead with the group
    members: float  # the share of the group that is in any lead
    false: float  # honest people in leads, of all honest people
    leads: float  # how many there are
    peeling: float  # the overlap of the group that `densest` finds


def invent_authors(made: NDArray[np.bool_], dice: np.random.Generator) -> Bidding:
    """Bids with authors: people write what is near to what they bid on, and did not bid on."""
    wanted = made.astype(np.float64)
    unit = wanted / np.sqrt(wanted.sum(axis=0) + 1)
    common = unit.T @ unit
    np.fill_diagonal(common, 0.0)
    near = (wanted @ common) / (wanted.sum(axis=1, keepdims=True) + 1)
    authored = np.zeros_like(made)
    for person, row in enumerate(near):
        chances = np.where(made[person], 0.0, (row + 1e-6) ** 2)
        if count := min(int(dice.poisson(_PAPERS)), int((chances > 0).sum())):
            authored[person, dice.choice(len(chances), count, replace=False, p=chances / chances.sum())] = True
    return Bidding(made & ~authored, authored, np.zeros_like(made))


def plant(
    bidding: Bidding, size: int, density: float, dice: np.random.Generator, kind: Kind = "mixed"
) -> tuple[Bidding, set[int]]:
    """The bids with a group that bids on a share of the papers of its other members; in a ring, of the next one."""
    group = dice.choice(np.flatnonzero(bidding.authored.any(axis=1)), size, replace=False)
    if kind == "field" and size:  # the people whose bids are nearest to those of the first
        wanted = bidding.made / np.sqrt(bidding.made.sum(axis=1, keepdims=True) + 1)
        near = np.where(bidding.authored.any(axis=1), wanted @ wanted[group[0]], -1.0)
        near[group[0]] = np.inf
        group = np.argsort(-near, kind="stable")[:size]
    targets = bidding.authored[np.roll(group, -1)] if kind == "ring" else bidding.authored[group].any(axis=0)
    slots = np.argwhere(targets & bidding.opened[group])
    made = bidding.made.copy()
    done = made[group[slots[:, 0]], slots[:, 1]]
    missing = dice.permutation(np.flatnonzero(~done))[: max(int(np.ceil(density * len(slots))) - int(done.sum()), 0)]
    made[group[slots[missing, 0]], slots[missing, 1]] = True
    return replace(bidding, made=made), set(group.tolist())


def densest(bidding: Bidding) -> set[int]:
    """The group that peeling finds, of those with the most bids on each other beyond a third of what is possible.

    Optimal quasi-cliques (Tsourakakis et al. 2013), one of the published detectors: it knows nothing of fields.
    """
    graph = (bidding.made @ bidding.authored.T).astype(np.float64)
    graph = graph + graph.T
    np.fill_diagonal(graph, 0.0)
    remaining, best, group = np.ones(len(graph), dtype=np.bool_), 0.0, set[int]()
    while (count := int(remaining.sum())) > 1:
        value = graph[np.ix_(remaining, remaining)].sum() / 2 - count * (count - 1) / 3
        if value > best:
            best, group = value, set(np.flatnonzero(remaining).tolist())
        remaining[np.where(remaining, graph @ remaining, np.inf).argmin()] = False
    return group


def planted_collusion(
    made: NDArray[np.bool_], size: int, density: float, trials: int = 20, kind: Kind = "mixed"
) -> Found:
    """What is found of groups of this size (0: nobody) that bid on this share of each other's papers."""
    rows = []
    for trial in range(trials):
        dice = np.random.default_rng([trial, size])
        bidding, group = plant(invent_authors(made, dice), size, density, dice, kind)
        leads = [set(lead.members) for lead in find_leads(bidding)]
        named = set[int]().union(*leads)
        plain = densest(bidding)
        overlap = max((len(lead & group) / len(lead | group) for lead in leads), default=0.0)
        members, false = len(named & group) / max(size, 1), len(named - group) / (len(made) - size)
        rows.append((overlap, members, false, len(leads), len(plain & group) / max(len(plain | group), 1)))
    return Found(*np.mean(rows, axis=0).tolist())
