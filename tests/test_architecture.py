"""The tree is the pipeline: imports point one way, engines stay in their adapters, generic names stay harmless."""

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
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
        "panelist.progress",
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
    "pymongo": {"panelist/corpus/mongo.py"},
    "ranx": {"eval/measures/ranking.py"},
}


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


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


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_point_one_way(path):
    own = layer(module_name(path))
    if own is None:  # panelist/__init__.py re-exports lazily, by name
        return
    above = {name for name in imported_modules(path) if (height := layer(name)) is not None and height > own}
    assert not above


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


def test_tests_and_notebooks_are_not_packages():
    for folder in ("tests", "notebooks", "docker", "benchmarks"):
        assert not list((ROOT / folder).rglob("__init__.py"))


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
    assert "panelist/py.typed" in names
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
