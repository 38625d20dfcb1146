"""What commands return is printed once: as JSON, as parts for people, or as tables of a format."""

import csv
import io
import json

import pytest
import typer
from typer.main import get_command

from eval.reports.table import table_of
from panelist.app.cli.eval.results import Figures, figures_table
from panelist.app.cli.options import group, option
from panelist.app.cli.output import Answer, Aside, first_rows
from panelist.errors import InputError

LOSSES = {"one": {"loss": 0.25, "easy": 0.5}, "other": {"loss": 0.5}}


def check(wrong: bool = option("Find something wrong.")) -> Answer:
    """Answer with lines and a table."""
    rows = table_of("numbers", ("name", "number"), [("a", 1.0), ("b", 2.0)])
    return Answer({"wrong": wrong}, ["a line", Aside("an aside"), first_rows(rows, 1)], code=wrong)


def measure() -> Figures:
    """Answer with figures."""
    return Figures(LOSSES, [figures_table("losses", "model", LOSSES)] * 2)


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = get_command(group("Tests.", check, measure)).main([*arguments], standalone_mode=False)
        return code or 0, *capsys.readouterr()

    return run


def test_an_answer_is_lines_and_tables_for_people(run):
    code, out, err = run("check")
    assert (code, err) == (0, "an aside\n")
    assert out.startswith("a line\n")
    assert "1 of 2 numbers" in out
    assert "2.0" not in out


def test_an_answer_is_json_for_programs_and_has_its_code(run):
    code, out, err = run("check", "--json", "--wrong")
    assert (code, json.loads(out), err) == (1, {"wrong": True}, "")
    assert run("check", "--wrong")[0] == 1


def test_figures_come_in_every_format(run):
    assert json.loads(run("measure", "--json")[1]) == LOSSES
    above, below = run("measure", "--csv")[1].split("\n\n")
    assert list(csv.reader(io.StringIO(above))) == [
        ["model", "loss", "easy"],
        ["one", "0.25", "0.5"],
        ["other", "0.5", ""],
    ]
    assert above.split() == below.split()
    assert run("measure", "--latex")[1].count(r"\begin{table}") == 2
    assert run("measure", "--markdown")[1].count("**losses**") == 2
    with pytest.raises(InputError, match="several output formats"):
        run("measure", "--json", "--csv")


def test_commands_have_the_options_of_their_answers():
    commands = get_command(group("Tests.", check, measure)).commands
    assert isinstance(commands["check"], typer.core.TyperCommand)
    assert [entry.name for entry in commands["check"].params] == ["wrong", "json"]
    assert [entry.name for entry in commands["measure"].params] == ["json", "csv", "latex", "markdown"]
