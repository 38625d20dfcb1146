"""`panelist export`: an assignment, conflicts or scores as the file that a conference system takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panelist.app.cli.output import listed, say
from panelist.app.formats.systems import Kind, System
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.records import Conflict, ConflictKind
from panelist.words import counted

if TYPE_CHECKING:
    from retriever.conference.conflicts.table import ConflictTable


def export(
    system: Annotated[System, typer.Argument(help="Whose file it is to be.")],
    file: Annotated[Path, typer.Argument(help="paper,reviewer[,score], or the file of any system.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write it.")],
    kind: Annotated[Kind, typer.Option("--kind", help="What the file holds.")] = "assignment",
    committee: Annotated[
        Path | None, typer.Option("--committee", help="The committee's file, for the names in EasyChair's.")
    ] = None,
    conflicts: Annotated[
        Path | None,
        typer.Option(
            "--conflicts",
            help="Check an assignment against these: a conflict table (.jsonl), or any file of conflicts "
            "[default: FILE.conflicts.jsonl beside it, where there is one].",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write an assignment, conflicts or scores as the file that EasyChair, CMT, HotCRP or OpenReview takes.

    An assignment with a pair that is in conflict is refused.

    **Examples**

        panelist export cmt assignment.csv -o assignments.xml

        panelist export easychair assignment.csv --committee committee.csv --conflicts bidding.csv -o assignment-ec.csv

        panelist export hotcrp constraints.csv --kind conflicts -o conflicts-hotcrp.csv
    """
    from panelist.app.formats.systems import for_system, names_in
    from retriever.assignment.reading.tables import number, read_fields
    from retriever.conference.conflicts.table import conflicts_beside

    check_files((out,), (file, committee, conflicts))
    last = "constraint" if kind == "conflicts" else "score"
    rows = read_fields(file, ("paper", "reviewer", last), optional=0 if kind == "scores" else 1)
    triples = [
        (paper, who, number(file, line, value[0], last) if value else -1.0) for line, (paper, who, *value) in rows
    ]
    if kind == "conflicts":
        triples = [triple for triple in triples if triple[2] < 0]  # a lock is no conflict
    elif kind == "assignment":
        known = conflicts or conflicts_beside(file)
        if conflicts is None and not known.exists():
            say("not checked for conflicts: nothing is known of them here, give --conflicts FILE")
        elif broken := conflict_table(known).check((paper, who) for paper, who, _ in triples):
            pairs = listed([f"{one.submission} {one.reviewer} ({one.evidence})" for one in broken])
            raise InputError(f"{counted(len(broken), 'pair')} in conflict, so nothing was written: {pairs}")
    names = names_in(committee) if committee is not None else None
    write_whole(out, for_system(system, kind, triples, names))
    say(f"{counted(len(triples), 'pair')} for {system} in {out}")


def conflict_table(path: Path) -> ConflictTable:
    """The conflicts of a conflict table, or of any file of conflicts.

    Raises:
        InputError: it cannot be read.
    """
    from retriever.conference.conflicts.declared import read_conflicts
    from retriever.conference.conflicts.table import ConflictTable, read_table

    if path.name.endswith(".jsonl"):
        return read_table(path)
    return ConflictTable.grouped(
        Conflict(paper, who, ConflictKind.DECLARED, "declared")
        for paper, people in read_conflicts(path).items()
        for who in people
    )
