"""Look-up over an index on a real Milvus server: the same panels, and a server that goes and comes back."""

import httpx2
import numpy as np
import pytest
from indexing_support import load_hashing
from milvus_support import LiteServer, binary
from panel_support import make_finder
from waiting import until
from web_support import running, start_service

from indexing.jobs.build import IndexJobs
from indexing.text import Text
from panelist.app.demo import corpus, submissions
from panelist.workspace import Workspace


def test_find_through_milvus_finds_whom_the_local_index_finds(tmp_path, milvus):
    papers = list(corpus())
    with make_finder(tmp_path / "m", papers, milvus) as remote, make_finder(tmp_path / "l", papers, "bm25s") as local:
        asked = list(submissions())
        for submission in asked:
            found, expected = ([one.author.id for one in finder.find(submission).matches] for finder in (remote, local))
            assert len(set(found[:10]) & set(expected[:10])) >= min(len(expected), 10) - 1
        queries = [Text.of(submission).plain() for submission in asked]
        hits = [finder.index.lexical().search(queries, 100).units for finder in (remote, local)]
        overlap = [np.isin(a[a >= 0], b).mean() for a, b in zip(*hits, strict=True)]
        assert np.mean(overlap) >= 0.995


def test_a_server_that_is_gone_is_a_503_with_a_reason_until_it_is_back(tmp_path):
    if binary() is None:
        pytest.skip("no Milvus server (install milvus-lite)")
    (tmp_path / "server").mkdir()
    server = LiteServer(tmp_path / "server").start()
    workspace = Workspace.at(tmp_path / "w")
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus())
        IndexJobs(workspace.index_path, load=load_hashing).build(store, encoder="hashing", engine=server.engine)
    service = start_service(workspace)
    try:
        with running(service) as address, httpx2.Client(base_url=address, timeout=300) as client:

            def ask(title):
                return client.post("/api/v1/reviewers", json={"submission": {"title": title}})

            assert ask("coral reefs").status_code == 200
            server.kill()
            gone = ask("coral bleaching")
            assert gone.status_code == 503
            assert "does not answer" in gone.json()["detail"]
            assert client.get("/api/v1/health").status_code == 200
            server.start()
            until(lambda: ask("coral bleaching").status_code == 200)
    finally:
        service.close()
        server.kill()
