"""The index job: plan -> process(shard) -> merge, in a work directory, then swapped in.

A plan is everything that determines the result (corpus, base, encoder and revision, engines, shard size); its digest
names the work directory. So running the same command again does only what is missing, and another command starts from
the beginning. The previous generation serves until the new one is complete.
"""

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import numpy as np
import orjson

from indexing.dense import check_vector_kind
from indexing.encoders import DEFAULT_ENCODER, EncoderFactory
from indexing.encoders.cache import load_cached
from indexing.jobs.executors import Workers, in_order
from indexing.jobs.generations import current_generation, delete_unused, lock_index, publish_generation, work_directory
from indexing.jobs.manifest import FORMAT, EncoderIdentity, LexicalSettings, Manifest, build_command, encoder_mismatch
from indexing.jobs.merge import Settings, merge_shards
from indexing.jobs.shards import (
    ARRAYS,
    Job,
    ShardFile,
    encoder_of,
    process_file,
    process_shard,
    shard_path,
    write_papers,
)
from indexing.lexical import ENGINES, K1, B, write_lexical
from indexing.lexical.engine import check_bm25
from indexing.lexical.jvm import check_lucene
from indexing.milvus.address import address_of, is_milvus
from indexing.tables.units import Units
from indexing.tables.vectors import check_vector_precision
from panelist.corpus.documents import batches
from panelist.corpus.store import CorpusStore
from panelist.errors import CorpusError, IndexDirectoryError, InputError
from panelist.progress import Progress, counting, silent
from panelist.records import Paper

SHARD_SIZE = 2_000
"""Papers per shard: a minute or two of encoding, which is what a killed build repeats at most."""

Mode = Literal["build", "add", "compact", "remove"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that determines what a job makes."""

    mode: Mode
    corpus: str
    base: str
    settings: Settings
    shard_size: int
    without: tuple[str, ...] = ()

    def digest(self) -> str:
        """The name of the plan's work directory."""
        return blake2b(orjson.dumps([FORMAT, ARRAYS, dataclasses.asdict(self)]), digest_size=6).hexdigest()


@dataclass(frozen=True, slots=True)
class IndexJobs:
    """The jobs on one index directory (`Workspace.index_path`), in shards of `shard_size` papers.

    Without `workers` shards are processed here, for the encoder uses all cores by itself.
    """

    path: Path
    load: EncoderFactory = load_cached
    workers: Workers | None = None
    shard_size: int = SHARD_SIZE
    progress: Progress = silent

    def build(
        self,
        corpus: CorpusStore,
        *,
        encoder: str = DEFAULT_ENCODER,
        engine: str = ENGINES[0],
        k1: float = K1,
        b: float = B,
        dense: str = "auto",
        terms: int = 0,
        precision: str = "float32",
    ) -> Manifest:
        """Index the whole corpus, whatever index there is; see `indexing.lexical.open_lexical` for `terms`."""
        check_vector_precision(precision)
        check_bm25(k1, b)
        if terms and (terms < 0 or engine == "bm25s"):
            raise InputError(
                f"{terms} rare words cannot find the candidates of engine {engine}: give a positive number and the "
                "engine lucene or milvus"
            )
        if is_milvus(engine):
            engine = str(address_of(engine))
            dense = engine if dense == "auto" else dense
        if is_milvus(dense):
            dense = str(address_of(dense))
        if engine == "lucene":
            check_lucene()
        with lock_index(self.path):
            identity = self._identity(encoder)
            check_vector_kind(dense, identity.dimension)
            settings = Settings(identity, LexicalSettings(engine, k1, b, terms), dense, precision)
            return self._run(Plan("build", corpus.fingerprint(), "", settings, self.shard_size), corpus, None)

    def add(self, corpus: CorpusStore) -> Manifest:
        """Bring the index up to the corpus: index new and changed papers, drop those that are gone.

        Unchanged texts have the same unit numbers as before and are neither encoded nor analysed again; their years,
        citations and authors are taken from the corpus as it is now.
        """
        with lock_index(self.path):
            base, manifest = self._current()
            return manifest if manifest.corpus == corpus.fingerprint() else self._update("add", corpus, base, manifest)

    def compact(self, corpus: CorpusStore) -> Manifest:
        """Rewrite the index without tombstones: its papers stay, with the texts that the corpus has now."""
        with lock_index(self.path):
            base, manifest = self._current()
            # Papers that only the corpus has stay out, so the result mirrors it only if the base did.
            mirrors = manifest.corpus == corpus.fingerprint()
            return self._update("compact", corpus, base, manifest, mirrors=mirrors)

    def remove(self, corpus: CorpusStore, paper_ids: Sequence[str]) -> Manifest:
        """Take papers out of the index; the next `add` brings back those that are still in the corpus.

        The others stay, as the corpus has them now.
        """
        with lock_index(self.path):
            base, manifest = self._current()
            units = Units.open(base / "units").find(paper_ids)
            missing = [paper for paper, unit in zip(paper_ids, units.tolist(), strict=True) if unit < 0]
            if missing:
                raise InputError(
                    f"not in the index: {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}; "
                    "nothing was removed: give ids of indexed papers"
                )
            removed = tuple(sorted(set(paper_ids)))
            return self._update("remove", corpus, base, manifest, removed, mirrors=False)

    def _update(
        self,
        mode: Mode,
        corpus: CorpusStore,
        base: Path,
        manifest: Manifest,
        removed: tuple[str, ...] = (),
        *,
        mirrors: bool = True,
    ) -> Manifest:
        """Run a job with the settings of an index, if the encoder of this name is still the one that it has."""
        identity = self._identity(manifest.encoder.name)
        if identity != manifest.encoder:
            raise encoder_mismatch(self.path, manifest.encoder, identity)
        encoder, dense = manifest.encoder.and_of(identity), manifest.dense
        settings = Settings(encoder, manifest.lexical, dense.wanted, dense.precision)
        plan = Plan(mode, corpus.fingerprint(), base.name, settings, self.shard_size, removed)
        return self._run(plan, corpus, base, mirrors=mirrors)

    def _run(self, plan: Plan, corpus: CorpusStore, base: Path | None, *, mirrors: bool = True) -> Manifest:
        """Process the corpus, merge, and replace the current generation.

        `mirrors`: whether the result has exactly the papers of the corpus.
        """
        delete_unused(self.path, work=False)
        work = work_directory(self.path, plan.digest())  # with what an earlier run finished
        target = work / "generation"
        if plan.mode == "build":
            # A missing engine is to be noticed now, not after an hour of encoding.
            lexical, shape = plan.settings.lexical, (corpus.counts().papers, plan.settings.encoder.dimension)
            expected = np.broadcast_to(np.float32(0), shape) if plan.settings.shares_collection else None
            with write_lexical(target / "lexical", lexical.engine, lexical.k1, lexical.b, expected):
                pass
        updates, only_live = plan.mode in ("add", "remove"), plan.mode in ("compact", "remove")
        encoder = plan.settings.encoder.name
        job = Job(work, encoder, self.load, base, not updates, only_live, frozenset(plan.without))
        count = self._process_all(job, corpus)
        if corpus.fingerprint() != plan.corpus:
            raise CorpusError("the corpus was changed while it was being indexed: run the same command again")
        shards = [ShardFile(shard_path(work, number)) for number in range(count)]
        if plan.mode != "remove" and not any(len(shard.array("units")) for shard in shards):
            raise InputError("there is nothing to index: the corpus has no paper with a title or an abstract")
        fingerprint = plan.corpus if mirrors else ""
        manifest = merge_shards(shards, target, base if updates else None, plan.settings, fingerprint, self.progress)
        publish_generation(self.path, target, list(manifest.files))
        delete_unused(self.path, work=True)
        return manifest

    def _process_all(self, job: Job, corpus: CorpusStore) -> int:
        """Process the missing shards; returns how many shards there are."""
        count, advance = 0, counting(self.progress, "papers", corpus.counts().papers)
        waiting: deque[tuple[int, Path]] = deque()

        def missing() -> Iterator[tuple[int, Sequence[Paper]]]:
            nonlocal count
            for number, papers in enumerate(batches(corpus.iter_papers(), self.shard_size)):
                count = number + 1
                if shard_path(job.work, number).exists():
                    advance(len(papers))
                else:
                    yield number, papers

        def tasks() -> Iterator[Callable[[], None]]:
            for number, papers in missing():
                # Not with the task: a scheduler would have them all in memory, and lose them with a worker.
                waiting.append((len(papers), write_papers(job.work, number, papers)))
                yield partial(process_file, job, number, waiting[-1][1])

        if self.workers is None:
            for number, papers in missing():
                process_shard(job, number, papers, advance)
            return count
        with closing(in_order(self.workers, tasks())) as finished:
            for _ in finished:
                papers_done, path = waiting.popleft()
                path.unlink()
                advance(papers_done)
        return count

    def _identity(self, name: str) -> EncoderIdentity:
        return EncoderIdentity.of(encoder_of(self.load, name))

    def _current(self) -> tuple[Path, Manifest]:
        """The current generation, which a job builds on, its files verified."""
        base, remedy = current_generation(self.path), build_command(self.path)
        if base is None:
            raise IndexDirectoryError(f"there is no index at '{self.path}': build it with '{remedy}'")
        try:
            manifest = Manifest.open(base)
            self.progress("verifying", 0, 1)
            # What is damaged would be carried over, and get a checksum that fits.
            for problem in manifest.damage(base):
                raise IndexDirectoryError(f"index '{self.path}' is damaged, {problem}: rebuild it with '{remedy}'")
            self.progress("verifying", 1, 1)
            return base, manifest
        except FileNotFoundError as error:
            lost = f"index '{self.path}' has lost its '{base.name}': rebuild it with '{remedy}'"
            raise IndexDirectoryError(lost) from error
