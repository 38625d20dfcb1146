"""TREC runs and relevance judgements (qrels), in and out, as arrays.

A run line is `query Q0 document rank score tag`, a qrels line `query 0 document relevance`; plain or `.gz`. As in
trec_eval the rank column is ignored: documents are ordered by descending score, compared in single precision, and
equal scores by *descending* document id. Ties are common here, since co-authors share papers, and their order moves
measures by a fifth; so a system that has an order keeps it, in memory (`Run.of_rankings`) and in files (`write_run`).
Reading is strict: the first thing that is wrong is reported with its line.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.pairs import find_row, read_pairs
from panelist.errors import InputError

RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("query", "0", "document", "relevance")


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Which documents are relevant to which query; `docs[offsets[q]:offsets[q + 1]]` are those judged for query q.

    Queries and documents are in ascending order of id; a query's documents by falling relevance, then by id.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    offsets: NDArray[np.int64]
    docs: NDArray[np.int64]
    relevance: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        queries: Sequence[str],
        documents: Sequence[str],
        query: NDArray[np.int64],
        doc: NDArray[np.int64],
        relevance: NDArray[np.int64],
    ) -> Qrels:
        """From judgements as parallel arrays of ordinals into `queries` and `documents`, in any order."""
        names, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((doc, -relevance, query))
        return cls(names, documents, _offsets(query, len(names)), doc[order], relevance[order])

    def head(self, limit: int) -> Qrels:
        """The first `limit` queries in the order of their ids."""
        end = self.offsets[: limit + 1][-1]
        return Qrels(
            self.queries[:limit], self.documents, self.offsets[: limit + 1], self.docs[:end], self.relevance[:end]
        )

    def only(self, queries: Collection[str]) -> Qrels:
        """The judgements of these queries; those that are not judged here are passed over."""
        wanted = np.array([query in queries for query in self.queries], dtype=np.bool_)
        sizes = np.diff(self.offsets)
        mask = np.repeat(wanted, sizes)
        offsets = np.concatenate(([0], np.cumsum(sizes[wanted]))).astype(np.int64)
        names = tuple(query for query, kept in zip(self.queries, wanted, strict=True) if kept)
        return Qrels(names, self.documents, offsets, self.docs[mask], self.relevance[mask])


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a system answered; `docs[offsets[q]:offsets[q + 1]]` is the ranking of query q, best first.

    Queries and documents are in ascending order of id. The order within a query is the ranking: that of the system, or,
    where there are only scores (`of`, `read_run`), trec_eval's.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    offsets: NDArray[np.int64]
    docs: NDArray[np.int64]
    scores: NDArray[np.float64]
    tag: str = "panelist"

    @classmethod
    def of(
        cls,
        queries: Sequence[str],
        documents: Sequence[str],
        query: NDArray[np.int64],
        doc: NDArray[np.int64],
        scores: NDArray[np.floating],
        tag: str = "panelist",
    ) -> Run:
        """From answers as parallel arrays of ordinals into `queries` and `documents`, in any order."""
        names, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((-doc, -scores.astype(np.float32), query))
        return cls(names, documents, _offsets(query, len(names)), doc[order], scores[order].astype(np.float64), tag)

    @classmethod
    def of_rankings(
        cls,
        queries: Sequence[str],
        documents: Sequence[str],
        docs: NDArray[np.int64],
        scores: NDArray[np.floating],
        tag: str = "panelist",
    ) -> Run:
        """From the answers of a system in its own order, which is kept, ties included.

        Args:
            queries: ids, one a row.
            documents: ids that `docs` counts in.
            docs: (queries, k) ordinals, best first; negative ones are padding.
            scores: (queries, k), not rising within a row.
            tag: the name of the run.
        """
        order = sorted(range(len(queries)), key=queries.__getitem__)
        names, docs = _sorted_vocabulary(documents, docs[order])
        given = docs >= 0
        offsets = np.concatenate(([0], np.cumsum(given.sum(axis=1)))).astype(np.int64)
        kept = scores[order][given].astype(np.float64)
        return cls(tuple(queries[row] for row in order), names, offsets, docs[given], kept, tag)

    @property
    def query_of(self) -> NDArray[np.int64]:
        """The ordinal of the query of each answer."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    def keep(self, mask: NDArray[np.bool_]) -> Run:
        """The same run with only the answers where `mask` holds."""
        offsets = _offsets(self.query_of[mask], len(self.queries))
        return Run(self.queries, self.documents, offsets, self.docs[mask], self.scores[mask], self.tag)

    def without(self, pairs: Iterable[tuple[str, str]]) -> Run:
        """The same run without these (query, document) pairs; those that it does not answer are passed over."""
        ordinal = {document: i for i, document in enumerate(self.documents)}
        row = {query: i for i, query in enumerate(self.queries)}
        keys = [
            row[query] * len(ordinal) + ordinal[document]
            for query, document in pairs
            if query in row and document in ordinal
        ]
        return self.keep(~np.isin(self.query_of * len(ordinal) + self.docs, np.array(keys, dtype=np.int64)))


def read_qrels(path: Path) -> Qrels:
    """Read relevance judgements.

    Raises:
        InputError: the file cannot be read or a line is wrong (columns, relevance, duplicate pair).
    """
    pairs = read_pairs(path, QRELS_COLUMNS, "relevance", whole=True)
    return Qrels.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values.astype(np.int64))


def read_run(path: Path, queries: Collection[str] | None = None, documents: Collection[str] | None = None) -> Run:
    """Read a run; ids outside `queries` or `documents`, where these are given, are errors.

    Raises:
        InputError: the file cannot be read or a line is wrong (columns, score, duplicate pair, unknown id).
    """
    pairs = read_pairs(path, RUN_COLUMNS, "score")
    _refuse_unknown(path, "query", pairs.queries, queries)
    _refuse_unknown(path, "document", pairs.documents, documents)
    _, first = find_row(path, lambda record, _: record == 0)
    return Run.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values, tag=first[5])


def write_run(run: Run, path: Path) -> None:
    """Write a run to a file, gzipped where its name ends in `.gz`; see `run_lines`."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as out:
        out.writelines(run_lines(run))


def run_lines(run: Run) -> Iterator[str]:
    """The lines of a run, such that any tool that orders by score finds its order.

    Of answers with equal scores, those that trec_eval would put in another order get the next lower score that single
    precision knows: no measure can then depend on who reads the file.
    """
    for query, start, end in zip(run.queries, run.offsets[:-1], run.offsets[1:], strict=True):
        docs, scores = run.docs[start:end], _distinct(run.docs[start:end], run.scores[start:end])
        for rank, (doc, score) in enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1):
            yield f"{query} Q0 {run.documents[doc]} {rank} {score!r} {run.tag}\n"


def _distinct(docs: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of one ranking, lowered where equal ones would not be read in its order."""
    single = scores.astype(np.float32)
    if not ((single[1:] >= single[:-1]) & (docs[1:] >= docs[:-1])).any():
        return scores
    lowered = scores.copy()
    for i in range(1, len(docs)):
        most = single[i - 1] if docs[i] < docs[i - 1] else np.nextafter(single[i - 1], np.float32(-np.inf))
        if single[i] > most:
            single[i] = lowered[i] = most
    return lowered


def _refuse_unknown(path: Path, column: str, seen: Collection[str], known: Collection[str] | None) -> None:
    unknown = set() if known is None else set(seen).difference(known)
    if unknown:
        place = RUN_COLUMNS.index(column)
        line, row = find_row(path, lambda _, row: row[place].decode() in unknown)
        raise InputError(
            f"{path}, line {line}: unknown {column} '{row[place]}' ({len(unknown):,} such in the file): "
            f"use the ids of the benchmark"
        )


def _sorted_vocabulary(ids: Sequence[str], ordinals: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    order = sorted(range(len(ids)), key=ids.__getitem__)
    place = np.empty(len(ids), dtype=np.int64)
    place[order] = np.arange(len(ids))
    return tuple(ids[i] for i in order), np.where(ordinals < 0, ordinals, place[ordinals])


def _offsets(sorted_or_not: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.bincount(sorted_or_not, minlength=groups)))).astype(np.int64)
