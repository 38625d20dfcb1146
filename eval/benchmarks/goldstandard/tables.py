"""The gold standard's figures for any systems, shaped like Tables 3–9 and Figure 2 of its paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eval.benchmarks.goldstandard.predictions import CUTOFFS, REGIMES, Scored, System
from eval.benchmarks.goldstandard.selection import select
from eval.measures.bootstrap import Ratio, interval, resampling_counts
from eval.reports.table import Cell, Column, Table
from panelist.errors import InputError

LENGTHS = tuple(range(1, 21))
TABLES = {3: None, 4: None, 5: None, 6: 1, 7: 3, 8: 5, 9: 7}
"""The paper's tables; Tables 6–9 differ by their cut-off."""

Summary = dict[str, Any]
_CI = "95% CI"


def summarise(
    statistics: Mapping[str, Ratio], baseline: Mapping[str, Ratio] | None, resamples: int, seed: int
) -> Summary:
    """Every statistic with its 95% interval (`…_ci`), and the paired difference in loss with a baseline (`delta`)."""
    counts = resampling_counts(statistics["loss"].numerators.shape[1], resamples, seed)
    summary: Summary = {}
    for name, ratio in statistics.items():
        summary[name] = ratio.value
        summary[f"{name}_ci"] = interval(ratio.resampled(counts))
    if baseline is not None:
        summary["delta"] = statistics["loss"].value - baseline["loss"].value
        summary["delta_ci"] = interval(statistics["loss"].resampled(counts) - baseline["loss"].resampled(counts))
    return summary


def summarise_all(
    systems: Mapping[str, Scored], baseline: tuple[str, Scored] | None, resamples: int, seed: int
) -> dict[str, Summary]:
    """Summaries of several systems; a difference is given to those that were scored on the baseline's participants."""
    reference = None if baseline is None else baseline[1].statistics()
    summaries = {}
    for name, scored in systems.items():
        paired = baseline is not None and name != baseline[0] and _same_ratings(scored, baseline[1])
        summaries[name] = summarise(scored.statistics(CUTOFFS), reference if paired else None, resamples, seed)
    return summaries


def summarise_selection(systems: Mapping[str, Scored], baseline: Scored, resamples: int, seed: int) -> Summary:
    """The summary when each participant is scored by the system that has the lowest loss on all the others.

    Beside it `chosen`, how many participants got which system, and `best` with `best_loss`, the system with the lowest
    loss on everybody: optimistic, since it was chosen by those it is measured on. A single draw stands for all.

    Raises:
        InputError: the systems were not scored on the same ratings and draws.
    """
    draws = sorted({len(scored.scores) for scored in systems.values()} - {1}) or [1]
    if len(draws) > 1 or not all(_same_ratings(scored, baseline) for scored in systems.values()):
        raise InputError(f"--select needs systems on the same ratings and draws, received {draws} draws")
    shape = (draws[0], *baseline.ratings.expertise.shape)
    aligned = [Scored(scored.ratings, np.broadcast_to(scored.scores, shape)) for scored in systems.values()]
    statistics = [scored.statistics(CUTOFFS) for scored in aligned]
    losses = [of["loss"] for of in statistics]
    selection = select(losses)
    honest = {name: selection.combine([of[name] for of in statistics]) for name in statistics[0]}
    best = min(zip((loss.value for loss in losses), systems, strict=True), key=lambda pair: pair[0])
    frequency = np.bincount(selection.chosen, minlength=len(systems)).tolist()
    chosen = {name: times for name, times in zip(systems, frequency, strict=True) if times}
    summary = summarise(honest, baseline.statistics(), resamples, seed)
    return {**summary, "chosen": chosen, "best": best[1], "best_loss": best[0]}


def loss_table(summaries: Mapping[str, Summary], baseline: str, title: str) -> Table:
    """Loss and paired difference, with intervals: Tables 3 and 4."""
    columns = (
        Column("system"),
        Column("loss"),
        Column(_CI),
        Column(f"Δ {baseline}", "+.4f"),
        Column(f"Δ {_CI}", "+.4f"),
    )
    rows: list[tuple[Cell, ...]] = [
        (name, s["loss"], s["loss_ci"], s.get("delta"), s.get("delta_ci")) for name, s in summaries.items()
    ]
    notes = ["Weighted Kendall-tau loss, lower is better."]
    for s in summaries.values():
        if "chosen" in s:
            chosen = ", ".join(f"{name} for {times}" for name, times in s["chosen"].items())
            notes.append(
                f"Chosen by all others: {chosen} participants; lowest loss on everybody: {s['best_loss']:.4f}."
            )
    return Table(title, columns, tuple(rows), " ".join(notes))


def triplet_table(summaries: Mapping[str, Summary], title: str) -> Table:
    """Accuracy on easy and hard triplets: Table 5."""
    columns = (Column("system"), Column("easy"), Column(f"easy {_CI}"), Column("hard"), Column(f"hard {_CI}"))
    rows = [(name, s["easy"], s["easy_ci"], s["hard"], s["hard_ci"]) for name, s in summaries.items()]
    return Table(title, columns, tuple(rows), "Share of triplets in the right order, higher is better.")


def cutoff_table(summaries: Mapping[str, Summary], k: int, title: str) -> Table:
    """WKTD@k, MRR@k, NDCG@k and Precision@k: Tables 6–9."""
    names = [f"{name}@{k}" for name in ("wktd", "mrr", "ndcg", "precision")]
    columns = (Column("system"), *map(Column, names))
    rows = [(system, *(s[name] for name in names)) for system, s in summaries.items()]
    return Table(title, columns, tuple(rows), "WKTD: lower is better; the others: higher is better.")


def representation_systems(published: Mapping[System, Scored], length: int = 20) -> dict[str, Scored]:
    """TPMS with titles, titles and abstracts, and full texts on profiles of one length: the rows of Table 4."""
    return {label: published[System("tpms", f"d_full_{length}", regime)] for regime, label in REGIMES.items()}


def profile_length_study(published: Mapping[System, Scored]) -> dict[str, list[float]]:
    """Loss of TPMS for each representation of papers (keys) and profile length 1…20 (values): Figure 2."""
    return {
        label: [published[System("tpms", f"d_full_{length}", regime)].statistics()["loss"].value for length in LENGTHS]
        for regime, label in REGIMES.items()
    }


def _same_ratings(one: Scored, other: Scored) -> bool:
    return one.ratings.participants == other.ratings.participants and len(one.ratings) == len(other.ratings)
