"""`panelist eval leaderboard`: every model of the project beside what others published."""

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.eval.results import OutputAndReport, Resampling
from panelist.app.cli.options import BenchmarkWorkspaceOption, spread
from panelist.app.cli.output import how_made, show_progress
from panelist.config import data_dir
from panelist.errors import InputError

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Directory of 'goldstandard' and 'elife' [default: $PANELIST_DATA].", show_default=False
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option("--model", help="Only these models, perhaps with parameters: dense:pooling=max [default: all]."),
]


@spread
def leaderboard(
    only: Annotated[
        str | None, typer.Option(help="One benchmark: goldstandard, fulltext or elife [default: all].")
    ] = None,
    model: ModelOption = None,
    workspace: BenchmarkWorkspaceOption = None,
    data: DataOption = None,
    *,
    resampling: Resampling,
    output: OutputAndReport,
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
    from eval.benchmarks.leaderboard import DIRECTORIES, board_tables, make_board

    if only is not None and only not in DIRECTORIES:
        raise InputError(f"unknown benchmark '{only}': use one of {', '.join(DIRECTORIES)}")
    models = known_models(model)
    root = data or data_dir()
    names = DIRECTORIES if only is None else (only,)
    with show_progress("draws") as progress:
        boards = {
            name: make_board(name, root, models, workspace, resampling.resamples, resampling.seed, progress)
            for name in names
        }
    tables = {name: board_tables(name, board) for name, board in boards.items()}
    if output.report is not None:
        from eval.reports.leaderboard import leaderboard_report

        data_read = sorted({root / DIRECTORIES[name] for name in boards})
        output.write(leaderboard_report(boards, tables, how_made(data_read)))
    figures = {name: board.as_json() for name, board in boards.items()}
    output.show(figures, *(table for of_board in tables.values() for table in of_board))


def known_models(names: list[str] | None) -> list[str]:
    """The models to run, perhaps with parameters: those asked for, or all.

    Raises:
        InputError: there is no such model.
    """
    from retriever.affinity.model import MODELS, parse_model

    for name in names or ():
        parse_model(name)
    return list(dict.fromkeys(names or MODELS))
