"""Plots of an evaluation, as PNG, SVG or PDF by the suffix of the file. No display is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from panelist.errors import InputError

_SUFFIXES = (".png", ".svg", ".pdf")


def plot_lines(
    path: Path, x: Sequence[float], lines: Mapping[str, Sequence[float]], x_label: str, y_label: str, title: str = ""
) -> None:
    """One line with markers for each of `lines`, all over the same `x`.

    Raises:
        InputError: the suffix is not one of a picture, or the file cannot be written.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"cannot draw into '{path}': the name must end in {', '.join(_SUFFIXES)}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    for (name, values), marker in zip(lines.items(), "osD^v" * len(lines), strict=False):
        axes.plot(x, values, marker=marker, markersize=4, label=name)
    axes.set(xlabel=x_label, ylabel=y_label, title=title)
    if all(value == int(value) for value in x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend()
    try:
        figure.savefig(path, dpi=200)
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error.strerror}") from error
