"""`panelist eval coverage`: is a submission from another field told that nobody here works on it?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eval.reports.table import table_of
from panelist.app.cli.eval.results import Output
from panelist.app.cli.options import option
from panelist.app.cli.output import show_progress
from panelist.config import data_dir


def coverage(
    elife: Path | None = option("Workspace of eLife's papers up to 2018 [default: in the user's cache]."),
    acl: Path | None = option("Workspace of the sample of the ACL Anthology [default: in the user's cache]."),
    *,
    output: Output,
) -> None:
    """Submit papers of eLife and of the ACL Anthology to an index of either field, and count what they are told.

    `none` says that no paper of the index is near. The first time both collections are indexed, which takes a while.
    `cited` is the share of the first ten who are marked as cited by submissions with references.

    Examples:
        panelist eval coverage
    """
    from eval.benchmarks.coverage import Covered, Field, separation
    from eval.benchmarks.lookup import open_benchmark

    fields = (Field.elife(data_dir() / "elife"), Field.acl(data_dir() / "acl"))
    workspaces = (("elife-lucene", elife), ("acl-sample", acl))
    figures: dict[str, dict[str, Any]] = {}
    with show_progress("submissions") as progress:
        for home, (name, workspace) in zip(fields, workspaces, strict=True):
            with open_benchmark(name, home.collection, progress, workspace) as finder:
                covered = {field.name: Covered.look_up(finder, field.submissions, progress) for field in fields}
            other = next(field.name for field in fields if field is not home)
            measured = {name: result.figures() for name, result in covered.items()}
            figures[home.name] = {**measured, "auc": separation(covered[home.name], covered[other])}
    columns = ("index", "submissions", ("", ",.0f"), "none", "thin", "good", "cited", "AUC")
    rows = (
        (index, name, *result[name].values(), result["auc"])
        for index, result in figures.items()
        for name in (field.name for field in fields)
    )
    output.show(figures, table_of("Whether anybody here works on it", columns, rows))
