"""Finished shards to one generation: unit numbers, ownership, vectors, lexical and vector index, manifest."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from indexing.dense import build_vector_index, open_vector_index
from indexing.jobs.generations import link_tree, make_complete
from indexing.jobs.join import join_shards
from indexing.jobs.manifest import Counts, DenseSettings, EncoderIdentity, LexicalSettings, Manifest, describe_files
from indexing.jobs.shards import ShardFile
from indexing.lexical import write_lexical
from indexing.milvus.address import is_milvus
from indexing.tables.nearness import measure_nearness
from indexing.tables.ownership import Ownership
from indexing.tables.references import References
from indexing.tables.units import Units
from indexing.tables.vectors import VECTORS, Vectors, append_vectors, count_vectors, open_vectors, vector_bytes
from panelist import __version__
from panelist.progress import Progress

_COMMIT = 20_000
"""Units between two commits of the lexical index: what a killed build repeats at most."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an index is built with: the encoder that was found, not just its name."""

    encoder: EncoderIdentity
    lexical: LexicalSettings
    dense: str
    precision: str = "float32"

    @property
    def shares_collection(self) -> bool:
        """Whether a Milvus server stores words and vectors in the same rows."""
        return is_milvus(self.dense) and self.dense == self.lexical.engine


def merge_shards(
    shards: Sequence[ShardFile], target: Path, base: Path | None, settings: Settings, corpus: str, progress: Progress
) -> Manifest:
    """Make a generation in `target` out of `base`'s units, where given, and the shards' papers.

    Base units that no shard names get tombstones. Every step is either atomic or resumes where a killed run stopped;
    running it again over its own result changes nothing.
    """
    target.mkdir(exist_ok=True)
    progress("arrays", 0, 1)
    base_units = Units.empty() if base is None else Units.open(base / "units")
    skipped = join_shards(base_units, shards, target, target.with_name("join"))
    units = Units.open(target / "units")

    dimension = settings.encoder.dimension
    file, precision = target / VECTORS, settings.precision
    if base is not None and not file.exists():
        make_complete(target / "vectors", lambda path: link_tree(base / "vectors", path))
    rows = append_vectors(file, precision, len(base_units), dimension, (shard.array("vectors") for shard in shards))
    vectors = open_vectors(file, precision, rows, dimension)
    progress("arrays", 1, 1)

    if base is not None:
        make_complete(target / "lexical", lambda path: link_tree(base / "lexical", path))
    shared = vectors if settings.shares_collection else None
    _write_lexical(target / "lexical", settings.lexical, base_units, units, shards, progress, shared)

    progress("vector index", 0, rows)
    dense_base = target / "lexical" if settings.shares_collection else base and base / "dense"
    if base is not None and rows == len(base_units):
        make_complete(target / "dense", lambda path: link_tree(base / "dense", path))
    if is_milvus(settings.dense):  # it resumes by itself
        build_vector_index(vectors, target / "dense", settings.dense, base=dense_base)
    make_complete(target / "dense", lambda path: build_vector_index(vectors, path, settings.dense, base=dense_base))
    dense = open_vector_index(target / "dense", vectors)
    progress("vector index", rows, rows)
    progress("checksums", 0, 1)
    live = int(units.live.sum())
    authors = len(Ownership.open(target / "ownership").author_ids)
    cited = References.read(target / "references")
    manifest = Manifest(
        panelist=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        corpus=corpus,
        counts=Counts(live, len(units), len(units) - live, authors, skipped, 0 if cited is None else cited.entries),
        encoder=settings.encoder,
        lexical=settings.lexical,
        dense=DenseSettings(settings.dense, dense.kind, precision, dense.recall),
        files=describe_files(target, vector_bytes(precision, 0, 0), vector_bytes(precision, rows, dimension), base),
        nearness=measure_nearness(vectors) if rows else None,
    )
    count_vectors(file, precision, rows, dimension)
    manifest.save(target)
    progress("checksums", 1, 1)
    return manifest


def _write_lexical(
    path: Path,
    settings: LexicalSettings,
    base_units: Units,
    units: Units,
    shards: Sequence[ShardFile],
    progress: Progress,
    vectors: Vectors | None,
) -> None:
    """Bring the lexical index at `path` to `units`, from wherever its last commit is."""
    stage, total = f"{settings.engine.partition(':')[0]} index", len(units) - len(base_units)
    progress(stage, 0, total)
    gone = np.flatnonzero(base_units.live & ~units.live[: len(base_units)])
    with write_lexical(path, settings.engine, settings.k1, settings.b, vectors) as writer:
        writer.remove(gone.tolist())
        unit, uncommitted, committed = len(base_units), 0, writer.last
        for shard in shards:
            texts = [text.plain() for text in shard.texts()]
            start = min(max(committed + 1 - unit, 0), len(texts))
            writer.add(range(unit + start, unit + len(texts)), texts[start:])
            unit += len(texts)
            uncommitted += len(texts) - start
            if uncommitted >= _COMMIT:
                writer.commit()
                uncommitted = 0
            progress(stage, unit - len(base_units), total)
    progress(stage, total, total)
