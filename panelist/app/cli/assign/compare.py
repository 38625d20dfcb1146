"""`panelist assign compare a.csv b.csv`: what two assignments share, and what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.words import counted

_SHOWN = 10


def compare(
    first: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    second: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    json: JsonOption = False,
) -> None:
    """Show what two assignments share, what changed, and what that did to totals and papers.

    **Examples**

        panelist assign compare old.csv new.csv
    """
    from panelist.app.cli.output import console, print_json
    from retriever.assignment.explain.compare import compare as compare_pairs
    from retriever.assignment.explain.compare import read_assignment

    found = compare_pairs(read_assignment(first), read_assignment(second))
    if json:
        print_json(found)
        return
    screen = console()
    for path, side in ((first, found.first), (second, found.second)):
        screen.print(
            f"{path}: {counted(side.pairs, 'pair')}, total {side.total:.4f}, lowest paper sum {side.lowest:.4f}, "
            f"greatest load {side.greatest_load}",
            markup=False,
            soft_wrap=True,
        )
    screen.print(
        f"{counted(found.common, 'pair')} in common, {counted(len(found.changed_papers), 'paper')} changed",
        markup=False,
    )
    for path, pairs in ((first, found.only_first), (second, found.only_second)):
        if pairs:
            more = f", and {len(pairs) - _SHOWN:,} more (--json lists all)" if len(pairs) > _SHOWN else ""
            named = ", ".join(f"{paper} {reviewer}" for paper, reviewer in pairs[:_SHOWN])
            screen.print(f"only in {path}: {named}{more}", markup=False, soft_wrap=True)
