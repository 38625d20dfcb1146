"""CSV files for people: a cell that a spreadsheet would take for a formula is made plain text."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_table(file: TextIO, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table with a header. Numbers stay numbers; texts that begin like a formula get an apostrophe before them.

    A name such as `=HYPERLINK(…)` comes from whoever wrote the paper, and spreadsheets would run it. Files for programs
    (OpenReview CSV, TREC runs, JSON) must not be written like this: they are never altered.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_plain(cell) for cell in row] for row in rows)


def _plain(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", " ")  # which `csv` does not quote, and spreadsheets take for the end of a row
    return f"'{text}" if cell.startswith(_FORMULA) else text
