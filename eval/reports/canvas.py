"""What all pictures share: size, colours that the colour-blind can tell apart, and how they become PNG."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from html import escape
from typing import Any

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5b5b5b", "#8c6d31")
"""After Okabe & Ito (https://jfly.uni-koeln.de/color/), the strongest first; markers differ too."""
MARKERS = "osD^vP*X"
BLUE, RED, GREY = "#2563a8", "#c2410c", "#9aa3ad"
WIDTH = 6.4


@dataclass(frozen=True, slots=True)
class Picture:
    """A plot: the name of its file, its bytes, what it shows in words (for those who cannot see it), its caption."""

    name: str
    png: bytes
    alt: str
    caption: str = ""

    def html(self) -> str:
        """A `figure` with the picture inside."""
        data = base64.b64encode(self.png).decode()
        image = f'<img alt="{escape(self.alt)}" src="data:image/png;base64,{data}">'
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        return f"<figure>{image}{caption}</figure>"

    def _repr_html_(self) -> str:
        return self.html()


def canvas(height: float = 4.2, columns: int = 1, **options: Any) -> tuple[Any, Any]:
    """A figure and its axes, several if there are `columns`; no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, **options)
    for one in axes if columns > 1 else [axes]:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def png(figure: Any, dpi: int = 130) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():  # a name in a script that the font lacks is drawn as boxes; the tables have it
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()
