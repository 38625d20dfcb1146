"""What `panelist assign` answers beside making an assignment: `check`, `why`, `compare`."""

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.assign.options import AssignFlags, read_given, told_as_flags
from panelist.app.cli.options import JsonOption, spread
from panelist.app.cli.output import listed, print_json, say
from panelist.words import counted

_SHOWN = 20


@spread
def check(
    given: AssignFlags,
    json: JsonOption = False,
) -> None:
    """Say whether there is an assignment; if not, which papers and reviewers are in the way, and what would help.

    Exit code 0: there is one; 1: there is none.

    **Examples**

        panelist assign check scores.csv --constraints coi.csv --quotas quotas.csv --demand 4
    """
    from retriever.assignment.feasibility import InfeasibleError
    from retriever.assignment.solve import assign

    try:
        with told_as_flags():
            problem, _ = read_given(given)
            made = assign(problem)
    except InfeasibleError as error:
        cut = error.cut
        if json:
            print_json({"feasible": False, "cut": cut})
        else:
            say(cut.words)
            for what, names in (("papers", cut.papers), ("reviewers", cut.reviewers)):
                if names:
                    say(f"{what}: {listed(names, _SHOWN)}")
            for cure in cut.cures:
                say(f"what would help: {cure.words}")
        raise typer.Exit(1) from None
    if json:
        print_json({"feasible": True, "total": made.total, "pairs": len(made.pairs), "notes": made.notes})
    else:
        for note in made.notes:
            say(f"note: {note}")
        say(f"there is an assignment: {counted(len(made.pairs), 'pair')}, total {made.total:.4f}")


@spread
def why(
    paper: Annotated[str, typer.Argument(help="Id of the paper.")],
    reviewer: Annotated[str, typer.Argument(help="Id of the reviewer.")],
    given: AssignFlags,
    json: JsonOption = False,
) -> None:
    """Explain why a reviewer was chosen for a paper or not, and what the other decision would cost.

    Give the same scores and options as for the assignment: it is made again.

    **Examples**

        panelist assign why paper12 ~Ada_Lovelace1 scores.csv --constraints coi.csv --demand 3 --max 6
    """
    from retriever.assignment.explain.why import explain_pair
    from retriever.assignment.solve import assign

    with told_as_flags():
        problem, _ = read_given(given)
        found = explain_pair(assign(problem), paper, reviewer)
    if json:
        print_json(found)
        return
    say(f"{reviewer} {'reviews' if found.chosen else 'does not review'} {paper}")
    if found.score is not None:
        say(f"score {found.score:.4f}, rank {found.rank} of the paper's candidates")
    for reason in found.reasons:
        say(f"because: {reason}")
    if found.cost is not None:
        other = "not choosing" if found.chosen else "choosing"
        say(f"{other} it would cost {found.cost:.4f} of the greatest total")


def compare(
    first: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    second: Annotated[Path, typer.Argument(help="paper,reviewer[,score], no header.")],
    json: JsonOption = False,
) -> None:
    """Show what two assignments share, what changed, and what that did to totals and papers.

    **Examples**

        panelist assign compare old.csv new.csv
    """
    from retriever.assignment.explain.summary import compare as compare_pairs
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
