"""`panelist assign why PAPER REVIEWER SCORES`: why a pair was chosen or not."""

from __future__ import annotations

from typing import Annotated

import typer

from panelist.app.cli import assignment_options as options
from panelist.app.cli.options import JsonOption, WorkspaceOption


def why(
    paper: Annotated[str, typer.Argument(help="Id of the paper.")],
    reviewer: Annotated[str, typer.Argument(help="Id of the reviewer.")],
    scores: options.ScoresArgument = None,
    constraints: options.ConstraintsOption = None,
    quotas: options.QuotasOption = None,
    demands: options.DemandsOption = None,
    reviewers: options.ReviewersOption = None,
    bids: options.BidsOption = None,
    weight: options.WeightOption = None,
    existing: options.ExistingOption = None,
    keep: options.KeepOption = False,
    prefer_old: options.PreferOldOption = None,
    demand: options.DemandOption = None,
    least: options.MinOption = None,
    most: options.MaxOption = None,
    method: options.MethodOption = "fair",
    cap: options.CapOption = None,
    quality: options.QualityOption = None,
    seed: options.SeedOption = None,
    senior: options.SeniorOption = 0,
    apart: options.ApartOption = None,
    no_cycles: options.NoCyclesOption = False,
    exact: options.ExactOption = False,
    only_scored: options.OnlyScoredOption = False,
    allow_short: options.AllowShortOption = False,
    submissions: options.SubmissionsOption = None,
    committee: options.CommitteeOption = None,
    model: options.ModelOption = "hybrid",
    workspace: WorkspaceOption = None,
    json: JsonOption = False,
) -> None:
    """Explain why a reviewer was chosen for a paper or not, and what the other decision would cost.

    Give the same scores and options as for the assignment: it is made again.

    **Examples**

        panelist assign why paper12 ~Ada_Lovelace1 scores.csv --constraints coi.csv --demand 3 --max 6
    """
    from panelist.app.cli.output import console, print_json
    from retriever.assignment.explain.why import explain_pair
    from retriever.assignment.solve import assign

    given = options.Given(
        scores or [],
        constraints,
        quotas,
        demands,
        reviewers,
        bids,
        weight or [],
        existing,
        keep,
        prefer_old,
        demand or [],
        least or [],
        most or [],
        method,
        cap,
        quality,
        seed,
        senior,
        apart,
        no_cycles,
        exact,
        only_scored,
        allow_short,
        submissions,
        committee,
        model,
        workspace,
    )
    problem, how, _ = options.problem_and_options(given)
    found = explain_pair(assign(problem, how), paper, reviewer)
    if json:
        print_json(found)
        return
    screen = console()
    lines = [f"{reviewer} {'reviews' if found.chosen else 'does not review'} {paper}"]
    if found.score is not None:
        lines.append(f"score {found.score:.4f}, rank {found.rank} of the paper's candidates")
    lines += [f"because: {reason}" for reason in found.reasons]
    if found.cost is not None:
        other = "not choosing" if found.chosen else "choosing"
        lines.append(f"{other} it would cost {found.cost:.4f} of the greatest total")
    for line in lines:
        screen.print(line, markup=False, soft_wrap=True)
