"""Defaults stand in one record, `Lookup` or `AssignOptions`: the commands, the API and the pages read them there."""

import dataclasses
import re

import pytest
import typer.main

from panelist.app.cli.assign.options import AssignFlags, assign_options
from panelist.app.cli.lookup import LookupOptions, PanelOptions
from panelist.app.cli.main import command_line
from panelist.app.desk.conference.settings import AssignmentSettings, ConferenceSettings
from panelist.app.web.pages import PAGES, render
from panelist.app.web.requests import OptionsIn
from retriever.assignment.options import AssignOptions
from retriever.lookup import Lookup
from retriever.search import Search


def options(command, record):
    """What a command makes of its options when none is given."""
    context = typer.Context(typer.main.get_command(command_line()).commands[command])
    defaults = {one.name: one.get_default(context) for one in context.command.params}
    return record(**{field.name: defaults[field.name] for field in dataclasses.fields(record)})


def find_without_options():
    panel = options("find", PanelOptions)
    return panel.add_to(options("find", LookupOptions).lookup(panel.size))


def test_find_asks_for_the_default_lookup():
    assert find_without_options() == Lookup()


def test_run_asks_for_the_default_lookup_but_for_its_size():
    assert options("run", LookupOptions).lookup(Lookup().size) == Lookup()


def test_the_api_asks_for_the_default_lookup():
    assert OptionsIn().lookup("s") == Lookup(declared={"s": ()})


def test_every_front_end_asks_for_the_default_assignment():
    command = typer.main.get_command(command_line()).commands["assign"].commands["make"]
    defaults = {one.name: one.get_default(typer.Context(command)) for one in command.params}
    given = AssignFlags(**{field.name: defaults[field.name] for field in dataclasses.fields(AssignFlags)})
    assert assign_options(given) == AssignmentSettings().options() == ConferenceSettings().options() == AssignOptions()


def test_the_form_starts_with_the_default_lookup():
    page = render(PAGES[0])
    names = ("size", "diversity", "coauthor_years", "institution_years")
    shown = [float(re.search(rf'id="{name}"[^>]*value="([^"]*)"', page)[1]) for name in names]
    wanted = Lookup()
    rules = wanted.conflict_rules
    assert shown == [wanted.size, wanted.diversity, rules.coauthor_years, rules.institution_years]


def test_another_default_reaches_the_commands(monkeypatch):
    other = Lookup(size=7, search=Search(depth=99), papers=1)
    monkeypatch.setattr("retriever.lookup.Lookup", lambda: other)
    assert options("find", PanelOptions).size == 7
    assert options("find", PanelOptions).papers == 1
    assert options("run", LookupOptions).depth == 99


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_has_the_frame_and_marks_itself(page):
    whole = render(page)
    assert whole.startswith("<!doctype html>")
    assert f"<title>{page.name} · Panelist</title>" in whole
    assert re.findall(r'href="([^"]*)" aria-current="page"', whole) == [page.path]
    assert all(f'href="{other.path}"' in whole for other in PAGES)
    assert f'id="{page.main}"' in whole
    assert "$" not in whole
