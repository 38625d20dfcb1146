"""A report on rankings of reviewers: how good they are, and how far down the list one has to read."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eval.measures.ranking import Measure, measure
from eval.measures.statistics import Ratio, interval, resampling_counts
from eval.reports.figures import PlotLine, draw_intervals, draw_lines
from eval.reports.page import Prose, Report, Section
from eval.reports.table import Table
from eval.runs import Qrels, Run

_DRAWN = 3  # measures that fit side by side
_DEPTHS = tuple(range(1, 101))
READ_MEASURES = (
    "Recall@k is the share of {right} who are among the first k of the list. nDCG@k also rewards a high rank: the "
    "first rank counts most. MAP and MRR reward an early first find. All go from 0 to 1, and higher is better. The bar "
    "is a 95% interval: with other papers of the same kind the figure could have been anywhere along it, so do not "
    "choose by a difference that is small against the bars."
)
_CURVE = (
    "Say that you read the first k names of every list: the curve is the share of {right} that you have then "
    "seen. A curve that rises early saves reading; one that is still rising at the right end says that a longer list "
    "would find more. The band is a 95% interval. Nobody can reach 1 quickly where many people could have been asked "
    "and only a few were: a name that counts as wrong here may be as good a choice."
)


def ranking_report(
    title: str,
    lead: str,
    table: Table,
    runs: Mapping[str, tuple[Qrels, Run]],
    measures: Sequence[Measure],
    facts: Mapping[str, str],
    *,
    right: str = "the right people",
    more: Sequence[Section] = (),
) -> Report:
    """The page about rankings: of each system its judgements and its run.

    The first three measures are drawn. `right` says in words who should be in the list.
    """
    drawn, recall = measures[:_DRAWN], [Measure("recall", depth) for depth in _DEPTHS]
    values = {system: measure(*pair, [*drawn, *recall]) for system, pair in runs.items()}
    counts = {system: resampling_counts(len(qrels.queries)) for system, (qrels, _) in runs.items()}
    figures = {
        str(m): {system: Ratio.mean(scores[m]).figure(counts[system]) for system, scores in values.items()}
        for m in drawn
    }
    lines = {
        system: _recall_line(np.stack([scores[m] for m in recall]), counts[system]) for system, scores in values.items()
    }
    sections = [
        Section(
            "The figures",
            (
                draw_intervals("measures", figures, "Means over all queries, with 95% intervals."),
                Prose(READ_MEASURES.format(right=right)),
                table,
            ),
        ),
        Section(
            "How far down the list to look",
            (
                draw_lines("recall", _DEPTHS, lines, "names read, k", "Recall@k", "Recall at every depth of the list."),
                Prose(_CURVE.format(right=right)),
            ),
        ),
        *more,
    ]
    return Report(title, lead, tuple(sections), facts)


def _recall_line(values: NDArray[np.float64], counts: NDArray[np.float64]) -> PlotLine:
    """The curve of mean recall, (depths, queries) to a line with its band."""
    resampled = counts @ values.T / values.shape[1]
    low, high = zip(*(interval(depth) for depth in resampled.T), strict=True)
    return PlotLine(values.mean(axis=1).tolist(), low, high)
