"""The tree is the pipeline: imports point one way, engines stay in their adapters, generic names stay harmless."""

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest

import panelist

ROOT = Path(__file__).parent.parent
PACKAGES = ("panelist", "indexing", "retriever", "eval")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

# Layers from the bottom up; a module may import its own layer and those below.
LAYERS = [
    (
        "panelist.records",
        "panelist.errors",
        "panelist.closing",
        "panelist.config",
        "panelist.files",
        "panelist.keyed_file",
        "panelist.parameters",
        "panelist.progress",
        "panelist.spreadsheet",
        "panelist.sqlite_file",
        "panelist.words",
        "panelist.workspace",
        "panelist.corpus",
    ),
    ("indexing",),
    ("retriever",),
    ("eval",),
    ("panelist.app",),
]
ADAPTERS = {
    "faiss": {"indexing/dense/faiss_index.py"},
    "pyserini": {"indexing/lexical/lucene.py", "indexing/lexical/jvm.py"},
    "jnius": {"indexing/lexical/lucene.py", "indexing/lexical/jvm.py"},
    "bm25s": {"indexing/lexical/bm25s.py"},
    "pymilvus": {"indexing/milvus/server.py", "indexing/milvus/fields.py"},
    "pymongo": {"panelist/corpus/mongo.py"},
    "ranx": {"eval/measures/ranking.py"},
}


FRONT_DOOR = {"panelist", "panelist.__main__"}
"""What stands before the layers: it re-exports lazily, by name, and starts the command line."""
LARGEST_ROOM = 15
"""Modules of a folder."""


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in SOURCES}


def imported_modules(path):
    """Every module that a file imports, anywhere in it, as absolute dotted names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module):
    for height, names in enumerate(LAYERS):
        if any(module == name or module.startswith(name + ".") for name in names):
            return height
    return None


@pytest.mark.parametrize("module", sorted(set(MODULES) - FRONT_DOOR))
def test_imports_point_one_way(module):
    own = layer(module)
    assert own is not None, "a module belongs to a layer: add it to LAYERS"
    above = {name for name in imported_modules(MODULES[module]) if (height := layer(name)) is not None and height > own}
    assert not above


@pytest.mark.parametrize(
    ("users", "forbidden"),
    [
        ("panelist.app.web", "panelist.app.cli"),
        ("panelist.app.formats", "panelist.app.cli"),
        ("panelist.app.formats", "panelist.app.web"),
        ("eval.measures", "eval.benchmarks"),
        ("eval.reports", "eval.benchmarks"),
        ("eval.calibration", "eval.benchmarks"),
        ("eval.runs", "eval.benchmarks"),
    ],
)
def test_rooms_beside_each_other_keep_their_order(users, forbidden):
    inside = [module for module in MODULES if f"{module}.".startswith(f"{users}.")]
    assert inside
    for module in inside:
        assert not [name for name in imported_modules(MODULES[module]) if f"{name}.".startswith(f"{forbidden}.")], (
            module
        )


def cycles(graph):
    """The groups of modules each of which reaches all others of its group (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], set()

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            cut = stack.index(node)
            if len(stack) - cut > 1:
                found.add(frozenset(stack[cut:]))
            del stack[cut:]

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_nothing_imports_itself_in_a_circle():
    """Not even through imports inside functions or for types only."""
    graph = {
        module: sorted((set(imported_modules(path)) & set(MODULES)) - FRONT_DOOR - {module})
        for module, path in MODULES.items()
        if module not in FRONT_DOOR
    }
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == {frozenset("bc")}
    assert cycles(graph) == set()


def test_no_room_is_too_large():
    rooms = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert {str(room.relative_to(ROOT)): count for room, count in rooms.items() if count > LARGEST_ROOM} == {}


@pytest.mark.parametrize("engine", ADAPTERS)
def test_only_adapters_import_an_engine(engine):
    users = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if any(name.split(".")[0] == engine for name in imported_modules(path))
    }
    assert users <= ADAPTERS[engine]


def test_nobody_rebinds_the_builtin_eval():
    everything = [*SOURCES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    for path in everything:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names if alias.asname is None]
                assert not any(name.split(".")[0] == "eval" for name in names), f"{path}: write 'from eval.x import y'"


def test_the_front_door_is_complete_and_lazy():
    for name in panelist.__all__:
        assert getattr(panelist, name) is not None
    assert set(dir(panelist)) == set(panelist.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        panelist.nonsense  # noqa: B018
    heavy = ["numpy", "torch", "faiss", "pymongo", "rich", "typer", "indexing", "retriever", "eval"]
    code = f"import sys, panelist; print([name for name in {heavy!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_the_front_door_exports_things_under_their_own_names_and_typed(tmp_path):
    names = sorted(set(panelist.__all__) - {"__version__"})
    for name in names:
        thing = getattr(panelist, name)
        assert thing.__name__.rpartition(".")[2] == name
    lines = [f"reveal_type(panelist.{name})" for name in names]
    user = tmp_path / "user.py"
    user.write_text("\n".join(["import panelist", *lines, "panelist.nonsense", ""]))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", str(tmp_path), str(user)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    ).stdout.splitlines()
    revealed = {int(line.split(":")[1]): line for line in checked if "Revealed type" in line}
    assert len(revealed) == len(names), checked
    untyped = [name for number, name in enumerate(names, start=2) if 'is "Any"' in revealed[number]]
    assert untyped == []
    assert [line for line in checked if ": error:" in line] == [
        f'{user}:{len(names) + 2}: error: Module has no attribute "nonsense"  [attr-defined]'
    ]


def test_tests_and_notebooks_are_not_packages():
    for folder in ("tests", "notebooks", "docker", "benchmarks"):
        assert not list((ROOT / folder).rglob("__init__.py"))


def test_every_file_of_tests_says_what_it_is_about():
    silent = [path for path in (ROOT / "tests").rglob("*.py") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_the_wheel_ships_the_four_packages_and_nothing_else(tmp_path):
    source = tmp_path / "source"  # a copy, so that no stale build/ directory can add to it
    source.mkdir()
    for name in (*PACKAGES, "pyproject.toml", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(source)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    assert {"panelist/py.typed", "panelist/__init__.pyi"} <= set(names)  # the second is read when panelist is imported
    shipped = {name for name in names if name.endswith(".py")}
    assert shipped == {str(path.relative_to(ROOT)) for path in SOURCES}


def test_constraints_pin_every_direct_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [line for extra in project["optional-dependencies"].values() for line in extra]
    pins = {
        line.split("==")[0].lower().replace("_", "-").replace(".", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    for requirement in wanted:
        name = requirement.split(">")[0].split("<")[0].split("=")[0].split("[")[0].strip().lower()
        assert name.replace("_", "-").replace(".", "-") in pins, f"{name} is not pinned in constraints.txt"
