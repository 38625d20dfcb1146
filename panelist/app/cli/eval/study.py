"""`panelist eval study`: what a model reads of papers and how many make a profile, and what that changes."""

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.eval.leaderboard import ModelOption, known_models
from panelist.app.cli.eval.results import DataOption, OutputAndReport, Resampling
from panelist.app.cli.options import spread
from panelist.app.cli.output import how_made, show_progress
from panelist.config import data_dir
from panelist.errors import InputError

_NOT_ASKED = ("trivial", "llm")  # one reads nothing, the other costs money


@spread
def study(
    model: ModelOption = None,
    lengths: Annotated[str, typer.Option(help="Numbers of papers in a profile, 1 to 20.")] = "1,2,3,5,8,10,15,20",
    regime: Annotated[
        list[str] | None, typer.Option(help="What is read of papers: t, ta or f; may be given again [default: all].")
    ] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves into this .png, .svg or .pdf.")] = None,
    data: DataOption = None,
    *,
    resampling: Resampling,
    output: OutputAndReport,
) -> None:
    """The study of modelling choices of the gold standard's paper (Table 4, Figure 2), for every model.

    What is read of a paper (title, title and abstract, full text), how many of the most recent papers make up a
    profile, and whether a whole bibliography is better than the 20 most recent. TPMS is shown as published.

    **Examples**

        panelist eval study

        panelist eval study --model hybrid --lengths 5,10,15,20 --figure hybrid.png

        panelist eval study --regime t --regime ta --json

        panelist eval study --model hybrid --model dense --report study/
    """
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.predictions import REGIMES
    from eval.benchmarks.goldstandard.study import study as run_study
    from eval.benchmarks.goldstandard.tables import LENGTHS
    from eval.reports.figures import check_picture, plot_lines
    from retriever.affinity.model import MODELS

    if figure is not None:
        check_picture(figure)
    wanted = [int(part) for part in lengths.split(",") if part.strip().isdigit()]
    if len(wanted) != len(lengths.split(",")) or not set(wanted) <= set(LENGTHS):
        raise InputError(f"lengths of profiles are numbers from 1 to 20, received '{lengths}': write e.g. 5,10,20")
    for one in regime or ():
        if one not in REGIMES:
            raise InputError(f"unknown regime '{one}': use one of {', '.join(REGIMES)}")
    models = known_models(model or [name for name in MODELS if name not in _NOT_ASKED])
    gold = GoldStandard(data or data_dir() / "goldstandard")
    with show_progress("draws") as progress:
        regimes = regime or tuple(REGIMES)
        found = run_study(gold, models, wanted, regimes, resampling.resamples, resampling.seed, progress)
    if figure is not None:
        lines = {f"{curve.system}, {curve.text}": curve.losses for curve in found.curves}
        plot_lines(figure, found.lengths, lines, "papers in a profile", "weighted Kendall-tau loss")
    if output.report is not None:
        from eval.benchmarks.goldstandard.study import study_report

        output.write(study_report(found, how_made([gold.root])))
    curves: dict[str, dict[str, dict[str, float]]] = {}
    for curve in found.curves:
        losses = {str(length): loss for length, loss in zip(found.lengths, curve.losses, strict=True)}
        curves.setdefault(curve.system, {})[curve.text] = losses
    texts, bibliographies = found.texts, found.bibliographies
    output.show(
        {"texts": texts.as_json(), "bibliographies": bibliographies.as_json(), "curves": curves},
        texts.table(*texts.measures),
        found.curve_table(),
        bibliographies.table(*bibliographies.measures),
    )
