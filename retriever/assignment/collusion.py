"""Leads on collusion: groups whose bids on each other's papers nothing else explains.

How likely somebody bids on a paper is learned from all bids: how much they bid, how much the paper is wanted, how near
it is to the other papers they bid on (papers that the same people want), and the affinity of texts where it is known.
Of a group, every bid on a paper of another member counts ln(r / p), every bid that was not made ln((1 − r) / (1 − p)),
where p is that likelihood and r = .7 what is expected of people who agreed. A group grows from a pair as long as a
member adds more than it costs to name one among so many people. Then likelihoods are learned again without the bids
within the group, so that a group does not explain itself. A *ring* of three (A bids on B's papers, B on C's, C on A's)
has no mutual bids: only those around it count, and what it costs to name one ring of all that there could be.

A lead is where to look, with its evidence, and never a verdict: people of one small field bid on each other's papers,
too. docs/research/manipulation.md has how often it is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from panelist.records import ConflictKind
from retriever.assignment.building.records import BIDS, Ids, Records
from retriever.assignment.options import OptionError

WANTED = 0.5  # a bid of at least this says that somebody wants to review the paper
AGREED, LEAST = 0.7, 0.01  # r; and the least likelihood of a bid
EVIDENCE = 8.0  # of a lead, beyond what naming its members costs
_SEEDS, _STARTS, _ROUNDS, _SAMPLE, _STEPS = 40, 4, 3, 200_000, 12
_SLACK = 6.0  # of a ring before its own bids are left out
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Bidding:
    """Who bids on what, as arrays of (people, papers)."""

    made: Flags  # bids of at least `WANTED`
    authored: Flags
    closed: Flags  # conflicts: no bid is possible
    affinity: Floats | None = None  # of texts; NaN where it is not known

    @property
    def opened(self) -> Flags:
        """Where a bid is possible."""
        return ~(self.authored | self.closed)


@dataclass(frozen=True, slots=True)
class Lead:
    """A group whose bids on each other's papers are far more than what else is known explains."""

    members: tuple[int, ...]
    bids: tuple[tuple[int, int], ...]  # of a member on a paper of another one
    possible: int  # how many there could be
    expected: float  # how many there would be, by how these people bid otherwise
    evidence: float  # natural logarithm of how much likelier the bids are if they agreed
    distant: int  # how many of the bids are on papers of co-authors of the bidder's co-authors on submissions
    ring: bool = False  # whether everybody bids on the papers of the next one only


def bidding_of(records: Records) -> tuple[Bidding, tuple[str, ...], tuple[str, ...]]:
    """Bids, authors and conflicts of records as arrays, and the ids of people and papers."""
    if BIDS not in records.scores:
        raise OptionError("leads are found in `bids`: give them")
    certain = [pair for pair in records.conflicts or () if pair.certain]
    written = {(paper, author) for author, person in (records.people or {}).items() for paper in person.authored}
    kinds = ((pair, {reason.kind for reason in pair.reasons}) for pair in certain)
    written |= {(pair.submission, pair.reviewer) for pair, kind in kinds if ConflictKind.AUTHOR in kind}
    if not written:
        raise OptionError("leads need to know who wrote which submission: give 'authored' of `people`, or conflicts")
    tables = records.scores.values()
    ids = Ids(
        [*(paper for table in tables for paper in table.papers), *(paper for paper, _ in sorted(written))],
        [*(author for table in tables for author in table.reviewers)],
        records.conflicts,
    )
    shape = len(ids.reviewers), len(ids.papers)
    made, authored, closed = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
    affinity = np.full(shape, np.nan)
    for name, table in records.scores.items():
        rows = np.array([ids.number(author) for author in table.reviewers])[table.reviewer]
        columns = np.array([ids.papers[paper] for paper in table.papers])[table.paper]
        if name == BIDS:
            wanted = table.score >= WANTED
            made[rows[wanted], columns[wanted]] = True
        else:
            best = np.full(shape, np.nan)  # of somebody's ids
            np.fmax.at(best, (rows, columns), table.score)
            affinity = np.where(np.isnan(best), affinity, np.nan_to_num(affinity) + best)
    others = (*records.forbidden, *((pair.submission, pair.reviewer) for pair in certain))
    for pairs, marked in ((written, authored), (others, closed)):
        for paper, author in pairs:
            if paper in ids.papers and (number := ids.number(author)) >= 0:
                marked[number, ids.papers[paper]] = True
    nearness = affinity if np.isfinite(affinity).any() else None
    return Bidding(made & ~authored, authored, closed, nearness), tuple(ids.reviewers), tuple(ids.papers)


def find_leads(bidding: Bidding, limit: int = 10) -> list[Lead]:
    """Groups that are worth a look, strongest first, then rings; nobody is in two of them."""
    likelihoods = _Likelihoods(bidding)
    free: Flags = np.array(bidding.authored.any(axis=1))
    hidden = np.zeros_like(bidding.made)
    leads: list[Lead] = []
    while len(leads) < limit and free.sum() > 1:
        best, likely = -np.inf, np.empty(0)
        group: tuple[int, ...] = ()
        for start in _starts(bidding, likelihoods, hidden, free):
            grown = start
            for _ in range(_ROUNDS):
                chances = likelihoods.learn(hidden | _inner_pairs(grown, bidding))
                search = _Search(bidding, _weigh(bidding, chances), free)
                previous, grown = grown, search.grow(grown)
                if grown == previous:
                    break
            if (value := search.value(grown)) > best:
                best, group, likely = value, grown, chances
        if best < EVIDENCE:
            break
        inner_bids = _inner_pairs(group, bidding)
        leads.append(_lead(bidding, group, inner_bids, likely, best))
        hidden |= inner_bids
        free[list(group)] = False
    while len(leads) < limit and (ring := _best_ring(bidding, likelihoods, hidden, free)):
        leads.append(ring)
        hidden |= _inner_pairs(ring.members, bidding, ring=True)
        free[list(ring.members)] = False
    return leads


def _lead(bidding: Bidding, group: tuple[int, ...], inner_bids: Flags, likely: Floats, evidence: float) -> Lead:
    """A lead whose members could bid where `inner_bids` says."""
    bids = [(person, paper) for person, paper in np.argwhere(bidding.made & inner_bids).tolist()]
    linked = (bidding.authored.astype(np.float64) @ bidding.authored.T) > 0
    distant = 0
    for person, paper in bids:
        authors = np.flatnonzero(bidding.authored[:, paper])
        distant += not linked[person, authors].any() and bool(linked[linked[person]][:, authors].any())
    return Lead(group, tuple(bids), int(inner_bids.sum()), float(likely[inner_bids].sum()), evidence, distant)


def _best_ring(bidding: Bidding, likelihoods: _Likelihoods, hidden: Flags, free: Flags) -> Lead | None:
    """The ring of three with the most evidence, learned without its own bids; None where none has enough."""
    count = len(free)
    cost = float(np.log(max(count * (count - 1) * (count - 2) / 3, 1)))
    best: Lead | None = None
    for ring in _rings(bidding, _weigh(bidding, likelihoods.learn(hidden)), free, EVIDENCE + cost):
        around = _inner_pairs(ring, bidding, ring=True)
        likely = likelihoods.learn(hidden | around)
        evidence = float(_weigh(bidding, likely)[around].sum()) - cost
        if evidence >= EVIDENCE and (best is None or evidence > best.evidence):
            best = replace(_lead(bidding, ring, around, likely, evidence), ring=True)
    return best


def _rings(bidding: Bidding, gains: Floats, free: Flags, least: float) -> list[tuple[int, ...]]:
    """The rings of three that gain most, each begun with what gains most, and each step at least something."""
    directed = gains @ bidding.authored.T
    directed[~free] = directed[:, ~free] = 0.0
    np.fill_diagonal(directed, 0.0)
    rings = dict[tuple[int, ...], float]()
    for person, following in np.argwhere(directed >= least / 3 - _SLACK).tolist():
        ways = directed[following] + directed[:, person]
        ways[(directed[following] <= 0) | (directed[:, person] <= 0)] = -np.inf
        last = int(ways.argmax())
        if (gain := directed[person, following] + ways[last]) >= least - _SLACK:
            ring = (person, following, last)
            turn = ring.index(min(ring))
            rings[ring[turn:] + ring[:turn]] = gain
    return sorted(rings, key=rings.__getitem__, reverse=True)[:_STARTS]


def _starts(bidding: Bidding, likelihoods: _Likelihoods, hidden: Flags, free: Flags) -> list[tuple[int, ...]]:
    """Groups to begin with: with fields known, and without, as a large group may look like a field."""
    starts = []
    for fields in (True, False):
        search = _Search(bidding, _weigh(bidding, likelihoods.learn(hidden, fields=fields)), free)
        grown = {search.grow(pair) for pair in search.pairs()}
        starts += sorted(grown, key=search.value, reverse=True)[:_STARTS]
    return list(dict.fromkeys(starts))


def _inner_pairs(group: tuple[int, ...], bidding: Bidding, ring: bool = False) -> Flags:
    """Where members can bid on papers of other members, in a ring of the next one only."""
    block, rows = np.zeros_like(bidding.made), list(group)
    block[rows] = bidding.authored[np.roll(rows, -1)] if ring else bidding.authored[rows].any(axis=0)
    return block & bidding.opened


def _weigh(bidding: Bidding, likely: Floats) -> Floats:
    """What each pair says for an agreement, 0 where no bid is possible."""
    made, missing = np.log(AGREED / likely), np.log((1 - AGREED) / (1 - likely))
    return np.where(bidding.opened, np.where(bidding.made, made, missing), 0.0)


class _Search:
    """Looks for groups of great value, member by member."""

    def __init__(self, bidding: Bidding, gains: Floats, free: Flags) -> None:
        self._authored, self._gains, self._free = bidding.authored, gains, free
        self._cost = float(np.log(len(free)))

    def pairs(self) -> list[tuple[int, ...]]:
        """The pairs that gain most, each way at least something."""
        directed = self._gains @ self._authored.T
        mutual = np.triu(np.minimum(directed, directed.T) * 2, 1)
        mutual[~self._free] = mutual[:, ~self._free] = 0.0
        chosen = np.argsort(-mutual, axis=None, kind="stable")[:_SEEDS]
        rows, columns = np.unravel_index(chosen[mutual.ravel()[chosen] > 0], mutual.shape)
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def value(self, group: tuple[int, ...]) -> float:
        """The evidence of a group, less what it costs to name its members."""
        rows = list(group)
        papers = self._authored[rows].any(axis=0)
        return float(self._gains[rows][:, papers].sum()) - self._cost * len(rows)

    def grow(self, group: tuple[int, ...]) -> tuple[int, ...]:
        """Add or drop whoever raises the value most, until nobody does."""
        members = np.zeros(len(self._free), dtype=np.bool_)
        members[list(group)] = True
        value = self.value(group)
        for _ in range(len(self._free)):
            papers = self._authored[members].any(axis=0)
            rise = self._gains[:, papers].sum(axis=1)
            rise += (self._authored & ~papers) @ (self._gains[members].sum(axis=0) * ~papers)
            rise[members | ~self._free] = -np.inf
            changes = [int(rise.argmax()), *(np.flatnonzero(members).tolist() if members.sum() > 2 else ())]
            tried = []
            for person in changes:
                members[person] = not members[person]
                tried.append(self.value(tuple(np.flatnonzero(members).tolist())))
                members[person] = not members[person]
            best = int(np.argmax(tried))
            if tried[best] <= value:
                break
            value, members[changes[best]] = tried[best], not members[changes[best]]
        return tuple(np.flatnonzero(members).tolist())


class _Likelihoods:
    """Learns how likely each bid is, without itself."""

    def __init__(self, bidding: Bidding) -> None:
        self._bidding = bidding
        rows = np.flatnonzero(bidding.opened)
        self._sample = np.sort(np.random.default_rng(0).permutation(rows)[:_SAMPLE])

    def learn(self, hidden: Flags, *, fields: bool = True) -> Floats:
        """Likelihoods of all pairs, from those that are not hidden; `fields`: nearness of papers is used."""
        visible = self._bidding.opened & ~hidden
        features = self._features(visible)
        features = features if fields else features[:3]
        rows = self._sample[visible.ravel()[self._sample]]
        inputs = np.stack([feature.ravel()[rows] for feature in features], axis=1)
        made = self._bidding.made.ravel()[rows].astype(np.float64)
        weights = np.zeros(len(features))
        for _ in range(_STEPS):  # Newton's, of a logistic regression
            likely = 1 / (1 + np.exp(-(inputs @ weights)))
            curve = inputs.T @ (inputs * (likely * (1 - likely))[:, None]) + np.eye(len(weights))
            weights += np.linalg.solve(curve, inputs.T @ (made - likely) - weights)
        total = sum(feature * weight for feature, weight in zip(features, weights, strict=True))
        return np.clip(1 / (1 + np.exp(-total)), LEAST, 1 - LEAST)

    def _features(self, shown: Flags) -> list[Floats]:
        """How much a person bids, how much a paper is wanted, how near it is to their others, each without this bid."""
        made = (self._bidding.made & shown).astype(np.float64)
        people, papers = made.sum(axis=1, keepdims=True) - made, made.sum(axis=0, keepdims=True) - made
        activity = np.log((people + 0.5) / (shown.sum(axis=1, keepdims=True) + 1))
        demand = np.log((papers + 0.5) / (shown.sum(axis=0, keepdims=True) + 1))
        # Papers are near if the same people want them, of those shown for both; who wants many says less.
        weights = shown.astype(np.float64)
        seen = len(made) / np.maximum(weights.T @ weights, 1)
        voices = made / np.log(made.sum(axis=1, keepdims=True) + np.e)
        common = (voices.T @ made) * seen
        np.fill_diagonal(common, 0.0)
        np.fill_diagonal(seen, 0.0)
        scale = 1 / np.sqrt(made.sum(axis=0) / np.maximum(weights.mean(axis=0), 1 / len(made)) + 1)
        scaled = made * scale
        nearness = scaled @ common - made * voices * (scaled @ seen)  # without this bid
        nearness *= scale / (people + 1)
        features = [np.ones_like(made), activity + 0 * made, demand + 0 * made, np.log(nearness + 1e-3)]
        if (affinity := self._bidding.affinity) is not None:
            scored = np.isfinite(affinity)
            mean, spread = affinity[scored].mean(), affinity[scored].std() + 1e-9
            features += [np.where(scored, (affinity - mean) / spread, 0.0), scored.astype(np.float64)]
        return features
