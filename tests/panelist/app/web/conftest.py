"""A workspace of four papers and a real server for it; a test file that needs others has its own."""

import pytest
from panel_support import at, paper
from web_support import make_workspace, running, start_service


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper(f"p{i}", at(f"a{i}")) for i in range(4)])


@pytest.fixture(scope="module")
def address(workspace):
    with running(start_service(workspace, seconds=3600)) as address:
        yield address
