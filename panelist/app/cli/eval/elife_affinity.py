"""`panelist eval elife-affinity`: affinity models on eLife's real reviewers."""

from __future__ import annotations

from typing import Annotated

import typer

from panelist.app.cli.eval.formats import CsvOption, DataOption, LatexOption, MarkdownOption, check_formats, show
from panelist.app.cli.eval.reports import ReportOption, check_report, how_made, write_report
from panelist.app.cli.options import JsonOption


def elife_affinity(
    model: Annotated[
        list[str], typer.Option("--model", help="Affinity model, perhaps with parameters: dense:pooling=max.")
    ],
    profile_size: Annotated[int, typer.Option(min=1, help="The most recent papers that make up a profile.")] = 20,
    measures: Annotated[
        str, typer.Option("--measures", "-m", help="What to measure.")
    ] = "recall@10,recall@100,ndcg@10,mrr",
    data: DataOption = None,
    report: ReportOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
    latex: LatexOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Rank all authors of the eLife papers up to 2018 for those of 2019 and 2020; who really reviewed them is right.

    `length` is Spearman's correlation between an author's mean score and number of papers: the reward of a long
    profile as such.

    **Examples**

        panelist eval elife-affinity --model hybrid

        panelist eval elife-affinity --model hybrid --model hybrid:pooling=max --model hybrid:breadth=0 --json

        panelist eval elife-affinity --model hybrid --model bm25 --report models/
    """
    check_formats(json, csv, latex, markdown)
    check_report(report)
    from eval.benchmarks.elife.affinity import rank
    from eval.benchmarks.elife.benchmark import ELife
    from eval.measures.ranking import parse_measures
    from eval.reports.table import Cell, Column, Table
    from panelist.app.cli.output import progress
    from panelist.app.cli.parameters import read_parameters
    from panelist.config import data_dir
    from panelist.errors import InputError
    from retriever.affinity.model import affinity_model

    wanted = parse_measures(measures)
    models = {}
    for text in model:
        name, _, given = text.partition(":")
        if name == "llm":
            raise InputError("model 'llm' cannot rank all authors: use hybrid, dense, bm25 or tpms")
        models[text] = affinity_model(name, **read_parameters(filter(None, given.split(","))))
    root = data or data_dir() / "elife"
    benchmark = ELife.read(root)
    queries = benchmark.judged("reviewers")
    reviewed = ELife(benchmark.collection, benchmark.queries, {"reviewers": benchmark.qrels["reviewers"]})
    figures, rankings = {}, {}
    with progress("models") as display:
        for text, made in display.track(models.items(), len(models), description="ranking"):
            ranked = rank(reviewed, made, queries, profile_size)
            scored = reviewed.score_run(ranked.run, wanted)["reviewers"]
            figures[text] = {**scored, "length": ranked.length_correlation}
            rankings[text] = reviewed.admitted(ranked.run)["reviewers"]
    columns = (Column("model"), *(Column(str(m)) for m in wanted), Column("length", ".3f"))
    rows: list[tuple[Cell, ...]] = [(text, *(of[str(m)] for m in wanted), of["length"]) for text, of in figures.items()]
    title = f"eLife, {len(queries):,} papers and their real reviewers among {len(benchmark.candidates()):,} authors"
    table = Table(title, columns, tuple(rows))
    if report is not None:
        from eval.measures.ranking import measure, recall_curve
        from eval.reports.rankings import ranking_report

        qrels = reviewed.qrels["reviewers"]
        values = {text: {str(m): v for m, v in measure(qrels, run, wanted).items()} for text, run in rankings.items()}
        page = ranking_report(
            "Affinity models on eLife's real reviewers",
            f"Every author of eLife's papers up to 2018 was scored for {len(queries):,} papers of 2019 and 2020, of "
            "which it is known who reviewed them.",
            table,
            values,
            {text: recall_curve(qrels, run) for text, run in rankings.items()},
            how_made([root / "works", root / "qrels.dev.reviewers.txt"]),
            right="those who really reviewed",
        )
        write_report(page, report)
    show(table, figures, json, csv, latex, markdown)
