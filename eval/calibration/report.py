"""One self-contained HTML page about a calibration, for the people who decide."""

from collections.abc import Sequence

import numpy as np

from eval.calibration.optimise import Surface
from eval.calibration.posterior import GREY_ZONE
from eval.calibration.summary import CalibrationSummary, PaperRow, ReviewerRow
from eval.reports.figures import BLUE, GREY, RED, Picture, canvas, png
from eval.reports.page import Folded, Prose, Report, Section
from eval.reports.table import Table, table_of
from panelist.words import PaperId, PersonId, counted

_MOST_INTERVALS = 120


def html_report(
    summary: CalibrationSummary, surface: Surface | None = None, title: str = "Calibration of review scores"
) -> str:
    """The page; `surface` adds the picture of the likelihood."""
    grey = summary.grey_zone
    low, high = GREY_ZONE
    lead = (
        f"{summary.reviews:,} reviews of {len(summary.papers):,} papers by {len(summary.reviewers):,} reviewers. "
        f"If {summary.accepted:,} papers are accepted, the scores decide all but {len(grey):,}: those have a "
        f"probability of acceptance between {low} and {high}."
    )
    targets = {"reviews": "the mean of their calibrated review scores", "quality": "the quality that the model infers"}
    reading = (
        "A score is taken as the paper's quality plus the reviewer's offset plus the reviewer's own opinion of this "
        f"paper. Calibration removes the offset. Papers are ranked by {targets[summary.target]}, the "
        f"{'lowest' if summary.lower_is_better else 'highest'} being the best; their probability of acceptance is the "
        f"share of {summary.samples:,} joint posterior samples (seed {summary.seed}) in which they are among the best "
        f"{summary.accepted:,}. It says what these scores can tell, not what the paper deserves."
    )
    warnings = (Prose(f"{message[:1].upper()}{message[1:]}.", "warning") for message in summary.messages)
    estimates = Prose(f"Mean quality μ = {summary.mu:.4f}; −log likelihood {summary.nll:.3f}.")
    papers = f"{counted(len(summary.papers), 'paper')}, best first"
    reviewers = f"{counted(len(summary.reviewers), 'reviewer')}, lowest offset first"
    everybody = (
        Folded(papers, paper_table(summary.papers, summary)),
        Folded(reviewers, reviewer_table(summary.reviewers)),
    )
    doubted = paper_table(grey, summary) if grey else Prose("No paper is in doubt.")
    sections = (
        Section("What makes scores differ", (*warnings, variance_table(summary), estimates)),
        Section("Pictures", pictures(summary, surface)),
        Section(f"The grey zone: {counted(len(grey), 'paper')} to discuss", (doubted,)),
        Section("All papers and reviewers", everybody),
        Section("How to read this", (Prose(reading),)),
    )
    return Report(title, lead, sections).html()


def pictures(summary: CalibrationSummary, surface: Surface | None = None) -> tuple[Picture, ...]:
    """Draw every picture, each with how to read it."""
    drawn = (raw_against_calibrated(summary), acceptance_histogram(summary), bias_intervals(summary))
    return drawn if surface is None else (*drawn, surface_contours(surface))


def paper_table(rows: Sequence[PaperRow], summary: CalibrationSummary, title: str = "") -> Table:
    """Papers before and after."""
    columns = (
        *("paper", ("reviews", "d"), ("raw mean", ".2f"), ("calibrated", ".2f"), ("± sd", ".2f")),
        *(("P(accept)", ".2f"), ("rank", "d"), ("rank change", "+d")),
    )
    cells = (
        (PaperId(row.paper), row.reviews, row.raw_mean, *scores, row.p_accept, row.rank, row.rank_change)
        for row, scores in ((row, row.calibrated(summary.target)) for row in rows)
    )
    return table_of(title, columns, cells)


def reviewer_table(rows: Sequence[ReviewerRow], title: str = "") -> Table:
    """Reviewers with their offsets."""
    columns = ("reviewer", ("reviews", "d"), ("offset", "+.3f"), ("± sd", ".3f"))
    cells = ((PersonId(row.reviewer), row.reviews, row.bias, row.bias_sd) for row in rows)
    return table_of(title, columns, cells)


def variance_table(summary: CalibrationSummary, title: str = "") -> Table:
    """What the variance of scores is made of, and the share of each."""
    parts = {"quality of papers, α_f": summary.alpha_f, "offsets of reviewers, α_b": summary.alpha_b}
    parts |= {name: covariate["variance"] for name, covariate in summary.covariates.items()}
    parts["opinion and noise, σ²"] = summary.sigma2
    total = sum(parts.values())
    cells = ((name, value, value / total) for name, value in parts.items())
    return table_of(title, ("", "variance", ("share", ".0%")), cells)


def raw_against_calibrated(summary: CalibrationSummary) -> Picture:
    """Every paper's raw mean against its calibrated score; how far from the diagonal is what calibration did."""
    reviews = summary.target == "reviews"
    values = [(row.raw_mean, row.calibrated(summary.target)[0], row.p_accept) for row in summary.papers]
    raw, calibrated, probability = (np.array(column) for column in zip(*values, strict=True))
    figure, axes = canvas()
    ends = [min(raw.min(), calibrated.min()), max(raw.max(), calibrated.max())]
    axes.plot(ends, ends, color=GREY, linewidth=1, zorder=0)
    size = float(np.clip(4000 / len(raw), 4, 24))
    points = axes.scatter(
        raw, calibrated, c=probability, cmap="viridis", s=size, alpha=0.8, linewidths=0, vmin=0, vmax=1
    )
    figure.colorbar(points, label="P(accept)")
    name = "score (mean of s)" if reviews else "quality f"
    axes.set(xlabel="raw mean score", ylabel=f"calibrated {name}")
    caption = (
        "Each paper's raw mean against its calibrated score. Above the line: its reviewers give lower scores than "
        "others do; below: higher ones."
    )
    if not reviews:
        caption += " Quality is also drawn towards the mean where reviews are few."
    return Picture("raw_against_calibrated", png(figure), f"Points of {len(raw):,} papers about a diagonal.", caption)


def acceptance_histogram(summary: CalibrationSummary) -> Picture:
    """How many papers have which probability of acceptance; the grey zone is shaded."""
    figure, axes = canvas()
    axes.axvspan(*GREY_ZONE, color=GREY, alpha=0.2, linewidth=0, label="grey zone", zorder=0)
    axes.hist([row.p_accept for row in summary.papers], bins=np.linspace(0, 1, 21), color=BLUE)
    axes.set(xlabel="P(accept)", ylabel="papers", xlim=(0, 1), yscale="log" if len(summary.papers) > 200 else "linear")
    axes.legend(frameon=False)
    caption = (
        f"How sure the acceptance of {summary.accepted:,} papers is. Papers outside the shaded zone are decided by the "
        "scores; those inside are not."
    )
    alt = f"Histogram of the probability of acceptance; {len(summary.grey_zone):,} papers are in the zone."
    return Picture("acceptance", png(figure), alt, caption)


def bias_intervals(summary: CalibrationSummary) -> Picture:
    """Reviewers' offsets with 95% intervals, in order; evenly thinned where there are many."""
    count = len(summary.reviewers)
    shown = np.unique(np.linspace(0, count - 1, min(count, _MOST_INTERVALS)).round().astype(int))
    rows = [summary.reviewers[i] for i in shown]
    bias = np.array([row.bias for row in rows])
    reach = 1.96 * np.array([row.bias_sd for row in rows])
    clear = np.abs(bias) > reach
    figure, axes = canvas()
    axes.axhline(0, color=GREY, linewidth=1)
    for mask, color, label in ((~clear, BLUE, "interval includes 0"), (clear, RED, "interval excludes 0")):
        if mask.any():
            axes.errorbar(
                shown[mask] + 1, bias[mask], reach[mask], fmt="o", markersize=3, linewidth=0.9, color=color, label=label
            )
    thinned = f" ({len(rows)} of {count:,} shown)" if len(rows) < count else ""
    axes.margins(y=0.15)
    axes.set(xlabel=f"reviewers, by offset{thinned}", ylabel="offset b, with 95% interval")
    axes.legend(frameon=False, loc="upper left")
    caption = (
        "Offsets of reviewers: how far their scores lie above (+) or below (−) those of others on the same papers, "
        "with 95% intervals."
    )
    apart = sum(abs(row.bias) > 1.96 * row.bias_sd for row in summary.reviewers)
    alt = f"Offsets of {count:,} reviewers in order; {apart:,} have an interval without 0."
    return Picture("biases", png(figure), alt, caption)


def surface_contours(surface: Surface) -> Picture:
    """−log L above its minimum, over both ratios."""
    from matplotlib.colors import BoundaryNorm
    from matplotlib.ticker import LogLocator, NullLocator

    figure, axes = canvas()
    above = surface.nll - surface.nll.min()
    levels = [0, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5, 1e6]
    levels = levels[: int(np.searchsorted(levels, max(1.0, above.max()))) + 1]
    shades = BoundaryNorm(levels, 256)  # a shade for every level, or the middle would be one dark blot
    filled = axes.contourf(surface.sigma2_ratios, surface.alpha_b_ratios, above, levels, cmap="YlGnBu_r", norm=shades)
    figure.colorbar(filled, label="−log L above its minimum", format="%g")
    row, column = surface.best()
    axes.plot(
        surface.sigma2_ratios[column], surface.alpha_b_ratios[row], "x", color=RED, label="best point of the grid"
    )
    axes.set(xscale="log", yscale="log", xlabel="σ² / α_f  (noise to quality)", ylabel="α_b / α_f  (offset to quality)")
    for axis in (axes.xaxis, axes.yaxis):  # less than two decades: the usual labels run into each other
        axis.set(major_locator=LogLocator(subs=(1, 2, 5)), major_formatter="{x:g}", minor_locator=NullLocator())
    axes.legend()
    caption = "The likelihood over both variance ratios: points within 3 of the minimum make up a 95% region."
    return Picture("surface", png(figure), "Contours of the likelihood with its best point.", caption)
