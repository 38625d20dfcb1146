"""Pictures of a calibration, as PNG bytes. No display is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.calibration.acceptance import GREY_ZONE
from eval.calibration.summary import Summary
from eval.calibration.surface import Surface
from eval.reports.figures import BLUE, GREY, RED, canvas, png

_MOST_INTERVALS = 120


def draw_all(summary: Summary, surface: Surface | None = None) -> dict[str, bytes]:
    """Every picture by name."""
    pictures = {
        "raw_against_calibrated": raw_against_calibrated(summary),
        "acceptance": acceptance_histogram(summary),
        "biases": bias_intervals(summary),
    }
    return pictures | ({} if surface is None else {"surface": surface_contours(surface)})


def raw_against_calibrated(summary: Summary) -> bytes:
    """Every paper's raw mean against its calibrated score; how far from the diagonal is what calibration did."""
    values = [(row.raw_mean, _target(summary, row), row.p_accept) for row in summary.papers]
    raw, calibrated, probability = (np.array(column) for column in zip(*values, strict=True))
    figure, axes = canvas()
    ends = [min(raw.min(), calibrated.min()), max(raw.max(), calibrated.max())]
    axes.plot(ends, ends, color=GREY, linewidth=1, zorder=0)
    size = float(np.clip(4000 / len(raw), 4, 24))
    points = axes.scatter(
        raw, calibrated, c=probability, cmap="viridis", s=size, alpha=0.8, linewidths=0, vmin=0, vmax=1
    )
    figure.colorbar(points, label="P(accept)")
    axes.set(xlabel="raw mean score", ylabel=f"calibrated {_name(summary)}")
    return png(figure)


def acceptance_histogram(summary: Summary) -> bytes:
    """How many papers have which probability of acceptance; the grey zone is shaded."""
    figure, axes = canvas()
    axes.axvspan(*GREY_ZONE, color=GREY, alpha=0.2, linewidth=0, label="grey zone", zorder=0)
    axes.hist([row.p_accept for row in summary.papers], bins=np.linspace(0, 1, 21), color=BLUE)
    axes.set(xlabel="P(accept)", ylabel="papers", xlim=(0, 1), yscale="log" if len(summary.papers) > 200 else "linear")
    axes.legend(frameon=False)
    return png(figure)


def bias_intervals(summary: Summary) -> bytes:
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
    return png(figure)


def surface_contours(surface: Surface) -> bytes:
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
    return png(figure)


def _name(summary: Summary) -> str:
    return "score (mean of s)" if summary.target == "reviews" else "quality f"


def _target(summary: Summary, row: Any) -> float:
    return float(row.score if summary.target == "reviews" else row.quality)
