"""The tutorial in docs/guides/researcher.md: its module is written to a file and used as the page says."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from indexing.encoders import load_encoder
from indexing.text import Text
from panelist.app import demo
from panelist.errors import InputError, ModelError
from panelist.records import Paper, Submission
from retriever.affinity.model import affinity_model, parse_model

PAGE = (Path(__file__).parents[2] / "docs/guides/researcher.md").read_text()


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """The module of the page, in the current directory."""
    (tmp_path / "mine.py").write_text(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    sys.modules.pop("mine", None)


def test_the_module_is_short():
    assert len(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()) <= 30


def test_an_index_is_built_and_searched_with_an_encoder_of_ones_own(mine, panelist):
    papers = demo.corpus()[:40]
    from panelist.app.library import build_index, import_papers
    from panelist.workspace import Workspace

    workspace = Workspace(mine / "workspace")
    assert import_papers(workspace, papers).papers == 40
    manifest = build_index(workspace, encoder="mine:hashed", engine="bm25s")
    assert (manifest.encoder.name, manifest.encoder.revision, manifest.encoder.dimension) == ("mine:hashed", "1", 256)
    code, printed, said = panelist("find", "--title", papers[3].title, "--workspace", workspace.path, "--json")
    assert code == 0, said
    assert json.loads(printed)["matches"]


def test_what_scores_is_adapted_and_checked(mine):
    submissions, profiles = [Submission("s", "deep lakes")], [[Paper("p", "lakes")], []]
    name, parameters = parse_model("mine:Overlap:power=2")
    assert affinity_model(name, **parameters).score(submissions, profiles).tolist() == [[0.25, 0.0]]
    (mine / "mine.py").write_text("def flat(submissions, profiles):\n    return [[1, 2, 3]]\nnumber = 3\n")
    sys.modules.pop("mine")
    with pytest.raises(InputError, match=r"'mine:flat' .*\(1, 3\): expected \(1, 2\)"):
        affinity_model("mine:flat").score(submissions, profiles)
    with pytest.raises(InputError, match=r"unknown .*model 'mine:number'"):
        affinity_model("mine:number")


def test_an_encoder_says_its_revision_and_gives_a_vector_for_each_text(mine):
    vectors = load_encoder("mine:hashed").encode([Text("a b"), Text("c", "d")])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    (mine / "mine.py").write_text(
        "def f(texts):\n    return [[0.0]]\ndef g(texts):\n    return [[0.0]]\ng.revision = 'x'\n"
    )
    sys.modules.pop("mine")
    with pytest.raises(ModelError, match=r"encoder .*not .*attribute 'revision'"):
        load_encoder("mine:f")
    with pytest.raises(ModelError, match="none of them zero"):
        load_encoder("mine:g")
    for name in ("mine:nothing", "no_such_module:thing"):
        with pytest.raises(InputError, match=f"'{name}' cannot be used"):
            load_encoder(name)


def test_a_package_registers_names(mine, monkeypatch):
    package = mine / "registered-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: registered\nVersion: 1\n")
    table = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]  # as an installer writes it:
    points = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", table).replace('"', "")
    (package / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(mine))
    assert load_encoder("hashed").dimension == 256
    assert affinity_model("overlap", power=3.0).score([Submission("s", "a")], [[Paper("p", "a")]]).tolist() == [[1.0]]
    shutil.rmtree(package)
