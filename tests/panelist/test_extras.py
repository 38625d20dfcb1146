"""Optional parts: a missing one is one line with the command that installs it, before the work."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from panelist.errors import MissingDependencyError
from panelist.extras import EXTRAS, require

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
    with pytest.raises(MissingDependencyError, match=r"^a dream .*no_such_module, .*pip install 'panelist'"):
        require("a dream", "no_such_module")


def test_every_extra_is_one_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {*EXTRAS, "all", "dev", "docs"} == set(project)
    assert project["all"] == [f"panelist[{','.join(EXTRAS)}]"]


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
    assert f"needs {module}, which is not installed: run \"pip install 'panelist[{extra}]'\"" in done.stderr
    assert list(tmp_path.iterdir()) == []
