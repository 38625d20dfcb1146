"""Scores and bids: `paper,reviewer,score` without header, several files with weights."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np

from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.columns import CONFLICT
from panelist.errors import InputError
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.tables import number, read_fields, refuse

_Columns: TypeAlias = "tuple[dict[str, int], dict[str, int], array[int], array[int], array[float]]"
"""The ordinals of papers and of reviewers by id; then paper, reviewer and score of each pair."""


def read_scores(path: Path, words: Mapping[str, float] | None = None) -> ScoreTable:
    """Read a file of scores, or of bids that may be words; a pair that comes twice is refused."""
    used: dict[str, float] = {}
    plain = _read_plain(path) if words is None else None
    papers, reviewers, paper, reviewer, score = plain or _read_checked(path, words, used)
    if not score:
        raise InputError(f"there are no scores in '{path}'")
    rows, columns = np.frombuffer(paper, dtype=np.int64), np.frombuffer(reviewer, dtype=np.int64)
    table = ScoreTable(tuple(papers), tuple(reviewers), rows, columns, np.frombuffer(score, dtype=np.float64), used)
    _, firsts = np.unique(rows * len(reviewers) + columns, return_index=True)
    if len(firsts) < len(rows):
        again = np.delete(np.arange(len(rows)), firsts)[0]
        pair = table.papers[rows[again]], table.reviewers[columns[again]]
        fields = read_fields(path, ("paper", "reviewer", "score"))
        first, second, *_ = (line for line, values in fields if tuple(values[:2]) == pair)
        refuse(path, second, f"the pair {pair[0]}, {pair[1]} is there twice (line {first:,})")
    return table


def _read_checked(path: Path, words: Mapping[str, float] | None, used: dict[str, float]) -> _Columns:
    """Read a file line by line, and refuse the first line that is wrong; words that occur are added to `used`."""
    papers, reviewers, paper, reviewer, score = columns = _no_columns()
    what = "score" if words is None else "bid"
    for line, (paper_id, reviewer_id, text) in read_fields(path, ("paper", "reviewer", what)):
        word = text.lower()
        if words is not None and word == CONFLICT:
            continue  # no bid, but a conflict: see `conflicts_among_bids`
        if words is not None and word in words:
            value = used[word] = words[word]
        elif words is not None and word.strip("+-.0123456789e"):
            refuse(path, line, f"bid '{text}' is neither a number nor one of {', '.join(words)}")
        else:
            value = number(path, line, text, what)
        paper.append(papers.setdefault(paper_id, len(papers)))
        reviewer.append(reviewers.setdefault(reviewer_id, len(reviewers)))
        score.append(value)
    return columns


def _read_plain(path: Path) -> _Columns | None:
    """Read a file of scores in which nothing is unusual, several times as fast; None if something is."""
    papers, reviewers, paper, reviewer, score = columns = _no_columns()
    with suppress(ValueError), open_rows(path) as rows:
        for paper_id, reviewer_id, text in rows:
            value = float(text)
            if paper_id not in papers:
                if not paper_id or paper_id != paper_id.strip():
                    return None
                papers[paper_id] = len(papers)
            if reviewer_id not in reviewers:
                if not reviewer_id or reviewer_id != reviewer_id.strip():
                    return None
                reviewers[reviewer_id] = len(reviewers)
            paper.append(papers[paper_id])
            reviewer.append(reviewers[reviewer_id])
            score.append(value)
        if np.isfinite(np.array(score)).all():
            return columns
    return None


def _no_columns() -> _Columns:
    return {}, {}, array("q"), array("q"), array("d")


def conflicts_among_bids(path: Path) -> list[tuple[str, str]]:
    """The pairs of which reviewers stated a conflict where they bid."""
    rows = read_fields(path, ("paper", "reviewer", "bid"))
    return [(paper, who) for _, (paper, who, text) in rows if text.lower() == CONFLICT]
