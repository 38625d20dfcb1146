"""What pages name is there: commands, options, files, sections."""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from panelist.app.cli.main import command_line

ROOT = Path(__file__).parent.parent
COMMANDS = command_line()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def help_of():
    """What a command says about itself: exit code and text."""

    @cache
    def shown(*path):
        result = CliRunner().invoke(COMMANDS, [*path, "--help"], env={"COLUMNS": "200"})
        return result.exit_code, result.output

    return shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_and_their_options_exist(document, help_of):
    blocks = re.findall(
        r"```(?:sh|console)?\n(.*?)```|^((?: {4}.+\n)+)", document.read_text(), re.DOTALL | re.MULTILINE
    )
    lines = [line for block in blocks for text in block for line in text.splitlines()]
    quoted = re.findall(r"`(panelist [^`]+)`", document.read_text())
    for line in [line for line in lines if line.strip().startswith("panelist ")] + quoted:
        words = shlex.split(line, comments=True)[1:]
        path = []
        for word in words:  # the command is what comes before its first argument
            if not re.fullmatch(r"[a-z][a-z-]*", word) or len(path) == 3:
                break
            path.append(word)
        while (shown := help_of(*path))[0] != 0:
            path.pop()
        assert path, f"{document.name}: no such command: {line}"
        for option in (word for word in words if word.startswith("--")):
            assert option.split("=")[0] in shown[1], f"{document.name}: no option {option}: {line}"


@pytest.mark.parametrize("document", sorted(ROOT.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    """Those of the site are checked when it is built."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (document.parent / target).exists(), target


@pytest.fixture(scope="module")
def options():
    """The options of all commands and benchmarks."""

    def of(command):
        yield from (name for each in command.params for name in (*each.opts, *each.secondary_opts))
        for one in getattr(command, "commands", {}).values():
            yield from of(one)

    benchmarks = "".join(path.read_text() for path in (ROOT / "benchmarks").glob("*.py"))
    return {*of(get_command(COMMANDS)), *re.findall(r'"(--[a-z-]+)"', benchmarks)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_options_files_and_sections_that_are_named_exist(document, options):
    text = document.read_text()
    assert set(re.findall(r"`(--[a-z0-9-]+)", text)) <= options
    for path in re.findall(r"`((?:panelist|indexing|retriever|eval|tests|benchmarks|docs|docker)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path
    for target, section in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        named = (document.parent / target if target else document).read_text()
        headings = re.findall(r"^#+ (.+)$", named, re.MULTILINE)
        assert section in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}, section
