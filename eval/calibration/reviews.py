"""The table of reviews: who scored which paper how, read from a CSV file and checked once, here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from panelist.corpus.readers.rows import check_header, open_rows
from panelist.corpus.systems.reviews import native_reviews
from panelist.errors import InputError
from panelist.records import Review

_NEEDED = ("paper", "reviewer", "score")


@dataclass(frozen=True, slots=True)
class Grouping:
    """The reviews in groups: `names` in order of first appearance, and for every review the number of its group."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Iterable[str]) -> Grouping:
        """Group reviews by label."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(label, len(numbers)) for label in labels]
        return cls(tuple(numbers), np.array(codes, dtype=np.int64))

    def counts(self) -> NDArray[np.int64]:
        """The number of reviews in each group."""
        return np.bincount(self.codes, minlength=len(self.names))


@dataclass(frozen=True, slots=True)
class ReviewTable:
    """n reviews as columns. `columns` are the further columns of the file, as text."""

    papers: Grouping
    reviewers: Grouping
    scores: NDArray[np.float64]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.scores)

    def grouped_by(self, column: str) -> Grouping:
        """The reviews grouped by a further column."""
        return Grouping.of(self._column(column))

    def numbers_of(self, column: str) -> NDArray[np.float64]:
        """A further column of positive numbers."""
        numbers = []
        for number, text in enumerate(self._column(column), start=1):
            value = _number(text)
            if value is None or value <= 0:
                raise InputError(f"review {number}: column '{column}' must have positive numbers, received '{text}'")
            numbers.append(value)
        return np.array(numbers)

    def take(self, rows: NDArray[np.int64]) -> ReviewTable:
        """Some of the reviews, as a table of their own."""
        papers, reviewers = (
            Grouping.of(grouping.names[code] for code in grouping.codes[rows])
            for grouping in (self.papers, self.reviewers)
        )
        columns = {name: tuple(values[row] for row in rows) for name, values in self.columns.items()}
        return ReviewTable(papers, reviewers, self.scores[rows], columns)

    def _column(self, column: str) -> Sequence[str]:
        if column not in self.columns:
            names = ", ".join(self.columns) or "none"
            raise InputError(f"no column '{column}' in the reviews (further columns: {names})")
        return self.columns[column]


def table_of(reviews: Iterable[Review]) -> ReviewTable:
    """The table of review records."""
    return _table([(f"review {n}", r.paper, r.reviewer, r.score) for n, r in enumerate(reviews, start=1)], {})


def read_reviews(path: Path) -> ReviewTable:
    """Read a CSV file with the columns `paper,reviewer,score` in any order, and any further ones.

    Read as well: semicolons or tabs between the fields, Excel's first line `sep=;`, column names in any case, decimal
    commas beside semicolons, UTF-16 and Windows-1252.

    Raises:
        InputError: the file cannot be read, lacks a column or has a row that cannot be used; the line is named.
    """
    rows = []
    with open_rows(path) as opened:
        filled = ((f"{path}, line {line}", row) for line, row in opened.filled())
        header, records = native_reviews(next(filled, ("", []))[1], filled, scored=True)
        header = [name.lower() if name.lower() in _NEEDED else name for name in map(str.strip, header)]
        if not any(header):
            raise InputError(f"'{path}' is empty: expected a CSV file with the columns {','.join(_NEEDED)}")
        check_header(path, header, {name: (name,) for name in _NEEDED}, ",".join(_NEEDED))
        positions = [header.index(name) for name in _NEEDED]
        extras: dict[str, list[str]] = {name: [] for name in header if name not in _NEEDED}
        for source, fields in records:
            if len(fields) != len(header):
                raise InputError(f"{source}: expected {len(header)} fields as in the header, received {len(fields)}")
            paper, reviewer, text = (fields[position].strip() for position in positions)
            score = _number(text.replace(",", ".") if opened.delimiter == ";" else text)
            if not paper or not reviewer:
                raise InputError(f"{source}: the {'paper' if not paper else 'reviewer'} is empty")
            if score is None:
                raise InputError(f"{source}: the score must be a number, received '{text}'")
            rows.append((source, paper, reviewer, score))
            for name, value in zip(header, fields, strict=True):
                if name in extras:
                    extras[name].append(value.strip())
    if not rows:
        raise InputError(f"'{path}' has no reviews: there is a header and nothing below it")
    return _table(rows, {name: tuple(values) for name, values in extras.items()})


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _table(rows: Sequence[tuple[str, str, str, float]], columns: Mapping[str, tuple[str, ...]]) -> ReviewTable:
    lines: dict[tuple[str, str], str] = {}
    for source, paper, reviewer, score in rows:
        if not math.isfinite(score):
            raise InputError(f"{source}: the score must be a finite number, received {score}")
        line = lines.setdefault((paper, reviewer), source)
        if line is not source:
            problem = f"reviewer '{reviewer}' scored paper '{paper}' already ({line})"
            raise InputError(f"{source}: {problem}: keep one of the two")
    return ReviewTable(
        Grouping.of(paper for _, paper, _, _ in rows),
        Grouping.of(reviewer for _, _, reviewer, _ in rows),
        np.array([score for _, _, _, score in rows], dtype=np.float64),
        columns,
    )


def paper_components(reviews: ReviewTable) -> NDArray[np.int64]:
    """The number of every paper's connected component in the paper–reviewer graph, the largest (by papers) being 0."""
    papers, reviewers = len(reviews.papers.names), len(reviews.reviewers.names)
    edges = (np.ones(len(reviews)), (reviews.papers.codes, papers + reviews.reviewers.codes))
    graph = sparse.csr_array(edges, shape=(papers + reviewers, papers + reviewers))
    count, labels = sparse.csgraph.connected_components(graph, directed=False)
    labels = labels[:papers]
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-np.bincount(labels, minlength=count), kind="stable")] = np.arange(count)
    return rank[labels]
