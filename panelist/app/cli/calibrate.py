"""`panelist calibrate`: correct review scores for harsh and mild reviewers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from panelist.app.cli.options import argument, option
from panelist.app.cli.output import Answer, first_rows, show_progress
from panelist.files import check_directory, check_files, write_whole


@dataclass(frozen=True)
class ModelOptions:
    """The model of review scores, and how it is fitted."""

    method: Literal["ml", "reml"] = option("Maximum likelihood, or restricted.", default="ml")
    mean: Literal["gls", "plain"] = option("Estimate the mean with the variances, or take it plain.", default="gls")
    optimizer: Literal["newton", "grid"] = option("Find the maximum, or the best point of a grid.", default="newton")
    covariates: list[str] | None = option(
        "A further column whose values shift scores, such as seniority (may be repeated).", "--covariate"
    )
    confidence: str | None = option("A further column of positive weights: noise has variance σ²/confidence.")
    scale: float | None = option("Give reviewers scales of their own; the prior spread of their logarithm, e.g. 0.2.")


@dataclass(frozen=True)
class FileOptions:
    """The files that are written."""

    report: Path | None = option("Write a self-contained HTML report.", dir_okay=False)
    surface: bool = option("Draw the likelihood surface too (225 more evaluations).")
    plots: Path | None = option("Write the pictures into this directory.", file_okay=False)
    papers_csv: Path | None = option("Write the table of papers.", dir_okay=False)
    reviewers_csv: Path | None = option("Write the table of reviewers.", dir_okay=False)


def calibrate(
    reviews: Path = argument("CSV file with the columns paper,reviewer,score, and any further ones."),
    accept: float = option("Papers to accept: a fraction (0.25) or a number (420).", default=0.25, min=0.0),
    target: Literal["reviews", "quality"] = option(
        "Rank papers by the calibrated scores of their own reviews, or by the quality behind them.", default="reviews"
    ),
    *,
    model: ModelOptions,
    holdout: int | None = option("Judge the model on held-out reviews, in this many folds.", min=2),
    lower_is_better: bool = option("The best score is the lowest, as at the NIH."),
    samples: int = option("Posterior samples for P(accept).", default=1000, min=1),
    seed: int = option("Seed of the samples.", default=0, min=0),
    files: FileOptions,
    limit: int = option("Rows of each table on the screen.", default=20, min=1),
) -> Answer:
    """Correct review scores for harsh and mild reviewers, and say how sure an acceptance is.

    Fits score = quality of the paper + offset of the reviewer + noise, a Gaussian process (NIPS 2014), exactly.

    Examples:
        panelist calibrate reviews.csv
        panelist calibrate reviews.csv --accept 420 --report calibration.html
        panelist calibrate reviews.csv --covariate seniority --confidence confidence --json
    """
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.report import html_report, paper_table, pictures, reviewer_table, variance_table
    from eval.calibration.reviews import read_reviews
    from eval.calibration.summary import judge, summarise, write_csv
    from panelist.corpus.readers.report import note_columns

    table = read_reviews(reviews)
    written = (files.report, files.papers_csv, files.reviewers_csv)
    for directory in (*(file.parent for file in written if file is not None), files.plots):
        if directory is not None:
            check_directory(directory)
    check_files(written, (reviews,))  # before the fit, not after it: a large conference takes minutes
    calibrator = ReviewCalibrator(**{**asdict(model), "covariates": tuple(model.covariates or ())})
    note_columns(reviews, table.columns, (*calibrator.covariates, calibrator.confidence or ""))
    with show_progress("steps") as progress:
        progress("fitting", 0, 0)
        fitted = calibrator.fit(table)
        progress(f"sampling {samples:,} times", 0, 0)
        summary = summarise(
            fitted, accept=accept, target=target, samples=samples, seed=seed, lower_is_better=lower_is_better
        )
        judged = None
        if holdout is not None:
            progress(f"holding out reviews, {holdout} folds", 0, 0)
            judged = judge(calibrator, table, folds=holdout, seed=seed)
        progress("drawing", 0, 0)
        surface = fitted.surface_ or (fitted.likelihood_surface() if files.surface else None)
        if files.report is not None:
            write_whole(files.report, html_report(summary, surface, f"Calibration of {reviews.name}").encode())
        if files.plots is not None:
            for picture in pictures(summary, surface):
                write_whole(files.plots / f"{picture.name}.png", picture.png)
        for rows, path in ((summary.papers, files.papers_csv), (summary.reviewers, files.reviewers_csv)):
            if path is not None:
                write_csv(rows, path)
    people = summary.reviewers
    if len(people) > limit:  # the harshest and the mildest, rather than the harshest alone
        people = people[: max(1, limit // 2)] + people[-max(1, limit // 2) :]
    parts: list[Any] = [
        variance_table(summary, f"mean {summary.mu:.4f}, −log likelihood {summary.nll:.3f}"),
        first_rows(paper_table(summary.papers, summary, f"papers; {summary.accepted:,} accepted"), limit),
        first_rows(paper_table(summary.grey_zone, summary, "papers in the grey zone"), limit),
        reviewer_table(people, f"{len(people)} of {len(summary.reviewers):,} reviewers, from the lowest offset"),
        *(f"note: {message}" for message in summary.messages),
    ]
    if judged is not None:
        parts.append(f"held-out log-likelihood per review: {judged.describe()}")
    return Answer(summary.as_json() | {"holdout": judged}, parts)
