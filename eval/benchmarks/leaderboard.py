"""The boards of `panelist eval leaderboard`: every model of the project beside what others published.

The authors of the gold standard released their predictions of five algorithms; of later ones only figures are printed,
in the second version of the paper (https://arxiv.org/abs/2303.16750v2, Tables 3 and 5) and in the README of
OpenReview's expertise package (https://github.com/openreview/openreview-expertise). Differences need scores, so those
have none. On eLife, look-up and affinity models find who really reviewed its papers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.elife.affinity import rank
from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.goldstandard.benchmark import FULL_TEXT, FULL_TEXTS, GoldStandard, make_models, score_models
from eval.benchmarks.goldstandard.predictions import DATASET, System
from eval.benchmarks.goldstandard.predictions import MEASURES as EXPERTISE
from eval.benchmarks.lookup import answer, means, open_benchmark, renamed, room_for_own
from eval.benchmarks.ranker import MEASURES, Judged, cross_scores
from eval.measures.statistics import RESAMPLES, SEED, Figure, Interval, Ratio, bootstrap_figures, resampling_counts
from eval.reports.leaderboard import BoardRow, Leaderboard, Source, attempt
from eval.reports.page import READING
from eval.reports.table import Table
from eval.runs import Run
from panelist.progress import Progress, silent
from panelist.records import Submission
from retriever.affinity.model import affinity_model, parse_model
from retriever.aggregate import Aggregation
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.search import Search

DIRECTORIES = {"goldstandard": "goldstandard", "fulltext": "goldstandard", "elife": "elife"}
"""The benchmarks by name, and the directory of the data that each reads."""

ALGORITHMS = {"tpms": "TPMS", "elmo": "ELMo", "specter": "SPECTER", "specter_mfr": "SPECTER+MFR", "acl": "ACL"}

TASK = "reviewers"
BASELINE = "BM25 + max"
LEARNED = "look-up, learned across years"
CITED = "look-up, learned across years, with the paper's references"
LOOKUPS = {
    BASELINE: Lookup(search=Search("lexical"), aggregation=Aggregation.named("max"), references="off"),
    "look-up, lexical": Lookup(search=Search("lexical"), references="off"),
    "look-up, dense": Lookup(search=Search("dense"), references="off"),
    "look-up (default)": Lookup(references="off"),
    "look-up, with the paper's references": Lookup(),
}


def _printed(system: str, *printed: tuple[float, Interval | None]) -> BoardRow:
    named = zip(EXPERTISE, printed, strict=True)
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


def make_board(
    name: str,
    data: Path,
    models: Sequence[str],
    workspace: Path | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = silent,
) -> Leaderboard:
    """Run all systems on one benchmark of `DIRECTORIES`, which is below `data`.

    eLife's collection is indexed in `workspace`, by default in the user's cache.
    """
    root = data / DIRECTORIES[name]
    if name != "elife":
        full_texts = name == "fulltext"
        return goldstandard_board(GoldStandard(root), models, resamples, seed, progress, full_texts=full_texts)
    benchmark = ELife.read(root, references=True)  # read by the one row that says so
    answers = look_up_runs(benchmark, workspace, progress) | affinity_runs(benchmark, models, progress)
    return elife_board(benchmark, answers, resamples, seed)


def board_tables(name: str, board: Leaderboard) -> list[Table]:
    """The tables of a board: on eLife one for each measure, so that all have their intervals."""
    return [board.table(m) for m in board.measures] if name == "elife" else [board.table(*board.measures)]


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
    dataset, regime = ("d_full_20", FULL_TEXT) if full_texts else (DATASET, "ta")
    published = gold.published({dataset})
    systems = {label: published.get(System(name, dataset, regime)) for name, label in ALGORITHMS.items()}
    released = {label: scored.statistics() for label, scored in systems.items() if scored is not None}
    baseline = min(released, key=lambda label: released[label]["loss"].value)
    reference = released[baseline]
    counts = resampling_counts(reference["loss"].numerators.shape[-1], resamples, seed)
    models_here = {f"Panelist {name}": _statistics(gold, name, dataset, regime, progress) for name in models}
    rows = _rows(released, reference, counts, "predictions") + _rows(models_here, reference, counts)
    title = "Gold standard: titles and abstracts, the 20 most recent papers (d_20)"
    if full_texts:
        title = "Gold standard: full texts, the 20 most recent papers with an open PDF (d_full_20)"
    note = (
        f"{baseline} has the lowest loss of the published predictions. Weighted Kendall-tau loss, lower is better; "
        "easy and hard triplets in the right order, a tie is not, higher is better."
    )
    rows += () if full_texts else PRINTED
    board = Leaderboard(title, EXPERTISE, baseline, tuple(rows), note, (READING["loss"], READING["triplets"]))
    return board.ranked(descending=False)


def _statistics(gold: GoldStandard, name: str, dataset: str, regime: str, progress: Progress) -> dict[str, Ratio] | str:
    """What a model reaches on a dataset of the gold standard, or why it cannot."""
    kind, parameters = parse_model(name)
    if regime == FULL_TEXT and kind not in FULL_TEXTS:
        return "not available: reads titles and abstracts only"

    def score() -> dict[str, Ratio]:
        models = make_models(gold, [kind], [parameters], regime)
        (scored,) = score_models(gold, models, dataset, regime, progress).values()
        return scored.statistics()

    return attempt(kind, score)


def _rows(
    systems: Mapping[str, dict[str, Ratio] | str],
    reference: dict[str, Ratio] | str,
    counts: NDArray[np.float64],
    source: Source = "panelist",
) -> list[BoardRow]:
    """A row for each system: its figures, with differences from a reference, or why there are none."""
    against = None if isinstance(reference, str) else reference
    return [
        BoardRow(name, source, note=reached)
        if isinstance(reached, str)
        else BoardRow(name, source, bootstrap_figures(reached, against, counts))
        for name, reached in systems.items()
    ]


def look_up_runs(benchmark: ELife, workspace: Path | None, progress: Progress = silent) -> dict[str, Run | str]:
    """What each way of looking up answers, or why none can; the collection is indexed where it is not yet."""

    def run() -> dict[str, Run | str]:
        with open_benchmark("elife-lucene", benchmark.collection, progress, workspace) as finder:
            runs: dict[str, Run | str] = dict(look_ups(finder, benchmark.judged(TASK), progress))
            for name in (LEARNED, CITED):
                runs[name] = attempt(name, partial(_learned, benchmark, finder, name, progress))
            return runs

    answers = attempt("look-up", run)
    return dict.fromkeys((*LOOKUPS, LEARNED, CITED), answers) if isinstance(answers, str) else answers


def look_ups(finder: Finder, queries: Sequence[Submission], progress: Progress = silent) -> Iterator[tuple[str, Run]]:
    """Every way of looking up, by name, with its run of the queries."""
    size = 100 + room_for_own(queries)
    for name, lookup in LOOKUPS.items():
        deep = replace(lookup, size=size, conflicts="ignore")
        yield name, answer(finder, queries, deep, renamed(progress, name), name)


def _learned(benchmark: ELife, finder: Finder, name: str, progress: Progress) -> Run:
    """A ranker that learned from one year ranks the queries of the other."""
    queries, qrels = benchmark.judged(TASK), benchmark.qrels[TASK]
    judged = Judged.collect(finder, queries, qrels, references=name == CITED, progress=renamed(progress, name))
    return judged.run(cross_scores(judged), name)


def affinity_runs(benchmark: ELife, models: Sequence[str], progress: Progress = silent) -> dict[str, Run | str]:
    """What each affinity model answers, or why it cannot."""
    queries = benchmark.judged(TASK)

    def run(name: str) -> Run:
        kind, parameters = parse_model(name)
        progress(f"affinity {name}", 0, 1)
        return rank(benchmark, affinity_model(kind, **parameters), queries).run

    return {f"affinity {name}": attempt(name, partial(run, name)) for name in models}


def elife_board(
    benchmark: ELife, answers: Mapping[str, Run | str], resamples: int = RESAMPLES, seed: int = SEED
) -> Leaderboard:
    """How well runs find the real reviewers among all authors of the collection; intervals are over queries.

    A system has a run, or a note that says why there is none. Differences are taken from the run of `BASELINE`.
    """
    qrels = benchmark.qrels[TASK]
    systems = {
        name: run if isinstance(run, str) else means(qrels, run.without_own_authors(benchmark.queries), MEASURES)
        for name, run in answers.items()
    }
    judged = len(qrels.queries)
    rows = _rows(systems, systems[BASELINE], resampling_counts(judged, resamples, seed))
    title = f"eLife: the real reviewers of {judged:,} papers among {len(benchmark.candidates()):,} authors"
    reading = (READING["measures"].format(right="those who really reviewed"),)
    return Leaderboard(title, MEASURES, BASELINE, tuple(rows), "Higher is better.", reading).ranked(descending=True)
