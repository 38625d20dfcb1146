"""`panelist eval elife`: find the people who really reviewed eLife's papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.cli.eval.formats import CsvOption, DataOption, LatexOption, MarkdownOption, check_formats, show
from panelist.cli.options import JsonOption


def elife(
    run: Annotated[
        Path, typer.Option("--run", help="TREC run: paper ids as queries, author ids as documents; plain or .gz.")
    ],
    measures: Annotated[
        str | None, typer.Option("--measures", "-m", help="What to measure [default: recall, ndcg, map, mrr, …].")
    ] = None,
    data: DataOption = None,
    json: JsonOption = False,
    csv: CsvOption = False,
    latex: LatexOption = False,
    markdown: MarkdownOption = False,
) -> None:
    """Measure rankings of authors for the eLife papers of 2019 and 2020: who reviewed, wrote, is cited by them.

    Candidates are the authors of papers up to 2018. A paper's own authors are taken out of the rankings except where
    they are the answer.

    **Examples**

        panelist eval elife --run bm25.run.gz

        panelist eval elife --run dense.run --measures recall@10,recall@100 --json
    """
    check_formats(json, csv, latex, markdown)
    from eval.benchmarks.elife import MEASURES, ELife
    from eval.measures import parse_measures
    from eval.report import Cell, Column, Table
    from eval.runs import read_run
    from panelist.config import data_dir

    wanted = parse_measures(MEASURES if measures is None else measures)
    benchmark = ELife.read(data or data_dir() / "elife")
    answers = read_run(run, queries={query.id for query in benchmark.queries}, documents=benchmark.candidates())
    figures = benchmark.score_run(answers, wanted)
    names = [str(m) for m in wanted]
    columns = (Column("task"), Column("queries", ",.0f"), *map(Column, names))
    rows: list[tuple[Cell, ...]] = [
        (task, values["queries"], *(values[name] for name in names)) for task, values in figures.items()
    ]
    show(Table(f"eLife, run {run.name}", columns, tuple(rows)), figures, json, csv, latex, markdown)
