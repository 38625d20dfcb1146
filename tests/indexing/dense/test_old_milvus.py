"""Vectors on a real Milvus 2.3, with segments, a write-ahead log and an object store, which the lite server lacks.

Optional, since that server needs an environment of its own:

    python -m venv VENV && VENV/bin/pip install 'milvus==2.3.5' 'pymilvus<2.4' 'setuptools<70'
    PANELIST_MILVUS_SERVER=VENV/bin/milvus-server pytest tests/indexing/dense/test_old_milvus.py
"""

import time

import numpy as np
import pytest
from milvus_support import OldServer, old_server

from indexing.dense import build_vector_index, open_vector_index
from indexing.dense.faiss_flat import ExactIndex
from indexing.lexical import write_lexical
from panelist.errors import EngineError

ROWS, MORE = 21_000, 23_000  # more than a pool that is scored without the server


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    if old_server() is None:
        pytest.skip("no Milvus 2.3 server (set PANELIST_MILVUS_SERVER, see the file)")
    server = OldServer(tmp_path_factory.mktemp("milvus"))
    yield server.engine
    server.stop()


@pytest.fixture(scope="module")
def vectors():
    vectors = np.random.default_rng(5).standard_normal((MORE, 16)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def built(engine, vectors, tmp_path_factory):
    directory = tmp_path_factory.mktemp("index")
    deadline = time.monotonic() + 180
    while True:
        try:
            build_vector_index(vectors[:ROWS], directory / "old", engine)
            break
        except EngineError as error:  # it takes a while to start
            if "does not answer" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(1)
    build_vector_index(vectors, directory / "new", engine, base=directory / "old")
    return directory


@pytest.mark.parametrize(("name", "rows"), [("old", ROWS), ("new", MORE)])
@pytest.mark.parametrize("share", [1.0, 0.97])
def test_hits_are_those_of_exact_scores(built, vectors, name, rows, share):
    allowed = np.random.default_rng(1).random(rows) < share
    index = open_vector_index(built / name, vectors[:rows])
    exact = ExactIndex(vectors[:rows]).search(vectors[:9], 100, allowed=allowed)
    found = index.search(vectors[:9], 100, allowed=allowed)
    np.testing.assert_array_equal(found.units, exact.units)


def test_old_servers_refuse_lexical_search(built, engine, tmp_path):
    with pytest.raises(EngineError, match=r"version v2\.3.*2\.5 or newer"):
        write_lexical(tmp_path, engine)
