"""`panelist eval trec`: runs against qrels, side by side."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from eval.reports.table import Cell, Column, Table
from panelist.app.cli.eval.results import OutputAndReport
from panelist.app.cli.options import spread
from panelist.app.cli.output import how_made, show_progress
from panelist.corpus.readers.ids import read_ids
from panelist.errors import InputError
from panelist.words import counted


@spread
def trec(
    qrels: Annotated[Path, typer.Argument(help="Judgements: 'query 0 document relevance' lines, plain or .gz.")],
    runs: Annotated[
        list[Path], typer.Argument(help="Runs: 'query Q0 document rank score tag' lines; the first is the baseline.")
    ],
    measures: Annotated[
        str, typer.Option("--measures", "-m", help="ndcg, map, recall, precision, mrr, each with or without @k.")
    ] = "ndcg@10,map,recall@100",
    test: Annotated[
        Literal["randomisation", "t"],
        typer.Option(help="Paired test against the baseline that the table shows, corrected after Holm."),
    ] = "randomisation",
    permutations: Annotated[int, typer.Option(min=100, help="Random signings of the randomisation test.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the randomisation test.")] = 0,
    ignore_unknown_queries: Annotated[
        bool, typer.Option("--ignore-unknown-queries", help="Ignore a run's queries that have no judgements.")
    ] = False,
    candidates: Annotated[
        Path | None,
        typer.Option("--candidates", help="File of document ids, one per line: any other id in a run is an error."),
    ] = None,
    *,
    output: OutputAndReport,
) -> None:
    """Measure runs against judgements, as trec_eval does.

    Judged queries that a run does not answer score zero. A line that is wrong (another number of columns, a query that
    is not judged, a pair that occurs twice, a score that is not a number) is refused with its line number.
    Documents are ordered by score, ties by descending id. With several runs, each is compared with the first
    by paired tests whose p-values are corrected together (Holm).

    **Examples**

        panelist eval trec qrels.txt run.txt

        panelist eval trec qrels.txt bm25.run dense.run.gz --measures ndcg@10,recall@100,mrr --json

        panelist eval trec qrels.txt bm25.run dense.run --report comparison/
    """
    from eval.measures.ranking import measure, parse_measures
    from eval.measures.statistics import compare
    from eval.trec import read_qrels, read_run

    wanted = parse_measures(measures)
    names = _names(runs)
    judged = read_qrels(qrels)
    known = None if ignore_unknown_queries else judged.queries
    people = None if candidates is None else frozenset(read_ids(candidates))
    read = [read_run(path, queries=known, documents=people) for path in runs]
    values = {}
    with show_progress("runs") as progress:
        for number, (name, run) in enumerate(zip(names, read, strict=True)):
            progress("measuring", number, len(names))
            values[name] = measure(judged, run, wanted)
    significance = compare(values, permutations, seed)
    figures: dict[str, Any] = {
        "queries": len(judged.queries),
        "runs": {name: {str(m): float(v.mean()) for m, v in of.items()} for name, of in values.items()},
        "baseline": names[0],
        "significance": significance,
    }
    table = _table(figures, [str(m) for m in wanted], test)
    if output.report is not None:
        from eval.reports.rankings import ranking_report

        best = max(values, key=lambda name: values[name][wanted[0]].mean())
        lead = (
            f"{counted(len(runs), 'run')} of {counted(len(judged.queries), 'judged query', 'judged queries')}. "
            f"By {wanted[0]} the best is {best}, with a mean of {values[best][wanted[0]].mean():.4f}."
        )
        page = ranking_report(
            f"Runs against {qrels.name}",
            lead,
            table,
            {name: (judged, run) for name, run in zip(names, read, strict=True)},
            wanted,
            how_made([qrels, *runs]),
            right="what was judged relevant",
        )
        output.write(page)
    output.show(figures, table)


def _names(runs: list[Path]) -> list[str]:
    """File names, or whole paths where two files are called the same."""
    names = [path.name for path in runs]
    names = [str(path) if names.count(path.name) > 1 else path.name for path in runs]
    if len(set(names)) < len(names):
        raise InputError("a run was given twice: give each run once")
    return names


def _table(figures: dict[str, Any], measures: list[str], test: str) -> Table:
    compared = len(figures["runs"]) > 1
    columns = [Column("run")]
    for m in measures:
        columns += [Column(m), Column("Δ", "+.4f"), Column("p")] if compared else [Column(m)]
    rows: list[tuple[Cell, ...]] = []
    for name, means in figures["runs"].items():
        row: list[Cell] = [name]
        for m in measures:
            against = figures["significance"].get(name, {}).get(m, {})
            row += [means[m], against.get("delta"), against.get(f"p_{test}_holm")] if compared else [means[m]]
        rows.append(tuple(row))
    note = f"Δ and Holm-corrected p of the paired {test} test against {figures['baseline']}." if compared else ""
    return Table(f"{figures['queries']:,} judged queries", tuple(columns), tuple(rows), note)
