"""Finished shards to the tables of a generation: units, ownership, affiliations, names, references; in bounded memory.

Whatever grows with the number of papers or authors is written piece by piece and sorted through files; only the
institutions are held as Python objects. The files are those that `Units`, `Ownership` and `Affiliations` open.
"""

import shutil
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from indexing.jobs.join_references import NameWriter, write_references
from indexing.jobs.shards import ShardFile
from indexing.tables.affiliations import institution_key, save_institutions
from indexing.tables.arrays import pack, unpack
from indexing.tables.external import ArrayFile, ExternalSort, RowStartsFile, StringTableFile
from indexing.tables.units import Units
from panelist.records import Institution

_AUTHORS = 1 << 18  # author ids that are sorted in memory at a time
_SAMPLE = 1 << 16  # author ids that decide where to cut


def join(before: Units, shards: Sequence[ShardFile], target: Path, scratch: Path) -> int:
    """Write all units, who owns them and where they worked into `target`; returns how many papers had no text.

    Units of `before` that no shard names become tombstones. Files in `scratch` are deleted at the end.
    """
    shutil.rmtree(scratch, ignore_errors=True)  # what a killed run left
    for part in ("units", "ownership", "affiliations"):
        (target / part).mkdir(parents=True, exist_ok=True)
    numbers = list(_unit_numbers(shards, len(before)))
    total = len(before) + sum(len(shard.array("digests")) for shard in shards)
    _write_units(before, shards, numbers, total, target / "units", scratch)
    local_counts = [len(shard.array("author_ids.offsets")) - 1 for shard in shards]
    global_numbers, authors = _number_authors(shards, local_counts, target / "ownership", scratch)

    by_unit = ExternalSort(scratch / "by_unit", ("<i4", "<i4"), 1, total)
    by_author = ExternalSort(scratch / "by_author", ("<i4", "<i4"), 2, authors)
    employed = ExternalSort(scratch / "employed", ("<i4", "<i4", "<i4"), 2, authors)
    institutions, names = _Institutions(), NameWriter(target / "names", scratch, total)
    for shard, first, global_number in zip(shards, numbers, _cut(global_numbers, local_counts), strict=True):
        names.add(shard, _units(shard, first), global_number)
        units = np.repeat(_units(shard, first), shard.array("author_counts"))
        writers = global_number[shard.array("authors")]
        by_unit.add(units, writers)
        by_author.add(writers, units)
        repeats = shard.array("employer_counts")
        employers = institutions.add(shard.institutions(), shard.array("employers"))
        employed.add(np.repeat(writers, repeats), np.repeat(units, repeats), employers)
    _write_rows(target / "ownership", "unit_starts", ["unit_authors"], by_unit, total)
    _write_rows(target / "ownership", "author_starts", ["author_units"], by_author, authors)
    institutions.save(target / "affiliations")
    _write_rows(target / "affiliations", "starts", ["units", "institutions"], employed, authors)
    names.close()
    cited = (
        (shard.array("references"), np.repeat(_units(shard, first), shard.array("reference_counts")))
        for shard, first in zip(shards, numbers, strict=True)
    )
    write_references(target / "references", scratch, cited, total)
    shutil.rmtree(scratch, ignore_errors=True)
    return sum(int(shard.array("skipped")) for shard in shards)


def _unit_numbers(shards: Sequence[ShardFile], first: int) -> Iterator[int]:
    """The number of the first new unit of each shard."""
    for shard in shards:
        yield first
        first += len(shard.array("digests"))


def _units(shard: ShardFile, first: int) -> NDArray[np.int64]:
    """The unit of each of the shard's papers: the one it has in the base, else a new one from `first` on."""
    units = shard.array("units").copy()
    new = units < 0
    units[new] = first + np.arange(int(new.sum()))
    return units


def _write_units(
    before: Units, shards: Sequence[ShardFile], numbers: Sequence[int], total: int, path: Path, scratch: Path
) -> None:
    ids = StringTableFile(path, "ids", scratch)
    digests = ArrayFile(path / "digests.npy", "<u8", width=2)
    current = ExternalSort(scratch / "units", ("<i4", "<i2", "<i4"), 1, total)
    ids.add_table(before.ids)
    digests.add(before.digests)
    for shard, first in zip(shards, numbers, strict=True):
        ids.add(shard.strings("ids"))
        digests.add(shard.array("digests"))
        current.add(_units(shard, first), shard.array("years"), shard.array("citations"))
    ids.close()
    digests.close()
    live, years, citations = (
        ArrayFile(path / f"{name}.npy", kind) for name, kind in (("live", "?"), ("years", "<i2"), ("citations", "<i4"))
    )
    start = 0
    tail = (np.empty(0, np.int32),) * 3  # the tombstones after the last live unit
    for units, new_years, new_citations in (*current.sorted(), tail):
        end = int(units[-1]) + 1 if len(units) else total
        for file, old, new in (
            (live, before.live[:0], np.True_),
            (years, before.years, new_years),
            (citations, before.citations, new_citations),
        ):
            kept = old[start:end]  # tombstones keep what they had
            values = np.concatenate([kept, np.zeros(end - start - len(kept), old.dtype)])
            values[units - start] = new
            file.add(values)
        start = end
    for file in (live, years, citations):
        file.close()


def _number_authors(
    shards: Sequence[ShardFile], counts: Sequence[int], path: Path, scratch: Path
) -> tuple[Iterator[NDArray[Any]], int]:
    """Number all authors in the order of their ids.

    Returns:
        The numbers of the author ids of all shards, shard after shard, and how many authors there are.
    """
    slots = sum(counts)
    cuts: list[str] = []
    if slots > _AUTHORS:
        parts = -(-slots // _AUTHORS)
        stride = -(-slots // _SAMPLE)
        firsts = np.cumsum([0, *counts])
        sample = sorted(
            author
            for shard, first in zip(shards, firsts.tolist(), strict=False)
            for author in shard.strings("author_ids")[-first % stride :: stride]
        )
        cuts = [sample[len(sample) * part // parts] for part in range(1, parts)]
    names = StringTableFile(path, "author_ids", scratch)
    numbers = ExternalSort(scratch / "numbers", ("<i8", "<i4"), 1, slots)
    spread = _Spread(scratch / "authors", cuts)
    for shard in shards:
        spread.add(shard.strings("author_ids"))
    for ids, positions in spread.parts():
        distinct = sorted(set(ids))
        number = {author: names.count + rank for rank, author in enumerate(distinct)}
        numbers.add(positions, np.array([number[author] for author in ids], dtype=np.int32))
        names.add(distinct)
    names.close()
    return (chunk for _, chunk in numbers.sorted()), names.count


class _Spread:
    """Strings spread over files by range, each with the position at which it came; one range fits into memory."""

    def __init__(self, directory: Path, cuts: Sequence[str]) -> None:
        self._directory, self._cuts = directory, cuts
        self._held: list[str] = []
        self._first = 0
        if cuts:
            directory.mkdir(parents=True)

    def add(self, strings: Sequence[str]) -> None:
        """Add the next strings of a shard."""
        self._held += strings
        if self._cuts and len(self._held) >= _AUTHORS:
            self._write()

    def parts(self) -> Iterator[tuple[list[str], NDArray[np.int64]]]:
        """The strings and their positions, range by range in ascending order."""
        if not self._cuts:
            yield self._held, np.arange(len(self._held))
            return
        self._write()
        for part in range(len(self._cuts) + 1):
            blob, lengths, positions = (
                np.fromfile(self._file(part, number), kind) for number, kind in enumerate(("u1", "<i8", "<i8"))
            )
            yield unpack(blob, np.concatenate([[0], np.cumsum(lengths)])), positions

    def _write(self) -> None:
        strings = self._held
        order = sorted(range(len(strings)), key=strings.__getitem__)
        ordered = [strings[row] for row in order]
        ends = [bisect_left(ordered, cut) for cut in self._cuts] + [len(ordered)]
        positions = self._first + np.array(order, dtype=np.int64)
        for part, (start, end) in enumerate(pairwise([0, *ends])):
            blob, offsets = pack(ordered[start:end])
            for number, column in enumerate((blob, np.diff(offsets), positions[start:end])):
                with self._file(part, number).open("ab") as file:
                    file.write(column.tobytes())
        self._first += len(strings)
        self._held = []

    def _file(self, part: int, column: int) -> Path:
        return self._directory / f"part-{part:06d}.{column}"


def _cut(chunks: Iterable[NDArray[Any]], lengths: Iterable[int]) -> Iterator[NDArray[Any]]:
    """The same numbers in pieces of these lengths."""
    source, rest = iter(chunks), np.empty(0, np.int32)
    for length in lengths:
        while len(rest) < length:
            rest = np.concatenate([rest, next(source)])
        yield rest[:length]
        rest = rest[length:]


def _write_rows(directory: Path, starts: str, names: Sequence[str], rows: ExternalSort, count: int) -> None:
    """Write sorted rows as a CSR matrix of `count` rows: the first column is the row, the others are its entries."""
    pointers = RowStartsFile(directory / f"{starts}.npy")
    files = [ArrayFile(directory / f"{name}.npy", "<i4") for name in names]
    for row, *columns in rows.sorted():
        pointers.add(row)
        for file, column in zip(files, columns, strict=True):
            file.add(column)
    pointers.close(count)
    for file in files:
        file.close()


class _Institutions:
    """Institutions in the order they come, each with its first name and the country that most affiliations give."""

    def __init__(self) -> None:
        self._first: dict[str, Institution] = {}
        self._numbers: dict[str, int] = {}
        self._countries: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, named: Sequence[Institution], employers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The numbers of employers, which are positions in `named`."""
        numbers = []
        for institution, times in zip(named, np.bincount(employers, minlength=len(named)).tolist(), strict=True):
            key = institution_key(institution)
            if not self._first.setdefault(key, institution).lineage and institution.lineage:
                self._first[key] = replace(self._first[key], lineage=institution.lineage)
            numbers.append(self._numbers.setdefault(key, len(self._numbers)))
            if institution.country:
                self._countries[key][institution.country] += times
        return np.array(numbers, dtype=np.int32)[employers]

    def save(self, directory: Path) -> None:
        """Write the tables of `Affiliations` that are about institutions."""
        known = [replace(first, country=self._country(key)) for key, first in self._first.items()]
        save_institutions(known, directory)

    def _country(self, key: str) -> str | None:
        found = self._countries[key]
        return min(found, key=lambda country: (-found[country], country), default=None)
