"""Encoders by name: text to vectors of length 1. `indexing/encoders/models.py` says what a name can be.

Importing this module, and encoding with any BERT, needs no torch.
"""

import logging
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.models import ADAPTERS, FAMILIES, find_model
from indexing.encoders.pinned_model import DEFAULT_MODEL
from indexing.encoders.recipe import read_recipe
from indexing.encoders.runtimes import check_precision, choose_device, choose_precision
from indexing.text import Text
from panelist.errors import InputError
from panelist.extras import find_object, require

logger = logging.getLogger(__name__)

DEFAULT_ENCODER = DEFAULT_MODEL.name


class Encoder(Protocol):
    """Turns texts into vectors."""

    name: str  # the model, as the user named it
    revision: str  # identifies the weights and the way of encoding; equal revisions give equal vectors, rounding apart
    dimension: int  # the length of a vector

    def encode(self, texts: Sequence[Text], progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
        """Vectors of length 1, (texts, dimension), in the order of the texts, of which there may be none.

        `progress` is called now and then with the number of texts done since the last call.
        """


EncoderFactory = Callable[[str], Encoder]
"""Loads an encoder by name; other processes can be sent it."""


def load_encoder(
    name: str = DEFAULT_ENCODER, *, threads: int | None = None, device: str = "cpu", precision: str = "auto"
) -> Encoder:
    """Load an encoder. The network is used only for a hub model that is not on this machine yet.

    Args:
        name: see `indexing/encoders/models.py`, or `module:object` (see `panelist.extras`).
        threads: how many texts are encoded at once; as many as there are cores.
        device: `cpu`, `cuda`, `mps` or `auto`.
        precision: `float32`, `bfloat16`, `float16` or `auto`: bfloat16 where that is as good and fast, else float32.
    """
    from indexing.encoders.bert import BertEncoder, bert_revision, can_encode, folder_of

    check_precision(precision)
    device = choose_device(device)
    if (encoder := _provided_encoder(name)) is not None:
        if device != "cpu" or precision not in ("float32", "auto"):
            raise InputError(f"the encoder '{name}' itself decides where it computes: leave device and precision out")
        return encoder
    model = find_model(name)
    folder = folder_of(model)
    recipe = read_recipe(folder, cls_family=model.family is not None)
    adapter = ADAPTERS.get(model.family or "")
    if adapter is not None and find_spec("adapters") is None:
        logger.warning("%s: the 'adapters' package is not installed: the base model encodes without %s", name, adapter)
        adapter = None
    plain = adapter is None and can_encode(folder, recipe)
    if plain and device == "cpu":
        # It was measured with the default model: others stay exact unless they are asked not to.
        precision = choose_precision(precision, faithful=model.hub_name == DEFAULT_MODEL.hub_name)
        return BertEncoder(name, folder, recipe, threads, precision)
    require(f"the encoder '{name}'", "torch", "sentence_transformers")
    from indexing.encoders.sentence import SentenceEncoder

    precision = "float32" if precision == "auto" else precision
    revision = bert_revision(folder, recipe) if plain else None
    return SentenceEncoder(
        name, folder, recipe, threads, adapter, device=device, precision=precision, revision=revision
    )


def _provided_encoder(name: str) -> Encoder | None:
    """The encoder that somebody else wrote under this name, if any."""
    if name == DEFAULT_ENCODER or name.partition(":")[0] in FAMILIES or Path(name).is_dir():
        return None
    from indexing.encoders.sentence import FunctionEncoder, encoder_of

    provided = find_object("encoders", name)
    provided = provided() if isinstance(provided, type) else provided
    if hasattr(provided, "state_dict"):
        return encoder_of(provided, name)
    encoder: Encoder | None = provided
    return encoder if provided is None or hasattr(provided, "encode") else FunctionEncoder(name, provided)
