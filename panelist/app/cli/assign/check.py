"""`panelist assign check`: whether there is an assignment, and why not."""

from __future__ import annotations

import typer

from panelist.app.cli import assignment_options as options
from panelist.app.cli.options import JsonOption, WorkspaceOption

_SHOWN = 20


def check(
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
    """Say whether there is an assignment; if not, which papers and reviewers are in the way, and what would help.

    Exit code 0: there is one; 1: there is none.

    **Examples**

        panelist assign check scores.csv --constraints coi.csv --quotas quotas.csv --demand 4
    """
    from panelist.app.cli.output import console, print_json
    from retriever.assignment.feasibility import InfeasibleError
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
    try:
        made = assign(problem, how)
    except InfeasibleError as error:
        if json:
            print_json({"feasible": False, "cut": error.cut})
        else:
            screen = console()
            for line in (
                error.cut.words,
                _named("papers", error.cut.papers),
                _named("reviewers", error.cut.reviewers),
                *(f"what would help: {cure}" for cure in error.cut.cures),
            ):
                if line:
                    screen.print(line, markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    if json:
        print_json({"feasible": True, "total": made.total, "pairs": len(made.pairs)})
    else:
        console().print(f"there is an assignment: {len(made.pairs):,} pairs, total {made.total:.4f}", markup=False)


def _named(what: str, names: tuple[str, ...]) -> str:
    more = f", and {len(names) - _SHOWN:,} more (--json lists all)" if len(names) > _SHOWN else ""
    return f"{what}: {', '.join(names[:_SHOWN])}{more}" if names else ""
