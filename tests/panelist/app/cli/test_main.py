"""The front of the command line: help, errors, exit codes."""

import subprocess
import sys

import pytest
import typer.main

from panelist.app.cli.main import COMMANDS, command_line

PANELIST = [sys.executable, "-m", "panelist"]


def run(*arguments):
    return subprocess.run([*PANELIST, *arguments], capture_output=True, text=True)


def all_commands():
    """Every command path, found by walking the Typer application."""

    def walk(command, path):
        children = getattr(command, "commands", None)
        if children is None:
            yield path
        else:
            for name, child in children.items():
                yield from walk(child, (*path, name))

    return sorted(walk(typer.main.get_command(command_line()), ()))


@pytest.mark.parametrize("path", all_commands(), ids=" ".join)
def test_every_command_explains_itself_with_examples(path, panelist):
    code, shown, _ = panelist(*path, "--help")
    assert code == 0
    assert "Examples" in shown
    shortest = path[:1] if path == ("assign", "make") else path  # what 'panelist assign FILE' does
    assert f"panelist {' '.join(shortest)}" in shown.split("Examples")[1]


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [(["find", "eval"], ["find"]), (["eval"], ["eval"]), ([], list(COMMANDS)), (["corpse", "find"], list(COMMANDS))],
)
def test_only_the_command_that_is_asked_for_is_loaded(arguments, loaded):
    command = typer.main.get_command(command_line(arguments))
    assert sorted(command.commands) == sorted(loaded)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["corpse"], "No such command 'corpse'"),
        (["corpus", "stats", "--nonsense"], "No such option: --nonsense"),
        (["corpus", "stats", "--workspace", "/nowhere/at/all"], "no corpus in workspace '/nowhere/at/all'"),
    ],
)
def test_errors_are_one_line_and_exit_with_2(arguments, message):
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_directory_that_cannot_be_made_is_one_line(tmp_path):
    works = tmp_path / "works.jsonl"
    works.write_text('{"id": "W1", "title": "A title"}\n')
    for workspace in (works, works / "below"):
        result = run("import", "openalex", str(works), "--workspace", str(workspace))
        assert result.returncode == 2
        assert result.stderr.startswith(f"error: cannot use '{workspace}': ")
        assert result.stderr.count("\n") == 1
        assert "Traceback" in run("import", "openalex", str(works), "-w", str(workspace), "--debug").stderr


def test_a_reader_who_has_seen_enough_ends_a_command_quietly():
    with subprocess.Popen([*PANELIST, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_an_error_does_not_quote_megabytes(tmp_path):
    reviews = tmp_path / "reviews.csv"
    reviews.write_text("column," * 100_000)
    result = run("calibrate", str(reviews))
    assert result.returncode == 2
    assert "lacks the columns paper, reviewer, score" in result.stderr
    assert len(result.stderr) < 1_100


def test_more_than_the_memory_holds_is_one_line(tmp_path):
    reviews = tmp_path / "reviews.csv"
    reviews.write_text("paper,reviewer,score\n" + "".join(f"p{n % 4},r{n % 3},{n % 5}\n" for n in range(12)))
    result = run("calibrate", str(reviews), "--samples", str(10**13))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: not enough memory: ")
    assert result.stderr.count("\n") == 1


def test_debug_shows_the_traceback_wherever_it_stands():
    for arguments in (
        ["--debug", "corpus", "stats", "-w", "/nowhere"],
        ["corpus", "stats", "-w", "/nowhere", "--debug"],
    ):
        result = run(*arguments)
        assert result.returncode != 0
        assert "Traceback" in result.stderr


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom panelist.app.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print([n for n in 'numpy torch faiss pymongo pyserini jnius transformers scipy matplotlib httpx2'.split()"
        " if n in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"


def test_version_is_printed():
    from panelist import __version__

    assert run("--version").stdout.strip() == f"panelist {__version__}"


def test_a_workspace_says_what_is_repeated(panelist, tmp_path):
    (tmp_path / "panelist.toml").write_text('[find]\nformat = "nonsense"\n[corpus.stats]\njson = true\n')
    code, _, said = panelist("find", "--title", "t", "--workspace", tmp_path)
    assert (code, said.splitlines()[0]) == (2, "panelist.toml: --format nonsense")
    assert "nonsense" in said.splitlines()[-1]
    code, _, said = panelist("find", "--title", "t", "--format", "csv", f"--workspace={tmp_path}")
    assert "nonsense" not in said.splitlines()[-1]  # what is typed comes first
    assert "--json True" in panelist("corpus", "stats", "-w", tmp_path)[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [("[find]\nsise = 3\n", "'panelist find' has no option 'sise'"), ("[find\n", "cannot be read")],
)
def test_a_wrong_file_of_a_workspace_is_one_line(panelist, tmp_path, content, message):
    (tmp_path / "panelist.toml").write_text(content)
    code, _, said = panelist("find", "--title", "t", "--workspace", tmp_path)
    assert (code, len(said.splitlines())) == (2, 1)
    assert message in said


def test_debug_shows_our_frames_and_the_line(panelist):
    code, _, said = panelist("corpus", "stats", "-w", "/nowhere", "--debug")
    assert code == 2
    assert said.startswith("Traceback")
    assert "/typer/" not in said
    assert said.splitlines()[-1].startswith("error: ")
