"""`panelist assign compare a.csv b.csv`: what two assignments share, and what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.words import counted


def compare(
    first: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    second: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    json: JsonOption = False,
) -> None:
    """Show what two assignments share, what changed, and what that did to totals and papers.

    **Examples**

        panelist assign compare old.csv new.csv
    """
    from panelist.app.cli.output import listed, print_json, say
    from retriever.assignment.explain.compare import compare as compare_pairs
    from retriever.assignment.reading.tables import read_assignment

    found = compare_pairs(read_assignment(first), read_assignment(second))
    if json:
        print_json(found)
        return
    for path, side in ((first, found.first), (second, found.second)):
        say(
            f"{path}: {counted(side.pairs, 'pair')}, total {side.total:.4f}, lowest paper sum {side.lowest:.4f}, "
            f"greatest load {side.greatest_load}"
        )
    say(f"{counted(found.common, 'pair')} in common, {counted(len(found.changed_papers), 'paper')} changed")
    for path, pairs in ((first, found.only_first), (second, found.only_second)):
        if pairs:
            say(f"only in {path}: {listed([' '.join(pair) for pair in pairs])}")
