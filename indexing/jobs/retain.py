"""The shards of a removal: what the base's own tables say of the papers that stay. No corpus, no encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexing.jobs.join_references import retained
from indexing.jobs.shards import Arrays, save_shard, strings_as_arrays
from indexing.tables.affiliations import Affiliations
from indexing.tables.names import Names
from indexing.tables.ownership import Ownership, gather_rows
from indexing.tables.units import Units


def retain(path: Path, base: Path, kept: NDArray[np.int64], dimension: int, skipped: int) -> None:
    """Write a shard file with units of `base`, which keep their numbers; nothing in it is new.

    Args:
        path: the shard file.
        base: the generation.
        kept: ascending unit numbers.
        dimension: the length of the index's vectors.
        skipped: how many papers without text to count in this shard.
    """
    units, ownership = Units.open(base / "units"), Ownership.open(base / "ownership")
    entries, counts = gather_rows(ownership.unit_starts, kept)
    authors, local = np.unique(ownership.unit_authors[entries], return_inverse=True)
    pairs = np.repeat(kept, counts) * max(len(ownership.author_ids), 1) + ownership.unit_authors[entries]
    save_shard(
        path,
        {
            "units": kept,
            "years": units.years[kept],
            "citations": units.citations[kept],
            **strings_as_arrays("author_ids", ownership.author_ids.take(authors)),
            "author_counts": counts,
            "authors": local.astype(np.int32),
            **_employers(Affiliations.open(base / "affiliations"), authors, pairs, len(ownership.author_ids)),
            **retained(Names.open(base / "names"), kept, authors),
            **strings_as_arrays("ids", []),
            **strings_as_arrays("titles", []),
            **strings_as_arrays("abstracts", []),
            "digests": np.empty((0, 2), np.uint64),
            "vectors": np.empty((0, dimension), np.float32),
            "skipped": np.array(skipped),
        },
    )


def _employers(table: Affiliations, authors: NDArray[np.int32], pairs: NDArray[np.int64], author_count: int) -> Arrays:
    """The institutions of each (unit, author) pair, which is given as unit * author_count + author."""
    rows, entries = table.entries(authors)
    named = table.units[entries] * np.int64(max(author_count, 1)) + authors[rows]
    order = np.argsort(pairs)
    ranks = np.searchsorted(pairs, named, sorter=order)
    wanted = np.flatnonzero(np.isin(named, pairs))
    positions = order[ranks[wanted]]
    in_order = np.argsort(positions, kind="stable")
    numbers = table.institutions[entries[wanted[in_order]]]
    distinct, local = np.unique(numbers, return_inverse=True)
    institutions = [table[number] for number in distinct.tolist()]
    return {
        **strings_as_arrays("institution_names", [one.name for one in institutions]),
        **strings_as_arrays("institution_rors", [one.ror or "" for one in institutions]),
        **strings_as_arrays("institution_countries", [one.country or "" for one in institutions]),
        "employer_counts": np.bincount(positions, minlength=len(pairs)),
        "employers": local.astype(np.int32),
    }
