"""Optional parts: a missing one is one line with the command that installs it, before the work."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from panelist.errors import MissingDependencyError
from panelist.extras import EXTRAS, missing_line, require

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None  # what an import of a package that is not installed comes to
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in sys.argv[1].split(",") else find(name, *rest)
from panelist.app.cli.main import main
main(sys.argv[2:])
"""


def test_installed_module_is_accepted():
    require("a test", "pytest")


def test_the_line_names_the_extra():
    with pytest.raises(MissingDependencyError, match=rf"^a dream .*no_such_module, .*pip install '{ROOT}'"):
        require("a dream", "no_such_module")


def test_every_extra_is_one_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {*EXTRAS, "all", "dev", "docs"} == set(project)
    assert project["all"] == [f"panelist[{','.join(name for name in EXTRAS if name != 'pyserini')}]"]


def test_the_line_is_of_use_without_a_checkout(monkeypatch, tmp_path):
    monkeypatch.setattr("panelist.extras._CHECKOUT", tmp_path)
    assert missing_line("a measure", "ranx").endswith("run \"pip install 'panelist[eval]'\"")


def test_the_table_of_packages_names_the_extra_that_brings_each():
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (?:`(\w+)`|–) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    names = "faiss-cpu numpy pyserini sentence-transformers transformers torch ranx pymongo"
    assert sorted(name for name, _ in rows) == sorted(names.split())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name, extra in rows:
        required = project["optional-dependencies"][extra] if extra else project["dependencies"]
        assert any(re.match(rf"{name}\b", one) for one in required), name


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [
        ("ranx", "eval elife", "eval"),
        ("torch", "train reviews", "torch"),
        ("pymongo", "corpus stats --workspace nowhere", "mongo"),
        ("authlib", "serve --workspace nowhere", "oidc"),
    ],
)
def test_a_command_says_what_it_lacks_before_it_begins(tmp_path, monkeypatch, module, command, extra):
    monkeypatch.setenv("PANELIST_MONGO_URI", "mongodb://127.0.0.1:9" if extra == "mongo" else "")
    monkeypatch.setenv("PANELIST_OIDC_ISSUER", "https://login.example" if extra == "oidc" else "")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-c", WITHOUT, module, *command.split()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert f"needs {module}, which is not installed: run \"pip install '{ROOT}[{extra}]'\"" in done.stderr
    assert list(tmp_path.iterdir()) == []
