"""Numbers of things in words, and texts of strangers made safe for terminals and spreadsheets."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from panelist.app.cli.output import console, say, warn
from panelist.app.formats.panels import WRITERS
from panelist.records import Author, Diversity, Institution, Match, Panel, Submission
from panelist.spreadsheet import table_text
from panelist.words import counted, printable, without_directories


def test_counted_uses_singular_and_plural():
    assert [counted(number, "paper") for number in (0, 1, 2, 2000)] == [
        "0 papers",
        "1 paper",
        "2 papers",
        "2,000 papers",
    ]
    assert counted(3, "country", "countries") == "3 countries"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("'/srv/my desk/bids.csv' is empty", "'bids.csv' is empty"),
        ("/srv/desk/bids.csv, line 1: no number", "bids.csv, line 1: no number"),
        ("cannot use /srv/desk/bids.csv", "cannot use bids.csv"),
        ("see https://host/a/b and and/or 1/2 '/'", "see https://host/a/b and and/or 1/2 '/'"),
    ],
)
def test_clients_do_not_see_where_files_lie(text, shown):
    assert without_directories(text) == shown


@given(st.text())
@example("a\u202eb\u2066c\u2069\x1b[2J\x9b\n\t")
def test_nothing_that_a_terminal_obeys_is_printed(text):
    shown = printable(text)
    assert not set(shown) & {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160), 0x202E, 0x2066)}
    assert shown == text or not text.isprintable()
    assert printable(shown) == shown


def test_a_name_cannot_write_to_the_terminal(capsys):
    from rich.table import Table
    from rich.text import Text

    table = Table("name")
    table.add_row(Text("Eve \x1b]0;owned\x07\x1b[2J\x9b31m Zhang"))
    console().print(table)
    console().print("Eve \x1b[31m")
    say("Eve \x1b[31m")
    warn("Eve \x1b[31m")
    shown = capsys.readouterr()
    assert not {"\x1b", "\x07", "\x9b"} & set(shown.out + shown.err)


def test_what_looks_like_markup_is_shown_as_it_is(capsys):
    from rich.table import Table

    table = Table("[bold]group", title="[red]title")
    table.add_row("run[a].trec [/x] v:x:1")
    console().print(table)
    say("run[a].trec [/x] v:x:1")
    shown = capsys.readouterr().out
    assert shown.count("run[a].trec [/x] v:x:1") == 2
    assert "[bold]group" in shown
    assert "[red]title" in shown


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://x","y")'])
def test_a_spreadsheet_finds_no_formula(cell):
    text = table_text(["name", "number"], [[cell, -0.5]])
    (row,) = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert row == ["'" + cell.replace("\r", " "), "-0.5"]


def test_a_cell_cannot_begin_a_row():
    text = table_text(["name"], [["Eve\r=1"], ["Eve\n=1"]])
    assert text == 'name\nEve =1\n"Eve\n=1"\n'


def test_people_get_plain_cells_and_programs_the_ids_as_they_are():
    eve = Author("=cmd|calc", "@Eve")
    match = Match(1, eve, 0.5, (), institutions=(Institution("+Institute"),))
    panel = Panel(Submission("-s", "T"), (match,), Diversity(1, 0, 0.0, 0.0))
    (row,) = list(csv.DictReader(io.StringIO(WRITERS["csv"]([panel]))))
    assert [row[name] for name in ("submission", "reviewer", "name", "institution")] == [
        "'-s",
        "'=cmd|calc",
        "'@Eve",
        "'+Institute",
    ]
    assert WRITERS["openreview"]([panel]) == "-s,=cmd|calc,0.5\n"
    assert WRITERS["trec"]([panel]).split()[:3] == ["-s", "Q0", "=cmd|calc"]


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs", "Cc"])))
def test_other_texts_are_written_as_they_are(cell):
    text = table_text(["name"], [[cell, 0]])
    (row,) = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert row[0] in (cell, f"'{cell}")
    assert (row[0] == cell) == (not cell.startswith(("=", "+", "-", "@")))
