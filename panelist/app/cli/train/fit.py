"""`panelist train fit`: learn from judgements how often a suggestion is right, given what is known of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson

from eval.reports.table import table_of
from panelist.app.cli.eval.results import Output
from panelist.app.cli.options import BenchmarkWorkspaceOption, JsonOption, argument, option
from panelist.app.cli.output import print_json, show_progress
from panelist.files import check_file, write_whole


def fit(
    source: Path = argument("eLife's data: who really reviewed is what is learned."),
    out: Path = option("The model's file, with its provenance.", "-o"),
    workspace: BenchmarkWorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Learn what grades of suggestions rest on: from real reviewers, with references and without.

    The figures are of models that learned from the other year; the model itself learns from both. The package's own is
    `retriever/fit.json`.

    Examples:
        panelist train fit elife --out fit.json
    """
    from eval.benchmarks.elife.benchmark import ELife
    from eval.benchmarks.elife.confidence import judged_fit
    from eval.benchmarks.fit import model_of
    from eval.benchmarks.lookup import open_benchmark

    check_file(out)
    benchmark = ELife.read(source, references=True, history=True)
    with (
        show_progress("queries") as progress,
        open_benchmark("elife-lucene", benchmark.collection, progress, workspace) as finder,
    ):
        taught, graded = judged_fit(benchmark, finder, progress)
        manifest, nearness = finder.index.manifest, finder.index.nearness
    figures = {name: result.figures() for name, result in graded.items()}
    provenance = {
        "trained_on": {
            "data": source.name,
            "queries": len(benchmark.judged("reviewers")),
            "suggestions": len(taught.right),
            "corpus": manifest.corpus,
            "encoder": manifest.encoder.name,
            "nearness": asdict(nearness),
        },
        "across_years": figures,
    }
    content = asdict(model_of(taught)) | {"provenance": provenance}
    write_whole(out, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    if json:
        print_json(content)
        return
    rows = ((name, weight) for name, weight in (content["weights"] | {"intercept": content["intercept"]}).items())
    measured = (
        (name, result["auc"], result["calibration_error"], result["strong_to_weak"]) for name, result in figures.items()
    )
    columns = ("suggestions", "AUC", "calibration error", ("strong to weak", ".1f"))
    Output().show(
        None, table_of("Fit: weights", ("evidence", "weight"), rows), table_of("Across years", columns, measured)
    )
