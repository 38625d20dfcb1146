"""Scores and bids: `paper,reviewer,score` without header, several files with weights."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.columns import CONFLICT
from panelist.errors import InputError
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.lines import number, read_fields, refuse

_Columns: TypeAlias = "tuple[dict[str, int], dict[str, int], array[int], array[int], array[float]]"
"""The ordinals of papers and of reviewers by id; then paper, reviewer and score of each pair."""


def read_scores(path: Path, words: Mapping[str, float] | None = None) -> ScoreTable:
    """Read a file of scores, or of bids that may be words.

    Raises:
        InputError: a line is not as it should be, or a pair comes twice.
    """
    used: dict[str, float] = {}
    found = _read_plain(path) if words is None else None
    papers, reviewers, paper, reviewer, score = found or _read_checked(path, words, used)
    if not score:
        raise InputError(f"there are no scores in '{path}'")
    rows, columns = np.frombuffer(paper, dtype=np.int64), np.frombuffer(reviewer, dtype=np.int64)
    _check_pairs(path, rows, columns, tuple(papers), tuple(reviewers))
    values = np.frombuffer(score, dtype=np.float64)
    return ScoreTable(tuple(papers), tuple(reviewers), rows, columns, values, used)


def _read_checked(path: Path, words: Mapping[str, float] | None, used: dict[str, float]) -> _Columns:
    """Read a file line by line, and refuse the first line that is wrong; words that occur are added to `used`."""
    papers, reviewers, paper, reviewer, score = columns = _no_columns()
    what = "score" if words is None else "bid"
    for line, (one, other, text) in read_fields(path, ("paper", "reviewer", what)):
        word = text.lower()
        if words is not None and word == CONFLICT:
            continue  # no bid, but a conflict: see `conflicts_among_bids`
        if words is not None and word in words:
            value = used[word] = words[word]
        elif words is not None and word.strip("+-.0123456789e"):
            refuse(path, line, f"bid '{text}' is neither a number nor one of {', '.join(words)}")
        else:
            value = number(path, line, text, what)
        paper.append(papers.setdefault(one, len(papers)))
        reviewer.append(reviewers.setdefault(other, len(reviewers)))
        score.append(value)
    return columns


def _read_plain(path: Path) -> _Columns | None:
    """Read a file of scores in which nothing is unusual, several times as fast; None if something is."""
    papers, reviewers, paper, reviewer, score = columns = _no_columns()
    with suppress(ValueError), open_rows(path) as rows:
        for one, other, text in rows:
            value = float(text)
            if one not in papers:
                if not one or one != one.strip():
                    return None
                papers[one] = len(papers)
            if other not in reviewers:
                if not other or other != other.strip():
                    return None
                reviewers[other] = len(reviewers)
            paper.append(papers[one])
            reviewer.append(reviewers[other])
            score.append(value)
        if np.isfinite(np.array(score)).all():
            return columns
    return None


def _no_columns() -> _Columns:
    return {}, {}, array("q"), array("q"), array("d")


def _check_pairs(
    path: Path, paper: NDArray[np.int64], reviewer: NDArray[np.int64], papers: Sequence[str], reviewers: Sequence[str]
) -> None:
    """Refuse a pair that comes twice, with the lines of both."""
    keys = paper * len(reviewers) + reviewer
    if len(np.unique(keys)) == len(keys):
        return
    _, firsts = np.unique(keys, return_index=True)
    again = np.delete(np.arange(len(keys)), firsts)[0]
    pair = papers[paper[again]], reviewers[reviewer[again]]
    lines = [line for line, fields in read_fields(path, ("paper", "reviewer", "score")) if tuple(fields[:2]) == pair]
    refuse(path, lines[1], f"the pair {pair[0]}, {pair[1]} is there twice (line {lines[0]:,})")


def conflicts_among_bids(path: Path) -> list[tuple[str, str]]:
    """The pairs of which reviewers stated a conflict where they bid."""
    rows = read_fields(path, ("paper", "reviewer", "bid"))
    return [(paper, who) for _, (paper, who, text) in rows if text.lower() == CONFLICT]
