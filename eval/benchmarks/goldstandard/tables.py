"""The gold standard's figures for any systems, shaped like Tables 3–9 and Figure 2 of its paper."""

from collections.abc import Mapping, Sequence
from typing import Any

from eval.benchmarks.goldstandard.predictions import CUTOFFS, Scored
from eval.measures.statistics import Figure, figures, resampling_counts
from eval.reports.table import Cell, Column, Table

LENGTHS = tuple(range(1, 21))
TABLES = {3: None, 4: None, 5: None, 6: 1, 7: 3, 8: 5, 9: 7}
"""The paper's tables; Tables 6–9 differ by their cut-off."""

Summary = Mapping[str, Figure]
"""The figures of one system by statistic: loss, easy, hard, and wktd, mrr, ndcg and precision at each cut-off."""

_CI = "95% CI"
_SHOWN = (1, 2, 3, 5, 8, 10, 15, 20)


def summarise_all(
    systems: Mapping[str, Scored], baseline: tuple[str, Scored] | None, resamples: int, seed: int
) -> dict[str, Summary]:
    """The figures of several systems; a difference is given to those scored on the baseline's participants."""
    reference = None if baseline is None else baseline[1].statistics(CUTOFFS)
    summaries: dict[str, Summary] = {}
    for name, scored in systems.items():
        paired = baseline is not None and name != baseline[0] and same_ratings(scored, baseline[1])
        counts = resampling_counts(len(scored.ratings.participants), resamples, seed)
        summaries[name] = figures(scored.statistics(CUTOFFS), reference if paired else None, counts)
    return summaries


def as_json(summary: Summary) -> dict[str, Any]:
    """For machines: every figure with its interval (`…_ci`), and the paired difference in loss (`delta`)."""
    plain: dict[str, Any] = {}
    for name, figure in summary.items():
        plain |= {name: figure.value, f"{name}_ci": figure.interval}
    loss = summary["loss"]
    return plain if loss.delta is None else {**plain, "delta": loss.delta, "delta_ci": loss.delta_interval}


def loss_table(summaries: Mapping[str, Summary], baseline: str, title: str, note: str = "") -> Table:
    """Loss and paired difference, with intervals: Tables 3 and 4."""
    columns = (Column("loss"), Column(_CI), Column(f"Δ {baseline}", "+.4f"), Column(f"Δ {_CI}", "+.4f"))
    losses = {name: summary["loss"] for name, summary in summaries.items()}
    cells = {name: (one.value, one.interval, one.delta, one.delta_interval) for name, one in losses.items()}
    return _table(title, columns, cells, f"Weighted Kendall-tau loss, lower is better. {note}".strip())


def triplet_table(summaries: Mapping[str, Summary], title: str) -> Table:
    """Accuracy on easy and hard triplets: Table 5."""
    columns = (Column("easy"), Column(f"easy {_CI}"), Column("hard"), Column(f"hard {_CI}"))
    cells = {
        name: (of["easy"].value, of["easy"].interval, of["hard"].value, of["hard"].interval)
        for name, of in summaries.items()
    }
    return _table(title, columns, cells, "Share of triplets in the right order, higher is better.")


def cutoff_table(summaries: Mapping[str, Summary], k: int, title: str) -> Table:
    """WKTD@k, MRR@k, NDCG@k and Precision@k: Tables 6–9."""
    names = [f"{name}@{k}" for name in ("wktd", "mrr", "ndcg", "precision")]
    cells = {system: tuple(of[name].value for name in names) for system, of in summaries.items()}
    return _table(title, tuple(map(Column, names)), cells, "WKTD: lower is better; the others: higher is better.")


def _table(title: str, columns: tuple[Column, ...], cells: Mapping[str, tuple[Cell, ...]], note: str) -> Table:
    """One row for each system."""
    return Table(title, (Column("system"), *columns), tuple((name, *row) for name, row in cells.items()), note)


def length_table(curves: Mapping[str, Sequence[float]]) -> Table:
    """Loss by the number of papers in a profile, at some of `LENGTHS`: Figure 2."""
    columns = tuple(Column(str(length), ".3f") for length in _SHOWN)
    cells = {system: tuple(losses[length - 1] for length in _SHOWN) for system, losses in curves.items()}
    title = "Gold standard, loss by the number of most recent papers in a profile"
    return _table(title, columns, cells, "Weighted Kendall-tau loss, lower is better.")


def same_ratings(one: Scored, other: Scored) -> bool:
    """Whether two systems were scored on the same participants and ratings."""
    return one.ratings.participants == other.ratings.participants and len(one.ratings) == len(other.ratings)
