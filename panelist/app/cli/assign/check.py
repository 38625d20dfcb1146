"""`panelist assign check`: whether there is an assignment, and why not."""

from __future__ import annotations

import typer

from panelist.app.cli import assignment_options as options
from panelist.app.cli.options import JsonOption, spread
from panelist.words import counted

_SHOWN = 20


@spread
def check(
    given: options.Given,
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

    problem, how, _ = options.problem_and_options(given)
    try:
        made = assign(problem, how)
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
        print_json({"feasible": True, "total": made.total, "pairs": len(made.pairs)})
    else:
        say(f"there is an assignment: {counted(len(made.pairs), 'pair')}, total {made.total:.4f}")
