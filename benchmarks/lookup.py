"""What a look-up costs beside its searches, and what a batch saves: ratios within one run, which have to hold.

    python benchmarks/lookup.py [--papers 50000] [--many 1000000] [--dimension 384] [--queries 1000] [--only PART]
        [--workspace DIR]

- `hybrid`: eLife and the ACL Anthology through Lucene and exact vectors. Fusion, aggregation, conflicts, diversity
  (λ = 0.3) and explanation together may take half the time of the two searches, with a learned ranker too.
- `references`: the same papers cite 65 works each, most of them rare, and so do the submissions, whose entries name
  people of the corpus. Everything after the searches may take .6 of their time, the search for shared references 2 ms,
  the table 700 bytes per paper, and its part of a build 5 %; with a history of 30,000 reviews as well, .65.
- `dense only`: a million synthetic papers in clusters, by authors of their own, through inverted lists. The same bar.
- `batch`: with queries encoded already, ranking a batch against ranking one by one, with Lucene and with bm25s.

The vectors of the real texts are random projections of their words: encoding is not what is measured, so it is made
cheap. Exits with 1 where a bar is missed. A workspace that is given is kept, and what is in it is used again.
"""

import argparse
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import HashingVectorizer

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from lookup_synthetic import SyntheticIndex, make_papers, make_submissions
from rankings import difference  # type: ignore[import-not-found]

from indexing.index import Index, open_index
from indexing.jobs import join, shards
from indexing.jobs.build import IndexJobs
from indexing.text import Text
from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.sqlite import SqliteStore
from panelist.records import HistoryEvent, HistoryRole, Institution, Paper, Reference, Submission
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.ranking.model import Ranker
from retriever.search import Search, search
from retriever.stages import Candidates

SETS = ("elife", "acl")
DIMENSION = 384
AFTER = 0.5
AFTER_WITH_REFERENCES = 0.6
AFTER_WITH_HISTORY = 0.65
SERVED, EVENTS = 10_000, 30_000
CITED = 65
# One by one, bm25s takes the same compiled code as a batch, which gains the second core only.
BATCH = {"lucene": 1.6, "bm25s": 1.0}
SAMPLE = 100
ROUNDS = 4


class ProjectionEncoder:
    """Words, hashed and projected at random: similar texts get similar vectors, at a thousandth of a model's cost."""

    name, revision, dimension = "projection", "1", DIMENSION

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """The vectors of the texts, of unit length."""
        counts = HashingVectorizer(n_features=1 << 15, norm="l2", alternate_sign=False).transform(
            [text.plain() for text in texts]
        )
        vectors = (counts @ _projection()).astype(np.float32)
        if progress is not None:
            progress(len(texts))
        return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), np.float32)


@cache
def _projection() -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((1 << 15, DIMENSION)).astype(np.float32)


def load_projection(name: str) -> ProjectionEncoder:
    """The encoder, whatever it is called."""
    return ProjectionEncoder()


class Stopwatch:
    """Adds up the seconds in which some functions run; those that run side by side count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._running, self._began, self._lock = 0, 0.0, threading.Lock()

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, timed."""

        def timed(*arguments: Any, **options: Any) -> Any:
            self._count(1)
            try:
                return function(*arguments, **options)
            finally:
                self._count(-1)

        return timed

    def _count(self, change: int) -> None:
        with self._lock:
            now = time.perf_counter()
            if self._running:
                self.seconds += now - self._began
            self._running, self._began = self._running + change, now


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


class Results:
    """The table of what was measured, and whether all bars were met."""

    def __init__(self) -> None:
        self.met = True
        self._table = Table("what", "measured", "against", "ratio", "bar", box=None, header_style="dim", pad_edge=False)

    def add(self, what: str, measured: str, against: str, ratio: float, bar: float, *, at_most: bool) -> None:
        """One line."""
        met = ratio <= bar if at_most else ratio >= bar
        self.met &= met
        self._table.add_row(
            *(what, measured, against, f"{ratio:.2f}", f"{'≤' if at_most else '≥'} {bar}{'' if met else '  missed'}")
        )

    def show(self) -> None:
        """Print the table."""
        Console(highlight=False, width=140).print(self._table)


def note(text: str) -> None:
    """Say on stderr what is going on."""
    sys.stderr.write(f"{text}\n")


def measure_after(
    finder: Finder, asked: Sequence[Submission], lookup: Lookup, what: str, results: Results, bar: float = AFTER
) -> None:
    """How long everything after the searches takes, beside them, look-up by look-up."""
    list(finder.find_many(asked[:20], lookup))  # warm: engines, statements, the rarity of words
    searching, encoding = Stopwatch(), Stopwatch()
    timed_search, encode = searching.around(search), encoding.around(finder.index.encoder().encode)

    def encode_then_search(index: Index, texts: Sequence[Text], settings: Search, **more: Any) -> list[Candidates]:
        # Before the lexical search, not beside it as in a look-up: both are timed apart.
        more["vectors"] = encode(texts)
        return list(timed_search(index, texts, settings, **more))

    taken, after = np.full((ROUNDS, len(asked)), np.inf), np.full((ROUNDS, len(asked)), np.inf)
    for turn in range(ROUNDS):
        for number, one in enumerate(asked):
            searching.seconds = encoding.seconds = 0.0
            total = seconds(lambda one=one: finder.find(one, lookup, search=encode_then_search))  # type: ignore[misc]
            taken[turn, number] = searching.seconds
            after[turn, number] = total - searching.seconds - encoding.seconds
    # The least of some rounds is what the work takes; what is above it is the rest of the machine.
    least_search, least_after = 1000 * taken.min(axis=0).mean(), 1000 * after.min(axis=0).mean()
    results.add(
        what,
        f"{least_after:.1f} ms after",
        f"{least_search:.1f} ms searching",
        *(least_after / least_search, bar),
        at_most=True,
    )


def measure_batch(finder: Finder, asked: Sequence[Submission], engine: str, results: Results) -> None:
    """How long ranking all at once takes beside ranking one by one."""
    vectors = ProjectionEncoder().encode([Text(one.title, one.abstract) for one in asked])
    list(finder.rank(asked[:20], vectors=vectors[:20]))
    next(finder.rank(asked[:1], vectors=vectors[:1]))
    whole: list[Any] = []
    single: list[Any] = []

    def one_by_one(part: slice) -> None:
        for one, vector in zip(asked[part], vectors[part, None], strict=True):
            single.append(next(finder.rank([one], vectors=vector)))

    half = len(asked) // 2
    slow = seconds(lambda: one_by_one(slice(0, half)))  # half before and half after: the machine may be busy
    fast = seconds(lambda: whole.extend(finder.rank(asked, vectors=vectors)))
    slow += seconds(lambda: one_by_one(slice(half, None)))
    for one, together, alone in zip(asked, whole, single, strict=True):
        if wrong := difference(together, alone):
            raise SystemExit(
                f"error: for {one.id} the batch of {engine} ranks differently from the query alone: {wrong}"
            )
    results.add(
        f"batch of {len(asked):,}, {engine}",
        f"{fast:.1f} s at once",
        f"{slow:.1f} s one by one",
        *(slow / fast, BATCH[engine]),
        at_most=False,
    )


def real_papers(limit: int) -> Iterator[Paper]:
    """The first papers of both data sets."""
    files = [path for name in SETS for path in sorted((data_dir() / name / "works").glob("*.jsonl.gz"))]
    if not files:
        raise SystemExit(f"error: no data sets in '{data_dir()}' (set PANELIST_DATA)")
    return islice(chain.from_iterable(openalex.read([file], ReadReport()) for file in files), limit)


def submission_of(paper: Paper) -> Submission:
    """A paper as if it came in today, with its authors and where they are."""
    institutions: dict[Institution, None] = dict.fromkeys(p for one in paper.authorships for p in one.institutions)
    people = tuple(one.author for one in paper.authorships)
    return Submission(paper.id, paper.title, paper.abstract, people, institutions=tuple(institutions), year=paper.year)


def measure_real(directory: Path, limit: int, queries: int, results: Results) -> None:
    """Hybrid look-up and batches, on real texts."""
    with SqliteStore(directory / "corpus.sqlite") as corpus:
        if corpus.counts().papers != limit:
            note(f"importing {limit:,} papers")
            corpus.upsert(real_papers(limit))
        with_abstract = [paper.id for paper in corpus.iter_papers() if paper.abstract]
        step = max(1, len(with_abstract) // queries)
        asked = [submission_of(paper) for paper in corpus.papers(with_abstract[::step][:queries]).values()]
        for engine in BATCH:
            path = directory / engine
            if not path.exists():
                note(f"indexing {limit:,} papers with {engine}")
                IndexJobs(path, load=load_projection).build(corpus, encoder="projection", engine=engine)
            with open_index(path, load=load_projection) as index:
                finder = Finder(index, corpus)
                if engine == "lucene":
                    sample = asked[:: max(1, len(asked) // SAMPLE)][:SAMPLE]
                    measure_after(finder, sample, Lookup(diversity=0.3), f"hybrid, {limit:,} papers", results)
                    learned = Lookup(diversity=0.3, ranker=Ranker.load("reviewers"))
                    measure_after(finder, sample, learned, "the same with a learned ranker", results)
                measure_batch(finder, asked, engine, results)


def citing(papers: Sequence[Paper]) -> Iterator[Paper]:
    """The papers, each with 65 references: two thirds to works that few cite, the others to ones that many do."""
    dice = np.random.default_rng(0)
    for paper in papers:
        rare = dice.integers(0, 30 * len(papers), 2 * CITED // 3)
        common = (20_000 * dice.random(CITED - len(rare)) ** 1.5).astype(np.int64)  # the first: by 3 % of all
        keys = (*(f"doi:10.1000/rare.{one}" for one in rare), *(f"doi:10.1000/common.{one}" for one in common))
        yield structs.replace(paper, references=tuple(dict.fromkeys(keys)))


def bibliography_of(paper: Paper, names: Sequence[str]) -> tuple[Reference, ...]:
    """What a paper cites, each by six of these people."""
    dice = np.random.default_rng([ord(one) for one in paper.id])
    return tuple(
        Reference(f"Work {key}", tuple(names[one] for one in dice.integers(0, len(names), 6)), 2010, key[4:])
        for key in paper.references
    )


def events_of(index: Index) -> Iterator[HistoryEvent]:
    """Reviews of papers of the index by its authors."""
    dice = np.random.default_rng(0)
    papers, people = len(index.units), len(index.ownership.author_ids)
    reviewed = index.units.paper_ids(dice.choice(papers, min(SERVED, papers), replace=False))
    reviewers = index.ownership.author_ids.take(dice.integers(0, people, EVENTS // 4))
    for paper, person in zip(
        dice.integers(0, len(reviewed), EVENTS), dice.integers(0, EVENTS // 4, EVENTS), strict=True
    ):
        yield HistoryEvent(reviewers[person], HistoryRole.REVIEWER, reviewed[paper], published=date(2015, 1, 1))


def measure_references(directory: Path, limit: int, results: Results) -> None:
    """A corpus with references: what they cost in a look-up, in space, and in a build."""
    directory.mkdir(exist_ok=True)
    with SqliteStore(directory / "corpus.sqlite") as corpus:
        if corpus.counts().papers != limit:
            note(f"importing {limit:,} papers with references")
            corpus.upsert(citing(list(real_papers(limit))))
        tables, whole, encoding = Stopwatch(), Stopwatch(), Stopwatch()
        encoder = ProjectionEncoder()
        encoder.encode = encoding.around(encoder.encode)  # type: ignore[method-assign]
        shards._references = tables.around(shards._references)
        vars(join)["write_references"] = tables.around(vars(join)["write_references"])
        note(f"indexing {limit:,} papers with references")
        shutil.rmtree(directory / "index", ignore_errors=True)
        jobs = IndexJobs(directory / "index", load=lambda name: encoder)
        whole.around(jobs.build)(corpus, encoder="projection")
        rest = whole.seconds - encoding.seconds
        share = tables.seconds / rest
        results.add("build: references", f"{tables.seconds:.1f} s", f"{rest:.1f} s", share, 0.05, at_most=True)
        with open_index(directory / "index", load=load_projection) as index:
            size = index.manifest.parts()["references"] / index.manifest.counts.papers
            each = index.manifest.counts.references / index.manifest.counts.papers
            results.add("bytes per paper", f"{size:.0f}", f"{each:.0f} references", size / 700, 1, at_most=True)
            ids = [paper.id for paper in corpus.iter_papers() if paper.abstract]
            papers = corpus.papers(ids[:: max(1, len(ids) // SAMPLE)][:SAMPLE]).values()
            people = corpus.authors(index.ownership.author_ids.take(np.arange(0, len(index.ownership.author_ids), 40)))
            names = [author.name for author in people.values()]
            asked = [structs.replace(submission_of(one), bibliography=bibliography_of(one, names)) for one in papers]
            finder = Finder(index, corpus)
            reader = finder._citations
            list(map(reader.read, asked))
            searching = Stopwatch()
            for part in ("_citing", "_coupled"):
                setattr(reader, part, searching.around(getattr(reader, part)))
            list(map(reader.read, asked))
            taken = 1000 * searching.seconds / len(asked)
            results.add("search of references", f"{taken:.2f} ms", "2 ms", taken / 2, 1, at_most=True)
            bar = AFTER_WITH_REFERENCES
            measure_after(finder, asked, Lookup(diversity=0.3), "the same with references", results, bar)
            finder.use_history(events_of(index))
            what = f"with references and {EVENTS:,} reviews of {SERVED:,} papers"
            measure_after(finder, asked, Lookup(diversity=0.3), what, results, AFTER_WITH_HISTORY)


def measure_synthetic(directory: Path, count: int, dimension: int, results: Results) -> None:
    """Dense look-up, on a million papers."""
    note(f"making {count:,} papers of {dimension} dimensions")
    index = SyntheticIndex(directory / f"synthetic-{count}-{dimension}", count, dimension)
    asked = make_submissions(index, SAMPLE)
    lookup = Lookup(search=Search(mode="dense"), diversity=0.3)
    with tempfile.TemporaryDirectory() as temporary, SqliteStore(Path(temporary) / "corpus.sqlite") as corpus:
        make_papers(index, corpus, asked, lookup)
        what = f"dense only, {count:,} papers of {dimension} dimensions"
        measure_after(Finder(index, corpus), asked, lookup, what, results)  # type: ignore[arg-type]


def main() -> None:
    """Measure, print the table, exit with 1 where a bar was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=50_000, help="real papers; 0 leaves them out")
    parser.add_argument("--many", type=int, default=1_000_000, help="synthetic papers; 0 leaves them out")
    parser.add_argument("--dimension", type=int, default=DIMENSION, help="of the synthetic vectors")
    parser.add_argument("--queries", type=int, default=1_000, help="queries of a batch")
    parser.add_argument("--only", choices=("hybrid", "references", "dense"), help="measure one of these")
    parser.add_argument("--workspace", type=Path, help="where to keep what is built")
    options = parser.parse_args()
    results = Results()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.workspace or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        if options.papers and options.only in (None, "hybrid"):
            measure_real(directory, options.papers, options.queries, results)
        if options.papers and options.only in (None, "references"):
            measure_references(directory / "references", options.papers, results)
        if options.many and options.only in (None, "dense"):
            measure_synthetic(directory, options.many, options.dimension, results)
    results.show()
    sys.exit(0 if results.met else 1)


if __name__ == "__main__":
    main()
