"""Leads on collusion: who is named, and who is not."""

import numpy as np
import pytest

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind
from retriever.assignment.building.records import BIDS, Records, Reviewer, ScoreTable
from retriever.assignment.collusion import Bidding, _Likelihoods, bidding_of, find_leads
from retriever.conference.conflicts.table import ConflictTable

FIELDS, PEOPLE, PAPERS = 4, 60, 120


def honest_bids(seed=3, share=0.15):
    """People bid on a share of the papers of their field, and write two there."""
    dice = np.random.default_rng(seed)
    people, papers = np.arange(PEOPLE) % FIELDS, np.arange(PAPERS) % FIELDS
    made = dice.random((PEOPLE, PAPERS)) < np.where(people[:, None] == papers, share, 0.02)
    authored = np.zeros_like(made)
    for person in range(PEOPLE):
        authored[person, dice.choice(np.flatnonzero(papers == people[person]), 2, replace=False)] = True
    return Bidding(made & ~authored, authored, np.zeros_like(made))


def planted(bidding, group):
    made = bidding.made.copy()
    made[group] |= bidding.authored[group].any(axis=0)
    return Bidding(made & ~bidding.authored, bidding.authored, bidding.closed, bidding.affinity)


def test_people_of_one_field_are_no_lead():
    assert find_leads(honest_bids()) == []


@pytest.mark.parametrize("group", [[0, 1, 2, 3, 5, 6], [0, 4, 8, 12, 16, 20, 24, 28]])  # of all fields, and of one
def test_a_planted_group_is_named(group):
    bidding = planted(honest_bids(), group)
    (lead,) = find_leads(bidding)
    assert len(set(lead.members) & set(group)) / len(set(lead.members) | set(group)) >= 0.75
    assert lead.expected < 0.7 * len(lead.bids) <= 0.7 * lead.possible
    assert all(bidding.made[bid] and bidding.authored[list(lead.members), bid[1]].any() for bid in lead.bids)


def ring_of(bidding, ring):
    """The bids with a ring in which everybody bids on all papers of the next one."""
    made = bidding.made.copy()
    for person, following in zip(ring, (*ring[1:], ring[0]), strict=True):
        made[person] |= bidding.authored[following]
    return Bidding(made, bidding.authored, bidding.closed, bidding.affinity)


def test_a_ring_without_mutual_bids_is_named():
    honest = honest_bids()
    for person in range(0, PEOPLE, 7):  # who write more; a ring of few papers says too little
        honest.authored[person] |= (np.arange(PAPERS) % 40 == person % 40) & ~honest.made[person]
    honest = Bidding(honest.made & ~honest.authored, honest.authored, honest.closed)
    assert find_leads(honest) == []
    (lead,) = find_leads(ring_of(honest, [0, 7, 21]))
    assert (lead.members, lead.ring) == ((0, 7, 21), True)
    assert len(lead.bids) == lead.possible
    following = {0: 7, 7: 21, 21: 0}
    assert all(honest.authored[following[person], paper] for person, paper in lead.bids)


def test_bids_on_papers_of_coauthors_of_coauthors_are_counted():
    group = [0, 1, 2, 3, 5, 6]
    honest = honest_bids()
    assert find_leads(planted(honest, group))[0].distant == 0
    authored = honest.authored.copy()
    ours = {person: int(np.flatnonzero(authored[person])[0]) for person in (0, 1)}
    authored[40, list(ours.values())] = True  # who wrote with both
    (lead,) = find_leads(planted(Bidding(honest.made & ~authored, authored, honest.closed), group))
    papers = {person: np.flatnonzero(authored[person] & ~authored[40]) for person in (0, 1)}  # not of a co-author
    assert lead.distant == sum((who, paper) in lead.bids for who in (0, 1) for paper in papers[1 - who])


def test_what_texts_explain_is_no_lead():
    group = [0, 1, 2, 3, 5, 6]
    plain = planted(honest_bids(), group)
    dice = np.random.default_rng(1)
    affinity = plain.made * 4.0 + dice.normal(size=plain.made.shape)
    assert find_leads(plain)
    assert find_leads(Bidding(plain.made, plain.authored, plain.closed, affinity)) == []


def test_conflicts_are_no_missing_bids():
    group = [0, 1, 2, 3, 5, 6]
    bidding = honest_bids()
    bidding.closed[:] = bidding.authored[0]  # nobody can bid on the papers of the first
    (lead,) = find_leads(planted(bidding, group))
    assert not any(bidding.authored[0, paper] for _, paper in lead.bids)


def test_a_bid_does_not_explain_itself():
    bidding = honest_bids()
    other = bidding.made.copy()
    person, paper = next((i, j) for i, j in np.argwhere(bidding.made) if bidding.made[i].sum() > 5)
    other[person, paper] = False
    nothing = np.zeros_like(other)
    learned = [
        _Likelihoods(Bidding(made, bidding.authored, bidding.closed)).learn(nothing)[person, paper]
        for made in (bidding.made, other)
    ]
    assert learned[0] == pytest.approx(learned[1], rel=0.1)


def table_of(*rows):
    papers, people = (tuple(dict.fromkeys(row[at] for row in rows)) for at in (0, 1))
    columns = [papers.index(row[0]) for row in rows], [people.index(row[1]) for row in rows]
    return ScoreTable(papers, people, *map(np.array, columns), np.array([row[2] for row in rows], dtype=np.float64))


def test_certain_authors_of_a_conflict_table_are_authors():
    bids = table_of(("p1", "ada", 1.0), ("p2", "bob", 1.0))
    reasons = [
        Conflict("p2", "ada", ConflictKind.AUTHOR, "by id"),
        Conflict("p1", "bob", ConflictKind.AUTHOR, "by name", certain=False),
    ]
    bidding, *_ = bidding_of(Records(scores={BIDS: bids}, conflicts=ConflictTable.grouped(reasons)))
    assert bidding.authored.tolist() == [[False, True], [False, False]]


def test_records_become_arrays():
    bids = table_of(("p1", "ada@x.org", 1.0), ("p2", "bob", 0.5), ("p1", "bob", 0.25))
    table = ConflictTable.grouped([Conflict("p2", "bob", ConflictKind.DECLARED, "said")])
    records = Records(
        scores={BIDS: bids, "affinity": table_of(("p2", "bob", 0.7))},
        people={"ADA@x.org": Reviewer(authored=("p2", "p3")), "bob": Reviewer()},
        forbidden=[("p1", "bob")],
        conflicts=table,
    )
    bidding, people, papers = bidding_of(records)
    assert (people, papers) == (("ada@x.org", "bob"), ("p1", "p2", "p3"))
    assert bidding.made.tolist() == [[True, False, False], [False, True, False]]
    assert bidding.authored.tolist() == [[False, True, True], [False, False, False]]
    assert bidding.closed.tolist() == [[False, False, False], [True, True, False]]
    assert bidding.affinity[1, 1] == 0.7
    with pytest.raises(InputError, match="who wrote which submission"):
        bidding_of(Records(scores={BIDS: bids}))
