"""Finished shards to the tables of what units cite, and of what papers and authors are called, in bounded memory."""

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexing.jobs.shards import ShardFile
from indexing.tables.arrays import save_array
from indexing.tables.external import ArrayFile, Columns, ExternalSort
from indexing.tables.names import FORMS
from indexing.tables.references import rarity

_ALL = 1 << 64


class NameWriter:
    """Writes the table `Names`."""

    def __init__(self, path: Path, scratch: Path, units: int) -> None:
        self._path = path
        self._forms = ExternalSort(scratch / "forms", ("<i4", *["<u8"] * FORMS), 1, units)
        self._order = ExternalSort(scratch / "form_order", ("<u8", "<i4"), 1, _ALL)
        self._names = ExternalSort(scratch / "names", ("<u8", "<i4", "u1", "<u4"), 4, _ALL)
        self._units = units

    def add(self, shard: ShardFile, units: NDArray[np.int64], authors: NDArray[Any]) -> None:
        """The papers of a shard, which have these units, and its authors, who have these numbers."""
        self._forms.add(units, *shard.array("forms").T)
        hashes, seconds, givens = (shard.array(f"name_{part}") for part in ("hashes", "seconds", "givens"))
        self._names.add(hashes, authors[shard.array("name_authors")], seconds, givens)

    def close(self) -> None:
        """Write everything that is still in memory."""
        self._path.mkdir(parents=True, exist_ok=True)
        start = 0
        tail: Columns = (np.zeros(0, np.int32), *[np.zeros(0, np.uint64)] * FORMS)  # the last tombstones
        all_forms, order = (
            ArrayFile(self._path / "forms.npy", "<u8", width=FORMS),
            ArrayFile(self._path / "form_order.npy", "<i4"),
        )
        for units, *columns in (*self._forms.sorted(), tail):
            end = int(units[-1]) + 1 if len(units) else self._units
            forms = np.zeros((end - start, FORMS), np.uint64)
            forms[units - start] = np.stack(columns, axis=1)
            all_forms.add(forms)
            self._order.add(forms.reshape(-1), np.arange(start * FORMS, end * FORMS))
            start = end
        for _, positions in self._order.sorted():
            order.add(positions)
        all_forms.close()
        order.close()
        kinds = {"hashes": "<u8", "authors": "<i4", "seconds": "u1", "givens": "<u4"}
        files = [ArrayFile(self._path / f"{name}.npy", kind) for name, kind in kinds.items()]
        for parts in self._names.sorted():
            new = np.append(True, np.any([column[1:] != column[:-1] for column in parts], axis=0))
            for file, column in zip(files, parts, strict=True):
                file.add(column[new[: len(column)]])
        for file in files:
            file.close()


def write_references(
    path: Path, scratch: Path, entries: Iterable[tuple[NDArray[np.uint64], NDArray[Any]]], units: int
) -> None:
    """Write the table `References` of (work, unit that cites it); nothing at all where there are none.

    Each pair comes once, some at a time, in any order; the caller deletes the files in `scratch`.
    """
    shutil.rmtree(path, ignore_errors=True)  # what a killed run left
    pairs = ExternalSort(scratch / "references", ("<u8", "<i4"), 1, _ALL, stable=False)
    citing, total = np.zeros(units, np.bool_), 0
    for hashes, of in entries:
        pairs.add(hashes, of)
        citing[of] = True
        total += len(of)
    if total == 0:
        return
    path.mkdir(parents=True)
    among = int(citing.sum())
    wide = "<u4" if total < 1 << 32 else "<i8"
    kinds = {"hashes": "<u8", "starts": wide, "units": "<i4", "single_hashes": "<u8", "single_units": "<i4"}
    files = {name: ArrayFile(path / f"{name}.npy", kind) for name, kind in kinds.items()}
    files["starts"].add(np.zeros(1, np.int64))
    squares, end = np.zeros(units), 0
    for hashes, of in pairs.sorted():
        firsts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1]))
        counts = np.diff(np.append(firsts, len(hashes)))
        squares += np.bincount(of, np.repeat(rarity(counts, among) ** 2, counts), units)
        single = counts == 1
        alone = np.repeat(single, counts)
        files["single_hashes"].add(hashes[alone])
        files["single_units"].add(of[alone])
        files["hashes"].add(hashes[firsts[~single]])
        files["units"].add(of[~alone])
        files["starts"].add(end + np.cumsum(counts[~single]))
        end += int(counts[~single].sum())
    for file in files.values():
        file.close()
    save_array(path / "norms.npy", np.sqrt(squares).astype(np.float32))
