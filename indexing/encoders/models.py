"""Models by name: which folder has the weights, and how they get there.

A name is one of

- `all-MiniLM-L6-v2`, the default, whose weights `panelist model fetch` brings and verifies;
- `specter`, `specter2` or `scincl`, which read `title[SEP]abstract`; `specter2:FOLDER` does the same with the weights
  of another folder or hub model;
- a folder, or a model of the Hugging Face hub (a name without `owner/` belongs to `sentence-transformers`).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from indexing.encoders.pinned_model import DEFAULT_MODEL, Note, default_folder, fetch_default, find_default
from panelist.errors import ModelError

FAMILIES = {"specter": "allenai/specter", "specter2": "allenai/specter2_base", "scincl": "malteos/scincl"}
"""The models that need CLS pooling and `title[SEP]abstract`, and the hub model that each short name stands for."""

ADAPTERS = {"specter2": "allenai/specter2"}
"""The adapter that a family was trained with; it is used where the `adapters` package is installed."""

# Code and pickled weights stay away; folders below have the same weights in other formats.
_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors"]
_IGNORED = ["onnx/*", "openvino/*"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model, as the user and the Hugging Face hub (None for a folder) name it; without a path it is not here yet."""

    name: str
    hub_name: str | None
    family: str | None
    path: Path | None


def locate_model(name: str) -> Model:
    """What a name stands for and whether it is on this machine; the network is not used."""
    if name.lower() in (DEFAULT_MODEL.name.lower(), DEFAULT_MODEL.hub_name.lower()):
        folder = default_folder()
        return Model(name, DEFAULT_MODEL.hub_name, None, folder if folder.is_dir() else None)
    prefix, colon, suffix = name.partition(":")
    location = suffix if colon and prefix in FAMILIES else name
    match = re.search(r"(?:^|[-_])(specter2|specter|scincl)(?:$|[-_])", Path(location).name.lower())
    family = prefix if location != name else match and match[1]
    if (Path(location) / "config.json").is_file():
        return Model(name, None, family, Path(location))
    if Path(location).exists() or location.startswith(("/", ".", "~")):
        raise ModelError(f"no model in '{location}': expected a folder with config.json and model.safetensors")
    hub_name = FAMILIES.get(location) or (location if "/" in location else f"sentence-transformers/{location}")
    return Model(name, hub_name, family, _local_snapshot(hub_name))


def find_model(name: str) -> Model:
    """The model of this name with its folder; the network is used only for a hub model that is not here yet."""
    model = locate_model(name)
    if model.hub_name == DEFAULT_MODEL.hub_name:
        find_default()
    return model if model.path is not None else _download(model)


def fetch_model(name: str, note: Note) -> Model:
    """Bring a model to this machine, in its newest state."""
    model = locate_model(name)
    if model.hub_name == DEFAULT_MODEL.hub_name:
        return Model(name, model.hub_name, None, fetch_default(note))
    if model.hub_name is None:
        return model
    note(f"looking for {model.hub_name} in the Hugging Face hub")
    return _download(model)


def _local_snapshot(hub_name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(hub_name, local_files_only=True))
    except HFValidationError as error:
        raise ModelError(f"'{hub_name}' is neither a folder nor a name of the Hugging Face hub") from error
    except LocalEntryNotFoundError:
        return None
    complete = (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))
    return folder if complete else None


def _download(model: Model) -> Model:
    import httpx2
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import RepositoryNotFoundError

    hub_name = model.hub_name or model.name
    try:
        folder = snapshot_download(hub_name, allow_patterns=_PATTERNS, ignore_patterns=_IGNORED, etag_timeout=3)
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"unknown model '{hub_name}': the Hugging Face hub has no such public model; "
            "'panelist model list' shows the names known here"
        ) from error
    except (OSError, httpx2.HTTPError) as error:
        raise ModelError(
            f"the model '{hub_name}' is not on this machine and the Hugging Face hub cannot be reached: "
            f"check the name, run 'panelist model fetch {model.name}' when online, or give the path of a folder"
        ) from error
    return Model(model.name, model.hub_name, model.family, Path(folder))
