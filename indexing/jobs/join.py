"""Finished shards to the tables of a generation: units, ownership, affiliations, names, references; in bounded memory.

Whatever grows with the number of papers or authors is written piece by piece and sorted through files; only the
institutions are Python objects. The files are those that the classes in `indexing/tables` open.
"""

import shutil
import sqlite3
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from indexing.jobs.shards import ShardFile
from indexing.tables.affiliations import institution_key, save_institutions
from indexing.tables.arrays import save_array
from indexing.tables.external import ArrayFile, ExternalSort, RowStartsFile, StringTableFile, write_columns
from indexing.tables.names import FORMS
from indexing.tables.references import rarity
from indexing.tables.units import Units
from panelist.records import Institution

_ALL = 1 << 64
_AUTHORS = 1 << 17  # author ids that are sorted in memory at a time
_SAMPLE = 1 << 16  # author ids that decide where to cut


def join_shards(base_units: Units, shards: Sequence[ShardFile], target: Path, scratch: Path) -> int:
    """Write all units, who owns them and where they worked into `target`; returns how many papers had no text.

    Units of `base_units` that no shard names become tombstones. Files in `scratch` are deleted at the end.
    """
    shutil.rmtree(scratch, ignore_errors=True)  # what a killed run left
    for directory in (*(target / table for table in ("units", "ownership", "affiliations", "names")), scratch):
        directory.mkdir(parents=True, exist_ok=True)
    # The number of the first new unit of each shard, and of all units.
    *starts, total = np.cumsum([len(base_units), *(len(shard.array("digests")) for shard in shards)]).tolist()
    _write_texts(base_units, shards, target / "units", scratch)
    local_counts = [len(shard.array("author_ids.offsets")) - 1 for shard in shards]
    global_numbers, authors = _number_authors(shards, sum(local_counts), target / "ownership", scratch)

    facts = ExternalSort(scratch / "facts", ("<i4", "<i2", "<i4", *["<u8"] * FORMS), 1, total)
    by_unit = ExternalSort(scratch / "by_unit", ("<i4", "<i4"), 1, total)
    by_author = ExternalSort(scratch / "by_author", ("<i4", "<i4"), 2, authors)
    employed = ExternalSort(scratch / "employed", ("<i4", "<i4", "<i4"), 2, authors)
    names = ExternalSort(scratch / "names", ("<u8", "<i4", "u1", "<u4"), 4, _ALL)
    institutions = _Institutions()
    for shard, start, global_number in zip(shards, starts, _cut(global_numbers, local_counts), strict=True):
        units = shard.units(start)
        facts.add(units, shard.array("years"), shard.array("citations"), *shard.array("forms").T)
        hashes, owners, seconds, givens = (
            shard.array(f"name_{column}") for column in ("hashes", "authors", "seconds", "givens")
        )
        names.add(hashes, global_number[owners], seconds, givens)
        units = np.repeat(units, shard.array("author_counts"))
        writers = global_number[shard.array("authors")]
        by_unit.add(units, writers)
        by_author.add(writers, units)
        repeats = shard.array("employer_counts")
        employers = institutions.add(shard.institutions(), shard.array("employers"))
        employed.add(np.repeat(writers, repeats), np.repeat(units, repeats), employers)
    _write_facts(base_units, facts, total, target, scratch)
    _write_rows(target / "ownership", "unit_starts", ["unit_authors"], by_unit, total)
    _write_rows(target / "ownership", "author_starts", ["author_units"], by_author, authors)
    institutions.save(target / "affiliations")
    _write_rows(target / "affiliations", "starts", ["units", "institutions"], employed, authors)
    kinds = {"hashes": "<u8", "authors": "<i4", "seconds": "u1", "givens": "<u4"}
    write_columns(target / "names", kinds, map(_distinct, names.sorted()))
    citations = (
        (shard.array("references"), np.repeat(shard.units(start), shard.array("reference_counts")))
        for shard, start in zip(shards, starts, strict=True)
    )
    write_references(target / "references", scratch, citations, total)
    shutil.rmtree(scratch, ignore_errors=True)
    return sum(int(shard.array("skipped")) for shard in shards)


def _write_texts(base_units: Units, shards: Sequence[ShardFile], path: Path, scratch: Path) -> None:
    """Write the ids of the papers and the digests of their texts."""
    ids = StringTableFile(path, "ids", scratch)
    digests = ArrayFile(path / "digests.npy", "<u8", width=2)
    ids.add_table(base_units.ids)
    digests.add(base_units.digests)
    for shard in shards:
        ids.add(shard.strings("ids"))
        digests.add(shard.array("digests"))
    ids.close()
    digests.close()


def _write_facts(base_units: Units, facts: ExternalSort, total: int, target: Path, scratch: Path) -> None:
    """Write what is known of each unit; tombstones have the years and citations that they had, and no forms."""
    order = ExternalSort(scratch / "form_order", ("<u8", "<i4"), 1, _ALL)
    file = ArrayFile(target / "names" / "forms.npy", "<u8", width=FORMS)

    def columns() -> Iterator[list[NDArray[Any]]]:
        start = 0
        for units, years, citations, *forms in chain(facts.sorted(), [[np.empty(0, np.int64)] * (3 + FORMS)]):
            end = int(units[-1]) + 1 if len(units) else total  # the tombstones after the last
            rows = units - start
            live, hashes = np.zeros(end - start, np.bool_), np.zeros((end - start, FORMS), np.uint64)
            live[rows], hashes[rows] = True, np.stack(forms, axis=1)
            file.add(hashes)
            order.add(hashes.reshape(-1), np.arange(start * FORMS, end * FORMS))
            pieces = [live]
            for base_column, values in ((base_units.years, years), (base_units.citations, citations)):
                piece = np.zeros(end - start, base_column.dtype)
                piece[: max(len(base_column) - start, 0)] = base_column[start:end]
                piece[rows] = values
                pieces.append(piece)
            yield pieces
            start = end

    write_columns(target / "units", {"live": "?", "years": "<i2", "citations": "<i4"}, columns())
    file.close()
    write_columns(target / "names", {"form_order": "<i4"}, ((positions,) for _, positions in order.sorted()))


def _number_authors(
    shards: Sequence[ShardFile], slots: int, path: Path, scratch: Path
) -> tuple[Iterator[NDArray[Any]], int]:
    """Number all authors in the order of their ids, which a file spreads over ranges that fit into memory.

    Returns the numbers of the author ids of all shards, shard after shard, and how many authors there are.
    """
    stride, ranges = max(1, slots // _SAMPLE), -(-slots // _AUTHORS)
    sample = sorted(author for shard in shards for author in shard.strings("author_ids")[::stride])
    cuts = [sample[len(sample) * number // ranges] for number in range(1, ranges)]
    names = StringTableFile(path, "author_ids", scratch)
    numbers = ExternalSort(scratch / "numbers", ("<i8", "<i4"), 1, slots)
    with closing(sqlite3.connect(scratch / "authors.sqlite")) as database:
        database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"
            "CREATE TABLE slot (range INT, position INT, author BLOB, PRIMARY KEY (range, position)) WITHOUT ROWID"
        )
        positions = count()
        for shard in shards:
            rows = (
                (bisect_right(cuts, author), next(positions), author.encode("utf-8", "surrogatepass"))
                for author in shard.strings("author_ids")
            )
            database.executemany("INSERT INTO slot VALUES (?, ?, ?)", rows)
        for number in range(ranges):
            slot = database.execute("SELECT position, author FROM slot WHERE range = ?", (number,)).fetchall()
            distinct = sorted({author for _, author in slot})
            rank = {author: row for row, author in enumerate(distinct, names.count)}
            columns = [(position, rank[author]) for position, author in slot]
            numbers.add(*np.array(columns, dtype=np.int64).reshape(-1, 2).T)
            names.add([author.decode("utf-8", "surrogatepass") for author in distinct])
    names.close()
    return (chunk for _, chunk in numbers.sorted()), names.count


def _cut(chunks: Iterable[NDArray[Any]], lengths: Iterable[int]) -> Iterator[NDArray[Any]]:
    """The same numbers in pieces of these lengths."""
    source, buffer = iter(chunks), np.empty(0, np.int32)
    for length in lengths:
        while len(buffer) < length:
            buffer = np.concatenate([buffer, next(source)])
        yield buffer[:length]
        buffer = buffer[length:]


def _write_rows(directory: Path, starts: str, names: Sequence[str], rows: ExternalSort, count: int) -> None:
    """Write sorted rows as a CSR matrix of `count` rows: the first column is the row, the others are its entries."""
    pointers = RowStartsFile(directory / f"{starts}.npy")

    def entries() -> Iterator[Sequence[NDArray[Any]]]:
        for row, *columns in rows.sorted():
            pointers.add(row)
            yield columns

    write_columns(directory, dict.fromkeys(names, "<i4"), entries())
    pointers.close(count)


class _Institutions:
    """Institutions in the order they come, each with its first name and the country that most affiliations give."""

    def __init__(self) -> None:
        self._institutions: dict[str, Institution] = {}
        self._numbers: dict[str, int] = {}
        self._countries: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, institutions: Sequence[Institution], employers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The numbers of employers, which are positions in the list of institutions."""
        numbers, counts = [], np.bincount(employers, minlength=len(institutions)).tolist()
        for institution, times in zip(institutions, counts, strict=True):
            key = institution_key(institution)
            if not self._institutions.setdefault(key, institution).lineage and institution.lineage:
                self._institutions[key] = replace(self._institutions[key], lineage=institution.lineage)
            numbers.append(self._numbers.setdefault(key, len(self._numbers)))
            if institution.country:
                self._countries[key][institution.country] += times
        return np.array(numbers, dtype=np.int32)[employers]

    def save(self, directory: Path) -> None:
        institutions = []
        for key, institution in self._institutions.items():
            times = self._countries[key]
            country = min(times, key=lambda country: (-times[country], country), default=None)
            institutions.append(replace(institution, country=country))
        save_institutions(institutions, directory)


def _distinct(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Sorted rows, each once."""
    changed = np.append(True, np.any([column[1:] != column[:-1] for column in columns], axis=0))
    return [column[changed[: len(column)]] for column in columns]


def write_references(
    path: Path, scratch: Path, entries: Iterable[tuple[NDArray[np.uint64], NDArray[Any]]], units: int
) -> None:
    """Write the table `References` of (work, unit that cites it); nothing at all where there are none.

    Each pair comes once, some at a time, in any order; the caller deletes the files in `scratch`.
    """
    shutil.rmtree(path, ignore_errors=True)  # what a killed run left
    pairs = ExternalSort(scratch / "references", ("<u8", "<i4"), 1, _ALL, stable=False)
    citing, total = np.zeros(units, np.bool_), 0
    for hashes, citers in entries:
        pairs.add(hashes, citers)
        citing[citers] = True
        total += len(citers)
    if total == 0:
        return
    path.mkdir(parents=True)
    citing_units = int(citing.sum())
    wide = "<u4" if total < 1 << 32 else "<i8"
    kinds = {"hashes": "<u8", "starts": wide, "units": "<i4", "single_hashes": "<u8", "single_units": "<i4"}
    files = {name: ArrayFile(path / f"{name}.npy", kind) for name, kind in kinds.items()}
    files["starts"].add(np.zeros(1, np.int64))
    squares, end = np.zeros(units), 0
    for hashes, citers in pairs.sorted():
        rows = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))  # the first of each work
        counts = np.diff(np.append(rows, len(hashes)))
        squares += np.bincount(citers, np.repeat(rarity(counts, citing_units) ** 2, counts), units)
        single = counts == 1
        of_single = np.repeat(single, counts)
        files["single_hashes"].add(hashes[of_single])
        files["single_units"].add(citers[of_single])
        files["hashes"].add(hashes[rows[~single]])
        files["units"].add(citers[~of_single])
        files["starts"].add(end + np.cumsum(counts[~single]))
        end += int(counts[~single].sum())
    for file in files.values():
        file.close()
    save_array(path / "norms.npy", np.sqrt(squares).astype(np.float32))
