"""Encoders by name: text to vectors of length 1.

A name is one of

- `all-MiniLM-L6-v2`, the default, whose weights `panelist model fetch` brings and verifies;
- `specter`, `specter2` or `scincl`: CLS pooling of `title[SEP]abstract`; `specter2:PATH` does the same with the weights
  of a folder, or of another hub model;
- a folder, or a model of the Hugging Face hub (a name without `owner/` belongs to `sentence-transformers`).

Importing this module, and encoding with any BERT, needs no torch.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.models import DEFAULT_MODEL, find_default, find_hub_model
from indexing.recipe import read_recipe
from indexing.text import Text
from panelist.errors import ModelError

logger = logging.getLogger(__name__)

DEFAULT_ENCODER = DEFAULT_MODEL.name

FAMILIES = {"specter": "allenai/specter", "specter2": "allenai/specter2_base", "scincl": "malteos/scincl"}
"""The models that need CLS pooling and `title[SEP]abstract`, and the hub model that each short name stands for."""

ADAPTERS = {"specter2": "allenai/specter2"}
"""The adapter that a family was trained with; it is used where the `adapters` package is installed."""


class Encoder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: the model, as the user named it.
        revision: identifies the weights and the way of encoding; equal revisions give equal vectors.
        dimension: the length of a vector.
    """

    name: str
    revision: str
    dimension: int

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts.

        Args:
            texts: what to encode; it may be empty.
            progress: called now and then with the number of texts done since the last call.
        """


def load_encoder(name: str = DEFAULT_ENCODER, *, threads: int | None = None) -> Encoder:
    """Load an encoder. The network is used only for a hub model that is not on this machine yet.

    Args:
        name: see the top of this module.
        threads: how many processors to use; all by default.

    Raises:
        ModelError: there is no such model, or its weights are missing or damaged.
    """
    from indexing.bert_encoder import BertEncoder, can_encode

    family = _family(name)
    folder = _folder(name, family)
    recipe = read_recipe(folder, cls_family=family is not None)
    adapter = ADAPTERS.get(family or "")
    if adapter is not None and _adapters_installed():
        from indexing.sentence_encoder import SentenceEncoder

        return SentenceEncoder(name, folder, recipe, threads, adapter)
    if adapter is not None:
        logger.warning(
            "%s: the 'adapters' package is not installed, so the base model encodes without %s", name, adapter
        )
    if can_encode(folder, recipe):
        return BertEncoder(name, folder, recipe, threads)
    from indexing.sentence_encoder import SentenceEncoder

    return SentenceEncoder(name, folder, recipe, threads)


def _family(name: str) -> str | None:
    """The CLS family that a name belongs to: by its prefix, else by the last part of a path or hub name."""
    prefix, colon, _ = name.partition(":")
    if colon and prefix in FAMILIES:
        return prefix
    last = re.search(r"(?:^|[-_])(specter2|specter|scincl)(?:$|[-_])", Path(name).name.lower())
    return last.group(1) if last else None


def _folder(name: str, family: str | None) -> Path:
    if name.lower() in (DEFAULT_MODEL.name.lower(), DEFAULT_MODEL.hub_name.lower()):
        return find_default()
    prefix, colon, rest = name.partition(":")
    place = rest if colon and prefix in FAMILIES else name
    if (Path(place) / "config.json").is_file():
        return Path(place)
    if Path(place).is_dir() or place.startswith(("/", "./", "../", "~")):
        raise ModelError(f"no model in '{place}': expected a folder with config.json and model.safetensors")
    if family is not None and place == family:
        place = FAMILIES[family]
    return find_hub_model(place if "/" in place else f"sentence-transformers/{place}")


def _adapters_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("adapters") is not None
