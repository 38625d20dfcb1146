"""The systems that exHarmony compares, and a benchmark from end to end: index, ask every method, measure, save runs.

All methods find papers and rank their authors. As in the paper, an author counts by the best of their papers, ties by
the number found (`max`); only `panelist` is the project's own look-up with everything at its defaults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.exharmony.benchmark import ESTABLISHED, ExHarmony, Pool
from eval.benchmarks.exharmony.results import Results, evaluate
from eval.benchmarks.exharmony.static_vectors import EPOCHS, StaticVectors, check_installed
from eval.benchmarks.lookup import answer, open_benchmark, renamed
from eval.runs import Run
from eval.trec import read_run, write_run
from indexing.encoders import DEFAULT_ENCODER
from indexing.hits import pad_rows, top_k
from indexing.text import Text
from panelist.errors import InputError, MissingDependencyError
from panelist.extras import require
from panelist.files import check_directory, replacing
from panelist.progress import Progress, followed
from panelist.records import Paper
from retriever.aggregate import EXPERT, Aggregation, aggregate
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.search import Search, fuse

Answered = list[tuple[str, str, Run | str]]

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
        indexed = (int((ids.find([author.id for author in query.authors]) >= 0).sum()) for query in self._queries)
        self._size = RANKED + max(indexed, default=0)

    def run(self, name: str) -> Run:
        """The answers of a method."""
        method = METHODS[name]
        if method.search is not None:
            lookup = Lookup(self._size, method.search, method.aggregation, conflicts="ignore")
            return answer(self._finder, self._queries, lookup, renamed(self._progress, name), name)
        find = self._nearest if name == "doc2vec" else self._reordered
        ownership, rankings = self._finder.index.ownership, {}
        for query in followed(self._queries, self._progress, name):
            candidates = fuse(None, pad_rows([find(Text.of(query).plain())], DEPTH), Search())
            (ranked,) = aggregate(candidates, ownership, _MAX)
            people = ownership.author_ids.take(ranked.authors[: self._size])
            rankings[query.id] = list(zip(people, ranked.scores[: self._size].tolist(), strict=True))
        return Run.of_lists(rankings, name)

    @cached_property
    def _vectors(self) -> StaticVectors:
        papers = {paper.id: paper for paper in self._collection}
        texts = [Text.of(papers[unit]).plain() for unit in self._finder.index.units.ids.all()]
        epochs = count(1)
        return StaticVectors().fit(texts, lambda: self._progress("training static vectors", next(epochs), EPOCHS))

    def _nearest(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The papers whose Doc2Vec vectors are nearest to that of a text, by cosine."""
        cosines = self._vectors.texts_ @ self._vectors.infer(text)
        scores = np.where(self._finder.index.live, cosines, -np.inf).astype(np.float32)
        best = top_k(scores, DEPTH)
        return best, scores[best]

    def _reordered(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """BM25's best papers in the order of Word Mover's Distance, as the similarity 1 / (1 + distance)."""
        index = self._finder.index
        nearest = index.lexical().search([text], SHORTLIST, allowed=index.live).units[0]
        units = np.sort(nearest[nearest >= 0])  # ties by unit number, as everywhere
        scores = (1 / (1 + self._vectors.distances(text, units))).astype(np.float32)
        order = np.argsort(-scores, kind="stable")
        return units[order], scores[order]


@dataclass(frozen=True, slots=True)
class MethodsPlan:
    """What is compared: methods, each of which must be able to answer (None: all, as far as they are), and runs.

    Without a dense method nothing is encoded. The collection is indexed in `workspace`, by default in the user's cache;
    each run is written to the directory `run_directory`, if any; `queries` asks a random sample.
    """

    methods: Sequence[str] | None = None
    files: Sequence[Path] = ()
    encoder: str = DEFAULT_ENCODER
    engine: str = "lucene"
    workspace: Path | None = None
    run_directory: Path | None = None
    queries: int | None = None
    seed: int = 0

    def names(self) -> list[str]:
        """The methods to ask, each once."""
        for name in self.methods or ():
            if name not in METHODS:
                raise InputError(f"unknown method '{name}': use one of {', '.join(METHODS)}")
            if reason := unable(name, self.engine):
                raise InputError(f"method '{name}' cannot be run: {reason}")
        return list(dict.fromkeys(METHODS if self.methods is None else self.methods))


def compare_methods(benchmark: ExHarmony, plan: MethodsPlan, progress: Progress) -> Results:
    """Ask and measure all methods and runs of a plan; the first of them is what the others are compared with."""
    require("a measure of rankings", "ranx")
    names = plan.names()
    if plan.run_directory is not None:
        check_directory(plan.run_directory)
    collection = benchmark.collection()
    pool = Pool.of_papers(collection)
    queries = {query.id for query in benchmark.queries}  # all queries: a file may answer more than a sample
    if plan.queries is not None:
        benchmark = benchmark.sample(plan.queries, plan.seed)
    # First: an error in them shows at once.
    answers: Answered = [(path.name, path.name, read_run(path, queries, pool.number)) for path in plan.files]
    answered, refused = _ask(benchmark, collection, names, plan, progress) if names else ([], {})
    for name, _, run in answered:
        if isinstance(run, Run) and plan.run_directory is not None:
            with replacing(plan.run_directory / f"{name}.run.gz") as path:
                write_run(run, path)
    return evaluate(benchmark, pool, answered + answers, refused)


def _ask(
    benchmark: ExHarmony, collection: Sequence[Paper], names: Sequence[str], plan: MethodsPlan, progress: Progress
) -> tuple[Answered, dict[str, dict[str, str]]]:
    """The answers of the methods, and which judgements are not to be used for which of them."""
    manifest = benchmark.manifest
    workspace = f"exharmony-{manifest.corpus[:12]}-{manifest.since}-{plan.engine}"
    encoder = plan.encoder if any(METHODS[name].encodes for name in names) else None
    answered: Answered = []
    refused: dict[str, dict[str, str]] = {}
    with open_benchmark(workspace, collection, progress, plan.workspace, engine=plan.engine, encoder=encoder) as finder:
        identity = finder.index.manifest.encoder
        answers = Answers(benchmark, collection, finder, progress)
        for name in names:
            run = unable(name, plan.engine) or answers.run(name)
            answered.append((name, METHODS[name].label.format(encoder=Path(identity.name).name), run))
            if METHODS[name].encodes and manifest.similarity.favours(identity.name, identity.revision):
                reason = f"the same encoder, {manifest.similarity.method}, chose who is right"
                refused[name] = {"simcite": reason, f"simcite{ESTABLISHED}": reason}
    return answered, refused
