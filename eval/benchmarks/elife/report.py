"""A report on eLife: who is found, how far down the list, and what diversity costs and brings.

Diversity: how many real reviewers a panel of ten still finds, and how varied it is. Panels are chosen for λ from 0 to
.3, and by a rule instead of a weight: one or two people for whom the same paper speaks most; and by both. A query's own
authors are left out, as those of a submission would be; other conflicts are ignored, because anybody may have reviewed
it. Papers are searched once for each query.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.lookup import means, outsiders, room_for_own, run_of
from eval.measures.ranking import Measure, measure, parse_measures
from eval.measures.statistics import Ratio
from eval.reports.figures import PlotLine, draw_lines
from eval.reports.page import READING, Prose, Report, Section
from eval.reports.rankings import ranking_report
from eval.reports.table import Table, table_of
from eval.runs import Qrels, Run
from panelist.progress import Progress, silent
from panelist.records import Submission
from retriever.careers import Careers, diversity_of
from retriever.diversity import rerank, spread
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.stages import Shortlist

Way = tuple[float, int | None]
"""λ, and how many people per paper."""

WAYS: dict[str, Way] = {
    **{f"λ {weight:g}": (weight, None) for weight in (0.0, 0.1, 0.2, 0.3)},
    "at most two per paper": (0.0, 2),
    "at most one per paper": (0.0, 1),
    "at most two, λ 0.1": (0.1, 2),
    "at most two, λ 0.2": (0.2, 2),
}
"""The panels that are compared; the first is the plain ranking."""
WEIGHTS: dict[str, Way] = {f"{step / 10:g}": (step / 10, None) for step in range(11)}
"""Panels of every λ."""

VARIETY = ("papers", "papers of first 5", "institutions", "countries", "σ papers", "σ citations")
"""Different first papers of the ten, and of the first five; different places; how much papers and citations differ."""

_PANEL = 10
_TASKS = {
    "reviewers": "reviewers: who really reviewed",
    "authors": "authors: who wrote it",
    "cite": "cite: authors of what it cites",
}


def elife_report(
    benchmark: ELife,
    answers: Run,
    measures: Sequence[Measure],
    table: Table,
    facts: Mapping[str, str],
    look_up: tuple[Finder, Lookup] | None,
    progress: Progress,
) -> Report:
    """The page about one run; `look_up` is the look-up that gave it, which is then repeated with rising diversity."""
    runs = {task: (benchmark.qrels[task], run) for task, run in benchmark.admitted(answers).items()}
    sections = []
    if look_up is not None:
        finder, lookup = look_up
        queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
        panels = compare_panels(finder, queries, qrels, replace(lookup, size=_PANEL), WEIGHTS, progress)
        sections.append(_diversity_section(panels))
    recalls = measure(*runs["reviewers"], parse_measures("recall@10,recall@100"))
    ten, hundred = (by_query.mean() for by_query in recalls.values())
    return ranking_report(
        "Finding eLife's real reviewers",
        f"For eLife's papers of 2019 and 2020, people were looked for among the {len(benchmark.candidates()):,} "
        "authors of its earlier papers. There are three answers to who is right: those who really reviewed the paper, "
        f"those who wrote it, and the authors of what it cites. Of those who really reviewed, {ten:.0%} are among "
        f"the first ten names of the list and {hundred:.0%} among the first hundred.",
        table,
        {_TASKS[task]: pair for task, pair in runs.items()},
        measures,
        facts,
        right="the people who are right",
        more=sections,
    )


def _diversity_section(panels: Mapping[str, Mapping[str, Ratio]]) -> Section:
    """What variety costs: a picture and its table; `panels` has what is reached with each λ."""
    measures = ("ndcg@10", "recall@10")
    lines = {name: PlotLine([reached[name].value for reached in panels.values()]) for name in measures}
    caption = "What panels of ten still find, by the weight of diversity."
    picture = draw_lines("diversity", [float(weight) for weight in panels], lines, "λ", "mean over queries", caption)
    names = (*measures, *VARIETY[2:])
    columns = ("λ", *measures, *((name, ".2f") for name in VARIETY[2:]))
    rows = ((weight, *(reached[name].value for name in names)) for weight, reached in panels.items())
    note = "Means over panels of ten: distinct institutions and countries, spread of the members' papers and citations."
    table = table_of("", columns, rows, note)
    return Section("What diversity costs", (picture, Prose(READING["cost_of_diversity"]), table))


def compare_panels(
    finder: Finder,
    queries: Sequence[Submission],
    qrels: Qrels,
    lookup: Lookup,
    ways: Mapping[str, Way] = WAYS,
    progress: Progress = silent,
) -> dict[str, dict[str, Ratio]]:
    """For each way to choose a panel of `lookup.size` its recall and nDCG at 10, and `VARIETY`, over all queries."""
    index = finder.index
    wide = replace(lookup, size=lookup.contenders + room_for_own(queries), conflicts="ignore")
    orders: dict[str, dict[str, NDArray[np.integer]]] = {name: {} for name in ways}
    values: dict[str, list[tuple[float, ...]]] = {name: [] for name in ways}
    for shortlist in outsiders(finder, queries, wide, "panels", progress):
        for name, (weight, most) in ways.items():
            rows = _chosen(finder, shortlist, replace(lookup, diversity=weight, per_paper=most))
            orders[name][shortlist.submission.id] = authors = shortlist.ranked.authors[rows]
            papers, careers = shortlist.ranked.units(rows, 1), Careers.of(index, authors)
            places = careers.institutions[careers.institutions >= 0].tolist()
            countries = {index.affiliations[institution].country for institution in places} - {None}
            varied = diversity_of(places, countries, careers.papers.tolist(), careers.citations.tolist())
            distinct = (len(np.unique(papers)), len(np.unique(papers[:5])))
            values[name].append(
                (*distinct, varied.institutions, varied.countries, varied.sigma_papers, varied.sigma_citations)
            )
    return {
        name: means(qrels, run_of(index, orders[name], name), ("recall@10", "ndcg@10"))
        | dict(zip(VARIETY, map(Ratio.mean, np.array(values[name]).T), strict=True))
        for name in ways
    }


def _chosen(finder: Finder, shortlist: Shortlist, lookup: Lookup) -> NDArray[np.int64]:
    """Who is on the panel, as `Finder.find_many` chooses them."""
    if len(shortlist.rows) == 0:
        return shortlist.rows
    if lookup.per_paper is not None:
        rows = spread(shortlist.ranked, shortlist.rows, lookup.per_paper, lookup.size)
        shortlist = replace(shortlist, rows=rows)
    contenders = finder.contenders(shortlist, lookup)
    return contenders.rows[rerank(contenders, lookup.size, lookup.diversity, lookup.diversity_algorithm)]
