"""A report on rankings of reviewers: how well, how far down one has to look, and what diversity costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.diversity_sweep import Step
from eval.measures.curves import DEPTHS, estimate, recall_line
from eval.reports.figures import draw_exchange, draw_intervals, draw_lines
from eval.reports.page import Report, Section, Text
from eval.reports.table import Cell, Column, Table

Values = Mapping[str, NDArray[np.float64]]

_DRAWN = 3  # measures that fit side by side
READ_MEASURES = (
    "Recall@k is the share of {right} whom one finds among the first k of the list. nDCG@k also asks that they "
    "stand high: the first place counts most. MAP and MRR reward an early first find. All go from 0 to 1, and higher "
    "is better. The bar is a 95% interval: with other papers of the same kind the figure could well have come out "
    "anywhere along it, so do not choose by a difference that is small against the bars."
)
_CURVE = (
    "Say that you read the first k names of every list: the curve is the share of {right} that you have then "
    "seen. A curve that rises early saves reading; one that is still rising at the right end says that a longer list "
    "would find more. The band is a 95% interval. Nobody can reach 1 quickly where many people could have been asked "
    "and only a few were: a name that counts as wrong here may be as good a choice."
)
_EXCHANGE = (
    "The weight λ says how much a panel of ten should differ in place, seniority and subject: at λ = 0 it is the "
    "plain ranking, at λ = 1 nothing but variety counts. Each dot is one λ. Going right the panel comes from more "
    "institutions or countries, going down fewer of {right} are in it. Choose the λ just before the curve falls "
    "steeply: that much variety is nearly free."
)


def ranking_report(
    title: str,
    lead: str,
    table: Table,
    values: Mapping[str, Values],
    recall: Mapping[str, NDArray[np.float64]],
    made: Mapping[str, str],
    *,
    right: str = "the right people",
    steps: Sequence[Step] = (),
) -> Report:
    """The page about these rankings.

    Args:
        title: of the page.
        lead: its first sentences.
        table: the figures.
        values: {system: {measure: (queries,)}}; the first three measures are drawn.
        recall: {system: (depths, queries)}, from `recall_values`.
        made: how the page came about.
        right: who should be found, in words.
        steps: panels of a look-up with rising λ.
    """
    measures = list(next(iter(values.values())))[:_DRAWN]
    panels = {measure: {system: estimate(of[measure]) for system, of in values.items()} for measure in measures}
    sections = [
        Section(
            "The figures",
            (
                draw_intervals("measures", panels, "Means over all queries, with 95% intervals."),
                Text(READ_MEASURES.format(right=right)),
                table,
            ),
        ),
        Section(
            "How far down the list to look",
            (
                draw_lines(
                    "recall",
                    DEPTHS,
                    {system: recall_line(of) for system, of in recall.items()},
                    "names read, k",
                    "Recall@k",
                    "Recall at every depth of the list.",
                ),
                Text(_CURVE.format(right=right)),
            ),
        ),
    ]
    if steps:
        sections.append(exchange_section(steps, right))
    return Report(title, lead, tuple(sections), made)


def exchange_section(steps: Sequence[Step], right: str) -> Section:
    """What variety costs: a picture and its table."""
    labels = [f"{step.weight:g}" for step in steps]
    picture = draw_exchange(
        "diversity",
        {
            "institutions in a panel": [step.institutions for step in steps],
            "countries in a panel": [step.countries for step in steps],
        },
        [step.measures["ndcg@10"] for step in steps],
        labels,
        "nDCG@10",
        "Relevance against diversity; the numbers at the dots are λ.",
    )
    return Section("What diversity costs", (picture, Text(_EXCHANGE.format(right=right)), exchange_table(steps)))


def exchange_table(steps: Sequence[Step]) -> Table:
    """Relevance and diversity for each λ."""
    measures = list(steps[0].measures)
    columns = (
        Column("λ"),
        *map(Column, measures),
        *(Column(name, ".2f") for name in ("institutions", "countries", "σ papers", "σ citations")),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            f"{step.weight:g}",
            *step.measures.values(),
            step.institutions,
            step.countries,
            step.sigma_papers,
            step.sigma_citations,
        )
        for step in steps
    ]
    note = "Means over panels of ten: distinct institutions and countries, spread of the members' papers and citations."
    return Table("", columns, tuple(rows), note)
