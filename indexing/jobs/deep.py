"""What engines answer, against the texts and the vectors themselves: BM25 by its formula, and all cosines."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.index import Index
from indexing.jobs.check import draw_units
from indexing.lexical.tokens import Stems
from indexing.tables.units import text_digests
from indexing.text import Text
from panelist.corpus.store import CorpusStore

QUERIES, DEPTH, NEAREST = 100, 1_000, 100
LEAST = 0.9
"""What an engine must find at least: sixteen shards that count for themselves find .95, lost rows make it less. Of
vectors it is the share of what the structure found when it was built."""
_BEST, _BATCH = 10, 1_000
_ROWS, _ROUNDING = 16_384, 2e-5


@dataclass(frozen=True)
class LexicalAgreement:
    """How an engine agrees with BM25 over all texts, for titles of the corpus as queries."""

    queries: int
    texts: int  # of the corpus, as the index has them
    found: float  # hits of the engine, of the papers that have a word of the query, down to a depth of 1,000
    best: float  # of the ten papers that are best by the formula, those among the engine's ten
    difference: float  # of its scores from the formula's, relative, in the middle of all hits


@dataclass(frozen=True)
class VectorAgreement:
    """How a vector engine, before its hits are scored again here, agrees with the vectors of the index directory."""

    queries: int  # papers, whose own vectors are asked for
    vectors: int
    found: float  # of the hundred nearest papers, those that the engine finds
    best: float  # the same of the ten nearest


def vector_agreement(index: Index) -> VectorAgreement:
    """Search with the vectors of papers, and compare with all inner products, in one pass over the stored vectors."""
    queries, count = index.vectors[draw_units(index, QUERIES)].astype(np.float32), len(index.vectors)
    if not len(queries):
        return VectorAgreement(0, 0, 1.0, 1.0)
    nearest = np.empty((len(queries), 0), np.float32)
    for start in range(0, count, _ROWS):
        scores = queries @ index.vectors[start : start + _ROWS].astype(np.float32).T
        nearest = np.sort(np.hstack([nearest, scores]), axis=1)[:, -NEAREST:]
    candidates = index.dense().candidates(queries, min(NEAREST, count), None)
    vectors = index.vectors[candidates].astype(np.float32)
    candidate_scores = np.where(candidates >= 0, np.einsum("qd,qcd->qc", queries, vectors), -np.inf)

    def share(depth: int) -> float:
        depth = min(depth, nearest.shape[1])
        hits = (candidate_scores >= nearest[:, -depth, None] - _ROUNDING).sum(axis=1)  # equal ones may change places
        return float(np.minimum(hits, depth).mean() / depth)

    return VectorAgreement(len(queries), count, share(NEAREST), share(_BEST))


def lexical_agreement(index: Index, corpus: CorpusStore) -> LexicalAgreement:
    """Search titles, and compare the hits with idf · tf / (tf + k1 · (1 − b + b · length / mean length)).

    Document frequencies and lengths are counted here, in one pass over the corpus, so that an engine that counts them
    by shard, has lost rows or still counts removed ones differs. Only words of the queries are held in memory. Lucene
    rounds lengths, and so differs by a few percent.
    """
    papers = corpus.papers(index.units.paper_ids(draw_units(index, QUERIES)))
    titles = [paper.title for paper in papers.values() if paper.title]
    stems = Stems()
    title_words = [dict.fromkeys(stems.read(title)) for title in titles]
    columns = {
        word: column for column, word in enumerate(dict.fromkeys(word for words in title_words for word in words))
    }
    units, lengths, counts = _count_words(index, corpus, stems, columns)
    k1, b = index.manifest.lexical.k1, index.manifest.lexical.b
    frequencies = np.bincount(counts.indices, minlength=len(columns))
    idf = np.log(1 + (len(units) - frequencies + 0.5) / (frequencies + 0.5))
    norms = k1 * (1 - b + b * lengths / max(lengths.mean(), 1))
    weights = counts.copy()
    weights.data *= idf[counts.indices] / (counts.data + np.repeat(norms, np.diff(counts.indptr)))
    depth = min(DEPTH, max(int(index.live.sum()), 1))
    hits = index.lexical().search(titles or ["nothing"], depth, allowed=index.live)
    hit_count, expected, shared, best_count, differences = 0, 0, 0, 0, [np.empty(0)]
    for words, row, scores in zip(title_words, hits.units, hits.scores, strict=False):
        exact = np.zeros(len(index.units))
        exact[units] = weights[:, [columns[word] for word in words]].sum(axis=1)
        scored, positive = exact[row[row >= 0]], int((exact > 0).sum())
        best = min(_BEST, positive)
        # Papers with equal scores may change places.
        threshold = np.sort(exact)[-best] * (1 - 1e-6) if best else 0.0
        hit_count, expected = hit_count + len(scored), expected + min(positive, DEPTH)
        shared, best_count = shared + int((scored[:_BEST] >= threshold).sum()), best_count + best
        differences.append(np.abs(scores[: len(scored)][scored > 0] / scored[scored > 0] - 1))
    relative = np.concatenate(differences)
    median = round(float(np.median(relative)), 6) if len(relative) else 0.0
    return LexicalAgreement(len(titles), len(units), hit_count / max(expected, 1), shared / max(best_count, 1), median)


def _count_words(
    index: Index, corpus: CorpusStore, stems: Stems, columns: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.float64], csr_array]:
    """The live units whose text the corpus has, their lengths in words, and how often each has the words asked for."""
    units: list[int] = []
    lengths: list[int] = []
    indices: list[int] = []
    data: list[int] = []
    ends = [0]
    live = np.flatnonzero(index.live)
    for start in range(0, len(live), _BATCH):
        papers = corpus.papers(index.units.paper_ids(live[start : start + _BATCH]))
        texts = [Text.of(paper) for paper in papers.values()]
        for unit, text in zip(index.units.find_same(list(papers), text_digests(texts)).tolist(), texts, strict=True):
            if unit >= 0:  # else the corpus has another text by now
                words = stems.read(text.plain())
                counts = Counter(columns[word] for word in words if word in columns)
                indices += counts
                data += counts.values()
                ends.append(len(indices))
                units.append(unit)
                lengths.append(len(words))
    matrix = csr_array((np.array(data, float), np.array(indices, np.int64), ends), shape=(len(units), len(columns)))
    return np.array(units, np.int64), np.array(lengths, float), matrix
