"""CSV files: for people, with every cell that a spreadsheet would take for a formula made plain text; for programs."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a header. Numbers stay numbers; texts that begin like a formula get an apostrophe before them.

    A name such as `=HYPERLINK(…)` comes from whoever wrote the paper, and spreadsheets would run it. Files for programs
    (OpenReview CSV, TREC runs, JSON) must not be written like this: they are never altered, see `csv_text`.
    """
    return csv_text([header, *([_plain(cell) for cell in row] for row in rows)])


def csv_text(rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Rows as CSV for programs: every cell as it is."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _plain(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", " ")  # which `csv` does not quote, and spreadsheets take for the end of a row
    return f"'{text}" if cell.startswith(_FORMULA) else text
