"""Fusion and aggregation on arrays against the same thing written with dictionaries and loops."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexing_support import units_of
from tables_support import ownership_of

from indexing.hits import NO_UNIT, Hits
from retriever.aggregate import EXPERT, Aggregation, aggregate
from retriever.pooling import RULES, Pooling
from retriever.search import Search, fuse
from retriever.stages import DENSE, LEXICAL

UNITS, QUERIES = 12, 3


@st.composite
def ownerships(draw):
    """Each unit has an ordered list of some of eight authors."""
    ids = [f"author:{number}" for number in range(8)]
    lists = draw(st.lists(st.lists(st.sampled_from(range(8)), unique=True, max_size=4), min_size=UNITS, max_size=UNITS))
    used = sorted({author for row in lists for author in row})
    numbers = {author: position for position, author in enumerate(used)}
    lengths = np.array([len(row) for row in lists], dtype=np.int64)
    flat = np.array([numbers[author] for row in lists for author in row], dtype=np.int32)
    return ownership_of([ids[author] for author in used], UNITS, np.arange(UNITS), lengths, flat)


@st.composite
def hits(draw):
    """Rows of distinct units, best first, ties by unit; a few scores, so that ties are common."""
    units = np.full((QUERIES, UNITS), NO_UNIT, dtype=np.int64)
    scores = np.full((QUERIES, UNITS), -np.inf, dtype=np.float32)
    for row in range(QUERIES):
        found = draw(st.dictionaries(st.integers(0, UNITS - 1), st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0, 2.0])))
        for column, (unit, score) in enumerate(sorted(found.items(), key=lambda item: (-item[1], item[0]))):
            units[row, column], scores[row, column] = unit, score
    return Hits(units, scores)


def slow_fuse(searches, query, method):
    """unit -> fused score."""
    total = sum(weight for _, weight in searches)
    fused = defaultdict(float)
    for found, weight in searches:
        row = [(int(u), float(s)) for u, s in zip(found.units[query], found.scores[query], strict=True) if u != NO_UNIT]
        best = max((score for _, score in row), default=0)
        for rank, (unit, score) in enumerate(row, start=1):
            share = 61 / (60 + rank) if method == "rrf" else max(score, 0) / best if best > 0 else 0
            fused[unit] += weight / total * share
    return fused


def slow_pool(rule, scores):
    s, n = sorted(scores, reverse=True), len(scores)
    return {
        "max": lambda: s[0],
        "mean": lambda: sum(s) / n,
        "sum": lambda: sum(s),
        "votes": lambda: n,
        "combmnz": lambda: n * sum(s),
        "top": lambda: sum(s[: int(rule.parameter)]) / rule.parameter,
        "percentile": lambda: np.percentile(s, rule.parameter),
        "discounted": lambda: sum(value / rank for rank, value in enumerate(s, start=1)),
    }[rule.rule]()


def slow_aggregate(fused, ownership, how):
    """[(author, score)], best first."""
    votes = defaultdict(list)
    for unit, score in fused.items():
        authors = ownership.authors_of(unit).tolist()
        for author in authors:
            weight = how.last_author_weight if author == authors[-1] else 1
            votes[author].append(weight * score**how.sharpness)
    pooled = {author: slow_pool(how.pooling, scores) for author, scores in votes.items()}
    tie = {author: -len(scores) if how.pooling.rule == "max" else 0 for author, scores in votes.items()}
    return sorted(pooled.items(), key=lambda item: (-np.float32(item[1]), tie[item[0]], item[0]))


@pytest.mark.parametrize("method", ["weighted", "rrf"])
@given(lexical=hits(), dense=hits())
def test_fusion_agrees_with_loops(method, lexical, dense):
    found = fuse(lexical, dense, Search(fusion=method))
    assert len(found) == QUERIES
    for query, candidates in enumerate(found):
        slow = slow_fuse([(lexical, 0.5), (dense, 1.0)], query, method)
        units, scores = candidates.units, candidates.scores
        assert set(units.tolist()) == set(slow)
        np.testing.assert_allclose(scores, [slow[unit] for unit in units.tolist()], atol=1e-6)
        assert list(zip(-scores, units, strict=True)) == sorted(zip(-scores, units, strict=True))
        for name, hits in ((LEXICAL, lexical), (DENSE, dense)):
            marked = units[candidates.found_by & name > 0]
            assert set(marked.tolist()) == set(hits.units[query].tolist()) - {NO_UNIT}


@pytest.mark.parametrize("how", [EXPERT, *map(Aggregation.named, RULES)], ids=["expert", *RULES])
@given(lexical=hits(), dense=hits(), ownership=ownerships())
def test_aggregation_agrees_with_loops(how, lexical, dense, ownership):
    for query, ranked in enumerate(aggregate(fuse(lexical, dense, Search()), ownership, how)):
        slow = slow_aggregate(slow_fuse([(lexical, 0.5), (dense, 1.0)], query, "weighted"), ownership, how)
        fast = dict(zip(ranked.authors.tolist(), ranked.scores.tolist(), strict=True))
        assert fast == pytest.approx(dict(slow), rel=1e-5, abs=1e-7)
        for row in range(len(fast)):
            mine = set(units_of(ownership, int(ranked.authors[row])).tolist())
            found = ranked.units(np.array([row])).tolist()
            assert set(found) == mine & set(ranked.candidates.units.tolist())
            assert len(found) == len(set(found)) == ranked.counts(np.array([row]))
            assert (np.diff(ranked.weights(np.array([row]))) <= 0).all()


@given(dense=hits())
def test_single_search_keeps_its_order(dense):
    for query, candidates in enumerate(fuse(None, dense, Search())):
        row = dense.units[query][(dense.units[query] != NO_UNIT) & (dense.scores[query] > 0)]
        assert candidates.units[: len(row)].tolist() == row.tolist()
        assert (candidates.found_by == DENSE).all()


@given(dense=hits(), ownership=ownerships(), masked=st.sets(st.integers(0, 7)))
def test_a_mask_removes_authors_and_nothing_else(dense, ownership, masked):
    found = fuse(None, dense, Search())
    allowed = np.array([number not in masked for number in range(len(ownership.author_ids))], dtype=np.bool_)
    rankings = aggregate(found, ownership), aggregate(found, ownership, allowed=allowed)
    for everyone, some in zip(*rankings, strict=True):
        kept = allowed[everyone.authors]
        np.testing.assert_array_equal(some.authors, everyone.authors[kept])
        np.testing.assert_array_equal(some.scores, everyone.scores[kept])


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule not in ("votes", "combmnz")])  # these count papers
@given(st.lists(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=6), max_size=6))
def test_the_mean_form_of_equal_scores_is_that_score_and_ignores_length(rule, segments):
    pooling = Pooling.parse(rule)
    same = [[segment[0]] * len(segment) for segment in segments]
    starts = np.append(0, np.cumsum([len(segment) for segment in same])).astype(np.int64)
    flat = np.array([score for segment in same for score in segment], dtype=np.float32)
    np.testing.assert_allclose(pooling.pool(flat, starts, mean=True), [s[0] for s in same], rtol=1e-6)


@pytest.mark.parametrize("text", ["", "best", "top:0", "top:1.5", "percentile:101", "percentile:x", "max:3", "top:nan"])
def test_unknown_rules_are_refused(text):
    from panelist.errors import InputError

    with pytest.raises(InputError, match="unknown pooling"):
        Pooling.parse(text)
