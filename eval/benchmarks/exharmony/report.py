"""A report on an exHarmony benchmark: relevance by each gold standard, and the diversity of who is found."""

from collections.abc import Mapping

from eval.benchmarks.exharmony.benchmark import GOLD
from eval.benchmarks.exharmony.results import Results
from eval.benchmarks.exharmony.tables import result_tables
from eval.measures.statistics import Figure
from eval.reports.figures import draw_intervals
from eval.reports.page import Block, Prose, Report, Section
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
    "and citations differ. A method whose dot is far left finds people of one kind, or of one institution; a large "
    "spread means that famous and unknown people are on the list together. This says nothing about whether they are "
    "the right people: read it beside the relevance above."
)


def exharmony_report(results: Results, made: Mapping[str, str]) -> Report:
    """The page about these methods."""
    manifest = results.manifest
    lead = (
        f"{len(results.methods)} ways to find reviewers for {results.asked:,} papers since {manifest.since}, among the "
        f"{manifest.collection.authors:,} authors of earlier ones. No person judged who should review: authorship and "
        "citations are taken as signs of expertise."
    )
    *relevance, diversity = result_tables(results)
    sections = []
    for gold, table in zip(GOLD, relevance, strict=True):
        figures = {
            measure: {method.label: (method.relevance[gold] or {}).get(measure) for method in results.methods}
            for measure in _RELEVANCE
        }
        reading = READ_MEASURES.format(right=_RIGHT[gold])
        sections.append(_section(f"Relevance: {_RIGHT[gold]}", gold, figures, reading, table))
    figures = {label: {one.label: one.diversity[name] for one in results.methods} for name, label in _DIVERSITY.items()}
    sections.append(_section("Diversity", "diversity", figures, _READ_DIVERSITY, diversity))
    return Report("exHarmony", lead, tuple(sections), made)


def _section(
    title: str, name: str, figures: Mapping[str, Mapping[str, Figure | None]], reading: str, table: Block
) -> Section:
    """A picture of what is available, how to read it, and the table, which says why something is not."""
    labels = {label for of in figures.values() for label, figure in of.items() if figure is not None}
    if not labels:
        return Section(title, (Prose("Not available on this corpus; the note below the table says why."), table))
    drawn = {
        measure: {label: figure for label, figure in of.items() if label in labels}
        for measure, of in figures.items()
        if any(figure is not None for figure in of.values())
    }
    return Section(title, (draw_intervals(name, drawn, "Means, with 95% intervals."), Prose(reading), table))
