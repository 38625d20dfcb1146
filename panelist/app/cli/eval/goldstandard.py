"""`panelist eval goldstandard`: models and published predictions against self-reported expertise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eval.reports.table import Table
from panelist.app.cli.eval.results import DataOption, OutputAndReport, Resampling
from panelist.app.cli.options import spread
from panelist.app.cli.output import how_made, show_progress
from panelist.config import data_dir
from panelist.errors import InputError
from panelist.parameters import read_value, split_parameter

if TYPE_CHECKING:
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.predictions import Scored, System
    from eval.benchmarks.goldstandard.report import Summary


@spread
def goldstandard(
    predictions: Annotated[
        bool, typer.Option("--predictions", help="Score the predictions that the benchmark's authors published.")
    ] = False,
    scores: Annotated[
        Path | None,
        typer.Option(help="Score this file: algorithm,dataset,regime,reviewer,paper,score; plain or .gz."),
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", help="Run and score this affinity model.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="NAME=VALUE of the models; with --select NAME=V1,V2.")
    ] = None,
    select: Annotated[
        bool,
        typer.Option("--select", help="Choose among the systems without the participant being scored, one by one."),
    ] = False,
    table: Annotated[int, typer.Option(min=3, max=9, help="Which table of the paper to print.")] = 3,
    figure2: Annotated[
        Path | None, typer.Option(help="Draw the loss by the length of profiles into this .png, .svg or .pdf.")
    ] = None,
    dataset: Annotated[str, typer.Option(help="How profiles are made: d_20, d_full_1 … d_full_20, all.")] = "d_20",
    regime: Annotated[
        str, typer.Option(help="What is read of papers: t (titles), ta (also abstracts), f (all).")
    ] = "ta",
    baseline: Annotated[str, typer.Option(help="Which system differences are taken from.")] = "tpms",
    data: DataOption = None,
    *,
    resampling: Resampling,
    output: OutputAndReport,
) -> None:
    """Score systems by how they order papers, against what 58 researchers say of their own expertise.

    Prints the weighted Kendall-tau loss (lower is better) with 95% intervals from resampled participants, easy and
    hard triplets (--table 5) or measures of the top k (--table 6 … 9). --table 4 and --figure2 ask what should be read
    of a paper, and how many papers make a profile: of the published TPMS, as the paper does, and of every --model.

    **Examples**

        panelist eval goldstandard --predictions

        panelist eval goldstandard --predictions --table 4 --markdown

        panelist eval goldstandard --model trivial --json

        panelist eval goldstandard --predictions --select

        panelist eval goldstandard --table 4 --model hybrid

        panelist eval goldstandard --figure2 figure2.png --model hybrid

        panelist eval goldstandard --predictions --model hybrid --report models/
    """
    from eval.benchmarks.goldstandard import report
    from eval.benchmarks.goldstandard.benchmark import GoldStandard
    from eval.benchmarks.goldstandard.predictions import REGIMES, read_predictions

    gold = GoldStandard(data or data_dir() / "goldstandard")
    grid, names = _grid(parameter or [], several=select), model or []
    if (figure2 is not None or table == 4) and (scores or select):
        raise InputError("Table 4 and Figure 2 are of the published TPMS and models: leave out --scores and --select")
    if figure2 is not None:
        _figure2(gold, figure2, names, grid, output)
        return
    groups: list[tuple[dict[str, Scored], tuple[str, Scored]]] = []  # systems, and what they are compared with
    if table == 4:
        baseline = REGIMES["ta"]
        for name, texts in _by_text(gold, names, grid, report.LENGTHS[-1:]).items():
            group = {_label(name, text): scored for text, (scored,) in texts.items()}
            groups.append((group, (_label(name, baseline), group[_label(name, baseline)])))
    else:
        published = gold.published({dataset, "d_full_20"} if table == 5 else {dataset})
        own = {} if scores is None else _named(read_predictions(scores, gold.ratings, {dataset}), dataset, regime)
        own |= _run_models(gold, names, grid, dataset, regime)
        released = {
            f"{name} (published)" if name in own else name: scored
            for name, scored in _named(published, dataset, regime, full_text=predictions and table == 5).items()
        }
        systems = (released if predictions else {}) | own
        if f"{baseline} (published)" in released:
            baseline = f"{baseline} (published)"
        reference = (own | released).get(baseline)
        if not systems and (predictions or scores):
            raise InputError(f"no scores of dataset '{dataset}' in regime '{regime}': use e.g. d_20 and ta")
        if not systems:
            raise InputError("nothing to score: give --predictions, --scores FILE or --model NAME")
        if reference is None:
            raise InputError(f"unknown baseline '{baseline}': use one of {', '.join(systems)}")
        groups.append((systems, (baseline, reference)))

    note = ""
    summaries: dict[str, Summary] = {}
    if select:
        ((systems, (_, reference)),) = groups
        selected = report.select_among(systems, reference, resampling.resamples, resampling.seed)
        summaries[f"chosen of {len(systems)}"] = selected.summary
        figures: Any = selected.as_json()
        note = selected.note()
    else:
        for systems, compared in groups:
            summaries |= report.summarise_all(systems, compared, resampling.resamples, resampling.seed)
        by_system = {name: report.as_json(summary) for name, summary in summaries.items()}
        figures = next(iter(by_system.values())) if len(by_system) == 1 else by_system
    if output.report is not None:
        participants = max(len(scored.ratings.participants) for systems, _ in groups for scored in systems.values())
        facts = how_made([*gold.root.glob("*.csv*"), *gold.root.glob("*.jsonl.gz"), *([scores] if scores else [])])
        output.write(report.goldstandard_report(summaries, baseline, participants, facts))
    output.show(figures, _table(summaries, table, baseline, note))


def _named(published: dict[System, Scored], dataset: str, regime: str, full_text: bool = False) -> dict[str, Scored]:
    """The systems of one dataset and regime by name; with TPMS on full texts, as in Table 5, where it is asked for."""
    from eval.benchmarks.goldstandard.predictions import System

    named = {key.algorithm: scored for key, scored in published.items() if key[1:] == (dataset, regime)}
    if full_text:
        named["tpms full text"] = published[System("tpms", "d_full_20", "f")]
    return named


def _run_models(
    gold: GoldStandard, names: list[str], grid: list[dict[str, Any]], dataset: str, regime: str
) -> dict[str, Scored]:
    """Every model with every configuration of the grid, on all draws."""
    if not names:
        return {}
    from eval.benchmarks.goldstandard.benchmark import make_models, score_models

    models = make_models(gold, names, grid, regime)
    with show_progress("draws") as progress:
        return score_models(gold, models, dataset, regime, progress)


def _by_text(
    gold: GoldStandard, names: list[str], grid: list[dict[str, Any]], lengths: Sequence[int]
) -> dict[str, dict[str, list[Scored]]]:
    """The scores of the published TPMS and of models, by what they read of papers, with profiles of these lengths."""
    from eval.benchmarks.goldstandard.benchmark import score_by_text

    with show_progress("draws") as progress:
        return score_by_text(gold, names, grid, lengths, progress)


def _label(name: str, text: str) -> str:
    """A model by its name and what it reads; the published TPMS, without a name, by what it reads."""
    return f"{name}, {text}" if name else text


def _grid(parameters: list[str], several: bool) -> list[dict[str, Any]]:
    """All combinations of `NAME=V1,V2`; without `several` each parameter has one value, commas and all."""
    choices: dict[str, list[Any]] = {}
    for name, text in map(split_parameter, parameters):
        choices[name] = [read_value(value) for value in (text.split(",") if several else [text])]
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def _table(summaries: dict[str, Summary], table: int, baseline: str, note: str) -> Table:
    from eval.benchmarks.goldstandard import report

    cutoff = report.TABLES[table]
    if cutoff is not None:
        return report.cutoff_table(summaries, cutoff, f"Gold standard, measures of the top {cutoff}")
    if table == 5:
        return report.triplet_table(summaries, "Gold standard, easy and hard triplets")
    return report.loss_table(summaries, baseline, "Gold standard", note)


def _figure2(
    gold: GoldStandard, path: Path, names: list[str], grid: list[dict[str, Any]], output: OutputAndReport
) -> None:
    from eval.benchmarks.goldstandard.report import LENGTHS, length_table
    from eval.reports.figures import check_picture, plot_lines

    check_picture(path)
    curves = {
        _label(name, text): [scored.statistics()["loss"].value for scored in by_length]
        for name, texts in _by_text(gold, names, grid, LENGTHS).items()
        for text, by_length in texts.items()
    }
    plot_lines(path, LENGTHS, curves, "papers in a profile", "weighted Kendall-tau loss")
    output.show({"lengths": LENGTHS, **curves}, length_table(curves))
