"""`panelist calibrate`: correct review scores for harsh and mild reviewers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, print_table, say, show_progress
from panelist.files import check_directory, check_files, write_whole

if TYPE_CHECKING:
    from eval.calibration.summary import CalibrationSummary


def calibrate(
    reviews: Annotated[
        Path, typer.Argument(help="CSV file with the columns paper,reviewer,score, and any further ones.")
    ],
    accept: Annotated[
        float, typer.Option(help="Papers to accept: a fraction (0.25) or a number (420).", min=0.0, show_default=True)
    ] = 0.25,
    target: Annotated[
        Literal["reviews", "quality"],
        typer.Option(help="Rank papers by the calibrated scores of their own reviews, or by the quality behind them."),
    ] = "reviews",
    method: Annotated[Literal["ml", "reml"], typer.Option(help="Maximum likelihood, or restricted.")] = "ml",
    mean: Annotated[
        Literal["gls", "plain"], typer.Option(help="Estimate the mean with the variances, or take the plain mean.")
    ] = "gls",
    optimizer: Annotated[
        Literal["newton", "grid"], typer.Option(help="Find the maximum, or take the best point of a grid.")
    ] = "newton",
    covariate: Annotated[
        list[str] | None,
        typer.Option(help="A further column whose values shift scores, such as seniority (may be repeated)."),
    ] = None,
    confidence: Annotated[
        str | None, typer.Option(help="A further column of positive weights: noise has variance σ²/confidence.")
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(help="Give reviewers scales of their own; the prior spread of their logarithm, e.g. 0.2."),
    ] = None,
    holdout: Annotated[
        int | None, typer.Option(help="Judge the model on held-out reviews, in this many folds.", min=2)
    ] = None,
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The best score is the lowest, as at the NIH.")
    ] = False,
    samples: Annotated[int, typer.Option(help="Posterior samples for P(accept).", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the samples.", min=0)] = 0,
    report: Annotated[Path | None, typer.Option(help="Write a self-contained HTML report.", dir_okay=False)] = None,
    surface: Annotated[
        bool, typer.Option("--surface", help="Draw the likelihood surface too (225 more evaluations).")
    ] = False,
    plots: Annotated[Path | None, typer.Option(help="Write the pictures into this directory.", file_okay=False)] = None,
    papers_csv: Annotated[Path | None, typer.Option(help="Write the table of papers.", dir_okay=False)] = None,
    reviewers_csv: Annotated[Path | None, typer.Option(help="Write the table of reviewers.", dir_okay=False)] = None,
    limit: Annotated[int, typer.Option(help="Rows of each table on the screen.", min=1)] = 20,
    json: JsonOption = False,
) -> None:
    """Correct review scores for harsh and mild reviewers, and say how sure an acceptance is.

    Fits score = quality of the paper + offset of the reviewer + noise, a Gaussian process (NIPS 2014), exactly.

    **Examples**

        panelist calibrate reviews.csv

        panelist calibrate reviews.csv --accept 420 --report calibration.html

        panelist calibrate reviews.csv --covariate seniority --confidence confidence --json
    """
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.reviews import read_reviews
    from eval.calibration.summary import summarise, write_csv

    table = read_reviews(reviews)
    # Before the fit, not after it: a large conference takes minutes.
    for file in (report, papers_csv, reviewers_csv):
        if file is not None:
            check_directory(file.parent)
    check_files((report, papers_csv, reviewers_csv), (reviews,))
    if plots is not None:
        check_directory(plots)
    calibrator = ReviewCalibrator(
        method=method,
        mean=mean,
        optimizer=optimizer,
        covariates=tuple(covariate or ()),
        confidence=confidence,
        scale=scale,
    )
    with show_progress("steps") as progress:
        progress("fitting", 0, 0)
        fitted = calibrator.fit(table)
        progress(f"sampling {samples:,} times", 0, 0)
        summary = summarise(
            fitted, accept=accept, target=target, samples=samples, seed=seed, lower_is_better=lower_is_better
        )
        judged = None
        if holdout is not None:
            from eval.calibration.summary import judge

            progress(f"holding out reviews, {holdout} folds", 0, 0)
            judged = judge(calibrator, table, folds=holdout, seed=seed)
        progress("drawing", 0, 0)
        found = fitted.surface_ or (fitted.likelihood_surface() if surface else None)
        if report is not None:
            from eval.calibration.report import html_report

            write_whole(report, html_report(summary, found, f"Calibration of {reviews.name}").encode())
        if plots is not None:
            from eval.calibration.report import pictures

            for picture in pictures(summary, found):
                write_whole(plots / f"{picture.name}.png", picture.png)
    if papers_csv is not None:
        write_csv(summary.papers, papers_csv)
    if reviewers_csv is not None:
        write_csv(summary.reviewers, reviewers_csv)
    if json:
        print_json(summary.as_json() | {"holdout": judged})
        return
    _show(summary, limit)
    for message in summary.messages:
        say(f"note: {message}")
    if judged is not None:
        say(f"held-out log-likelihood per review: {judged.describe()}")


def _show(summary: CalibrationSummary, limit: int) -> None:
    total = summary.alpha_f + summary.alpha_b + summary.sigma2 + sum(c["variance"] for c in summary.covariates.values())
    variances = {"α_f quality": summary.alpha_f, "α_b offsets": summary.alpha_b}
    variances |= {name: found["variance"] for name, found in summary.covariates.items()}
    variances["σ² noise"] = summary.sigma2
    estimates = [(name, f"{value:.5f}", f"{value / total:.0%}") for name, value in variances.items()]
    by_reviews = summary.target == "reviews"
    papers = [
        (
            row.paper,
            f"{row.reviews}",
            f"{row.raw_mean:.2f}",
            f"{row.score:.2f} ± {row.score_sd:.2f}" if by_reviews else f"{row.quality:.2f} ± {row.quality_sd:.2f}",
            f"{row.p_accept:.3f}",
            f"{row.rank}",
            f"{row.rank_change:+d}",
        )
        for row in summary.papers
    ]
    names = {row.paper for row in summary.grey_zone[:limit]}
    head = ("paper", "reviews", "raw mean", "calibrated", "P(accept)", "rank", "change")
    # The harshest and the mildest, rather than the harshest alone.
    half = max(1, limit // 2)
    ends = (
        summary.reviewers if len(summary.reviewers) <= limit else summary.reviewers[:half] + summary.reviewers[-half:]
    )
    reviewers = [(row.reviewer, f"{row.reviews}", f"{row.bias:+.3f} ± {row.bias_sd:.3f}") for row in ends]
    print_table(
        ("variance", "estimate", "share"),
        estimates,
        f"mean {summary.mu:.4f}, −log likelihood {summary.nll:.3f}",
    )
    title = f"{min(limit, len(papers))} of {len(papers):,} papers; {summary.accepted:,} accepted"
    print_table(head, papers[:limit], title)
    title = f"{len(names)} of {len(summary.grey_zone):,} papers in the grey zone"
    print_table(head, [row for row in papers if row[0] in names], title)
    title = f"{len(ends)} of {len(summary.reviewers):,} reviewers, from the lowest offset"
    print_table(("reviewer", "reviews", "offset"), reviewers, title)
