"""Compiled look-up against its twins on arrays: the same answer, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexing_support import units_of

from indexing import compiled
from indexing.tables.ownership import Ownership
from panelist.app.demo import corpus, submissions
from panelist.records import Submission
from retriever import aggregate as aggregation
from retriever import contenders, fuse, merging, walks
from retriever.aggregate import EXPERT, Aggregation
from retriever.candidates import DENSE, LEXICAL, Candidates
from retriever.lookup import Lookup
from retriever.pooling import RULES

UNITS, AUTHORS = 40, 25


@st.composite
def ownerships(draw):
    """Everybody has a paper; author lists of up to a dozen."""
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    lists = [dice.permutation(AUTHORS)[: dice.integers(0, 12)] for _ in range(UNITS - 1)] + [np.arange(AUTHORS)]
    lengths = np.array([len(one) for one in lists])
    ids = [f"author:{number:03}" for number in range(AUTHORS)]
    return Ownership.of(ids, UNITS, np.arange(UNITS), lengths, np.concatenate(lists).astype(np.int32))


@st.composite
def found(draw):
    """Distinct units, best first, with few different scores, so that ties are common."""
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    units = dice.permutation(UNITS)[: dice.integers(0, UNITS + 1)]
    scores = np.sort(dice.integers(0, 5, len(units)) / 4)[::-1].astype(np.float32)
    by = np.full(len(units), DENSE, np.uint8)
    return Candidates(np.array([0, len(units)]), units[np.lexsort((units, -scores))], scores, by)


@pytest.mark.parametrize("how", [EXPERT, *map(Aggregation.named, RULES)], ids=["expert", *RULES])
@settings(max_examples=30)
@given(ownership=ownerships(), candidates=found(), masked=st.sets(st.integers(0, AUTHORS - 1)))
def test_votes(how, ownership, candidates, masked):
    mask = np.isin(np.arange(AUTHORS), list(masked), invert=True)
    for allowed in (None, mask):
        slow = aggregation._rank(candidates, 0, ownership, how, allowed)
        fast = aggregation._rank_compiled(candidates, 0, ownership, how, allowed)
        for name in ("authors", "scores", "vote_starts", "votes", "weights"):
            one, other = getattr(slow, name), getattr(fast, name)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other, err_msg=name)


@given(st.integers(0, 2**32))
def test_merging(seed):
    dice = np.random.default_rng(seed)
    rows = []
    for name in (LEXICAL, DENSE):
        units = dice.permutation(UNITS)[: dice.integers(0, UNITS + 1)]
        rows += [units, dice.random(len(units)).astype(np.float32), np.full(len(units), name, np.uint8)]
    slow, fast = fuse._merge(*rows), merging.merge(*rows)
    order = np.argsort(fast[0])
    for one, other in zip(slow, fast, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other[order])


@given(
    ownership=ownerships(),
    author=st.integers(0, AUTHORS - 1),
    among=st.lists(st.integers(0, AUTHORS - 1), min_size=1, unique=True),
)
def test_coauthors(ownership, author, among):
    tables = (ownership.author_starts, ownership.author_units, ownership.unit_starts, ownership.unit_authors)
    people = np.array(among, dtype=np.int32)
    order = np.argsort(people)
    slow = contenders._find_coauthors(author, people, order, *tables)
    np.testing.assert_array_equal(walks.coauthors(author, people, order, *tables), slow)
    assert slow.tolist() == [bool(set(units_of(ownership, author)) & set(units_of(ownership, one))) for one in people]


@pytest.mark.parametrize("conflicts", ["hide", "flag"])
def test_panels(demo_finder, monkeypatch, conflicts):
    lookup = Lookup(diversity=0.3, conflicts=conflicts, size=20)
    works = [one for one in corpus() if one.abstract][::60]
    asked = [
        *submissions(),
        *(Submission(one.id, one.title, one.abstract, tuple(each.author for each in one.authorships)) for one in works),
    ]
    panels = []
    for answered in (-1000, 1000):  # so that this process is a cold, and then a warm one
        monkeypatch.setattr(compiled, "_answered", answered)
        panels.append([demo_finder.find(one, lookup) for one in asked])
    assert any(panel.hidden for panel in panels[0]) or conflicts == "flag"
    assert panels[0] == panels[1]
