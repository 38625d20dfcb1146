"""The leaderboard of the gold standard: the project's models beside what others published.

The authors released their predictions of five algorithms; of later ones only figures are printed, in the second version
of the paper (https://arxiv.org/abs/2303.16750v2, Tables 3 and 5) and in the README of OpenReview's expertise package
(https://github.com/openreview/openreview-expertise). Differences need scores, so those have none.
"""

from collections.abc import Sequence

from eval.benchmarks.goldstandard.benchmark import GoldStandard
from eval.benchmarks.goldstandard.models import FULL_TEXT, ModelScores, scored_row
from eval.benchmarks.goldstandard.predictions import DATASET, MEASURES, System
from eval.benchmarks.goldstandard.report import READ_LOSS, READ_TRIPLETS
from eval.measures.statistics import RESAMPLES, SEED, Figure, Interval
from eval.reports.leaderboard import BoardRow, Leaderboard
from panelist.progress import Progress, silent

ALGORITHMS = {"tpms": "TPMS", "elmo": "ELMo", "specter": "SPECTER", "specter_mfr": "SPECTER+MFR", "acl": "ACL"}
FULL_DATASET = "d_full_20"


def _printed(system: str, *printed: tuple[float, Interval | None]) -> BoardRow:
    named = zip(MEASURES, printed, strict=True)
    return BoardRow(system, "printed", {name: Figure(value, interval) for name, (value, interval) in named})


PRINTED = (
    _printed("SPECTER2 mean", (0.25, (0.19, 0.30)), (0.84, (0.73, 0.92)), (0.59, (0.53, 0.65))),
    _printed("SPECTER2 75th percentile", (0.24, (0.19, 0.30)), (0.85, (0.75, 0.93)), (0.60, (0.54, 0.65))),
    _printed("SPECTER2 max", (0.22, (0.18, 0.26)), (0.89, (0.82, 0.94)), (0.61, (0.54, 0.67))),
    _printed("SPECTER2+SciNCL", (0.21, None), (0.91, None), (0.65, None)),
    _printed("o1-mini", (0.25, (0.21, 0.29)), (0.82, (0.75, 0.88)), (0.52, (0.47, 0.57))),
    _printed("Claude 3.5 Sonnet", (0.31, (0.27, 0.35)), (0.72, (0.66, 0.77)), (0.52, (0.47, 0.58))),
    _printed("Gemini 2 Flash", (0.38, (0.34, 0.41)), (0.57, (0.50, 0.63)), (0.41, (0.38, 0.43))),
)
"""Figures without predictions, on the 20 most recent papers, titles and abstracts."""


def goldstandard_board(
    gold: GoldStandard,
    models: Sequence[str],
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = silent,
    *,
    full_texts: bool = False,
) -> Leaderboard:
    """Released predictions, the project's models and printed figures; differences from the best released.

    Titles and abstracts of the 20 most recent papers of all 58 participants (Tables 3 and 5 of the paper); or
    `full_texts` of up to 20 recent papers with an open PDF, of the 57 participants with such (Table 4).
    """
    dataset, regime = (FULL_DATASET, FULL_TEXT) if full_texts else (DATASET, "ta")
    published = gold.published({dataset})
    if full_texts:
        released = {"TPMS": published[System("tpms", dataset, regime)]}
        title = "Gold standard: full texts, the 20 most recent papers with an open PDF (d_full_20)"
    else:
        released = {label: published[System(name)] for name, label in ALGORITHMS.items() if System(name) in published}
        title = "Gold standard: titles and abstracts, the 20 most recent papers (d_20)"
    statistics = {label: scored.statistics() for label, scored in released.items()}
    baseline = min(statistics, key=lambda label: statistics[label]["loss"].value)
    reference, sampled = statistics[baseline], (resamples, seed)
    rows = [
        scored_row(label, "predictions", of, None if label == baseline else reference, *sampled)
        for label, of in released.items()
    ]
    for name in models:
        scored = ModelScores(gold, name, progress)(dataset, regime)
        rows.append(scored_row(f"Panelist {name}", "panelist", scored, reference, *sampled))
    note = (
        f"{baseline} has the lowest loss of the published predictions. Weighted Kendall-tau loss, lower is better; "
        "easy and hard triplets in the right order, a tie is not, higher is better."
    )
    reading = (READ_LOSS, READ_TRIPLETS)
    return Leaderboard(title, MEASURES, baseline, (*rows, *(() if full_texts else PRINTED)), note, reading).ranked(
        descending=False
    )
