"""The boards of `panelist eval leaderboard`: every model of the project beside what others published."""

from collections.abc import Sequence
from pathlib import Path

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.leaderboard import affinity_runs, elife_board, look_up_runs
from eval.benchmarks.goldstandard.benchmark import GoldStandard
from eval.benchmarks.goldstandard.leaderboard import goldstandard_board
from eval.benchmarks.lookup import benchmark_workspace
from eval.measures.statistics import RESAMPLES, SEED
from eval.reports.leaderboard import Leaderboard
from eval.reports.table import Table
from panelist.progress import Progress, silent
from panelist.workspace import Workspace

DIRECTORIES = {"goldstandard": "goldstandard", "fulltext": "goldstandard", "elife": "elife"}
"""The benchmarks by name, and the directory of the data that each reads."""


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
    indexed = Workspace((workspace or benchmark_workspace("elife-lucene")).absolute())
    answers = look_up_runs(benchmark, indexed, progress) | affinity_runs(benchmark, models, progress)
    return elife_board(benchmark, answers, resamples, seed)


def board_tables(name: str, board: Leaderboard) -> list[Table]:
    """The tables of a board: on eLife one for each measure, so that all have their intervals."""
    return [board.table(m) for m in board.measures] if name == "elife" else [board.table(*board.measures)]
