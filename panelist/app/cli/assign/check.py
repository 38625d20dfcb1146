"""`panelist assign check`: whether there is an assignment, and why not."""

from __future__ import annotations

import typer

from panelist.app.cli.assign.options import Given, read_given, told_as_flags
from panelist.app.cli.options import JsonOption, spread
from panelist.words import counted

_SHOWN = 20


@spread
def check(
    given: Given,
    json: JsonOption = False,
) -> None:
    """Say whether there is an assignment; if not, which papers and reviewers are in the way, and what would help.

    Exit code 0: there is one; 1: there is none.

    **Examples**

        panelist assign check scores.csv --constraints coi.csv --quotas quotas.csv --demand 4
    """
    from panelist.app.cli.output import listed, print_json, say
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
