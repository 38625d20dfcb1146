"""Planted groups in real bids: what is planted, and what is counted."""

import numpy as np

from eval.benchmarks.collusion import densest, invent_authors, plant, planted_collusion


def bids(share=0.15):
    dice = np.random.default_rng(5)
    fields = np.arange(40)[:, None] % 3 == np.arange(90) % 3
    return dice.random((40, 90)) < np.where(fields, share, 0.02)


def test_people_write_in_their_field_and_do_not_bid_on_it():
    bidding = invent_authors(made := bids(0.4), np.random.default_rng(0))
    people, papers = np.nonzero(bidding.authored)
    assert (people % 3 == papers % 3).mean() > 0.6  # a third, if they did not
    assert not (bidding.made & bidding.authored).any()
    assert (bidding.made == made).all()


def test_a_group_bids_on_the_share_that_was_asked_for():
    bidding = invent_authors(bids(), np.random.default_rng(0))
    for share in (0.5, 1.0):
        planted, group = plant(bidding, 6, share, np.random.default_rng(1))
        rows = sorted(group)
        within = planted.authored[rows].any(axis=0) & planted.opened[rows]
        assert len(group) == 6
        assert planted.made[rows][within].mean() >= share
        assert (planted.made >= bidding.made).all()
        assert not (planted.made & ~bidding.made & ~planted.authored[rows].any(axis=0)).any()


def test_in_a_ring_everybody_bids_on_the_papers_of_the_next_one():
    bidding = invent_authors(bids(), np.random.default_rng(0))
    planted, group = plant(bidding, 3, 1.0, np.random.default_rng(1), "ring")
    new = planted.made & ~bidding.made
    assert set(np.flatnonzero(new.any(axis=1)).tolist()) <= group
    reached = [planted.made[who, bidding.authored[other]].all() for who in group for other in group if who != other]
    assert sum(reached) >= 3


def test_groups_are_found_and_nobody_else():
    found = planted_collusion(bids(), 6, 1.0, 2)
    assert found.overlap > 0.7
    assert found.false < 0.05
    none = planted_collusion(bids(), 0, 1.0, 2)
    assert (none.overlap, none.members) == (0.0, 0.0)
    assert none.false < 0.05


def test_peeling_finds_a_clique_among_people_who_hardly_bid():
    made = np.zeros((20, 20), dtype=np.bool_)
    made[:6, :6] = True
    bidding = invent_authors(made, np.random.default_rng(0))
    authored = np.eye(20, dtype=np.bool_)
    bidding = type(bidding)(made & ~authored, authored, np.zeros_like(made))
    assert densest(bidding) == set(range(6))
