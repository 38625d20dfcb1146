"""A report on an exHarmony benchmark: relevance by each gold standard, and the diversity of who is found."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan

from eval.benchmarks.exharmony.benchmark import GOLD
from eval.benchmarks.exharmony.results import Figure, Results
from eval.benchmarks.exharmony.tables import result_tables
from eval.reports.figures import Estimate, draw_intervals
from eval.reports.page import Block, Report, Section, Text
from eval.reports.rankings import READ_MEASURES

_RIGHT = {
    "authors": "the paper's own authors",
    "cite": "the authors of what the paper cites",
    "simcite": "the authors of those cited papers that are most similar to it",
}
_RELEVANCE = ("ndcg@10", "map@100", "recall@100")
_DIVERSITY = {
    "institutions@10": "institutions among the first 10",
    "sigma_paper@10": "spread of papers, σ",
    "sigma_cite@10": "spread of citations, σ",
}
_READ_DIVERSITY = (
    "Of the first ten names of every list: from how many institutions they come, and how much their numbers of papers "
    "and citations differ. A method whose dot is far left finds people of one kind, or of one place; a large spread "
    "means that the famous and the unknown stand side by side. This says nothing about whether they are the right "
    "people: read it beside the relevance above."
)


def exharmony_report(results: Results, made: Mapping[str, str]) -> Report:
    """The page about these methods."""
    manifest = results.manifest
    lead = (
        f"{len(results.methods)} ways to find reviewers for {results.asked:,} papers since {manifest.since}, among the "
        f"{manifest.collection.authors:,} authors of earlier ones. Nobody was asked who should review: authorship and "
        "citations stand for expertise."
    )
    *relevance, diversity = result_tables(results)
    sections = []
    for gold, table in zip(GOLD, relevance, strict=True):
        panels = {
            measure: {one.label: _estimate((one.relevance[gold] or {}).get(measure)) for one in results.methods}
            for measure in _RELEVANCE
        }
        reading = READ_MEASURES.format(right=_RIGHT[gold])
        sections.append(_section(f"Relevance: {_RIGHT[gold]}", gold, panels, reading, table))
    panels = {
        label: {one.label: _estimate(one.diversity[name]) for one in results.methods}
        for name, label in _DIVERSITY.items()
    }
    sections.append(_section("Diversity", "diversity", panels, _READ_DIVERSITY, diversity))
    return Report("exHarmony", lead, tuple(sections), made)


def _section(
    title: str, name: str, panels: Mapping[str, Mapping[str, Estimate]], reading: str, table: Block
) -> Section:
    """A picture of what is available, how to read it, and the table, which says why something is not."""
    known = {(measure, label) for measure, of in panels.items() for label in of if not isnan(of[label][0])}
    if not known:
        return Section(title, (Text("Not available on this corpus; the note below the table says why."), table))
    drawn = {
        measure: {label: estimate for label, estimate in of.items() if label in {one for _, one in known}}
        for measure, of in panels.items()
        if measure in {one for one, _ in known}
    }
    return Section(title, (draw_intervals(name, drawn, "Means, with 95% intervals."), Text(reading), table))


def _estimate(figure: Figure | None) -> Estimate:
    return (nan, nan, nan) if figure is None else (figure.mean, *figure.interval)
