"""The notebooks show what they make, import only Panelist, and run from top to bottom on small files of the demo."""

import ast
import re
import sys

import nbformat
import pytest

from notebooks import NOTEBOOKS, run, set_up

SHOWN = {
    "01": (4, 1),
    "02": (6, 3),
    "03": (4, 2),
    "04": (8, 3),
    "05": (3, 0),
}  # rich outputs, and how many of them are pictures


def read(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_with_their_outputs(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert [cell.execution_count for cell in code(notebook)] == [*range(1, 1 + len(code(notebook)))], "make notebooks"
    assert shown([output for cell in code(notebook) for output in cell.outputs]) == SHOWN[path.name[:2]]
    assert path.stat().st_size < 300_000
    assert not re.search(r"/(tmp|home|root)/", path.read_text())
    assert notebook.cells[0].source.startswith("# ")


def shown(outputs):
    """How many rich outputs there are, and how many of them are pictures."""
    rich = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    return len(rich), sum("".join(html).startswith("<figure>") for html in rich)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_import_only_panelist_and_the_standard_library(path):
    trees = [ast.walk(ast.parse(cell.source)) for cell in code(read(path))]
    imported = set()
    for node in (node for tree in trees for node in tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module)
    assert "panelist" in imported
    ours = {"panelist", "retriever", "eval"}
    assert {name.split(".")[0] for name in imported} - set(sys.stdlib_module_names) <= ours


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Where the notebooks run, one after the other: the demo is indexed once."""
    return tmp_path_factory.mktemp("desk")


@pytest.mark.model
@pytest.mark.java
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_show_what_is_stored(path, desk, monkeypatch):
    for name in ("PANELIST_DATA", "PANELIST_WORKSPACE", "PANELIST_MONGO_URI"):
        monkeypatch.delenv(name, raising=False)
    set_up(desk, monkeypatch.setenv)
    outputs = [output for cell in code(run(path, desk)) for output in cell.outputs]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert shown(outputs) == SHOWN[path.name[:2]]
