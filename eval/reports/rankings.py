"""A report on rankings of reviewers: how good they are, and how far down the list one has to read."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eval.measures.ranking import Measure, measure
from eval.measures.statistics import Ratio, interval, resampling_counts
from eval.reports.figures import PlotLine, draw_intervals, draw_lines
from eval.reports.page import READING, Prose, Report, Section
from eval.reports.table import Table
from eval.runs import Qrels, Run

_DRAWN = 3  # measures that fit side by side
_DEPTHS = tuple(range(1, 101))


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
    means = draw_intervals("measures", figures, "Means over all queries, with 95% intervals.")
    caption = "Recall at every depth of the list."
    curve = draw_lines("recall", _DEPTHS, lines, "names read, k", "Recall@k", caption)
    reading = {name: Prose(READING[name].format(right=right)) for name in ("measures", "curve")}
    sections = (
        Section("The figures", (means, reading["measures"], table)),
        Section("How far down the list to look", (curve, reading["curve"])),
        *more,
    )
    return Report(title, lead, sections, facts)


def _recall_line(values: NDArray[np.float64], counts: NDArray[np.float64]) -> PlotLine:
    """The curve of mean recall, (depths, queries) to a line with its band."""
    resampled = counts @ values.T / values.shape[1]
    low, high = zip(*(interval(depth) for depth in resampled.T), strict=True)
    return PlotLine(values.mean(axis=1).tolist(), low, high)
