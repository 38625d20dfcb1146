"""What commands are tried on: a venue in OpenReview's layout, and the demo's workspace."""

import pytest
from openreview_support import make_venue
from tiny_model import make_tiny_model

from indexing.jobs.build import IndexJobs
from panelist.app.demo import corpus
from panelist.workspace import Workspace


@pytest.fixture
def venue(tmp_path):
    return make_venue(tmp_path / "venue")


@pytest.fixture(scope="module")
def demo_workspace(tmp_path_factory):
    """The demo corpus, indexed with a tiny model and the engine that needs no Java; the default workspace."""
    directory = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANELIST_CACHE", str(directory / "cache"))
        patch.setenv("PANELIST_WORKSPACE", str(directory / "workspace"))
        workspace = Workspace.at()
        model = make_tiny_model(directory / "model")
        with workspace.open_corpus(create=True) as store:
            store.upsert(corpus())
            IndexJobs(workspace.index_path).build(store, encoder=str(model), engine="bm25s")
        yield workspace
