"""Tables of an evaluation, for programs (CSV), papers (LaTeX) and pages (Markdown, HTML)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from panelist.spreadsheet import csv_text
from panelist.words import marked

Cell: TypeAlias = str | float | tuple[float, float] | None
"""A name, a figure, an interval, or nothing."""

_LATEX = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "Δ": r"$\Delta$", "σ": r"$\sigma$", "—": "--"}


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and how its figures are written."""

    name: str
    format: str = ".4f"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns; `note` says what they mean."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    @property
    def has_words(self) -> list[bool]:
        """Whether each column has words, which are aligned left, rather than figures."""
        return [any(isinstance(row[i], str) for row in self.rows) for i in range(len(self.columns))]

    def cells(self) -> list[list[str]]:
        """Every row as text."""
        return [[_text(cell, column) for cell, column in zip(row, self.columns, strict=True)] for row in self.rows]

    def csv(self) -> str:
        """Comma-separated with full precision; an interval takes two columns."""
        wide = [any(isinstance(row[i], tuple) for row in self.rows) for i in range(len(self.columns))]
        lines: list[list[str | float | None]] = [[]]
        for column, two in zip(self.columns, wide, strict=True):
            lines[0] += [f"{column.name} low", f"{column.name} high"] if two else [column.name]
        for row in self.rows:
            lines.append([])
            for cell, two in zip(row, wide, strict=True):
                lines[-1] += cell if isinstance(cell, tuple) else [cell] * (1 + two)
        return csv_text(lines)

    def markdown(self) -> str:
        """A Markdown table, its title above and its note below."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [[column.name for column in self.columns], rule, *self.cells()]
        escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
        body = "\n".join(f"| {' | '.join(line)} |" for line in escaped)
        return "\n\n".join(filter(None, (f"**{self.title}**", body, self.note))) + "\n"

    def latex(self) -> str:
        """A `table` environment for booktabs."""
        alignment = "l" + "r" * (len(self.columns) - 1)
        lines = [" & ".join(map(_latex, line)) + r" \\" for line in self.cells()]
        heading = " & ".join(_latex(column.name) for column in self.columns) + r" \\"
        caption = _latex(" ".join(filter(None, (self.title + ".", self.note))))
        begin = [r"\begin{table}", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", heading, r"\midrule"]
        end = [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}", ""]
        return "\n".join([*begin, *lines, *end])

    def html(self) -> str:
        """A `table` with its title as caption and its note below; it scrolls by itself where the page is narrow."""
        # Styles of their own: notebooks show tables without the page. Figures are aligned right, words left.
        styles = [f' style="text-align:{"left" if words else "right"}"' for words in self.has_words]
        head = "".join(
            f'<th scope="col"{style}>{escape(column.name)}</th>'
            for column, style in zip(self.columns, styles, strict=True)
        )
        lines = (
            f'<tr><th scope="row"{styles[0]}>{marked(name)}</th>'
            f"{''.join(f'<td{style}>{marked(cell)}</td>' for cell, style in zip(cells, styles[1:], strict=True))}</tr>"
            for name, *cells in self.cells()
        )
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        note = f'<p class="note">{escape(self.note)}</p>' if self.note else ""
        body = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        return f'<div class="table" tabindex="0" role="group">{body}</div>{note}'

    _repr_html_ = html


def table_of(
    title: str, columns: Iterable[str | Sequence[str]], rows: Iterable[tuple[Any, ...]], note: str = ""
) -> Table:
    """Make a table whose columns are named, perhaps with the format of their figures."""
    named = (Column(column) if isinstance(column, str) else Column(*column) for column in columns)
    return Table(title, tuple(named), tuple(rows), note)


def _text(cell: Cell, column: Column) -> str:
    if cell is None or cell != cell:  # NaN: not available
        return "—"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return "—" if math.isnan(cell[0]) else f"[{cell[0]:{column.format}}, {cell[1]:{column.format}}]"
    return f"{cell:{column.format}}"


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
