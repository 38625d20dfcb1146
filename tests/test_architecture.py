"""The tree is the pipeline: imports point one way, engines stay in their adapters, generic names stay harmless."""

import ast
import contextlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from collections import Counter, deque
from importlib import metadata
from itertools import permutations
from pathlib import Path

import pytest

import panelist
from retriever.kernels import MODULES as KERNELS

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
        "panelist.extras",
        "panelist.files",
        "panelist.http",
        "panelist.keyed_file",
        "panelist.parameters",
        "panelist.progress",
        "panelist.spreadsheet",
        "panelist.sqlite_file",
        "panelist.system",
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
    "faiss": {"indexing/dense/faiss_flat.py"},
    "pyserini": set(),
    "fcntl": {"panelist/system.py"},
    "resource": {"panelist/system.py"},
    "jnius": {"indexing/lexical/lucene.py", "indexing/lexical/jvm.py"},
    "bm25s": {"indexing/lexical/bm25s.py"},
    "pymilvus": {"indexing/milvus/server.py"},
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


def imported_modules(tree):
    """Every module that is imported by a statement, anywhere in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"a relative import: {ast.unparse(node)}"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def named_modules(tree):
    """Every module that a string names, to be imported later: `retriever.affinity.models.bm25:Bm25Model`."""
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {string.partition(":")[0] for string in strings if "." in string} & set(MODULES)


TREES = {module: ast.parse(path.read_text()) for module, path in MODULES.items()}
IMPORTED = {module: set(imported_modules(tree)) for module, tree in TREES.items()}
REACHED = {module: IMPORTED[module] | named_modules(tree) for module, tree in TREES.items()}


def within(module, room):
    return f"{module}.".startswith(f"{room}.")


def layer(module):
    for height, names in enumerate(LAYERS):
        if any(within(module, name) for name in names):
            return height
    return None


@pytest.mark.parametrize("module", sorted(set(MODULES) - FRONT_DOOR))
def test_imports_point_one_way(module):
    own = layer(module)
    assert own is not None, "a module belongs to a layer: add it to LAYERS"
    above = {name for name in REACHED[module] if (height := layer(name)) is not None and height > own}
    assert not above


def test_nobody_inside_comes_through_the_front_door():
    """It leads to every layer, so that an import of it would say nothing about the arrow."""
    things = {name for name in panelist.__all__ if name != "__version__" and f"panelist.{name}" not in MODULES}
    assert {module for module, names in IMPORTED.items() if names & {f"panelist.{name}" for name in things}} == set()


@pytest.mark.parametrize(
    ("users", "forbidden"),
    [
        *((f"panelist.app.{room}", "panelist.app.cli") for room in ("web", "desk", "demo", "confined", "formats")),
        *((f"panelist.app.{room}", "panelist.app.web") for room in ("desk", "demo", "formats", "confined", "access")),
        ("eval", "eval.benchmarks"),
        *permutations(("eval.benchmarks", "eval.calibration", "eval.reviews"), 2),
    ],
)
def test_rooms_beside_each_other_keep_their_order(users, forbidden):
    """Not even through the modules of a third room."""
    inside = [module for module in MODULES if within(module, users) and not within(module, forbidden)]
    assert inside
    assert way_to(forbidden, inside, GRAPH) == []


GRAPH = {module: sorted((names & set(MODULES)) - FRONT_DOOR - {module}) for module, names in REACHED.items()}


def way_to(room, starts, graph):
    """The shortest way from some modules to one of a room, import by import; empty where there is none."""
    ways = {module: [module] for module in starts}
    waiting = deque(starts)
    while waiting:
        module = waiting.popleft()
        if within(module, room):
            return ways[module]
        for other in graph[module]:
            if other not in ways:
                ways[other] = [*ways[module], other]
                waiting.append(other)
    return []


def test_a_way_through_a_third_room_is_found():
    graph = {"a": ["b.x"], "b.x": ["c.y"], "c.y": [], "d": ["b.x"]}
    assert way_to("c", ["a", "d"], graph) == ["a", "b.x", "c.y"]
    assert way_to("a", ["c.y"], graph) == []


ROOMS = [name for name, path in MODULES.items() if path.name == "__init__.py" and within(name, "panelist.app")]


def ways_between(rooms, graph):
    """The pairs of rooms, neither inside the other, of which a module of the first imports one of the second."""
    return {
        (room, other)
        for module, names in graph.items()
        for room in rooms
        for other in rooms
        if within(module, room) and not within(room, other) and not within(other, room)
        if any(within(name, other) for name in names)
    }


def test_no_two_rooms_of_the_application_import_each_other():
    graph = {"a.b.x": ["a.c.y", "d.z"], "a.c.y": [], "d.z": ["a.c.y"]}
    assert ways_between(["a", "a.b", "a.c", "d"], graph) == {
        ("a.b", "a.c"),
        ("a.b", "d"),
        ("a", "d"),
        ("d", "a"),
        ("d", "a.c"),
    }
    ways = ways_between(ROOMS, GRAPH)
    assert len(ways) > 20
    assert {(one, other) for one, other in ways if (other, one) in ways} == set()


def test_rooms_of_a_conference_meet_in_its_state_and_its_changes_only():
    home = "panelist.app.desk.conference"
    beside = [room for room in ROOMS if within(room, home) and room != home]
    assert {"intake", "solving", "reviewing", "views"} <= {room.rpartition(".")[2] for room in beside}
    assert ways_between(beside, GRAPH) == set()


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
    """Not even through imports inside functions or for types only; strings do not count, of a registry of classes."""
    graph = {
        module: sorted((names & set(MODULES)) - FRONT_DOOR - {module})
        for module, names in IMPORTED.items()
        if module not in FRONT_DOOR
    }
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == {frozenset("bc")}
    assert cycles(graph) == set()


def test_no_room_is_too_large():
    rooms = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert {str(room.relative_to(ROOT)): count for room, count in rooms.items() if count > LARGEST_ROOM} == {}


ASSIGNMENT = [name for name in sorted(MODULES) if within(name, "retriever.assignment")]
"""A library that several front ends call: it names fields, and its functions are called by keyword."""


@pytest.mark.parametrize("module", ASSIGNMENT)
def test_the_assignment_names_fields_and_no_flags(module):
    strings = (node.value for node in ast.walk(TREES[module]) if isinstance(node, ast.Constant))
    flag = re.compile(r"(^|[^-\w])--[a-z]")
    assert [string for string in strings if isinstance(string, str) and flag.search(string)] == []


@pytest.mark.parametrize("module", [name for name in ASSIGNMENT if not within(name, "retriever.assignment.kernels")])
def test_functions_of_the_assignment_take_few_parameters(module):
    """Kernels aside: they take the arrays of a problem one by one."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.FunctionDef):
            given = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            assert len([name for name in given if name not in ("self", "cls")]) <= 6, node.name


@pytest.mark.parametrize("engine", ADAPTERS)
def test_only_adapters_import_an_engine(engine):
    users = {
        str(MODULES[module].relative_to(ROOT))
        for module, names in IMPORTED.items()
        if any(within(name, engine) for name in names)
    }
    assert users <= ADAPTERS[engine]


class WithoutFunctions(ast.NodeTransformer):
    """What runs when a module is imported: neither functions nor what is for type checkers only."""

    def visit_FunctionDef(self, node):
        return None

    def visit_If(self, node):
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)


def test_kernels_are_known_and_imported_by_the_functions_that_call_them():
    """Importing numba takes half a second, which no command pays that calls no kernel."""
    kernels = {
        module
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and "kernel" in map(ast.unparse, node.decorator_list)
    }
    assert kernels == set(KERNELS)
    early = {
        module
        for module, path in MODULES.items()
        if kernels & set(imported_modules(WithoutFunctions().visit(ast.parse(path.read_text()))))
    }
    # Whoever scores a conference needs them in any case.
    assert {module for module in early - kernels if not within(module, "retriever.affinity")} == set()


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


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The source distribution of a copy, so that no stale build/ directory can add to it, and the wheel made of it."""
    source = tmp_path_factory.mktemp("source") / "panelist"
    left_out = shutil.ignore_patterns(".*", "node_modules", "build", "dist", "*.egg-info", "__pycache__", "*.workspace")
    shutil.copytree(ROOT, source, ignore=left_out)
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(source / "dist"), str(source)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,), (archive,) = (source / "dist").glob("*.whl"), (source / "dist").glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def wheel(distributions):
    """The wheel alone."""
    return distributions[0]


def test_the_distributions_are_fit_to_publish(distributions):
    command = [sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    with tarfile.open(distributions[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("docs", "tests", "benchmarks", "notebooks", "docker"):
        there = {str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.is_file()}
        assert {name for name in there if "__pycache__" not in name} <= names
    assert {"Makefile", "constraints.txt", "mkdocs.yml", "CHANGELOG.md", "SECURITY.md", "LICENSE"} <= names


def test_the_front_door_exports_things_under_their_own_names_typed_where_the_wheel_is_installed(wheel, tmp_path):
    """A user's script is checked in an environment that has the wheel, and beside it what the wheel depends on."""
    names = sorted(set(panelist.__all__) - {"__version__"})
    for name in names:
        assert getattr(panelist, name).__name__.rpartition(".")[2] == name
    clean = tmp_path / "clean"
    venv.create(clean, with_pip=False)
    (site,) = clean.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    lines = [f"reveal_type(panelist.{name})" for name in names]
    user = tmp_path / "user.py"
    user.write_text("\n".join(["import panelist", *lines, "panelist.nonsense", "panelist.Lookup(sise=3)", ""]))
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(clean / "bin/python")]
    checked = subprocess.run(
        [*command, "--cache-dir", str(tmp_path / "cache"), str(user)], capture_output=True, text=True, cwd=tmp_path
    ).stdout.splitlines()
    revealed = {int(line.split(":")[1]): line for line in checked if "Revealed type" in line}
    assert len(revealed) == len(names), checked
    untyped = [name for number, name in enumerate(names, start=2) if 'is "Any"' in revealed[number]]
    assert untyped == []
    errors = [line.split(": error: ") for line in checked if ": error:" in line]
    assert [position for position, _ in errors] == [f"{user.name}:{len(names) + 2}", f"{user.name}:{len(names) + 3}"]
    assert "nonsense" in errors[0][1]
    assert "sise" in errors[1][1]


@pytest.mark.parametrize("name", ["eval/__init__.py", "retriever.py"])
def test_a_module_that_hides_one_of_ours_is_named(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    script = tmp_path / "mine.py"
    script.write_text("import panelist")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    *_, line = done.stderr.splitlines()
    assert line.startswith(f"ImportError: '{tmp_path / name}' hides Panelist's package")


def test_the_version_is_said_once_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == panelist.__version__
    assert f"\nversion: {panelist.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert "urls" not in project, "there is no public address yet"
    headings = re.findall(r"^##+ .+", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    latest = headings[headings[0] == "## Unreleased"]
    assert re.fullmatch(rf"## {re.escape(panelist.__version__)} \(\d{{4}}-\d\d-\d\d\)", latest)
    assert len(set(headings)) == len(headings)
    assert "### Fixed" not in headings, "nothing was released before"


def test_tests_and_notebooks_are_not_packages():
    for folder in ("tests", "notebooks", "docker", "benchmarks"):
        assert not list((ROOT / folder).rglob("__init__.py"))


def test_the_wheel_ships_the_four_packages_with_their_data_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    there = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    assert {name for name in names if ".dist-info/" not in name} == {
        str(path.relative_to(ROOT)) for path in there if path.parent.name != "__pycache__"
    }


def _requirements(lines, extras=frozenset()):
    """The names that lines of metadata ask for, with the extras of each; for any system and any Python."""
    for line in lines:
        name, _, wanted = re.match(r"([\w.-]+)\s*(\[(.*?)\])?", line).groups()
        conditions = set(re.findall(r"extra\s*==\s*[\"'](.*?)[\"']", line))
        if not conditions or conditions & extras:
            yield _plain(name), frozenset(part.strip() for part in (wanted or "").split(",") if part)


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_constraints_pin_what_is_needed_and_nothing_else():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"].values()
    direct = set(_requirements([*project["dependencies"], *(line for extra in optional for line in extra)]))
    pins = {_plain(line.split("==")[0]) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {name for name, _ in direct} - {"panelist"} <= pins
    needed, queue = set(), [*direct, ("pyserini", frozenset())]
    while queue:
        name, extras = queue.pop()
        if (name, extras) in needed:
            continue
        needed.add((name, extras))
        if name not in ("panelist", "pyserini"):  # which is installed for its jar, without what it needs
            with contextlib.suppress(metadata.PackageNotFoundError):  # of another system or Python
                queue += _requirements(metadata.requires(name) or (), extras)
    assert pins - {name for name, _ in needed} == set(), "nothing needs these"
