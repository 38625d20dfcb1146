"""One shard of a build: some thousand papers turned into arrays in one file, independently of all other shards.

This is the part that takes the time (encoding) and the part that another process or machine can do: `process_shard`
needs the papers it is given, the encoder by name and, for an update, the current generation to compare with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from indexing.encoders import Encoder, EncoderFactory
from indexing.jobs.manifest import Manifest
from indexing.tables.arrays import pack, unpack
from indexing.tables.names import key_code, name_code, paper_forms
from indexing.tables.references import key_hashes, row_hashes
from indexing.tables.units import NO_YEAR, RETRACTED, Units, text_digests
from indexing.tables.vectors import VECTORS, open_vectors
from indexing.text import Text
from panelist.corpus.identity import comparable, identity_keys, spellings
from panelist.errors import ModelError
from panelist.files import replacing, write_whole
from panelist.records import Author, Institution, Paper

ARRAYS = 3
"""The version of what a shard file contains: what a build of another version left is not continued."""

_USUAL = ("https://openalex.org/A", "https://orcid.org/")

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Job:
    """What `process_shard` has to know beside the papers: where shard files go, the encoder's name and what loads it.

    `base` is the generation that an update or a compaction starts from. To `renumber` gives every paper a new unit
    (build, compaction) instead of leaving an unchanged text its own; papers that are not in `base` are left out on
    request (`only_live`), and so are those of these ids (`removed`).
    """

    work: Path
    encoder: str
    load: EncoderFactory
    base: Path | None = None
    renumber: bool = True
    only_live: bool = False
    removed: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def encoder_of(load: EncoderFactory, name: str) -> Encoder:
    """The encoder of this process: loaded by its first shard, for all of them."""
    return load(name)


def shard_path(work: Path, number: int) -> Path:
    """The file of a shard; it exists if and only if it is complete."""
    return work / f"shard-{number:06d}.npz"


def process_shard(
    job: Job, number: int, papers: Sequence[Paper], progress: Callable[[int], None] | None = None
) -> None:
    """Turn papers into the shard file `number`. Papers without any text are counted and left out."""
    base = Units.empty() if job.base is None else Units.open(job.base / "units")
    kept = [paper for paper in papers if Text.of(paper).plain()]
    skipped = len(papers) - len(kept)
    if job.only_live:
        alive = base.find([paper.id for paper in kept]) >= 0
        kept = [paper for paper, live in zip(kept, alive, strict=True) if live and paper.id not in job.removed]
    texts = [Text.of(paper) for paper in kept]
    digests = text_digests(texts)
    base_units = base.find_same([paper.id for paper in kept], digests)
    units = np.full(len(kept), -1, dtype=np.int64)
    if not job.renumber and len(base):
        units = np.where((base_units >= 0) & base.live[base_units], base_units, -1)
    new = np.flatnonzero(units < 0).tolist()
    vectors = _vectors(job, [texts[row] for row in new], base_units[new], len(base), progress)
    if progress is not None:
        progress(len(papers) - int((base_units[new] < 0).sum()))
    arrays: Arrays = {
        "units": units,
        "years": _clipped([paper.year or NO_YEAR for paper in kept], np.int16),
        "citations": _clipped([RETRACTED if paper.retracted else paper.cited_by_count for paper in kept], np.int32),
        **_authors(kept),
        **_employers(kept),
        "forms": paper_forms(kept),
        **_references(kept),
        **_strings("ids", [kept[row].id for row in new]),
        **_strings("titles", [texts[row].title for row in new]),
        **_strings("abstracts", [texts[row].abstract for row in new]),
        "digests": digests[new],
        "vectors": vectors,
        "skipped": np.array(skipped),
    }
    with replacing(shard_path(job.work, number)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def write_papers(work: Path, number: int, papers: Sequence[Paper]) -> Path:
    """Keep the papers of a shard in a file, for a worker that may be elsewhere: `process_file` reads them."""
    path = work / f"papers-{number:06d}.json"
    write_whole(path, msgspec.json.encode(papers))
    return path


def process_file(job: Job, number: int, papers: Path) -> None:
    """`process_shard` with the papers of a file; a shard that is there already, perhaps of another worker, is done."""
    if not shard_path(job.work, number).exists():
        process_shard(job, number, msgspec.json.decode(papers.read_bytes(), type=list[Paper]))


def _strings(name: str, values: Sequence[str]) -> Arrays:
    """A list of strings as arrays of a shard file."""
    blob, offsets = pack(values)
    return {name: blob, f"{name}.offsets": offsets}


def _authors(papers: Sequence[Paper]) -> Arrays:
    """The authors of each paper in their order, as positions in the sorted list of all authors of the shard."""
    rows = [list(dict.fromkeys(authorship.author.id for authorship in paper.authorships)) for paper in papers]
    ids = sorted({author for row in rows for author in row})
    position = {author: rank for rank, author in enumerate(ids)}
    written = {(entry.author.id, entry.author.name) for paper in papers for entry in paper.authorships}
    names = [(position[author], code) for author, name in sorted(written) if (code := name_code(name)).key]
    keys = {
        (entry.author.id, key) for paper in papers for entry in paper.authorships for key in _odd_keys(entry.author)
    }
    names += [(position[author], key_code(key)) for author, key in sorted(keys)]
    return {
        **_strings("author_ids", ids),
        "name_hashes": key_hashes([code.key for _, code in names]),
        "name_authors": np.array([author for author, _ in names], dtype=np.int32),
        "name_seconds": np.array([code.second for _, code in names], dtype=np.uint8),
        "name_givens": np.array([code.given for _, code in names], dtype=np.uint32),
        "author_counts": np.array([len(row) for row in rows], dtype=np.int64),
        "authors": np.array([position[author] for row in rows for author in row], dtype=np.int32),
    }


def _odd_keys(author: Author) -> Iterator[str]:
    """The identity keys of an author that are not found by the forms in which ids are usually written."""
    yield from identity_keys(author.email) if author.email else ()
    for identifier in (author.id, author.orcid):
        if (
            identifier
            and not identifier.startswith(_USUAL)
            and identifier != (key := comparable(identifier))
            and identifier not in spellings(key)
        ):
            yield key


def _employers(papers: Sequence[Paper]) -> Arrays:
    """The institutions of each author of each paper, as positions in the list of all institutions of the shard."""
    rows = []
    for paper in papers:
        # Somebody who is named twice on a paper is one author, who works where the first entry says.
        entries = {authorship.author.id: authorship for authorship in reversed(paper.authorships)}
        rows += [entries[author].institutions for author in dict.fromkeys(a.author.id for a in paper.authorships)]
    position: dict[Institution, int] = {}
    employers = [position.setdefault(institution, len(position)) for row in rows for institution in row]
    return {
        **_strings("institution_names", [institution.name for institution in position]),
        **_strings("institution_rors", [institution.ror or "" for institution in position]),
        **_strings("institution_countries", [institution.country or "" for institution in position]),
        **_strings("institution_lineages", [institution.lineage for institution in position]),
        "employer_counts": np.array([len(row) for row in rows], dtype=np.int64),
        "employers": np.array(employers, dtype=np.int32),
    }


def _references(papers: Sequence[Paper]) -> Arrays:
    """What each paper cites, each work once."""
    from indexing.tables.reference_kernel import are_first

    hashes = row_hashes(paper.references for paper in papers)
    counts = np.array([len(paper.references) for paper in papers], dtype=np.int64)
    is_first = are_first(hashes, counts)
    rows = np.repeat(np.arange(len(papers)), counts)[is_first]
    return {"references": hashes[is_first], "reference_counts": np.bincount(rows, minlength=len(papers))}


def _vectors(
    job: Job, texts: Sequence[Text], base_units: NDArray[np.int64], rows: int, progress: Callable[[int], None] | None
) -> NDArray[np.float32]:
    """The vectors of new units: those of a text that the base has under the same paper are taken from there."""
    encoder = encoder_of(job.load, job.encoder)
    vectors = np.empty((len(texts), encoder.dimension), dtype=np.float32)
    if job.base is not None and (base_units >= 0).any():
        base_vectors = open_vectors(
            job.base / VECTORS, Manifest.open(job.base).dense.precision, rows, encoder.dimension
        )
        vectors[base_units >= 0] = base_vectors[base_units[base_units >= 0]]
    missing = np.flatnonzero(base_units < 0).tolist()
    if len(missing):
        encoded = encoder.encode([texts[row] for row in missing], progress)
        if encoded.shape != (len(missing), encoder.dimension) or not np.isfinite(encoded).all():
            raise ModelError(
                f"encoder '{job.encoder}' returned {encoded.shape} numbers, some perhaps not finite, for "
                f"{len(missing)} texts of dimension {encoder.dimension}: choose another encoder"
            )
        vectors[missing] = encoded
    return vectors


def _clipped(values: Sequence[int], kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """The numbers as an array of this kind; a number that does not fit, such as a year of 20,200, is clipped."""
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    return np.array([min(max(value, low), high) for value in values], dtype=kind)


class ShardFile:
    """A finished shard, each array read when it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def array(self, name: str) -> NDArray[Any]:
        """One array: see `process_shard`."""
        with np.load(self.path, allow_pickle=False) as arrays:
            return arrays[name]  # type: ignore[no-any-return]

    def strings(self, name: str) -> list[str]:
        """One list of strings: see `process_shard`."""
        return unpack(self.array(name), self.array(f"{name}.offsets"))

    def units(self, start: int) -> NDArray[np.int64]:
        """The unit of each paper: the one that it has in the base, else a new one from `start` on."""
        units = self.array("units").copy()
        new = units < 0
        units[new] = start + np.arange(int(new.sum()))
        return units

    def texts(self) -> list[Text]:
        """The texts of the new units."""
        return [Text(*pair) for pair in zip(self.strings("titles"), self.strings("abstracts"), strict=True)]

    def institutions(self) -> list[Institution]:
        """The institutions as the authors name them, each spelling and country once."""
        columns = (self.strings(f"institution_{column}") for column in ("names", "rors", "countries", "lineages"))
        rows = zip(*columns, strict=True)
        return [Institution(name, ror or None, country or None, lineage) for name, ror, country, lineage in rows]
