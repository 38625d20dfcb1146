"""The kernels of look-up in plain numpy and Python: slow, and easy to believe."""

from itertools import pairwise

import numpy as np

from indexing.tables.ownership import gather_rows


def plain_add_scores(words, data, rows, starts, taken):
    scores = np.zeros(len(taken), dtype=np.float32)
    for start, end in zip(starts[words], starts[words + 1], strict=True):
        np.add.at(scores, rows[start:end], data[start:end])
    scores[~taken | (scores <= 0)] = -np.inf
    return scores


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


def plain_order_equal_halves(packed, scores, authors):
    order = (packed & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return order[np.lexsort((authors[order], -scores[order], packed >> np.uint64(32)))]


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
                *(len(own), int(citations[own].clip(0).sum())),
                *(min(known, default=no_year), max(known, default=no_year)),
                -1 if latest is None else institutions[latest],
            )
        )
    return tuple(np.array(columns, np.int64).reshape(-1, 5).T)


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


def plain_mean_of_best(weights, starts, most):
    segments = [weights[a:b][:most].tolist() for a, b in pairwise(starts)]
    return np.array([sum(segment) / most for segment in segments], np.float64)


def plain_arrange(order, starts, votes, weights):
    rows, lengths = gather_rows(starts, order)
    return np.append(0, np.cumsum(lengths)), votes[rows], weights[rows]
