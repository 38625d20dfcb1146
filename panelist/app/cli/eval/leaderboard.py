"""`panelist eval leaderboard`: every model of the project beside what others published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.eval.formats import CsvOption, LatexOption, MarkdownOption, check_formats, show
from panelist.app.cli.eval.reports import ReportOption, check_report, how_made, write_report
from panelist.app.cli.options import BenchmarkWorkspaceOption, JsonOption
from panelist.errors import InputError

if TYPE_CHECKING:
    from eval.benchmarks.leaderboard import Board
    from eval.reports.table import Table
    from panelist.progress import Progress

BENCHMARKS = ("goldstandard", "fulltext", "elife")

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Directory of 'goldstandard' and 'elife' [default: $PANELIST_DATA].", show_default=False
    ),
]
ModelOption = Annotated[
    list[str] | None, typer.Option("--model", help="Only these models of the project [default: all].")
]
ResamplesOption = Annotated[int, typer.Option(min=1, help="Bootstrap resamples of participants or queries.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the resamples.")]


def leaderboard(
    only: Annotated[
        str | None, typer.Option(help="One benchmark: goldstandard, fulltext or elife [default: all].")
    ] = None,
    model: ModelOption = None,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    workspace: BenchmarkWorkspaceOption = None,
    data: DataOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
    latex: LatexOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Every model of the project beside what others published, on stated expertise and on real reviewers.

    The gold standard: loss, easy and hard triplets, with the paired difference from the best published predictions.
    Full texts: the same for models that read them. eLife: recall and nDCG of look-up and of affinity models, with the
    paired difference from BM25 + max. Intervals are 95% bootstrap intervals. A model that cannot run here says what it
    lacks. The first time, papers are encoded, which takes some minutes.

    **Examples**

        panelist eval leaderboard

        panelist eval leaderboard --only goldstandard --markdown

        panelist eval leaderboard --only elife --model hybrid --model dense --json

        panelist eval leaderboard --report leaderboard/
    """
    check_formats(json, csv, latex, markdown)
    check_report(report)
    if only is not None and only not in BENCHMARKS:
        raise InputError(f"unknown benchmark '{only}': use one of {', '.join(BENCHMARKS)}")
    from panelist.app.cli.output import print_json, show_progress
    from panelist.config import data_dir

    models = known_models(model)
    root = data or data_dir()
    boards: dict[str, Board] = {}
    with show_progress("draws") as progress:
        for name in BENCHMARKS if only is None else (only,):
            boards[name] = (
                _elife(root / "elife", models, workspace, resamples, seed, progress)
                if name == "elife"
                else _goldstandard(root / "goldstandard", name, models, resamples, seed, progress)
            )
    tables = {name: _tables(name, board) for name, board in boards.items()}
    if report is not None:
        from eval.reports.leaderboard import leaderboard_report

        data_read = sorted({root / ("elife" if name == "elife" else "goldstandard") for name in boards})
        write_report(leaderboard_report(boards, tables, how_made(data_read)), report)
    if json:
        print_json({name: board.as_json() for name, board in boards.items()})
        return
    for table in (table for of_board in tables.values() for table in of_board):
        show(table, None, json, csv, latex, markdown)


def known_models(names: list[str] | None) -> list[str]:
    """The models to run: those asked for, or all.

    Raises:
        InputError: there is no such model.
    """
    from retriever.affinity.model import MODELS

    for name in names or ():
        if name not in MODELS:
            raise InputError(f"unknown affinity model '{name}': use one of {', '.join(MODELS)}")
    return list(dict.fromkeys(names or MODELS))


def _goldstandard(root: Path, name: str, models: list[str], resamples: int, seed: int, progress: Progress) -> Board:
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.leaderboard import abstracts_board, full_text_board

    board = full_text_board if name == "fulltext" else abstracts_board
    return board(GoldStandard(root), models, resamples, seed, progress)


def _elife(
    root: Path, models: list[str], workspace: Path | None, resamples: int, seed: int, progress: Progress
) -> Board:
    from eval.benchmarks.elife.benchmark import ELife
    from eval.benchmarks.elife.leaderboard import affinity_runs, elife_board, look_up_runs
    from eval.benchmarks.lookup import benchmark_workspace
    from panelist.workspace import Workspace

    benchmark = ELife.read(root)
    place = Workspace((workspace or benchmark_workspace("elife-lucene")).absolute())
    answers = look_up_runs(benchmark, place, progress) | affinity_runs(benchmark, models, progress)
    return elife_board(benchmark, answers, resamples, seed)


def _tables(name: str, board: Board) -> list[Table]:
    """On eLife a table for each measure, so that all have their intervals."""
    return [board.table(m) for m in board.measures] if name == "elife" else [board.table(*board.measures)]
