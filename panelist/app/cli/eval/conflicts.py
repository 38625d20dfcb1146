"""`panelist eval conflicts`: authors of real papers on the committee of their own papers, and how many are found."""

from dataclasses import asdict
from pathlib import Path

from eval.reports.table import Column, Table
from panelist.app.cli.eval.results import DataOption, Output
from panelist.app.cli.options import spread
from panelist.config import data_dir
from panelist.corpus.readers.report import ReadReport
from panelist.records import Paper


@spread
def conflicts(data: DataOption = None, *, output: Output) -> None:
    """Place the authors of 200 papers on the committee of these papers, and count who is found.

    They sit there under invented OpenReview ids, e-mail addresses or ORCIDs, under names, or initials; papers give the
    same ids in another form, or names only. The papers are those of the ACL Anthology ($PANELIST_DATA/acl), or of the
    demo where it is absent.

    **Examples**

        panelist eval conflicts

        panelist eval conflicts --json
    """
    from eval.benchmarks.planted_authors import planted_authors

    corpus, papers = _papers(data)
    found = planted_authors(papers)
    given = {"by_id": "ids", "by_name": "names only"}
    rows = [
        (f"{form}, papers give {given[way]}", one.certain, one.possible, one.missed, one.false_flags, one.others)
        for form, ways in found.items()
        for way, one in ways.items()
    ]
    columns = ("committee has", "certain", "possible", "missed", "others flagged", "of other pairs")
    table = Table(
        f"Authors of {corpus} on the committee of their own papers",
        tuple(Column(name, "d" if number else "") for number, name in enumerate(columns)),
        tuple(rows),
    )
    figures = {form: {way: asdict(one) for way, one in ways.items()} for form, ways in found.items()}
    output.show({"corpus": corpus, **figures}, table)


def _papers(data: Path | None) -> tuple[str, list[Paper]]:
    """The papers of the newest year first."""
    from panelist.app.demo import corpus
    from panelist.corpus.readers import openalex

    folder = data or data_dir() / "acl" / "works"
    if data is None and not folder.is_dir():
        name, papers = "the demo", list(corpus())
    else:
        name, papers = "the ACL Anthology" if data is None else str(data), list(openalex.read([folder], ReadReport()))
    return name, sorted(papers, key=lambda paper: (-(paper.year or 0), paper.id))
