"""Finished shards to one generation: unit numbers, ownership, vectors, lexical and vector index, manifest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from indexing.dense import build_vector_index, open_vector_index
from indexing.jobs.generations import link_tree, whole
from indexing.jobs.manifest import (
    VECTORS,
    Counts,
    DenseSettings,
    EncoderIdentity,
    LexicalSettings,
    Manifest,
    describe_files,
)
from indexing.jobs.shards import ShardFile
from indexing.lexical import write_lexical
from indexing.tables.affiliations import Affiliations, institution_key
from indexing.tables.ownership import Ownership
from indexing.tables.units import Units
from indexing.tables.vectors import append_vectors, open_vectors, vector_bytes
from panelist import __version__
from panelist.progress import Progress
from panelist.records import Institution

_COMMIT = 20_000
"""Units between two commits of the lexical index: what a killed build repeats at most."""


@dataclass(frozen=True, slots=True)
class Settings:
    """With what an index is built, as resolved: the encoder at hand, not just its name."""

    encoder: EncoderIdentity
    lexical: LexicalSettings
    dense: str


def merge(
    shards: Sequence[ShardFile], target: Path, base: Path | None, settings: Settings, corpus: str, progress: Progress
) -> Manifest:
    """Make a generation in `target` out of `base`'s units, where given, and the shards' papers.

    Base units that no shard names get tombstones. Every step either is done at once, or goes on where a killed run
    stopped; running it again over its own result changes nothing.
    """
    target.mkdir(exist_ok=True)
    progress("arrays", 0, 1)
    before = Units.empty() if base is None else Units.open(base / "units")
    units, ownership, affiliations, skipped = _join(before, shards)
    units.save(target / "units")
    ownership.save(target / "ownership")
    affiliations.save(target / "affiliations")

    dimension = settings.encoder.dimension
    if base is not None and not (target / VECTORS).exists():
        whole((target / VECTORS).parent, lambda part: link_tree((base / VECTORS).parent, part))
    rows = append_vectors(target / VECTORS, len(before), dimension, (shard.array("vectors") for shard in shards))
    vectors = open_vectors(target / VECTORS, rows, dimension)
    progress("arrays", 1, 1)

    if base is not None:
        whole(target / "lexical", lambda part: link_tree(base / "lexical", part))
    _write_lexical(target / "lexical", settings.lexical, before, units, shards, progress)

    progress("vector index", 0, rows)
    dense_base = None if base is None else base / "dense"
    whole(target / "dense", lambda part: build_vector_index(vectors, part, settings.dense, base=dense_base))
    kind = open_vector_index(target / "dense", vectors).kind
    progress("vector index", rows, rows)
    progress("checksums", 0, 1)
    dense = DenseSettings(settings.dense, kind)
    manifest = finish(target, base, units, ownership, settings, dense, corpus, skipped)
    progress("checksums", 1, 1)
    return manifest


def finish(
    target: Path,
    base: Path | None,
    units: Units,
    ownership: Ownership,
    settings: Settings,
    dense: DenseSettings,
    corpus: str,
    skipped: int,
) -> Manifest:
    """Write the manifest of a generation whose other files are complete."""
    live = int(units.live.sum())
    manifest = Manifest(
        panelist=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        corpus=corpus,
        counts=Counts(live, len(units), len(units) - live, len(ownership.author_ids), skipped),
        encoder=settings.encoder,
        lexical=settings.lexical,
        dense=dense,
        files=describe_files(target, vector_bytes(len(units), settings.encoder.dimension), base),
    )
    manifest.save(target)
    return manifest


class _Institutions:
    """Institutions, numbered as they come, called as at first, in the country that most affiliations give."""

    def __init__(self) -> None:
        self._first: dict[str, Institution] = {}
        self._numbers: dict[str, int] = {}
        self._countries: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, named: Sequence[Institution], employers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The numbers of employers, which are places in `named`."""
        places = []
        for institution, times in zip(named, np.bincount(employers, minlength=len(named)).tolist(), strict=True):
            key = institution_key(institution)
            self._first.setdefault(key, institution)
            places.append(self._numbers.setdefault(key, len(self._numbers)))
            if institution.country:
                self._countries[key][institution.country] += times
        return np.array(places, dtype=np.int32)[employers]

    def all(self) -> list[Institution]:
        """By number."""
        return [replace(first, country=self._country(key)) for key, first in self._first.items()]

    def _country(self, key: str) -> str | None:
        found = self._countries[key]
        return min(found, key=lambda country: (-found[country], country), default=None)


def _join(before: Units, shards: Sequence[ShardFile]) -> tuple[Units, Ownership, Affiliations, int]:
    """All units, who owns them and where they worked. Ids and institutions are all that is held as Python objects."""
    new_ids: list[str] = []
    digests = [before.digests]
    numbers, years, citations, counts, authors = [], [], [], [], []
    author_ids: dict[str, int] = {}
    institutions = _Institutions()
    employer_counts, employers = [], []
    skipped = 0
    for shard in shards:
        ids, own = shard.strings("ids"), shard.array("units").copy()
        own[own < 0] = len(before) + len(new_ids) + np.arange(len(ids))
        new_ids += ids
        digests.append(shard.array("digests"))
        numbers.append(own)
        years.append(shard.array("years"))
        citations.append(shard.array("citations"))
        counts.append(shard.array("author_counts"))
        local = [author_ids.setdefault(author, len(author_ids)) for author in shard.strings("author_ids")]
        authors.append(np.array(local, dtype=np.int32)[shard.array("authors")])
        employer_counts.append(shard.array("employer_counts"))
        employers.append(institutions.add(shard.institutions(), shard.array("employers")))
        skipped += int(shard.array("skipped"))
    total = len(before) + len(new_ids)
    alive = np.concatenate(numbers)
    units = Units(
        before.ids.extended(new_ids),
        np.concatenate(digests),
        np.zeros(total, dtype=np.bool_),
        np.concatenate([before.years, np.zeros(len(new_ids), np.int16)]),
        np.concatenate([before.citations, np.zeros(len(new_ids), np.int32)]),
    )
    units.live[alive] = True
    units.years[alive] = np.concatenate(years)
    units.citations[alive] = np.concatenate(citations)
    ownership = Ownership.of(list(author_ids), total, alive, np.concatenate(counts), np.concatenate(authors))
    number = np.empty(len(author_ids), dtype=np.int32)
    number[sorted(author_ids.values(), key=list(author_ids).__getitem__)] = np.arange(len(author_ids))
    repeats = np.concatenate(employer_counts)
    affiliations = Affiliations.of(
        institutions.all(),
        len(author_ids),
        np.repeat(number[np.concatenate(authors)], repeats),
        np.repeat(np.repeat(alive, np.concatenate(counts)), repeats),
        np.concatenate(employers),
    )
    return units, ownership, affiliations, skipped


def _write_lexical(
    path: Path, settings: LexicalSettings, before: Units, units: Units, shards: Sequence[ShardFile], progress: Progress
) -> None:
    """Bring the lexical index at `path` to `units`, from wherever its last commit is."""
    stage, total = f"{settings.engine} index", len(units) - len(before)
    progress(stage, 0, total)
    gone = np.flatnonzero(before.live & ~units.live[: len(before)])
    with write_lexical(path, settings.engine, settings.k1, settings.b) as writer:
        writer.remove(gone.tolist())
        first, uncommitted, done = len(before), 0, writer.last
        for shard in shards:
            texts = [text.plain() for text in shard.texts()]
            start = min(max(done + 1 - first, 0), len(texts))
            writer.add(range(first + start, first + len(texts)), texts[start:])
            first += len(texts)
            uncommitted += len(texts) - start
            if uncommitted >= _COMMIT:
                writer.commit()
                uncommitted = 0
            progress(stage, first - len(before), total)
    progress(stage, total, total)
