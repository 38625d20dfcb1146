"""One table as CSV, Markdown, LaTeX and HTML."""

import csv
import io
import math

import pytest

from eval.reports.figures import plot_lines
from eval.reports.table import Column, Table
from panelist.errors import InputError

TABLE = Table(
    "Losses",
    (Column("system"), Column("loss"), Column("95% CI"), Column("Δ", "+.2f")),
    (("a_b", 0.123456, (0.1, 0.2), None), ("c|d", math.nan, (math.nan, math.nan), -0.5)),
    "Lower is better.",
)


def test_cells_are_written_as_their_columns_say():
    assert TABLE.cells() == [["a_b", "0.1235", "[0.1000, 0.2000]", "—"], ["c|d", "—", "—", "-0.50"]]


def test_csv_keeps_full_precision_and_gives_intervals_two_columns():
    header, first, _ = csv.reader(io.StringIO(TABLE.csv()))
    assert header == ["system", "loss", "95% CI low", "95% CI high", "Δ"]
    assert first == ["a_b", "0.123456", "0.1", "0.2", ""]


def test_markdown_escapes_bars():
    assert "| c\\|d | — | — | -0.50 |" in TABLE.markdown()
    assert TABLE.markdown().startswith("**Losses**\n\n| system | loss |")


def test_latex_escapes_its_special_characters():
    text = TABLE.latex()
    assert r"a\_b & 0.1235 & [0.1000, 0.2000] & -- \\" in text
    assert r"95\% CI & $\Delta$" in text
    assert text.count(r"\begin") == text.count(r"\end") == 2


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_plot_is_drawn_in_the_format_of_its_name(tmp_path, suffix, magic):
    path = tmp_path / f"plot.{suffix}"
    plot_lines(path, [1, 2, 3], {"one": [0.3, 0.2, 0.1], "two": [0.5, 0.4, 0.3]}, "length", "loss")
    assert path.read_bytes().startswith(magic)


def test_a_plot_that_cannot_be_drawn_says_why(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.png"):
        plot_lines(tmp_path / "plot.txt", [1], {"one": [1]}, "x", "y")
    with pytest.raises(InputError, match="cannot write"):
        plot_lines(tmp_path / "absent" / "plot.png", [1], {"one": [1]}, "x", "y")
