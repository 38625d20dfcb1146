"""Every kernel of look-up against its twin in plain numpy and Python: the same answer, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lookup_twins import (
    plain_add_scores,
    plain_arrange,
    plain_careers,
    plain_choose_next,
    plain_coauthors_among,
    plain_colleagues,
    plain_group_votes,
    plain_mean_of_best,
    plain_mean_vectors,
    plain_order_equal_halves,
    plain_recent_affiliations,
)
from numba.core.dispatcher import Dispatcher
from tables_support import affiliations_of, ownership_of

from indexing.lexical import bm25s_kernel
from indexing.tables.units import NO_YEAR
from panelist.records import Institution
from retriever.aggregate import EXPERT, Aggregation, aggregate
from retriever.kernels import aggregate as aggregate_kernels
from retriever.kernels import careers as careers_kernels
from retriever.kernels import conflicts as conflicts_kernels
from retriever.kernels import diversity as diversity_kernels
from retriever.pooling import RULES
from retriever.stages import DENSE, Candidates

UNITS, AUTHORS, INSTITUTIONS = 40, 25, 9
NOBODY = np.zeros(0, np.bool_)


class Tables:
    """Small random tables of an index: ties, missing years, long and empty author lists are common."""

    def __init__(self, seed):
        self.dice = dice = np.random.default_rng(seed)
        lists = [dice.permutation(AUTHORS)[: dice.integers(0, 12)] for _ in range(UNITS - 1)] + [np.arange(AUTHORS)]
        lengths = np.array([len(one) for one in lists])
        ids = [f"author:{number:03}" for number in range(AUTHORS)]
        self.ownership = ownership_of(ids, UNITS, np.arange(UNITS), lengths, np.concatenate(lists).astype(np.int32))
        self.years = dice.choice(np.array([NO_YEAR, 2015, 2018, 2019, 2020], np.int16), UNITS)
        self.citations = dice.integers(0, 50, UNITS).astype(np.int32)
        self.vectors = dice.normal(size=(UNITS, 8)).astype(np.float32)
        units, authors = self.ownership.pairs(np.arange(UNITS))
        kept = dice.random(len(units)) < 0.7
        known = [Institution(f"University {n % 6}", f"ror:{n}" if n % 3 else None) for n in range(INSTITUTIONS)]
        at = dice.integers(0, INSTITUTIONS, kept.sum())
        self.affiliations = affiliations_of(known, AUTHORS, authors[kept], units[kept], at)

    def owned(self):
        return (
            *(self.ownership.author_starts, self.ownership.author_units),
            *(self.ownership.unit_starts, self.ownership.unit_authors),
        )

    def some(self, size, dtype=np.int64):
        """Some distinct numbers below `size`, perhaps none."""
        return self.dice.permutation(size)[: self.dice.integers(0, size + 1)].astype(dtype)

    def candidates(self):
        """Distinct units, best first, with few different scores."""
        units = self.some(UNITS)
        scores = np.sort(self.dice.integers(0, 5, len(units)) / 4)[::-1].astype(np.float32)
        return Candidates(units[np.lexsort((units, -scores))], scores.copy(), np.full(len(units), DENSE, np.uint8))

    def mask(self, size):
        return self.dice.random(size) < 0.6

    def groups(self):
        """Votes as `group_votes` returns them."""
        found, allowed = self.candidates(), self.mask(AUTHORS)
        return plain_group_votes(
            *(found.units, found.scores, 5.0, self.ownership.unit_starts, self.ownership.unit_authors),
            *(np.float32(1.75), allowed),
        )


def for_add_scores(t):
    words, rows = 12, UNITS
    matrix = np.where(t.dice.random((words, rows)) < 0.4, t.dice.integers(1, 5, (words, rows)) / 4, 0)
    entries = [np.flatnonzero(row) for row in matrix]
    starts = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    data = np.concatenate([matrix[word, own] for word, own in enumerate(entries)]).astype(np.float32)
    return np.sort(t.some(words)), data, np.concatenate(entries).astype(np.int32), starts, t.mask(rows)


def for_group_votes(t):
    found = t.candidates()
    sharpness = float(t.dice.choice([1.0, 2.0, 5.0, 2.5]))
    owned = t.ownership.unit_starts, t.ownership.unit_authors
    allowed = NOBODY if t.dice.random() < 0.5 else t.mask(AUTHORS)
    return found.units, found.scores, sharpness, *owned, np.float32(t.dice.choice([1.0, 1.75])), allowed


def for_mean_of_best(t):
    _, starts, _, weights = t.groups()
    return weights, starts, int(t.dice.integers(1, 5))


def for_order_equal_halves(t):
    scores = t.dice.choice([0.0, 0.5, np.nextafter(0.5, 1), np.nextafter(0.5, 0), 1.0], t.dice.integers(0, 200))
    packed = ~(scores + 0.0).view(np.uint64) & ~np.uint64(0xFFFFFFFF) | np.arange(len(scores), dtype=np.uint64)
    return np.sort(packed), scores, t.dice.permutation(len(scores)).astype(np.int32)


def for_arrange(t):
    authors, starts, votes, weights = t.groups()
    return t.dice.permutation(len(authors)), starts, votes, weights


def for_careers(t):
    affiliated = t.affiliations.starts, t.affiliations.units, t.affiliations.institutions
    return (
        t.some(AUTHORS),
        t.ownership.author_starts,
        t.ownership.author_units,
        t.years,
        t.citations,
        *affiliated,
        NO_YEAR,
    )


def for_recent_affiliations(t):
    return t.some(AUTHORS), t.affiliations.starts, t.affiliations.units, t.years, 2019, NO_YEAR


def for_colleagues(t):
    table = t.affiliations
    names = len(table.plain_names)
    return (
        *(t.some(AUTHORS), table.starts, table.units, table.institutions, t.years, 2019, NO_YEAR),
        *(table.name_numbers, table.rors.offsets),
        *(t.some(INSTITUTIONS)[:2], t.some(INSTITUTIONS)[:2], t.some(names)[:2], t.some(names)[:2]),
    )


def for_mean_vectors(t):
    counts = t.dice.integers(1, 4, t.dice.integers(0, 9))
    return t.dice.integers(0, UNITS, counts.sum()), counts, t.vectors


def for_coauthors_among(t):
    among = t.some(AUTHORS, np.int32)
    return int(t.dice.integers(AUTHORS)), among, np.argsort(among), *t.owned()


def for_choose_next(t):
    count = int(t.dice.integers(1, 12))
    value = np.sort(t.dice.random(count))[::-1].copy()
    value[t.dice.random(count) < 0.2] = -np.inf
    value[0] = 1.0  # somebody is left
    last = int(t.dice.integers(1, count)) if count > 1 else 0
    labels = t.dice.integers(-1, 3, (3, count))
    # Eighths, whose products and sums are exact: the kernel adds them up in the order that suits the processor.
    topics = t.dice.integers(-4, 5, (count, 8)).astype(np.float32) / np.float32(8)
    return last, topics, t.mask(count), labels, float(t.dice.random()), 1e5, -1, value, t.dice.random(count) / 2


HELPERS = {"power", "first_slot", "table_bits"}
"""Parts of kernels, which have no twin of their own."""

PAIRS = {
    "add_scores": (bm25s_kernel, plain_add_scores, for_add_scores),
    "group_votes": (aggregate_kernels, plain_group_votes, for_group_votes),
    "order_equal_halves": (aggregate_kernels, plain_order_equal_halves, for_order_equal_halves),
    "mean_of_best": (aggregate_kernels, plain_mean_of_best, for_mean_of_best),
    "arrange": (aggregate_kernels, plain_arrange, for_arrange),
    "careers": (careers_kernels, plain_careers, for_careers),
    "recent_affiliations": (conflicts_kernels, plain_recent_affiliations, for_recent_affiliations),
    "colleagues": (conflicts_kernels, plain_colleagues, for_colleagues),
    "mean_vectors": (diversity_kernels, plain_mean_vectors, for_mean_vectors),
    "coauthors_among": (diversity_kernels, plain_coauthors_among, for_coauthors_among),
    "choose_next": (diversity_kernels, plain_choose_next, for_choose_next),
}


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_a_kernel_and_its_twin_agree(name, seed):
    module, twin, make_arguments = PAIRS[name]
    arguments, copies = make_arguments(Tables(seed)), make_arguments(Tables(seed))
    fast, slow = getattr(module, name)(*arguments), twin(*copies)
    if not isinstance(fast, tuple):
        fast, slow = (fast,), (slow,)
    for one, other in zip(fast, slow, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)
    for one, other in zip(arguments, copies, strict=True):
        np.testing.assert_array_equal(one, other)  # also what both have written to


def test_every_kernel_has_a_twin():
    modules = {module for module, *_ in PAIRS.values()}
    kernels = {
        name
        for module in modules
        for name, one in vars(module).items()
        if isinstance(one, Dispatcher) and one.signatures and one.__module__ == module.__name__
    }
    assert kernels - {name for name in kernels if name.startswith("_")} - HELPERS == set(PAIRS)


@pytest.mark.parametrize("how", [EXPERT, *map(Aggregation.named, RULES)], ids=["expert", *RULES])
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_given_hits_memory_layout_does_not_matter(how, seed):
    """A reversed view, or every second element of an array, counts as its copy does: to the last bit."""
    tables = Tables(seed)
    found = tables.candidates()
    strided = np.repeat(found.scores, 2)[::2]
    backwards = found.scores[::-1].copy()[::-1]
    assert len(found) < 2 or not (strided.flags.c_contiguous or backwards.flags.c_contiguous)
    (plain,) = aggregate([found], tables.ownership, how)
    for scores in (strided, backwards):
        (other,) = aggregate([Candidates(found.units, scores, found.found_by)], tables.ownership, how)
        for name in ("authors", "scores", "vote_starts", "votes", "vote_weights"):
            np.testing.assert_array_equal(getattr(plain, name), getattr(other, name), err_msg=name)


def test_a_kernel_refuses_what_it_was_not_compiled_for():
    starts, units = np.zeros(1, np.int64), np.zeros(4, np.int32)[::-2]
    with pytest.raises(TypeError, match="No matching definition"):
        conflicts_kernels.recent_affiliations(starts, starts, units, np.zeros(1, np.int16), 2019, NO_YEAR)
