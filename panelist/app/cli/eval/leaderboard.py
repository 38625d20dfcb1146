"""`panelist eval leaderboard`: every model of the project beside what others published."""

from pathlib import Path

from panelist.app.cli.eval.results import Figures, PageOptions, Resampling
from panelist.app.cli.options import BenchmarkWorkspaceOption, option
from panelist.app.cli.output import origin, show_progress
from panelist.config import data_dir
from panelist.errors import InputError


def leaderboard(
    only: str | None = option("One benchmark: goldstandard, fulltext or elife [default: all]."),
    model: list[str] | None = option("Only these models, perhaps with parameters: dense:pooling=max [default: all]."),
    workspace: BenchmarkWorkspaceOption = None,
    data: Path | None = option("Directory of 'goldstandard' and 'elife' [default: $PANELIST_DATA]."),
    *,
    resampling: Resampling,
    page: PageOptions,
) -> Figures:
    """Every model of the project beside what others published, on stated expertise and on real reviewers.

    The gold standard: loss, easy and hard triplets, with the paired difference from the best published predictions.
    Full texts: the same for models that read them. eLife: recall and nDCG of look-up and of affinity models, with the
    paired difference from BM25 + max. Intervals are 95% bootstrap intervals. A model that cannot run here says what it
    lacks. The first time, papers are encoded, which takes some minutes.

    Examples:
        panelist eval leaderboard
        panelist eval leaderboard --only goldstandard --markdown
        panelist eval leaderboard --only elife --model hybrid --model dense --json
        panelist eval leaderboard --report leaderboard/
    """
    from eval.benchmarks.leaderboard import DIRECTORIES, board_tables, make_board
    from retriever.affinity.model import MODELS, parse_model

    if only is not None and only not in DIRECTORIES:
        raise InputError(f"unknown benchmark '{only}': use one of {', '.join(DIRECTORIES)}")
    for name in model or ():
        parse_model(name)  # which must exist
    models = list(dict.fromkeys(model or MODELS))
    root = data or data_dir()
    with show_progress("draws") as progress:
        boards = {
            name: make_board(name, root, models, workspace, resampling.resamples, resampling.seed, progress)
            for name in (DIRECTORIES if only is None else (only,))
        }
    tables = {name: board_tables(name, board) for name, board in boards.items()}
    if page.report is not None:
        from eval.reports.leaderboard import leaderboard_report

        page.write(leaderboard_report(boards, tables, origin(sorted({root / DIRECTORIES[name] for name in boards}))))
    figures = {name: board.as_json() for name, board in boards.items()}
    return Figures(figures, [table for of_board in tables.values() for table in of_board])
