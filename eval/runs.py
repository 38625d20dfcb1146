"""Runs (what a system answered) and relevance judgements (qrels), as arrays; `eval.trec` reads and writes their files.

As in trec_eval, documents are ordered by descending score, compared in single precision, and equal scores by
*descending* document id. Ties are common here, since co-authors share papers, and their order moves measures by a
fifth; so the order of a system that has one of its own stays, in memory (`Run.of_rankings`) and in files (`write_run`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelist.extras import load_ranx
from panelist.records import Submission


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
        """Make judgements from parallel arrays of ordinals into `queries` and `documents`, in any order."""
        names, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((doc, -relevance, query))
        offsets = _offsets(np.bincount(query, minlength=len(names)))
        return cls(names, documents, offsets, doc[order], relevance[order])

    @classmethod
    def of_ranx(cls, qrels: Any) -> Qrels:
        """The judgements of ranx's `Qrels`."""
        queries, documents, query, doc, relevance = _arrays(qrels.to_dict())
        return cls.of(queries, documents, query, doc, relevance.astype(np.int64))

    def to_ranx(self) -> Any:
        """The same as ranx's `Qrels`."""
        return load_ranx("a conversion to ranx").Qrels(_nested(self, self.relevance))

    def head(self, limit: int) -> Qrels:
        """The first `limit` queries in the order of their ids."""
        return self.only(frozenset(self.queries[:limit]))

    def relevant(self, numbers: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Who is relevant to each query, by the numbers that are given for `documents`."""
        is_relevant = self.relevance > 0
        return {
            query: numbers[self.docs[start:end][is_relevant[start:end]]]
            for query, start, end in zip(self.queries, self.offsets[:-1], self.offsets[1:], strict=True)
        }

    def only(self, queries: Collection[str]) -> Qrels:
        """The judgements of these queries; those that are not judged here are ignored."""
        selected = np.array([query in queries for query in self.queries], dtype=np.bool_)
        sizes = np.diff(self.offsets)
        mask = np.repeat(selected, sizes)
        names = tuple(query for query, chosen in zip(self.queries, selected, strict=True) if chosen)
        return Qrels(names, self.documents, _offsets(sizes[selected]), self.docs[mask], self.relevance[mask])


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
        """Make a run from parallel arrays of ordinals into `queries` and `documents`, in any order."""
        names, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((-doc, -scores.astype(np.float32), query))
        offsets = _offsets(np.bincount(query, minlength=len(names)))
        return cls(names, documents, offsets, doc[order], scores[order].astype(np.float64), tag)

    @classmethod
    def of_rankings(
        cls,
        queries: Sequence[str],  # ids, one per row
        documents: Sequence[str],  # ids that `docs` refers to by ordinal
        docs: NDArray[np.int64],  # (queries, k) ordinals, best first; negative ones are padding
        scores: NDArray[np.floating],  # (queries, k), not rising within a row
        tag: str = "panelist",  # the name of the run
    ) -> Run:
        """Make a run from the answers of a system in its own order, which stays, ties included."""
        order = sorted(range(len(queries)), key=queries.__getitem__)
        names, docs = _sorted_vocabulary(documents, docs[order])
        present = docs >= 0
        ranked = scores[order][present].astype(np.float64)
        return cls(
            tuple(queries[row] for row in order), names, _offsets(present.sum(axis=1)), docs[present], ranked, tag
        )

    @classmethod
    def of_lists(cls, rankings: Mapping[str, Sequence[tuple[str, float]]], tag: str = "panelist") -> Run:
        """Make a run from the (document, score) pairs of each query, best first, in an order that stays.

        Diversity may put a lower score first. Evaluators sort by score, so each score is capped by the one before.
        """
        number: dict[str, int] = {}
        shape = (len(rankings), max(map(len, rankings.values()), default=0))
        docs, scores = np.full(shape, -1, dtype=np.int64), np.zeros(shape)
        for row, ranking in enumerate(rankings.values()):
            docs[row, : len(ranking)] = [number.setdefault(document, len(number)) for document, _ in ranking]
            scores[row, : len(ranking)] = np.minimum.accumulate([score for _, score in ranking])
        return cls.of_rankings(list(rankings), list(number), docs, scores, tag)

    @classmethod
    def of_ranx(cls, run: Any) -> Run:
        """The answers of ranx's `Run`; equal scores are ordered as trec_eval does."""
        return cls.of(*_arrays(run.to_dict()), tag=run.name or "ranx")

    def to_ranx(self) -> Any:
        """The same as ranx's `Run`, whose name is the tag, without queries that have no answer."""
        return load_ranx("a conversion to ranx").Run(_nested(self, self.distinct_scores()), name=self.tag)

    def distinct_scores(self) -> NDArray[np.float64]:
        """The scores such that any tool that orders by them finds the order of the run.

        Of answers with equal scores, those that trec_eval would put in another order get the next lower score that
        single precision knows: no measure can then depend on who reads them.
        """
        lowered = self.scores.copy()
        for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            lowered[start:end] = _distinct(self.docs[start:end], lowered[start:end])
        return lowered

    @property
    def query_of(self) -> NDArray[np.int64]:
        """The ordinal of the query of each answer."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    def select(self, mask: NDArray[np.bool_]) -> Run:
        """The same run with only the answers where `mask` is true."""
        offsets = _offsets(np.bincount(self.query_of[mask], minlength=len(self.queries)))
        return Run(self.queries, self.documents, offsets, self.docs[mask], self.scores[mask], self.tag)

    def without_own_authors(self, queries: Iterable[Submission]) -> Run:
        """The same run without each query's own authors: nobody reviews their own paper."""
        ordinal = {document: i for i, document in enumerate(self.documents)}
        row = {query: i for i, query in enumerate(self.queries)}
        keys = [
            row[query.id] * len(ordinal) + ordinal[author.id]
            for query in queries
            for author in query.authors
            if query.id in row and author.id in ordinal
        ]
        return self.select(~np.isin(self.query_of * len(ordinal) + self.docs, np.array(keys, dtype=np.int64)))


def _sorted_vocabulary(ids: Sequence[str], ordinals: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    order = sorted(range(len(ids)), key=ids.__getitem__)
    position = np.empty(len(ids), dtype=np.int64)
    position[order] = np.arange(len(ids))
    return tuple(ids[i] for i in order), np.where(ordinals < 0, ordinals, position[ordinals])


def _nested(rows: Qrels | Run, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
    """{query: {document: value}}, as ranx has it, without queries that have nothing."""
    names = [rows.documents[doc] for doc in rows.docs.tolist()]
    spans = zip(rows.queries, rows.offsets[:-1].tolist(), rows.offsets[1:].tolist(), strict=True)
    plain = values.tolist()
    return {query: dict(zip(names[a:b], plain[a:b], strict=True)) for query, a, b in spans if b > a}


def _arrays(
    nested: Mapping[str, Mapping[str, float]],
) -> tuple[list[str], list[str], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Queries, documents, and for each pair the ordinals of both, and its value."""
    documents = {document: number for number, document in enumerate(sorted(set().union(*nested.values())))}
    query = np.repeat(np.arange(len(nested)), [*map(len, nested.values())])
    doc = np.array([documents[document] for row in nested.values() for document in row], dtype=np.int64)
    values = np.array([value for row in nested.values() for value in row.values()], dtype=np.float64)
    return [*nested], [*documents], query, doc, values


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


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each group of this size begins, and the end of the last one."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
