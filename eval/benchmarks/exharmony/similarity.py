"""Which of the papers that a query cites are most similar to it: exHarmony-SimCite, by BM25 or by vectors.

The paper took SPECTER, which it then evaluated as well. A method must not judge itself, so the choice is BM25's unless
an encoder is named; the benchmark remembers which one, and refuses to measure that encoder by it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from eval.benchmarks.exharmony.benchmark import Similarity
from indexing.encoders import EncoderFactory, load_encoder
from indexing.encoders.cache import CachedEncoder
from indexing.lexical import open_lexical, write_lexical
from indexing.text import Text
from panelist.corpus.documents import batches
from panelist.corpus.store import CorpusStore
from panelist.records import Paper

_BATCH = 4096  # papers written at a time


def most_similar(
    corpus: CorpusStore,
    collection: Sequence[str],
    queries: Mapping[str, Paper],
    cited: Mapping[str, Sequence[str]],
    similar: int,
    method: str,
    load: EncoderFactory = load_encoder,
) -> tuple[dict[str, tuple[str, ...]], Similarity]:
    """For each query the `similar` most similar of the papers that it cites; ties by id.

    Args:
        corpus: where the papers are.
        collection: the ids of the collection, ascending: BM25 counts its words.
        queries: the query papers by id.
        cited: what each of them cites in the collection.
        similar: how many are chosen; of a query that cites no more, all are.
        method: `bm25`, or the name of an encoder.
        load: how encoders are loaded.
    """
    contested = {query: sorted(papers) for query, papers in cited.items() if len(papers) > similar}
    chosen = {query: tuple(sorted(papers)) for query, papers in cited.items() if len(papers) <= similar}
    if method == "bm25":
        similarity = Similarity()
        ranked = _by_words(corpus, collection, queries, contested) if contested else {}
    else:
        encoder = CachedEncoder(load(method))
        similarity = Similarity(method, encoder.revision)
        ranked = _by_vectors(corpus, queries, contested, encoder)
    chosen |= {query: tuple(papers[:similar]) for query, papers in ranked.items()}
    return chosen, similarity


def _by_words(
    corpus: CorpusStore, collection: Sequence[str], queries: Mapping[str, Paper], cited: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    number = {paper: unit for unit, paper in enumerate(collection)}
    ranked = {}
    with tempfile.TemporaryDirectory() as folder:
        with write_lexical(Path(folder), "bm25s") as writer:
            for some in batches(collection, _BATCH):
                papers = corpus.papers(some)
                writer.add([number[one] for one in some], [Text.of(papers[one]).plain() for one in some])
        with open_lexical(Path(folder), "bm25s") as index:
            for query, candidates in cited.items():
                mask = np.zeros(len(collection), dtype=np.bool_)
                mask[[number[one] for one in candidates]] = True
                units = index.search([Text.of(queries[query]).plain()], len(candidates), allowed=mask).units[0]
                hits = [collection[unit] for unit in units.tolist() if unit >= 0]
                # A paper that shares no word with the query is not a hit, but still a citation.
                ranked[query] = [*hits, *sorted(set(candidates).difference(hits))]
    return ranked


def _by_vectors(
    corpus: CorpusStore, queries: Mapping[str, Paper], cited: Mapping[str, list[str]], encoder: CachedEncoder
) -> dict[str, list[str]]:
    ranked = {}
    for query, candidates in cited.items():
        papers = corpus.papers(candidates)
        vectors = encoder.encode([Text.of(queries[query]), *(Text.of(papers[one]) for one in candidates)])
        order = np.argsort(-(vectors[1:] @ vectors[0]), kind="stable")
        ranked[query] = [candidates[row] for row in order.tolist()]
    return ranked
