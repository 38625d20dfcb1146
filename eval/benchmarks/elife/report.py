"""A report on eLife: who is found, how far down the list, and what diversity costs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.diversity import VARIETY, WEIGHTS, compare_panels
from eval.benchmarks.reliability import of_look_ups, reliability_section
from eval.measures.ranking import Measure, measure, recall_curve
from eval.reports.figures import draw_exchange
from eval.reports.page import Prose, Report, Section
from eval.reports.rankings import ranking_report
from eval.reports.table import Cell, Column, Table
from eval.runs import Run
from panelist.progress import Progress
from retriever.finder import Finder
from retriever.lookup import Lookup

_PANEL = 10
_TASKS = {
    "reviewers": "reviewers: who really reviewed",
    "authors": "authors: who wrote it",
    "cite": "cite: authors of what it cites",
}
_DIVERSITY_COST = (
    "The weight λ says how much a panel of ten should differ in institution, country, seniority and topic: at λ = 0 it "
    "is the plain ranking, at λ = 1 only variety counts. Each dot is one λ. Going right the panel comes from more "
    "institutions or countries, going down fewer of the people who are right are in it. Choose the λ just before the "
    "curve falls steeply: that much variety is nearly free."
)


def elife_report(
    benchmark: ELife,
    answers: Run,
    measures: Sequence[Measure],
    table: Table,
    made: Mapping[str, str],
    asked: tuple[Finder, Lookup] | None,
    progress: Progress,
) -> Report:
    """The page about one run; `asked` is the look-up that gave it, which is then repeated with rising diversity."""
    runs = benchmark.admitted(answers)
    rows = {_TASKS[task]: (benchmark.qrels[task], run) for task, run in runs.items()}
    values = {
        name: {str(m): v for m, v in measure(qrels, run, measures).items()} for name, (qrels, run) in rows.items()
    }
    recall = {name: recall_curve(qrels, run) for name, (qrels, run) in rows.items()}
    means = recall[_TASKS["reviewers"]].mean(axis=1)
    return ranking_report(
        "Finding eLife's real reviewers",
        f"For eLife's papers of 2019 and 2020, people were looked for among the {len(benchmark.candidates()):,} "
        "authors of its earlier papers. There are three answers to who is right: those who really reviewed the paper, "
        f"those who wrote it, and the authors of what it cites. Of those who really reviewed, {means[9]:.0%} are among "
        f"the first ten names of the list and {means[99]:.0%} among the first hundred.",
        table,
        values,
        recall,
        made,
        right="the people who are right",
        more=() if asked is None else _of_the_look_up(benchmark, *asked, progress),
    )


def _of_the_look_up(benchmark: ELife, finder: Finder, lookup: Lookup, progress: Progress) -> list[Section]:
    """What is known beyond the ranking: how sure suggestions are, and what diversity costs."""
    queries, qrels = benchmark.judged("reviewers"), benchmark.qrels["reviewers"]
    shares = of_look_ups(finder, queries, qrels, lookup, progress)
    panels = compare_panels(finder, queries, qrels, replace(lookup, size=_PANEL), WEIGHTS, progress)
    means = {weight: {name: ratio.value for name, ratio in of.items()} for weight, of in panels.items()}
    return [reliability_section(shares, "those who really reviewed"), _diversity_section(means)]


def _diversity_section(panels: Mapping[str, Mapping[str, float]]) -> Section:
    """What variety costs: a picture and its table; `panels` has the means for each λ."""
    picture = draw_exchange(
        "diversity",
        {f"{name} in a panel": [of[name] for of in panels.values()] for name in ("institutions", "countries")},
        [of["ndcg@10"] for of in panels.values()],
        list(panels),
        "nDCG@10",
        "Relevance against diversity; the numbers at the dots are λ.",
    )
    names = ("ndcg@10", "recall@10", *VARIETY[2:])
    columns = (Column("λ"), *(Column(name, ".2f" if name in VARIETY else ".4f") for name in names))
    rows: list[tuple[Cell, ...]] = [(weight, *(of[name] for name in names)) for weight, of in panels.items()]
    note = "Means over panels of ten: distinct institutions and countries, spread of the members' papers and citations."
    return Section("What diversity costs", (picture, Prose(_DIVERSITY_COST), Table("", columns, tuple(rows), note)))
