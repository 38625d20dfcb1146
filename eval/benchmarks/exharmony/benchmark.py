"""exHarmony: the papers since a year τ are queries, the authors of all earlier papers are the candidates.

Nobody has to judge: who is right follows from authorship and citations (Ebrahimi et al., exHarmony, ECIR 2025). Three
gold standards, each for all authors and for established ones (at least N papers in the collection), make six qrels:

- `authors`: the query's own authors;
- `cite`: the authors of the papers of the collection that it cites;
- `simcite`: the authors of the ten of these that are most similar to it.

A benchmark is a directory of plain files, which `eval.benchmarks.exharmony.build` makes of any corpus:

    manifest.json         what it was made of and how, its sizes, what was dropped, what is not available and why
    collection.jsonl.gz   the papers before τ, as OpenAlex works
    queries.jsonl         id, title, abstract, authors and year of each query, as `panelist run` reads submissions
    qrels.<name>.txt      TREC judgements, a file for each of the six that the corpus supports
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from eval.runs import Qrels
from eval.trec import read_qrels
from indexing.tables.affiliations import institution_key
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.records import Paper, Submission

FORMAT = 1
MANIFEST = "manifest.json"
COLLECTION = "collection.jsonl.gz"
QUERIES = "queries.jsonl"

GOLD = ("authors", "cite", "simcite")
ESTABLISHED = "-established"
QRELS = tuple(f"{gold}{cut}" for gold in GOLD for cut in ("", ESTABLISHED))
"""The six gold standards: `authors`, `authors-established`, `cite`, …"""

KNOWN_INSTITUTIONS = 0.5
"""The share of candidates whose institution must be known: the distinct ones of fewer say nothing about diversity."""


def qrels_file(name: str) -> str:
    """The file of one of `QRELS`."""
    return f"qrels.{name}.txt"


@dataclass(frozen=True, slots=True)
class SimilarityChoice:
    """How the most similar of the cited papers were chosen: by BM25, or by the vectors of an encoder."""

    method: str = "bm25"
    revision: str | None = None

    def favours(self, encoder: str, revision: str) -> bool:
        """Whether it is this encoder: what an encoder chose cannot be a fair judgement of the same encoder."""
        return encoder == self.method or revision == self.revision


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a set of papers is: Table 1 of the paper. An author of two papers has two authorships."""

    papers: int
    authorships: int
    authors: int


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a benchmark was made of, and what became of it."""

    since: int  # τ, the first year of the queries
    established: int  # N, the papers in the collection that make an author an established one
    similar: int  # how many of the cited papers make `simcite`
    similarity: SimilarityChoice  # how these were chosen
    corpus: str  # the fingerprint of the corpus
    collection: Sizes
    queries: Sizes
    established_authors: int  # how many candidates are established
    judged: dict[str, dict[str, int]]  # {queries, pairs} of each of the available qrels
    dropped: dict[str, int]  # what was left out, and how much of it
    not_available: dict[str, str] = field(default_factory=dict)  # qrels and measures that the corpus lacks, and why
    benchmark: str = "exharmony"
    format: int = FORMAT

    @classmethod
    def read(cls, directory: Path) -> Inventory:
        """Read the manifest of a benchmark's directory."""
        path = directory / MANIFEST
        if not path.is_file():
            raise InputError(
                f"no exHarmony benchmark in '{directory}' ('{MANIFEST}' is missing): make it with "
                f"'panelist eval exharmony build'"
            )
        try:
            manifest = msgspec.json.decode(path.read_bytes(), type=cls)
            if (manifest.benchmark, manifest.format) == ("exharmony", FORMAT):
                return manifest
        except msgspec.MsgspecError:
            pass
        raise InputError(f"'{path}' is damaged or of another version: build the benchmark again")


@dataclass(frozen=True, slots=True, eq=False)
class ExHarmony:
    """A benchmark that was read from its directory: test papers in the order of their ids, and judgements by name.

    The manifest says why judgements are missing.
    """

    directory: Path
    manifest: Inventory
    queries: tuple[Submission, ...]
    qrels: dict[str, Qrels]

    @classmethod
    def read(cls, directory: Path) -> ExHarmony:
        """Read all but the collection."""
        manifest = Inventory.read(directory)
        queries = tuple(read_submissions(directory / QUERIES))
        ids = {query.id for query in queries}
        paths = {name: directory / qrels_file(name) for name in QRELS if name in manifest.judged}
        qrels = {name: read_qrels(path) for name, path in paths.items()}
        for name, judged in qrels.items():
            if not ids.issuperset(judged.queries):
                raise InputError(f"'{paths[name]}' judges queries that are not in '{QUERIES}': build it again")
        return cls(directory, manifest, queries, qrels)

    def collection(self) -> list[Paper]:
        """The papers before τ, in the order of their ids."""
        report = ReadReport()
        papers = list(openalex.read([self.directory / COLLECTION], report))
        if report.rejected or len(papers) != self.manifest.collection.papers:
            problem = str(report.rejections[0]) if report.rejected else f"{len(papers):,} papers in '{COLLECTION}'"
            raise InputError(f"{problem}: the benchmark in '{self.directory}' is damaged, build it again")
        return papers

    def sample(self, size: int, seed: int = 0) -> ExHarmony:
        """The same benchmark with a random choice of its queries, or all of them where it has no more."""
        if size < 1:
            raise InputError(f"a sample of {size} queries makes no sense: give at least 1")
        if size >= len(self.queries):
            return self
        rows = sorted(np.random.default_rng(seed).choice(len(self.queries), size, replace=False).tolist())
        queries = tuple(self.queries[row] for row in rows)
        chosen = {query.id for query in queries}
        return replace(self, queries=queries, qrels={name: judged.only(chosen) for name, judged in self.qrels.items()})


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The authors of a collection, who are the candidates, numbered: their papers and how often these are cited.

    Their institution is what their latest paper with one names first, as a number; -1 if unknown.
    """

    number: dict[str, int]
    papers: NDArray[np.int64]
    citations: NDArray[np.int64]
    institutions: NDArray[np.int64]

    @classmethod
    def of_papers(cls, collection: Iterable[Paper]) -> Pool:
        """The authors of these papers, which come in the order of their ids: of a year's papers the last decides."""
        papers: Counter[str] = Counter()
        citations: Counter[str] = Counter()
        latest: dict[str, tuple[int, str]] = {}  # the year and the institution
        for paper in collection:
            for author, authorship in {entry.author.id: entry for entry in paper.authorships}.items():
                papers[author] += 1
                citations[author] += paper.cited_by_count
                if authorship.institutions and (paper.year or 0) >= latest.get(author, (0,))[0]:
                    latest[author] = paper.year or 0, institution_key(authorship.institutions[0])
        institutions = {key: number for number, key in enumerate(dict.fromkeys(key for _, key in latest.values()))}
        columns = (
            list(papers.values()),
            [citations[author] for author in papers],
            [institutions[latest[author][1]] if author in latest else -1 for author in papers],
        )
        number = {author: number for number, author in enumerate(papers)}
        return cls(number, *(np.array(column, dtype=np.int64) for column in columns))

    def established(self, least: int) -> frozenset[str]:
        """The candidates with at least this many papers."""
        return frozenset(author for author, papers in zip(self.number, self.papers, strict=True) if papers >= least)

    def not_available(self) -> dict[str, str]:
        """Measures of diversity that the collection cannot support, and why."""
        missing = {}
        if not self.citations.any():
            missing["sigma_cite"] = "no paper of the collection has a citation count"
        share = float((self.institutions >= 0).mean()) if len(self.institutions) else 0.0
        if share < KNOWN_INSTITUTIONS:
            missing["institutions"] = f"the institution is known of {share:.0%} of the candidates only"
        return missing
