"""Runs measured on an exHarmony benchmark: relevance by six qrels, diversity by careers and institutions.

Relevance: nDCG, MAP and recall; a judged query that a run does not answer scores zero. Diversity, over the first k of a
ranking as the method gives it: `sigma_cite` and `sigma_paper` are the population standard deviations of the authors'
citations and papers in the collection, `institutions` the number of distinct institutions, one for each author: that of
their latest paper. Whatever the corpus cannot support is None, never zero. Intervals resample queries (bootstrap, 95%).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.exharmony.benchmark import GOLD, QRELS, ExHarmony, Inventory, Pool
from eval.measures.ranking import Measure, measure
from eval.measures.statistics import Figure, Interval, Ratio, bootstrap_figures, resampling_counts
from eval.runs import Run
from retriever.careers import diversity_of

CUTOFFS = (10, 20, 100)
MEASURES = tuple(Measure(name, cutoff) for name in ("ndcg", "map", "recall") for cutoff in CUTOFFS)
DIVERSITY = ("sigma_cite", "sigma_paper", "institutions")
DIVERSITY_CUTOFFS = (10, 100)


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What one method reached: {qrels: {measure: figure}} with differences from the first method, {measure@k: figure}.

    None stands for what is not available; the reason is there by its name, or by that of the method as a whole.
    """

    name: str
    label: str
    relevance: dict[str, dict[str, Figure] | None]
    diversity: dict[str, Figure | None]
    not_available: dict[str, str]


@dataclass(frozen=True, slots=True)
class Results:
    """All methods on one benchmark; how many of its queries were asked, and how many of these are judged by which."""

    manifest: Inventory
    query_count: int
    judged: dict[str, int]
    methods: tuple[MethodResult, ...]

    def figures(self) -> dict[str, Any]:
        """Everything for machines: means by `methods.<name>.<qrels>.<measure>`, None where not available."""
        methods = {}
        for method in self.methods:
            means = {name: figure and figure.value for name, figure in method.diversity.items()}
            methods[method.name] = {
                "label": method.label,
                **{name: figures and _relevance(figures) for name, figures in method.relevance.items()},
                "diversity": {**means, "intervals": _intervals(method.diversity)},
                "not_available": method.not_available,
            }
        return {
            "benchmark": self.manifest,
            "queries": self.query_count,
            "sampled": self.query_count < self.manifest.queries.papers,
            "judged": {name: self.judged.get(name) for name in QRELS},
            "methods": methods,
        }


def evaluate(
    benchmark: ExHarmony,
    pool: Pool,
    runs: Sequence[tuple[str, str, Run | str]],
    refused: Mapping[str, Mapping[str, str]],
) -> Results:
    """Measure the (name, label, run) of each method; a string instead of a run says why there is none.

    `refused` are {method: {qrels: why they must not judge it}}.
    """
    judged = {name: qrels for name, qrels in benchmark.qrels.items() if qrels.queries}
    counts = {name: resampling_counts(len(qrels.queries)) for name, qrels in judged.items()}
    queries = [query.id for query in benchmark.queries]
    everybody = resampling_counts(len(queries))
    baseline: dict[str, dict[str, Ratio]] = {}
    methods = []
    for name, label, run in runs:
        missing = dict(benchmark.manifest.not_available)
        missing |= {qrels: "no query of the sample is judged" for qrels in benchmark.qrels if qrels not in judged}
        missing |= refused.get(name, {})
        relevance: dict[str, dict[str, Figure] | None] = dict.fromkeys(QRELS)
        diversity: dict[str, Figure | None] = {f"{name}@{k}": None for name in DIVERSITY for k in DIVERSITY_CUTOFFS}
        if isinstance(run, str):
            methods.append(MethodResult(name, label, relevance, diversity, {**missing, name: run}))
            continue
        outsiders = run.without_own_authors(benchmark.queries)
        for gold in judged.keys() - missing.keys():
            values = measure(judged[gold], run if gold.startswith(GOLD[0]) else outsiders, MEASURES)
            means = {str(m): Ratio.mean(by_query) for m, by_query in values.items()}
            relevance[gold] = bootstrap_figures(means, baseline.setdefault(gold, means), counts[gold])
        for key, by_query in _diversity(queries, run, pool).items():
            if key.partition("@")[0] not in missing:
                diversity[key] = Ratio.mean(by_query).figure(everybody)
        methods.append(MethodResult(name, label, relevance, diversity, missing))
    sizes = {name: len(qrels.queries) for name, qrels in judged.items()}
    return Results(benchmark.manifest, len(queries), sizes, tuple(methods))


def _diversity(queries: Sequence[str], run: Run, pool: Pool) -> dict[str, NDArray[np.float64]]:
    """Each measure of diversity for each query, in this order; zero for a query without an answer."""
    spans = dict(run.spans())
    people = np.array([pool.number[document] for document in run.documents], dtype=np.int64)
    measured = {f"{name}@{k}": np.zeros(len(queries)) for k in DIVERSITY_CUTOFFS for name in DIVERSITY}
    for position, query in enumerate(queries):
        ranking = people[run.docs[spans.get(query, slice(0))]]
        for k in DIVERSITY_CUTOFFS:
            institutions, papers, citations = (
                values[ranking[:k]].tolist() for values in (pool.institutions, pool.papers, pool.citations)
            )
            varied = diversity_of([number for number in institutions if number >= 0], (), papers, citations)
            measured[f"sigma_cite@{k}"][position] = varied.sigma_citations
            measured[f"sigma_paper@{k}"][position] = varied.sigma_papers
            measured[f"institutions@{k}"][position] = varied.institutions
    return measured


def _relevance(figures: Mapping[str, Figure]) -> dict[str, Any]:
    """Means by measure; beside them the intervals and the differences from the first method."""
    means = {name: figure.value for name, figure in figures.items()}
    differing = {name: figure for name, figure in figures.items() if figure.delta is not None}
    deltas = {name: {"mean": figure.delta, "interval": figure.delta_interval} for name, figure in differing.items()}
    return {**means, "intervals": _intervals(figures), "deltas": deltas}


def _intervals(figures: Mapping[str, Figure | None]) -> dict[str, Interval | None]:
    return {name: figure.interval for name, figure in figures.items() if figure is not None}
