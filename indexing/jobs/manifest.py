"""What an index generation contains: versions, encoder, engines, counts, and every file with its size and checksum."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from indexing.encoders import Encoder
from indexing.tables.nearness import Nearness
from indexing.tables.vectors import VECTORS, vector_bytes
from panelist.errors import IndexDirectoryError, ModelError

FORMAT = 2
"""The version of the directory's layout; another one is refused. Since 2 the vectors are a file of FAISS."""

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """Which model, at which revision, made the vectors.

    Where and in which precision it computed is recorded, but one is as good as another: see `encoders/runtimes.py`.
    """

    name: str
    revision: str
    dimension: int
    device: str = field(default="cpu", compare=False)
    precision: str = field(default="float32", compare=False)

    @classmethod
    def of(cls, encoder: Encoder) -> EncoderIdentity:
        """The identity of an encoder; one that somebody else wrote may not say where it computes."""
        location = {name: getattr(encoder, name) for name in ("device", "precision") if hasattr(encoder, name)}
        return cls(encoder.name, encoder.revision, encoder.dimension, **location)

    def and_of(self, other: EncoderIdentity) -> EncoderIdentity:
        """The identity of what both made."""
        pairs = ((self.device, other.device), (self.precision, other.precision))
        device, precision = ("+".join(sorted({*ours.split("+"), theirs})) for ours, theirs in pairs)
        return replace(self, device=device, precision=precision)


@dataclass(frozen=True, slots=True)
class LexicalSettings:
    """The lexical engine and BM25's parameters; `terms`: how many rare words find candidates, 0 for all or by size."""

    engine: str
    k1: float
    b: float
    terms: int = 0


@dataclass(frozen=True, slots=True)
class DenseSettings:
    """The kind of vector index that was asked for, the one it became, and the precision of the exact vectors.

    `recall`: the share of the exact nearest hundred papers that it found when it was built; None where nobody knows.
    """

    wanted: str
    kind: str
    precision: str = "float32"
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is indexed: `papers` are the live `units`, `skipped` those left out for having no text.

    `references` counts what all papers cite; 0 where no paper has references, or an earlier version made the index.
    """

    papers: int
    units: int
    tombstones: int
    authors: int
    skipped: int
    references: int = 0


@dataclass(frozen=True, slots=True)
class File:
    """Size in bytes and BLAKE2b checksum of that many first bytes of a file."""

    size: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of `manifest.json`. `corpus` is empty where papers were taken out since the corpus was read.

    `nearness` is what near means for its vectors; indexes of earlier versions do not have it.
    """

    panelist: str
    created: str
    corpus: str
    counts: Counts
    encoder: EncoderIdentity
    lexical: LexicalSettings
    dense: DenseSettings
    files: dict[str, File]
    format: int = FORMAT
    nearness: Nearness | None = None

    def save(self, directory: Path) -> None:
        """Write `manifest.json` into `directory`."""
        (directory / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(self)))

    @classmethod
    def open(cls, directory: Path) -> Manifest:
        """Read `manifest.json` and make sure that every file is there in its size; checksums are for `check`.

        FileNotFoundError says that there is no such directory (any more).
        """
        data = (directory / NAME).read_bytes()
        remedy = f"rebuild it with '{build_command(directory.parent)}'"
        try:
            layout = msgspec.json.decode(data, type=dict[str, Any])["format"]
            if layout != FORMAT:
                raise IndexDirectoryError(
                    f"index '{directory.parent}' has format {layout}, this version of panelist reads "
                    f"format {FORMAT}: {remedy}, which encodes no text again"
                )
            manifest = msgspec.json.decode(data, type=cls)
        except (msgspec.MsgspecError, KeyError) as error:
            raise IndexDirectoryError(f"index manifest '{directory / NAME}' is damaged: {remedy}") from error
        for name in manifest.files:
            if (problem := manifest.size_problem(directory, name)) is not None:
                raise IndexDirectoryError(f"index '{directory.parent}' is damaged, {problem}: {remedy}")
        return manifest

    def parts(self) -> dict[str, int]:
        """The bytes of each part (units, ownership, names, references, vectors, …)."""
        sizes: dict[str, int] = {}
        for name, file in self.files.items():
            folder = name.split("/")[0]
            sizes[folder] = sizes.get(folder, 0) + file.size
        return sizes

    def damage(self, directory: Path) -> Iterator[str]:
        """What is wrong with the files of a generation: each is read and compared to its size and checksum."""
        for name, file in self.files.items():
            problem = self.size_problem(directory, name)
            header = vector_bytes(self.dense.precision, 0, 0) if name == VECTORS else 0
            if problem is None and checksum(directory / name, file.size, header) != file.checksum:
                problem = f"{name} has another checksum than when it was written"
            if problem is not None:
                yield problem

    def size_problem(self, directory: Path, name: str) -> str | None:
        """What is wrong with the size of a file, if anything."""
        expected = self.files[name].size
        try:
            size = (directory / name).stat().st_size
        except FileNotFoundError:
            if not directory.exists():  # replaced by a newer generation while we looked: the caller tries again
                raise
            return f"{name} is missing"
        if size < expected or (size > expected and name != VECTORS):  # rows of a later generation may follow
            return f"{name} has {size:,} bytes instead of {expected:,}"
        return None


def build_command(index: Path) -> str:
    """The command that rebuilds the index at this path."""
    return f"panelist index build --workspace {index.parent}"


def encoder_mismatch(index: Path, built: EncoderIdentity, actual: EncoderIdentity) -> ModelError:
    """The error for an encoder that is not the one an index was built with."""
    return ModelError(
        f"index '{index}' was built with encoder '{built.name}' (revision {built.revision}, {built.dimension} "
        f"dimensions), but the one at hand has revision {actual.revision} and {actual.dimension} dimensions: "
        f"rebuild the index with '{build_command(index)}' and the encoder '{actual.name}'"
    )


def checksum(path: Path, size: int, start: int = 0) -> str:
    """BLAKE2b of the first `size` bytes of a file, without those before `start`."""
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        file.seek(start)
        size -= start
        while size > 0 and (block := file.read(min(size, 1 << 20))):
            digest.update(block)
            size -= len(block)
    return digest.hexdigest()


def files_in(directory: Path) -> Iterator[str]:
    """The names of all files below `directory`, relative to it and in order, the manifest excepted."""
    paths = (Path(top, name) for top, _, names in os.walk(directory) for name in names)
    return iter(sorted(name for path in paths if (name := path.relative_to(directory).as_posix()) != NAME))


def describe_files(directory: Path, header: int, vector_size: int, base: Path | None = None) -> dict[str, File]:
    """Size and checksum of every file of a generation; those that are hard links into `base` are not read again.

    Of the file of vectors, `vector_size` bytes count, and the checksum is without its header: a later generation, which
    shares the file, changes the number of rows there.
    """
    described = Manifest.open(base).files if base is not None else {}
    files = {}
    for name in files_in(directory):
        path = directory / name
        start, size = (header, vector_size) if name == VECTORS else (0, path.stat().st_size)
        file = described.get(name)
        linked = file is not None and file.size == size and base is not None and path.samefile(base / name)
        files[name] = file if file is not None and linked else File(size, checksum(path, size, start))
    return files
