"""What several test files share: commands, servers, empty corpus stores, and what is skipped where something lacks."""

import os

# Threads of matrix libraries wait for each other by spinning: on matrices as small as those of tests, and beside other
# processes, they cost several times the work itself. Set before numpy is loaded; commands that tests start inherit it.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pymongo
import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings
from pymongo.errors import PyMongoError

from panelist.config import cache_dir
from panelist.config import data_dir as configured_data_dir
from panelist.config import mongo_uri as configured_mongo_uri
from panelist.corpus.mongo import MongoStore
from panelist.corpus.sqlite import SqliteStore
from panelist.corpus.store import CorpusStore

if TYPE_CHECKING:
    from endpoint_support import Endpoint
    from fetch_support import Server

    from panelist.http.client import Client
    from retriever.finder import Finder


DATA_SETS = ("goldstandard", "elife", "acl", "calibration", "assignment", "reviews")
"""The folders of real data that tests read."""

LONG = ("indexing/jobs", "panelist/app/web", "browser", "test_docs.py", "test_notebooks.py", "agreement")
"""What takes most of the time: files and folders of tests."""

# Timings are for benchmarks: a busy machine fails no test.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache for this run, which commands inherit: of the user's it has the models and Java's files, as links.

    Whoever asks for the user's cache after all is refused: a test once replaced the index of a benchmark there.
    """
    cache, user_cache = tmp_path_factory.mktemp("cache"), cache_dir()
    for folder in ("models", "java"):
        (cache / folder).mkdir()
        for entry in user_cache.glob(f"{folder}/[!.]*"):  # without locks that downloads have left
            (cache / folder / entry.name).symlink_to(entry)

    def refuse(*_: object) -> str:
        raise AssertionError("a test asks for the user's cache: leave PANELIST_CACHE as it is, or set it to a folder")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANELIST_CACHE", str(cache))
        patch.setattr(platformdirs, "user_cache_dir", refuse)
        yield cache


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hash passwords in no time; that the real hash takes its time is tested where it is asked for."""
    with pytest.MonkeyPatch.context() as patch:
        cheap = partial(PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr("panelist.app.access.users.PasswordHasher", cheap)
        yield


@pytest.fixture(scope="session")
def milvus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Milvus server as the name of an engine: that of PANELIST_MILVUS_URI, else one started for this process."""
    from milvus_support import LiteServer, binary

    from panelist.config import milvus_uri

    if milvus_uri() is not None:
        yield "milvus"
        return
    if binary() is None:
        pytest.skip("no Milvus server (install milvus-lite, or set PANELIST_MILVUS_URI)")
    server = LiteServer(tmp_path_factory.mktemp("milvus")).start()
    yield server.engine
    server.kill()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that no worker ends minutes before the other; skip what lacks real data or weights here."""
    tests = Path(__file__).parent
    items.sort(key=lambda item: not any(item.path.is_relative_to(tests / name) for name in LONG))
    lacks = {}
    missing = [name for name in DATA_SETS if not (configured_data_dir() / name).is_dir()]
    if missing:
        lacks["data"] = f"'{configured_data_dir()}' lacks {', '.join(missing)} (set PANELIST_DATA, or 'panelist fetch')"
    if any(item.get_closest_marker("model") for item in items):
        from indexing.encoders.models import default_folder

        if not (default_folder() / "model.safetensors").is_file():
            lacks["model"] = f"no weights in '{default_folder()}' (run 'panelist model fetch')"
    for item in items:
        for marker, reason in lacks.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data sets; a test that uses them is marked `data`."""
    return configured_data_dir()


@pytest.fixture(scope="session")
def mongo_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A MongoDB server: the user's own (PANELIST_MONGO_URI), else nx-27017 for as long as the tests run."""
    if uri := configured_mongo_uri():
        yield uri
        return
    directory = tmp_path_factory.mktemp("mongo")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *[str(Path(sys.executable).with_name("nx-27017")), "--data-dir", str(directory / "data")],
        *["--host", "127.0.0.1", "-p", str(port)],
        *["--log-file", str(directory / "log"), "--pid-file", str(directory / "pid")],
    ]
    with (directory / "output").open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        uri = f"mongodb://127.0.0.1:{port}"
        _wait_for(uri, server, directory / "output")
        yield uri
    finally:
        server.terminate()
        server.wait(timeout=300)


def _wait_for(uri: str, server: subprocess.Popen[bytes], output: Path) -> None:
    deadline = time.monotonic() + 300
    with pymongo.MongoClient(uri, serverSelectionTimeoutMS=500) as client:
        while True:
            try:
                client.admin.command("ping")
                return
            except PyMongoError:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"nx-27017 does not answer:\n{output.read_text()}") from None


@pytest.fixture
def mongo_database(mongo_uri: str) -> Iterator[str]:
    """The name of a database that no other test uses, dropped afterwards."""
    name = f"panelist_test_{uuid.uuid4().hex}"
    yield name
    with pymongo.MongoClient(mongo_uri) as client:
        client.drop_database(name)


@pytest.fixture(params=["sqlite", "mongo"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CorpusStore]:
    """An empty corpus store of each kind."""
    empty: CorpusStore
    if request.param == "sqlite":
        empty = SqliteStore(tmp_path / "corpus.sqlite")
    else:
        database = request.getfixturevalue("mongo_database")
        empty = MongoStore(request.getfixturevalue("mongo_uri"), database=database)
    with empty:
        yield empty


@pytest.fixture(scope="session")
def demo_finder(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Finder"]:
    """A finder over the demo corpus: bm25s and the hashing encoder."""
    from panel_support import make_finder

    from panelist.app.demo import corpus

    with make_finder(tmp_path_factory.mktemp("demo"), corpus()) as finder:
        yield finder


@pytest.fixture
def panelist(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command as a user types it, in this process: its exit code, what it printed, and what it said on stderr."""
    from panelist.app.cli.main import main

    def command(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([*map(str, arguments)])
        return int(stop.value.code or 0), *capsys.readouterr()

    return command


@pytest.fixture
def server() -> Iterator["Server"]:
    """A server to download from, which answers as a test says."""
    from fetch_support import serving

    with serving() as server:
        yield server


@pytest.fixture
def client() -> Iterator["Client"]:
    """A client for downloads that does not wait."""
    from fetch_support import quick_client

    with quick_client() as client:
        yield client


@pytest.fixture
def endpoint() -> Iterator["Endpoint"]:
    """The endpoint of a language model, which answers as a test says."""
    from endpoint_support import Endpoint

    with Endpoint() as endpoint:
        yield endpoint
