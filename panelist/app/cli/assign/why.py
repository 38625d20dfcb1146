"""`panelist assign why PAPER REVIEWER SCORES`: why a pair was chosen or not."""

from __future__ import annotations

from typing import Annotated

import typer

from panelist.app.cli.assign.options import Given, read_given, told_as_flags
from panelist.app.cli.options import JsonOption, spread


@spread
def why(
    paper: Annotated[str, typer.Argument(help="Id of the paper.")],
    reviewer: Annotated[str, typer.Argument(help="Id of the reviewer.")],
    given: Given,
    json: JsonOption = False,
) -> None:
    """Explain why a reviewer was chosen for a paper or not, and what the other decision would cost.

    Give the same scores and options as for the assignment: it is made again.

    **Examples**

        panelist assign why paper12 ~Ada_Lovelace1 scores.csv --constraints coi.csv --demand 3 --max 6
    """
    from panelist.app.cli.output import print_json, say
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
