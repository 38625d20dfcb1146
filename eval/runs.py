"""Runs (what a system answered) and relevance judgements (qrels), as arrays; `eval.trec` reads and writes their files.

As in trec_eval, documents are ordered by descending score, compared in single precision, and equal scores by
*descending* document id. Ties are common here, since co-authors share papers, and their order moves measures by a
fifth; so the order of a system that has one of its own stays, in memory (`Run.of_lists`) and in files (`write_run`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panelist.extras import load_ranx
from panelist.records import Submission


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Documents of queries: `docs[offsets[q]:offsets[q + 1]]` are those of query q; ids are in ascending order."""

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    offsets: NDArray[np.int64]
    docs: NDArray[np.int64]

    def spans(self) -> Iterator[tuple[str, slice]]:
        """Every query, and where its documents are."""
        for query, start, end in zip(self.queries, self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield query, slice(start, end)

    @property
    def query_rows(self) -> NDArray[np.int64]:
        """The ordinal of the query of each of `docs`."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    def _nested(self, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
        """{query: {document: value}}, as ranx has it, without queries that have nothing."""
        names = [self.documents[doc] for doc in self.docs.tolist()]
        lists = {query: dict(zip(names[span], values[span].tolist(), strict=True)) for query, span in self.spans()}
        return {query: documents for query, documents in lists.items() if documents}


@dataclass(frozen=True, slots=True, eq=False)
class Qrels(_Lists):
    """Which documents are relevant to which query; a query's documents by falling relevance, then by id."""

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
        queries, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((doc, -relevance, query))
        return cls(
            queries, documents, _offsets(np.bincount(query, minlength=len(queries))), doc[order], relevance[order]
        )

    @classmethod
    def of_ranx(cls, qrels: Any) -> Qrels:
        """The judgements of ranx's `Qrels`."""
        queries, documents, query, doc, relevance = _arrays(qrels.to_dict())
        return cls.of(queries, documents, query, doc, relevance.astype(np.int64))

    def to_ranx(self) -> Any:
        """The same as ranx's `Qrels`."""
        return load_ranx("a conversion to ranx").Qrels(self._nested(self.relevance))

    def head(self, limit: int) -> Qrels:
        """The first `limit` queries in the order of their ids."""
        return self.only(frozenset(self.queries[:limit]))

    def relevant(self, numbers: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Who is relevant to each query, by the numbers that are given for `documents`."""
        return {query: numbers[self.docs[span][self.relevance[span] > 0]] for query, span in self.spans()}

    def only(self, queries: Collection[str]) -> Qrels:
        """The judgements of these queries; those that are not judged here are ignored."""
        selected = np.array([query in queries for query in self.queries], dtype=np.bool_)
        sizes = np.diff(self.offsets)
        mask = np.repeat(selected, sizes)
        names = tuple(query for query in self.queries if query in queries)
        return Qrels(names, self.documents, _offsets(sizes[selected]), self.docs[mask], self.relevance[mask])


@dataclass(frozen=True, slots=True, eq=False)
class Run(_Lists):
    """What a system answered, best first: in its own order or, where there are only scores, in that of trec_eval."""

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
        queries, query = _sorted_vocabulary(queries, query)
        documents, doc = _sorted_vocabulary(documents, doc)
        order = np.lexsort((-doc, -scores.astype(np.float32), query))
        offsets = _offsets(np.bincount(query, minlength=len(queries)))
        return cls(queries, documents, offsets, doc[order], scores[order].astype(np.float64), tag)

    @classmethod
    def of_lists(cls, rankings: Mapping[str, Sequence[tuple[str, float]]], tag: str = "panelist") -> Run:
        """Make a run from the (document, score) pairs of each query, best first, in an order that stays, ties included.

        Diversity may put a lower score first. Evaluators sort by score, so each score is capped by the one before.
        """
        ordered = dict(sorted(rankings.items()))
        documents = sorted({document for ranking in ordered.values() for document, _ in ranking})
        number = {document: row for row, document in enumerate(documents)}
        docs = [number[document] for ranking in ordered.values() for document, _ in ranking]
        capped = [
            np.minimum.accumulate([score for _, score in ranking], dtype=np.float64) for ranking in ordered.values()
        ]
        offsets = _offsets(np.array([*map(len, capped)], dtype=np.int64))
        scores = np.concatenate([np.zeros(0), *capped])
        return cls(tuple(ordered), tuple(documents), offsets, np.array(docs, dtype=np.int64), scores, tag)

    @classmethod
    def of_orders(cls, orders: Mapping[str, Sequence[str]], tag: str = "panelist") -> Run:
        """Make a run from the documents of each query, best first, whatever their scores were."""
        return cls.of_lists(
            {query: [*zip(ids, range(0, -len(ids), -1), strict=True)] for query, ids in orders.items()}, tag
        )

    @classmethod
    def of_ranx(cls, run: Any) -> Run:
        """The answers of ranx's `Run`; equal scores are ordered as trec_eval does."""
        return cls.of(*_arrays(run.to_dict()), tag=run.name or "ranx")

    def to_ranx(self) -> Any:
        """The same as ranx's `Run`, whose name is the tag, without queries that have no answer."""
        return load_ranx("a conversion to ranx").Run(self._nested(self.distinct_scores()), name=self.tag)

    def distinct_scores(self) -> NDArray[np.float64]:
        """The scores such that any tool that orders by them finds the order of the run.

        Of answers with equal scores, those that trec_eval would put in another order get the next lower score that
        single precision knows: no measure can then depend on who reads them.
        """
        lowered = self.scores.copy()
        for _, span in self.spans():
            lowered[span] = _distinct(self.docs[span], lowered[span])
        return lowered

    def select(self, mask: NDArray[np.bool_]) -> Run:
        """The same run with only the answers where `mask` is true."""
        offsets = _offsets(np.bincount(self.query_rows[mask], minlength=len(self.queries)))
        return replace(self, offsets=offsets, docs=self.docs[mask], scores=self.scores[mask])

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
        return self.select(~np.isin(self.query_rows * len(ordinal) + self.docs, np.array(keys, dtype=np.int64)))


def _sorted_vocabulary(ids: Sequence[str], ordinals: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    order = sorted(range(len(ids)), key=ids.__getitem__)
    position = np.empty(len(ids), dtype=np.int64)
    position[order] = np.arange(len(ids))
    return tuple(ids[i] for i in order), position[ordinals]


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
