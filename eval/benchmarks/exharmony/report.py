"""exHarmony as tables and as a page: sizes of a benchmark, relevance by each gold standard, diversity of who is found.

Tables 1–5 of the paper. It puts all and established authors side by side; here they are in separate rows, so that a
table with three cut-offs fits a terminal. '—' is a figure that is not available, and the note below the table says why.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple

from eval.benchmarks.exharmony.benchmark import ESTABLISHED, GOLD, QRELS, Inventory
from eval.benchmarks.exharmony.results import DIVERSITY, DIVERSITY_CUTOFFS, MEASURES, Results
from eval.measures.statistics import Figure
from eval.reports.figures import draw_intervals
from eval.reports.page import READING, Block, Prose, Report, Section
from eval.reports.table import Table, table_of
from panelist.words import counted

_TITLES = {"authors": "exHarmony-Authors", "cite": "exHarmony-Cite", "simcite": "exHarmony-SimCite"}
_MEASURES = {"ndcg": "nDCG", "map": "MAP", "recall": "Recall"}
_DIVERSITY = {"sigma_cite": "σ#cite", "sigma_paper": "σ#paper", "institutions": "#Institutions"}
_RIGHT = {
    "authors": "the paper's own authors",
    "cite": "the authors of what the paper cites",
    "simcite": "the authors of those cited papers that are most similar to it",
}
_RELEVANCE = ("ndcg@10", "map@100", "recall@100")
_DRAWN = {
    "institutions@10": "institutions among the first 10",
    "sigma_paper@10": "spread of papers, σ",
    "sigma_cite@10": "spread of citations, σ",
}


def statistics_tables(manifest: Inventory) -> list[Table]:
    """The sizes of collection and test set (Table 1), of the six qrels, and what was left out."""
    overview = table_of(
        f"exHarmony, τ = {manifest.since}",
        ("", *((name, ",d") for name in ("papers", "total authors", "unique authors"))),
        (("collection", *astuple(manifest.collection)), ("test set", *astuple(manifest.queries))),
        f"{manifest.established_authors:,} candidates are established (N = {manifest.established}).",
    )
    rows = []
    for name in QRELS:
        judged = manifest.judged.get(name)
        counts = (None,) * 3 if judged is None else (*judged.values(), judged["pairs"] / judged["queries"])
        rows.append((name, *counts, manifest.not_available.get(name, "")))
    columns = ("qrels", ("queries", ",d"), ("pairs", ",d"), ("per query", ".1f"), "not available")
    note = f"simcite: the {manifest.similar} most similar of the cited papers, by {manifest.similarity.method}."
    qrels = table_of("Gold standards", columns, rows, note if "simcite" in manifest.judged else "")
    return [overview, qrels, table_of("Left out", ("reason", ("papers or authors", ",d")), manifest.dropped.items())]


def result_tables(results: Results) -> list[Table]:
    """Relevance by each of the three gold standards (Tables 2–4), and diversity (Table 5)."""
    return [*(_relevance(results, gold) for gold in GOLD), _diversity(results)]


def _relevance(results: Results, gold: str) -> Table:
    columns = ("method", "authors", *((f"{_MEASURES[m.name]} @{m.cutoff}", ".3f") for m in MEASURES))
    cuts = {gold: "all", gold + ESTABLISHED: "established"}
    rows = [
        (method.label, cut, *_values(method.relevance[name] or {}, map(str, MEASURES)))
        for name, cut in cuts.items()
        for method in results.methods
    ]
    sizes = {cut: results.judged[name] for name, cut in cuts.items() if name in results.judged}
    judged = " and ".join(f"{counted(size, 'query', 'queries')} ({cut})" for cut, size in sizes.items())
    notes = [f"Means over {judged}."] if judged else []
    if gold == "simcite" and judged:
        notes.append(f"The most similar of the cited papers were chosen by {results.manifest.similarity.method}.")
    notes += _reasons(results, tuple(cuts))
    return table_of(_TITLES[gold] + _sample(results), columns, rows, " ".join(notes))


def _values(figures: Mapping[str, Figure | None], names: Iterable[str]) -> Iterator[float | None]:
    """The figures of these names, None where they are not available."""
    return (None if figure is None else figure.value for figure in map(figures.get, names))


def _diversity(results: Results) -> Table:
    names = [(name, k) for name in DIVERSITY for k in DIVERSITY_CUTOFFS]
    formats = ((f"{_DIVERSITY[name]} @{k}", ",.2f" if name == "institutions" else ",.1f") for name, k in names)
    keys = [f"{name}@{k}" for name, k in names]
    rows = ((method.label, *_values(method.diversity, keys)) for method in results.methods)
    notes = [f"Means over {counted(results.query_count, 'query', 'queries')}.", *_reasons(results, DIVERSITY)]
    return table_of(f"Diversity{_sample(results)}", ("method", *formats), rows, " ".join(notes))


def _sample(results: Results) -> str:
    total = results.manifest.queries.papers
    return f", a sample of {results.query_count:,} of {total:,} queries" if results.query_count < total else ""


def _reasons(results: Results, names: tuple[str, ...]) -> list[str]:
    """Why figures are not available: once where it is true of all methods, else with the method."""
    reasons: dict[str, None] = {}
    for method in results.methods:
        for name in (*names, method.name):
            if name in method.not_available:
                of_all = all(name in other.not_available for other in results.methods)
                prefix = "" if of_all else f"{method.label}: "
                subject = "" if name == method.name else f"{_DIVERSITY.get(name, name)} "
                reasons[f"{prefix}{subject}not available: {method.not_available[name]}."] = None
    return list(reasons)


def exharmony_report(results: Results, facts: Mapping[str, str]) -> Report:
    """The page about these methods."""
    manifest = results.manifest
    lead = (
        f"{len(results.methods)} ways to find reviewers for {results.query_count:,} papers since {manifest.since}, "
        f"among the {manifest.collection.authors:,} authors of earlier ones. No person judged who should review: "
        "authorship and citations are taken as signs of expertise."
    )
    *relevance, diversity = result_tables(results)
    sections = []
    for gold, table in zip(GOLD, relevance, strict=True):
        figures = {
            measure: {method.label: (method.relevance[gold] or {}).get(measure) for method in results.methods}
            for measure in _RELEVANCE
        }
        reading = READING["measures"].format(right=_RIGHT[gold])
        sections.append(_section(f"Relevance: {_RIGHT[gold]}", gold, figures, reading, table))
    figures = {text: {m.label: m.diversity[name] for m in results.methods} for name, text in _DRAWN.items()}
    sections.append(_section("Diversity", "diversity", figures, READING["diversity"], diversity))
    return Report("exHarmony", lead, tuple(sections), facts)


def _section(
    title: str, name: str, figures: Mapping[str, Mapping[str, Figure | None]], reading: str, table: Block
) -> Section:
    """A picture of what is available, how to read it, and the table, which says why something is not."""
    labels = {label for by_label in figures.values() for label, figure in by_label.items() if figure is not None}
    if not labels:
        return Section(title, (Prose("Not available on this corpus; the note below the table says why."), table))
    drawn = {
        measure: {label: figure for label, figure in by_label.items() if label in labels}
        for measure, by_label in figures.items()
        if any(figure is not None for figure in by_label.values())
    }
    return Section(title, (draw_intervals(name, drawn, "Means, with 95% intervals."), Prose(reading), table))
