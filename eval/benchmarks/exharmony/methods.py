"""The systems that exHarmony compares, each answering all queries of a benchmark with a run.

All of them find papers and rank their authors. As in the paper, an author counts by the best of their papers, ties by
the number found (`max`); only `panelist` is the project's own look-up with everything at its defaults.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from eval.benchmarks.exharmony.benchmark import ExHarmony
from eval.benchmarks.exharmony.static_vectors import EPOCHS, StaticVectors, check_installed
from eval.benchmarks.lookup import answer, renamed
from eval.runs import Run
from indexing.hits import Hits, pad, top_k
from indexing.text import Text
from panelist.errors import InputError, MissingDependencyError
from panelist.progress import Progress
from panelist.records import Paper, Submission
from retriever.aggregate import EXPERT, Aggregation, aggregate
from retriever.finder import BATCH, Finder
from retriever.lookup import Lookup
from retriever.search import Search, fuse

DEPTH = 1000
"""Papers that a method finds for a query."""
SHORTLIST = 100
"""Papers of BM25's ranking that Word Mover's Distance puts in another order: it is too slow to search by."""
RANKED = 100
"""Authors that are measured."""

_MAX = Aggregation.named("max")


@dataclass(frozen=True, slots=True)
class RankingMethod:
    """A system that finds papers and ranks their authors."""

    label: str  # the name in tables; `{encoder}` is replaced by the encoder of the index
    search: Search | None = None  # how a look-up finds papers; None for static vectors
    aggregation: Aggregation = _MAX

    @property
    def encodes(self) -> bool:
        """Whether it uses the encoder."""
        return self.search is not None and self.search.mode != "lexical"


METHODS: Mapping[str, RankingMethod] = {
    "bm25": RankingMethod("BM25", Search("lexical", DEPTH)),
    "bm25+rm3": RankingMethod("BM25+RM3", Search("lexical", DEPTH, expand=True)),
    "doc2vec": RankingMethod("Doc2Vec"),
    "wmd": RankingMethod(f"WMD (of BM25's best {SHORTLIST})"),
    "dense": RankingMethod("dense ({encoder})", Search("dense", DEPTH)),
    "hybrid": RankingMethod("hybrid, max", Search(depth=DEPTH)),
    "panelist": RankingMethod("Panelist's look-up", Search(depth=DEPTH), EXPERT),
}


def method(name: str) -> RankingMethod:
    """The method of this name.

    Raises:
        InputError: there is none.
    """
    if name not in METHODS:
        raise InputError(f"unknown method '{name}': use one of {', '.join(METHODS)}")
    return METHODS[name]


def unable(name: str, engine: str) -> str | None:
    """Why a method cannot answer with this lexical engine and what is installed, if so."""
    if name == "bm25+rm3" and engine != "lucene":
        return f"the engine {engine} cannot expand queries (RM3): use the engine lucene"
    if name in ("doc2vec", "wmd"):
        try:
            check_installed()
        except MissingDependencyError as error:
            return str(error)
    return None


class Answers:
    """Runs of a benchmark's queries over an index of its collection; static vectors are trained once, when needed."""

    def __init__(self, benchmark: ExHarmony, collection: Sequence[Paper], finder: Finder, progress: Progress) -> None:
        self._queries, self._collection, self._finder, self._progress = benchmark.queries, collection, finder, progress
        # Own authors are removed from the rankings afterwards: leave room for them.
        ids = finder.index.ownership.author_ids
        own = (int((ids.find([author.id for author in query.authors]) >= 0).sum()) for query in self._queries)
        self._size = RANKED + max(own, default=0)

    def run(self, name: str) -> Run:
        """The answers of a method."""
        one = method(name)
        if one.search is None:
            return self._rank(self._nearest() if name == "doc2vec" else self._reordered(), name)
        lookup = Lookup(self._size, one.search, one.aggregation, conflicts="ignore")
        return answer(self._finder, self._queries, lookup, renamed(self._progress, name), name)

    @cached_property
    def _vectors(self) -> StaticVectors:
        papers = {paper.id: paper for paper in self._collection}
        texts = [Text.of(papers[unit]).plain() for unit in self._finder.index.units.ids.all()]
        epochs = count(1)
        return StaticVectors().fit(texts, lambda: self._progress("training static vectors", next(epochs), EPOCHS))

    def _nearest(self) -> Hits:
        """The papers whose Doc2Vec vectors are nearest to the query's, by cosine."""
        vectors, live = self._vectors, self._finder.index.live
        rows = []
        for query in self._followed("doc2vec"):
            scores = np.where(live, vectors.texts_ @ vectors.infer(Text.of(query).plain()), -np.inf).astype(np.float32)
            best = top_k(scores, DEPTH)
            rows.append((best, scores[best]))
        return pad(rows, DEPTH)

    def _reordered(self) -> Hits:
        """BM25's best papers in the order of Word Mover's Distance, as the similarity 1 / (1 + distance)."""
        index, rows = self._finder.index, []
        for query in self._followed("wmd"):
            text = Text.of(query).plain()
            nearest = index.lexical().search([text], SHORTLIST, allowed=index.live).units[0]
            units = np.sort(nearest[nearest >= 0])  # ties by unit number, as everywhere
            scores = (1 / (1 + self._vectors.distances(text, units))).astype(np.float32)
            order = np.argsort(-scores, kind="stable")
            rows.append((units[order], scores[order]))
        return pad(rows, SHORTLIST)

    def _rank(self, hits: Hits, tag: str) -> Run:
        """The authors of papers that were found, by the best of each."""
        ownership = self._finder.index.ownership
        rankings = {}
        for first in range(0, len(self._queries), BATCH):
            batch = slice(first, first + BATCH)
            found = aggregate(fuse(None, Hits(hits.units[batch], hits.scores[batch]), Search()), ownership, _MAX)
            for query, ranked in zip(self._queries[batch], found, strict=True):
                names = ownership.author_ids.take(ranked.authors[: self._size])
                rankings[query.id] = list(zip(names, ranked.scores[: self._size].tolist(), strict=True))
        return Run.of_lists(rankings, tag)

    def _followed(self, name: str) -> Iterator[Submission]:
        for done, query in enumerate(self._queries, 1):
            yield query
            self._progress(name, done, len(self._queries))
