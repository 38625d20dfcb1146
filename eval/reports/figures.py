"""Plots of an evaluation: lines over a common axis, and figures with intervals side by side.

All pictures share their size, colours that colour-blind readers can distinguish, and the way they become PNG.
"""

import base64
import io
import math
import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from eval.measures.statistics import Figure
from panelist.errors import InputError
from panelist.files import check_file, replacing

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b5b5b", "#8c6d31")
"""After Okabe & Ito (https://jfly.uni-koeln.de/color/), the strongest first; markers differ too."""
MARKERS = "osD^vP*X"
BLUE, RED, GREY = "#2563a8", "#c2410c", "#9aa3ad"

_WIDTH = 6.4
_SUFFIXES = (".png", ".svg", ".pdf")
_LONGEST_LABEL = 64
_LABEL_WIDTH = 26
_UNKNOWN = (math.nan, math.nan)
_FEW_POINTS = 40  # more points than this make a line of their own: no markers


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot: the name of its file, its bytes, what it shows in words (for those who cannot see it), its caption."""

    name: str
    png: bytes = field(repr=False)
    alt: str
    caption: str = ""

    def html(self) -> str:
        """A `figure` with the picture inside."""
        data = base64.b64encode(self.png).decode()
        image = f'<img alt="{escape(self.alt)}" src="data:image/png;base64,{data}">'
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        return f"<figure>{image}{caption}</figure>"

    _repr_html_ = html


def canvas(height: float = 4.2, columns: int = 1, **options: Any) -> tuple[Any, Any]:
    """A figure and its axes, several if there are `columns`; no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=(_WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, **options)
    for axis in axes if columns > 1 else [axes]:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def png(figure: Any, dpi: int = 130) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():  # a name in a script that the font lacks is drawn as boxes; the tables have it
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Values over a common axis, perhaps with the ends of an interval at each."""

    values: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def check_picture(path: Path) -> None:
    """Refuse a picture that cannot be drawn into this file, before the work is done rather than after it."""
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"cannot draw into '{path}': the name must end in {', '.join(_SUFFIXES)}")
    check_file(path)


def plot_lines(
    path: Path, x: Sequence[float], lines: Mapping[str, Sequence[float]], x_label: str, y_label: str, title: str = ""
) -> None:
    """One line for each of `lines`, all over the same `x`, as PNG, SVG or PDF by the suffix of the file."""
    check_picture(path)
    figure, axes = _lines(x, {name: PlotLine(values) for name, values in lines.items()}, x_label, y_label)
    axes.set_title(title)
    with replacing(path) as unfinished:
        figure.savefig(unfinished, dpi=200)


def draw_lines(
    name: str, x: Sequence[float], lines: Mapping[str, PlotLine], x_label: str, y_label: str, caption: str = ""
) -> Picture:
    """One line for each of `lines`, all over the same `x`; an interval is a band around its line."""
    figure, axes = _lines(x, lines, x_label, y_label)
    axes.set_ylim(bottom=0)
    ends = [
        f"{system} {line.values[0]:.3f} at {x[0]:g}, {line.values[-1]:.3f} at {x[-1]:g}"
        for system, line in lines.items()
    ]
    return Picture(name, png(figure), f"Lines of {y_label} over {x_label}: {'; '.join(ends)}.", caption)


def draw_intervals(
    name: str,
    measures: Mapping[str, Mapping[str, Figure | None]],
    caption: str = "",
    marked: str | None = None,
) -> Picture:
    """A plot for each measure, a row for each system: a dot with its 95% interval, where it has a figure.

    The value of the system `marked` is drawn through all rows, to compare with. All measures have the same systems.
    """
    systems = list(next(iter(measures.values())))
    rows = np.arange(len(systems))
    figure, all_axes = canvas(1.1 + 0.42 * max(2, len(systems)), len(measures), sharey=True)
    for axes, (measure, figures) in zip(np.atleast_1d(all_axes), measures.items(), strict=True):
        values, low, high = np.array([_drawn(figures[system]) for system in systems]).T
        if marked is not None and marked in figures:
            axes.axvline(values[systems.index(marked)], color=GREY, linewidth=1, linestyle="--", zorder=0)
        reach = np.maximum(np.nan_to_num(np.stack([values - low, high - values])), 0)
        axes.errorbar(values, rows, xerr=reach, fmt="o", markersize=6, color=BLUE, ecolor=BLUE, capsize=3)
        axes.set_xlabel(measure, parse_math=False)
        axes.grid(axis="x", alpha=0.3)
        axes.margins(x=0.08)
        axes.locator_params(axis="x", nbins=max(3, 8 // len(measures)))
    left = np.atleast_1d(all_axes)[0]
    left.set_yticks(rows, [_label(system) for system in systems], parse_math=False)
    left.set_ylim(len(systems) - 0.5, -0.5)
    figures_in_words = [
        f"{measure}: " + "; ".join(f"{system} {_in_words(figure)}" for system, figure in figures.items())
        for measure, figures in measures.items()
    ]
    return Picture(name, png(figure), f"Dots with 95% intervals. {'. '.join(figures_in_words)}.", caption)


def _lines(x: Sequence[float], lines: Mapping[str, PlotLine], x_label: str, y_label: str) -> tuple[Any, Any]:
    from matplotlib.ticker import MaxNLocator

    figure, axes = canvas(4.0)
    drawn = []
    for line, marker, color in zip(lines.values(), cycle(MARKERS), cycle(PALETTE), strict=False):
        style = {"marker": marker, "markersize": 4} if len(x) <= _FEW_POINTS else {"marker": ""}
        drawn += axes.plot(x, line.values, color=color, **style)
        if line.low is not None and line.high is not None:
            axes.fill_between(x, line.low, line.high, color=color, alpha=0.15, linewidth=0)
    axes.set(xlabel=x_label, ylabel=y_label)
    if all(value == int(value) for value in x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    legend = axes.legend(drawn, [_label(name, _LONGEST_LABEL) for name in lines], frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure, axes


def _label(name: str, width: int = _LABEL_WIDTH) -> str:
    """A name that fits: on few lines, without what would break them."""
    plain = "".join(character if character.isprintable() else " " for character in name)
    short = textwrap.shorten(plain, _LONGEST_LABEL, placeholder=" …") or plain[: _LONGEST_LABEL - 1] + "…"
    return "\n".join(textwrap.wrap(short, width)) or "?"


def _drawn(figure: Figure | None) -> tuple[float, float, float]:
    """Value, low and high end; NaN where something is not known."""
    return (math.nan, *_UNKNOWN) if figure is None else (figure.value, *(figure.interval or _UNKNOWN))


def _in_words(figure: Figure | None) -> str:
    value, low, high = _drawn(figure)
    if math.isnan(value):
        return "not available"
    return f"{value:.3f}" if math.isnan(low) else f"{value:.3f} ({low:.3f} to {high:.3f})"
