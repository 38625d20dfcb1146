"""Look-up as a system under test: an index for a benchmark's collection, a run of all its queries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.measures.ranking import measure, parse_measures
from eval.measures.statistics import Ratio
from eval.runs import Qrels, Run
from indexing.encoders import DEFAULT_ENCODER
from indexing.encoders.cache import CachedEncoder
from indexing.index import Index
from indexing.jobs.build import IndexJobs
from indexing.jobs.generations import current_generation
from indexing.jobs.manifest import Manifest
from indexing.text import Text
from panelist.config import cache_dir
from panelist.progress import Progress
from panelist.records import Paper, Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.stages import Shortlist


class _NoEncoder:
    """Takes the role of an encoder in an index for lexical search alone: every text gets the same number."""

    name = "(none)"
    revision = ""
    dimension = 1

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        if progress is not None:
            progress(len(texts))
        return np.ones((len(texts), self.dimension), dtype=np.float32)


def prepare(
    workspace: Workspace,
    papers: Sequence[Paper],
    progress: Progress,
    *,
    engine: str = "lucene",
    encoder: str | None = DEFAULT_ENCODER,
) -> None:
    """Bring a benchmark's workspace to exactly these papers, indexed in this way; nothing is done twice.

    Without an encoder no vectors are needed: an index with any vectors is accepted, and nothing is encoded.
    """
    with workspace.open_corpus(create=True) as corpus:
        ids = {paper.id for paper in papers}
        corpus.delete([paper.id for paper in corpus.iter_papers() if paper.id not in ids])
        corpus.upsert(papers)
        generation = current_generation(workspace.index_path)
        if generation is not None:
            manifest = Manifest.open(generation)
            current = (manifest.corpus, manifest.lexical.engine) == (corpus.fingerprint(), engine)
            if current and encoder in (None, manifest.encoder.name):
                return
        if encoder is None:
            jobs = IndexJobs(workspace.index_path, lambda _: _NoEncoder(), progress=progress)
            jobs.build(corpus, encoder=_NoEncoder.name, engine=engine, dense="flat")
        else:
            IndexJobs(workspace.index_path, progress=progress).build(corpus, encoder=encoder, engine=engine)


@contextmanager
def open_benchmark(
    name: str,  # of the default workspace
    papers: Sequence[Paper],
    progress: Progress,
    workspace: Path | None = None,
    opening: Mapping[str, Any] | None = None,  # how the finder is opened
    **indexing: Any,  # see `prepare`
) -> Iterator[Finder]:
    """A finder in a benchmark's collection, which is indexed where it is not yet, by default in the user's cache."""
    indexed = Workspace((workspace or cache_dir() / "benchmarks" / name).absolute())
    prepare(indexed, papers, progress, **indexing)
    with Finder.open(indexed, **opening or {}) as finder:
        yield finder


def encode_queries(finder: Finder, submissions: Sequence[Submission], lookup: Lookup) -> NDArray[np.float32] | None:
    """The vectors of all submissions, where the look-up needs any."""
    if lookup.search.mode == "lexical":
        return None
    # With the cache: a benchmark sends the same queries again and again.
    return CachedEncoder(finder.index.encoder()).encode([Text.of(submission) for submission in submissions])


def renamed(progress: Progress, stage: str) -> Progress:
    """Progress that calls every stage by this name."""
    return lambda _, done, total: progress(stage, done, total)


def room_for_own(queries: Sequence[Submission]) -> int:
    """How much longer rankings must be because a query's own authors are removed afterwards."""
    return max(len(query.authors) for query in queries)


def outsiders(
    finder: Finder,
    queries: Sequence[Submission],
    lookup: Lookup,
    stage: str,
    progress: Progress,
    *,
    own_authors: bool = False,
) -> Iterator[Shortlist]:
    """The shortlist of every query, without its own authors unless these are the answer."""
    ids, vectors = finder.index.ownership.author_ids, encode_queries(finder, queries, lookup)
    for done, shortlist in enumerate(finder.shortlists(queries, lookup, vectors=vectors), 1):
        left_out = [] if own_authors else [author.id for author in shortlist.submission.authors]
        kept = ~np.isin(shortlist.ranked.authors[shortlist.rows], ids.find(left_out))
        yield replace(shortlist, rows=shortlist.rows[kept])
        progress(stage, done, len(queries))


def means(qrels: Qrels, run: Run, measures: Sequence[str]) -> dict[str, Ratio]:
    """Each measure as a mean over the judged queries, by name."""
    values = measure(qrels, run, parse_measures(",".join(measures)))
    return {str(name): Ratio.mean(by_query) for name, by_query in values.items()}


def answer(
    finder: Finder, submissions: Sequence[Submission], lookup: Lookup, progress: Progress, tag: str = "panelist"
) -> Run:
    """The rankings of all submissions as a run, in the finder's own order of ties."""
    vectors = encode_queries(finder, submissions, lookup)
    rankings = {}
    for query, ranking in zip(submissions, finder.rank(submissions, lookup, vectors=vectors), strict=True):
        rankings[query.id] = ranking
        progress("queries", len(rankings), len(submissions))
    return Run.of_lists(rankings, tag)


def run_of(index: Index, orders: Mapping[str, NDArray[np.integer]], tag: str) -> Run:
    """The author numbers of each query, best first, as a run; the order counts, whatever the scores were."""
    return Run.of_orders({query: index.ownership.author_ids.take(people) for query, people in orders.items()}, tag)


def orders_of(index: Index, run: Run) -> dict[str, NDArray[np.int64]]:
    """The author numbers of each query of a run, best first."""
    numbers = index.ownership.author_ids.find(list(run.documents))
    return {query: numbers[run.docs[span]] for query, span in run.spans()}
