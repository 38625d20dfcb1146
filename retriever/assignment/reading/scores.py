"""Scores and bids: `paper,reviewer,score` without header, several files with weights."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from panelist.corpus.systems.columns import CONFLICT
from panelist.errors import InputError
from retriever.assignment.building.records import ScoreTable
from retriever.assignment.reading.tables import number, read_fields, refuse


def read_scores(path: Path, words: Mapping[str, float] | None = None) -> ScoreTable:
    """Read a file of scores, or of bids that may be words; a pair that comes twice is refused."""
    papers, reviewers, used = dict[str, int](), dict[str, int](), dict[str, float]()
    paper, reviewer, score = array("q"), array("q"), array("d")
    kind = "score" if words is None else "bid"
    for line, (paper_id, reviewer_id, text) in read_fields(path, ("paper", "reviewer", kind)):
        word = text.lower()
        if words is not None and word == CONFLICT:
            continue  # no bid, but a conflict: see `conflicts_among_bids`
        if words is not None and word in words:
            value = used[word] = words[word]
        elif words is not None and word.strip("+-.0123456789e"):
            refuse(path, line, f"bid '{text}' is neither a number nor one of {', '.join(words)}")
        else:
            value = number(path, line, text, kind)
        paper.append(papers.setdefault(paper_id, len(papers)))
        reviewer.append(reviewers.setdefault(reviewer_id, len(reviewers)))
        score.append(value)
    if not score:
        raise InputError(f"there are no scores in '{path}'")
    rows, columns = np.frombuffer(paper, dtype=np.int64), np.frombuffer(reviewer, dtype=np.int64)
    table = ScoreTable(tuple(papers), tuple(reviewers), rows, columns, np.frombuffer(score, dtype=np.float64), used)
    _, firsts = np.unique(rows * len(reviewers) + columns, return_index=True)
    if len(firsts) < len(rows):
        repeated = np.delete(np.arange(len(rows)), firsts)[0]
        pair = table.papers[rows[repeated]], table.reviewers[columns[repeated]]
        fields = read_fields(path, ("paper", "reviewer", "score"))
        first, second, *_ = (line for line, values in fields if tuple(values[:2]) == pair)
        refuse(path, second, f"the pair {pair[0]}, {pair[1]} is there twice (line {first:,})")
    return table


def conflicts_among_bids(path: Path) -> list[tuple[str, str]]:
    """The pairs of which reviewers stated a conflict where they bid."""
    rows = read_fields(path, ("paper", "reviewer", "bid"))
    return [(paper, reviewer) for _, (paper, reviewer, text) in rows if text.lower() == CONFLICT]
