"""Are suggestions of a higher grade of confidence more often right?

For each grade, which share of the first ten suggestions with that grade is right. Judgements name few of the people who
would have been right, so that shares are small and say nothing alone: what counts is whether they rise with the grade.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.lookup import outsiders, room_for_own
from eval.measures.statistics import Figure, Ratio, resampling_counts
from eval.reports.figures import draw_intervals
from eval.reports.page import Prose, Section
from eval.runs import Qrels
from panelist.progress import Progress, silent
from panelist.records import Confidence, Submission
from retriever.confidence import confidence, near_papers
from retriever.finder import Finder
from retriever.lookup import Lookup

DEPTH = 10
"""How many suggestions of a query count."""

_READING = (
    "Every suggestion has a grade: how many papers of the person are among the nearest to the submission. Each dot "
    "is the share of suggestions of one grade, among the first ten, who are {right}; the bar is a 95% interval. "
    "The shares are small, because few of those who could have been asked were. What counts is whether they rise with "
    "the grade."
)


def shares_right(near: Sequence[NDArray[np.integer]], right: Sequence[NDArray[np.bool_]]) -> dict[Confidence, Ratio]:
    """The share of suggestions of each grade that are right; a grade that nobody has is left out.

    `near` has for each query the near papers of those who are suggested, and `right` whether they are right.
    """
    graded = {grade: np.zeros((2, len(near))) for grade in Confidence}  # right, suggested
    for number, (counts, hits) in enumerate(zip(near, right, strict=True)):
        for count, hit in zip(counts.tolist(), hits.tolist(), strict=True):
            graded[confidence(count)][:, number] += hit, 1
    return {grade: Ratio(of[:1], of[1:]) for grade, of in graded.items() if of[1].any()}


def of_look_ups(
    finder: Finder,
    queries: Sequence[Submission],
    qrels: Qrels,
    lookup: Lookup,
    progress: Progress = silent,
    *,
    own_authors: bool = False,
) -> dict[Confidence, Figure]:
    """The share of a look-up's suggestions of each grade that are right.

    `own_authors` says whether a query's own authors are suggested: only where they are the answer.
    """
    index = finder.index
    right = qrels.relevant(index.ownership.author_ids.find(list(qrels.documents)))
    deep = replace(lookup, size=DEPTH + room_for_own(queries))
    near, hits = [], []
    for shortlist in outsiders(finder, queries, deep, "grades", progress, own_authors=own_authors):
        ranked, rows = shortlist.ranked, shortlist.rows[:DEPTH]
        near.append(near_papers(ranked, rows, len(index.units)))
        hits.append(np.isin(ranked.authors[rows], right.get(shortlist.submission.id, [])))
    counts = resampling_counts(len(queries))
    return {grade: share.figure(counts) for grade, share in shares_right(near, hits).items()}


def reliability_section(shares: Mapping[Confidence, Figure], right: str) -> Section:
    """The shares as a picture; `right` says in words who is right."""
    rows = {f"{grade} confidence": figure for grade, figure in shares.items()}
    picture = draw_intervals("confidence", {"share of suggestions": rows}, "Right suggestions, by grade of confidence.")
    return Section("How sure a suggestion is", (picture, Prose(_READING.format(right=right))))
