"""Encoders by name: text to vectors of length 1. `indexing/encoders/models.py` says what a name can be.

Importing this module, and encoding with any BERT, needs no torch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.models import ADAPTERS, FAMILIES, find
from indexing.encoders.pinned_model import DEFAULT_MODEL
from indexing.encoders.recipe import read_recipe
from indexing.text import Text
from panelist.extras import find_object, require

logger = logging.getLogger(__name__)

DEFAULT_ENCODER = DEFAULT_MODEL.name


class Encoder(Protocol):
    """Turns texts into vectors."""

    name: str  # the model, as the user named it
    revision: str  # identifies the weights and the way of encoding; equal revisions give equal vectors
    dimension: int  # the length of a vector

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts, of which there may be none.

        `progress` is called now and then with the number of texts done since the last call.
        """


EncoderFactory = Callable[[str], Encoder]
"""Loads an encoder by name; a function at the top of a module, so that other processes can be sent its name."""


def load_encoder(name: str = DEFAULT_ENCODER, *, threads: int | None = None) -> Encoder:
    """Load an encoder. The network is used only for a hub model that is not on this machine yet.

    Names are those of `indexing/encoders/models.py`, and `module:object` (see `panelist.extras`).

    Raises:
        ModelError: there is no such model, or its weights are missing or damaged.
        MissingDependencyError: it needs torch, which is not installed.
    """
    from indexing.encoders.bert import BertEncoder, can_encode, folder_of

    if (made := _of_others(name)) is not None:
        return made
    model = find(name)
    folder = folder_of(model)
    recipe = read_recipe(folder, cls_family=model.family is not None)
    adapter = ADAPTERS.get(model.family or "")
    if adapter is not None and not _adapters_installed():
        logger.warning(
            "%s: the 'adapters' package is not installed, so the base model encodes without %s", name, adapter
        )
        adapter = None
    if adapter is None and can_encode(folder, recipe):
        return BertEncoder(name, folder, recipe, threads)
    require(f"the encoder '{name}'", "torch", "sentence_transformers")
    from indexing.encoders.sentence import SentenceEncoder

    return SentenceEncoder(name, folder, recipe, threads, adapter)


def _of_others(name: str) -> Encoder | None:
    """The encoder that somebody else wrote under this name, if any."""
    if name == DEFAULT_ENCODER or name.partition(":")[0] in FAMILIES or Path(name).is_dir():
        return None
    from indexing.encoders.sentence import adapted

    made = find_object("encoders", name)
    return None if made is None else adapted(name, made)


def _adapters_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("adapters") is not None
