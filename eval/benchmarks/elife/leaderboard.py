"""The leaderboard of eLife: who really reviewed its papers, found by look-up and by affinity models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from eval.benchmarks.elife.affinity import rank
from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.lookup import answer, means, prepare, renamed, room_for_own
from eval.benchmarks.ranker import MEASURES, Judged, across
from eval.measures.statistics import RESAMPLES, SEED, figures, resampling_counts
from eval.reports.leaderboard import BoardRow, Leaderboard, attempt
from eval.reports.rankings import READ_MEASURES
from eval.runs import Run
from panelist.progress import Progress, silent
from panelist.records import Submission
from panelist.workspace import Workspace
from retriever.affinity.model import affinity_model, parse_model
from retriever.aggregate import Aggregation
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.search import Search

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
TASK = "reviewers"


def look_up_runs(benchmark: ELife, workspace: Workspace, progress: Progress = silent) -> dict[str, Run | str]:
    """What each way of looking up answers, or why none can; the collection is indexed where it is not yet."""

    def run() -> dict[str, Run | str]:
        prepare(workspace, benchmark.collection, progress)
        with Finder.open(workspace) as finder:
            runs: dict[str, Run | str] = dict(look_ups(finder, benchmark.judged(TASK), progress))
            learned = {name: partial(_learned, benchmark, finder, name, progress) for name in (LEARNED, CITED)}
            return runs | {name: attempt(name, run) for name, run in learned.items()}

    answers = attempt("look-up", run)
    return dict.fromkeys((*LOOKUPS, LEARNED, CITED), answers) if isinstance(answers, str) else answers


def look_ups(finder: Finder, queries: Sequence[Submission], progress: Progress = silent) -> Iterator[tuple[str, Run]]:
    """Every way of looking up, by name, with its run of the queries."""
    size = 100 + room_for_own(queries)
    for name, lookup in LOOKUPS.items():
        deep = replace(lookup, size=size, conflicts="ignore")
        yield name, answer(finder, queries, deep, renamed(progress, name), name)


def affinity_runs(benchmark: ELife, models: Sequence[str], progress: Progress = silent) -> dict[str, Run | str]:
    """What each affinity model answers, or why it cannot."""
    queries = benchmark.judged(TASK)
    return {
        f"affinity {name}": attempt(name, partial(_affinity, benchmark, name, queries, progress)) for name in models
    }


def elife_board(
    benchmark: ELife, answers: Mapping[str, Run | str], resamples: int = RESAMPLES, seed: int = SEED
) -> Leaderboard:
    """How well runs find the real reviewers among all authors of the collection; intervals are over queries.

    A system has a run, or a note that says why there is none. Differences are taken from the run of `BASELINE`.
    """
    judged = len(benchmark.qrels[TASK].queries)
    counts = resampling_counts(judged, resamples, seed)
    statistics = {
        name: means(benchmark.qrels[TASK], benchmark.without_own_authors(run), MEASURES)
        for name, run in answers.items()
        if isinstance(run, Run)
    }
    rows = []
    for name, run in answers.items():
        if isinstance(run, str):
            rows.append(BoardRow(name, "panelist", note=run))
        else:
            baseline = None if name == BASELINE else statistics.get(BASELINE)
            rows.append(BoardRow(name, "panelist", figures(statistics[name], baseline, counts)))
    title = f"eLife: the real reviewers of {judged:,} papers among {len(benchmark.candidates()):,} authors"
    reading = (READ_MEASURES.format(right="those who really reviewed"),)
    return Leaderboard(title, MEASURES, BASELINE, tuple(rows), "Higher is better.", reading).ranked(descending=True)


def _affinity(benchmark: ELife, name: str, queries: Sequence[Submission], progress: Progress) -> Run:
    kind, parameters = parse_model(name)
    model = affinity_model(kind, **parameters)
    progress(f"affinity {name}", 0, 1)
    ranked = rank(benchmark, model, queries)
    progress(f"affinity {name}", 1, 1)
    return ranked.run


def _learned(benchmark: ELife, finder: Finder, name: str, progress: Progress) -> Run:
    """A ranker that learned from one year ranks the queries of the other."""
    queries, qrels = benchmark.judged(TASK), benchmark.qrels[TASK]
    judged = Judged.collect(finder, queries, qrels, references=name == CITED, progress=renamed(progress, name))
    return judged.run(across(judged), name)
