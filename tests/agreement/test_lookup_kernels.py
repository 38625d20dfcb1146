"""Every kernel of look-up against its twin in plain numpy and Python: the same answer, to the last bit."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from indexing.hits import rising, top_k
from indexing.lexical import bm25s_kernel
from indexing.tables.affiliations import Affiliations
from indexing.tables.ownership import Ownership, gather_rows
from indexing.tables.units import NO_YEAR
from panelist.records import Institution
from retriever.aggregate import EXPERT, Aggregation, aggregate
from retriever.kernels import aggregate as aggregate_kernels
from retriever.kernels import careers as careers_kernels
from retriever.kernels import colleagues as colleagues_kernels
from retriever.kernels import conflicts as conflicts_kernels
from retriever.kernels import diversity as diversity_kernels
from retriever.kernels import search as search_kernels
from retriever.pooling import RULES
from retriever.stages import DENSE, LEXICAL, Candidates

UNITS, AUTHORS, INSTITUTIONS = 40, 25, 9
NOBODY = np.zeros(0, np.bool_)


class Tables:
    """Small random tables of an index: ties, missing years, long and empty author lists are common."""

    def __init__(self, seed):
        self.dice = dice = np.random.default_rng(seed)
        lists = [dice.permutation(AUTHORS)[: dice.integers(0, 12)] for _ in range(UNITS - 1)] + [np.arange(AUTHORS)]
        lengths = np.array([len(one) for one in lists])
        ids = [f"author:{number:03}" for number in range(AUTHORS)]
        self.ownership = Ownership.of(ids, UNITS, np.arange(UNITS), lengths, np.concatenate(lists).astype(np.int32))
        self.years = dice.choice(np.array([NO_YEAR, 2015, 2018, 2019, 2020], np.int16), UNITS)
        self.citations = dice.integers(0, 50, UNITS).astype(np.int32)
        self.vectors = dice.normal(size=(UNITS, 8)).astype(np.float32)
        units, authors = self.ownership.pairs(np.arange(UNITS))
        kept = dice.random(len(units)) < 0.7
        known = [Institution(f"University {n % 6}", f"ror:{n}" if n % 3 else None) for n in range(INSTITUTIONS)]
        at = dice.integers(0, INSTITUTIONS, kept.sum())
        self.affiliations = Affiliations.of(known, AUTHORS, authors[kept], units[kept], at)

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


def plain_best_rows(words, data, rows, starts, taken, k):
    scores = np.zeros(len(taken), dtype=np.float32)
    for start, end in zip(starts[words], starts[words + 1], strict=True):
        np.add.at(scores, rows[start:end], data[start:end])
    scores[~taken | (scores <= 0)] = -np.inf
    best = top_k(scores, k)
    return best, scores[best]


def plain_merge(units, scores, found_by, more_units, more_scores, more_found_by):
    units = np.concatenate([units, more_units])
    order = rising(units)
    units = units[order]
    scores, found_by = np.concatenate([scores, more_scores])[order], np.concatenate([found_by, more_found_by])[order]
    # What both have found stands side by side: the second is added to the first, and left out.
    both = np.flatnonzero(units[1:] == units[:-1])
    scores[both] += scores[both + 1]
    found_by[both] += found_by[both + 1]
    kept = np.ones(len(units), dtype=np.bool_)
    kept[both + 1] = False
    return units[kept], scores[kept], found_by[kept]


def plain_group_votes(units, scores, sharpness, unit_starts, unit_authors, last_author_weight, allowed):
    votes = {}
    for position, (unit, score) in enumerate(zip(units.tolist(), scores.tolist(), strict=True)):
        authors = unit_authors[unit_starts[unit] : unit_starts[unit + 1]].tolist()
        for turn, author in enumerate(authors, 1):
            if len(allowed) == 0 or allowed[author]:
                weight = np.float32(score**sharpness)
                weight = weight * last_author_weight if turn == len(authors) else weight
                votes.setdefault(author, []).append((-weight, position))
    for own in votes.values():
        own.sort()
    flat = [one for own in votes.values() for one in own]
    return (
        np.array(list(votes), np.int32),
        np.cumsum([0, *(len(own) for own in votes.values())], dtype=np.int64),
        np.array([position for _, position in flat], np.int64),
        -np.array([weight for weight, _ in flat], np.float32),
    )


def plain_mean_of_best(weights, starts, most):
    segments = [weights[a:b][:most].tolist() for a, b in pairwise(starts)]
    return np.array([sum(segment) / most for segment in segments], np.float64)


def plain_order_equal_halves(packed, scores, authors):
    order = (packed & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return order[np.lexsort((authors[order], -scores[order], packed >> np.uint64(32)))]


def plain_arrange(order, starts, votes, weights):
    rows, lengths = gather_rows(starts, order)
    return np.append(0, np.cumsum(lengths)), votes[rows], weights[rows]


def plain_careers(authors, author_starts, author_units, years, citations, starts, units, institutions, no_year):
    columns = []
    for author in authors.tolist():
        own = author_units[author_starts[author] : author_starts[author + 1]]
        known = [int(year) for year in years[own] if year != no_year]
        # The latest year, of that the highest unit, of that the institution named first.
        entries = range(starts[author], starts[author + 1])
        latest = max(entries, key=lambda entry: (years[units[entry]], units[entry], -entry), default=None)
        columns.append(
            (
                *(len(own), int(citations[own].sum())),
                *(min(known, default=no_year), max(known, default=no_year)),
                -1 if latest is None else institutions[latest],
            )
        )
    return tuple(np.array(columns, np.int64).reshape(-1, 5).T)


def plain_coauthored_since(
    authors, others, author_starts, author_units, unit_starts, unit_authors, years, since, no_year
):
    found = [
        (row, other, unit)
        for row, author in enumerate(authors.tolist())
        for unit in author_units[author_starts[author] : author_starts[author + 1]].tolist()
        if years[unit] >= since or years[unit] == no_year
        for other in unit_authors[unit_starts[unit] : unit_starts[unit + 1]].tolist()
        if other in set(others.tolist())
    ]
    rows, people, units = np.array(found, np.int64).reshape(-1, 3).T
    return rows, people.astype(np.int32), units.astype(np.int32)


def plain_recent_affiliations(authors, starts, units, years, since, no_year):
    found = []
    for row, author in enumerate(authors.tolist()):
        entries = range(starts[author], starts[author + 1])
        latest = max((years[units[entry]] for entry in entries), default=no_year)
        found += [(row, e) for e in entries if years[units[e]] >= since or years[units[e]] in (no_year, latest)]
    rows, entries = np.array(found, np.int64).reshape(-1, 2).T
    return rows, entries


def plain_colleagues(
    authors, starts, units, institutions, years, since, no_year, name_numbers, ror_offsets, certain, possible, *names
):
    with_ror, without_ror = names
    rows, entries = plain_recent_affiliations(authors, starts, units, years, since, no_year)
    there = institutions[entries]
    sure = np.isin(there, certain)
    maybe = np.isin(there, possible) | np.isin(name_numbers[there], without_ror)
    maybe |= (ror_offsets[there + 1] == ror_offsets[there]) & np.isin(name_numbers[there], with_ror)
    kept = sure | maybe
    return rows[kept], entries[kept], sure[kept]


def plain_mean_vectors(units, counts, vectors):
    topics = np.zeros((len(counts), vectors.shape[1]), dtype=np.float32)
    begins = np.cumsum(counts) - counts
    for turn in range(max(counts, default=0)):
        rows = np.flatnonzero(counts > turn)
        topics[rows] += vectors[units[begins[rows] + turn]]
    return topics / counts[:, None].astype(np.float32)


def plain_coauthors_among(author, among, order, author_starts, author_units, unit_starts, unit_authors):
    entries, _ = gather_rows(unit_starts, author_units[author_starts[author] : author_starts[author + 1]])
    return np.isin(among, unit_authors[entries])


def plain_choose_next(last, topics, coauthors, labels, weight, rounding, unknown, value, redundancy):
    topical = np.einsum("ij,j->i", topics, topics[last])
    topical = np.rint(topical.astype(np.float64) * rounding) / rounding
    equal = np.count_nonzero((labels == labels[:, last, None]) & (labels != unknown), axis=0)
    similarity = (np.minimum(np.maximum(topical, 0), 1) + equal) / (1 + len(labels))
    similarity[coauthors] = 1
    value[last] = -np.inf
    open_ = value > -np.inf  # those who are chosen keep what they had
    redundancy[open_] = np.maximum(redundancy, similarity)[open_]
    return int(np.argmax(value - weight * redundancy))


def for_best_rows(t):
    words, rows = 12, UNITS
    matrix = np.where(t.dice.random((words, rows)) < 0.4, t.dice.integers(1, 5, (words, rows)) / 4, 0)
    entries = [np.flatnonzero(row) for row in matrix]
    starts = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    data = np.concatenate([matrix[word, own] for word, own in enumerate(entries)]).astype(np.float32)
    k = int(t.dice.integers(1, UNITS + 5))
    return np.sort(t.some(words)), data, np.concatenate(entries).astype(np.int32), starts, t.mask(rows), k


def for_merge(t):
    rows = []
    for name in (LEXICAL, DENSE):
        units = t.some(UNITS)
        rows += [units, t.dice.random(len(units)).astype(np.float32), np.full(len(units), name, np.uint8)]
    return rows


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
    places = t.affiliations.starts, t.affiliations.units, t.affiliations.institutions
    return t.some(AUTHORS), t.ownership.author_starts, t.ownership.author_units, t.years, t.citations, *places, NO_YEAR


def for_coauthored_since(t):
    return t.some(AUTHORS), np.sort(t.some(AUTHORS, np.int32)), *t.owned(), t.years, 2018, NO_YEAR


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
    topics = t.dice.normal(size=(count, 8)).astype(np.float32)
    return last, topics, t.mask(count), labels, float(t.dice.random()), 1e5, -1, value, t.dice.random(count) / 2


def in_order(parts):
    """Where the kernel's answer has no order: sorted by the first part."""
    order = np.argsort(parts[0], kind="stable")
    return tuple(part[order] for part in parts)


def unchanged(answer):
    return answer


PAIRS = {
    "best_rows": (bm25s_kernel, plain_best_rows, for_best_rows, in_order),
    "merge": (search_kernels, plain_merge, for_merge, in_order),
    "group_votes": (aggregate_kernels, plain_group_votes, for_group_votes, unchanged),
    "mean_of_best": (aggregate_kernels, plain_mean_of_best, for_mean_of_best, unchanged),
    "order_equal_halves": (aggregate_kernels, plain_order_equal_halves, for_order_equal_halves, unchanged),
    "arrange": (aggregate_kernels, plain_arrange, for_arrange, unchanged),
    "careers": (careers_kernels, plain_careers, for_careers, unchanged),
    "coauthored_since": (conflicts_kernels, plain_coauthored_since, for_coauthored_since, unchanged),
    "recent_affiliations": (colleagues_kernels, plain_recent_affiliations, for_recent_affiliations, unchanged),
    "colleagues": (colleagues_kernels, plain_colleagues, for_colleagues, unchanged),
    "mean_vectors": (diversity_kernels, plain_mean_vectors, for_mean_vectors, unchanged),
    "coauthors_among": (diversity_kernels, plain_coauthors_among, for_coauthors_among, unchanged),
    "choose_next": (diversity_kernels, plain_choose_next, for_choose_next, unchanged),
}


@pytest.mark.parametrize("name", PAIRS)
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_a_kernel_and_its_twin_agree(name, seed):
    module, twin, make_arguments, compared = PAIRS[name]
    arguments, copies = make_arguments(Tables(seed)), make_arguments(Tables(seed))
    fast, slow = getattr(module, name)(*arguments), twin(*copies)
    if not isinstance(fast, tuple):
        fast, slow = (fast,), (slow,)
    for one, other in zip(compared(fast), compared(slow), strict=True):
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
    assert kernels - {name for name in kernels if name.startswith("_")} - {"power"} == set(PAIRS)


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
    starts, order = np.zeros(1, np.int64), np.zeros(0, np.int64)
    votes, weights = np.zeros(2, np.int64), np.zeros(4, np.float32)[::-2]
    with pytest.raises(TypeError, match="No matching definition"):
        aggregate_kernels.arrange(order, starts, votes, weights)
