"""How the model in a folder is used: pooling, length, rendering of a text; its settings, and its revision."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson

from indexing.encoders.bert_graph import Pooling
from indexing.text import Text, encodable
from panelist.errors import ModelError

Rendering = Literal["plain", "separated"]

CHARACTERS_PER_TOKEN = 64
"""Texts are cut at this many characters for each token a model can read, before they are tokenised."""

_USUAL_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a vector out of a text."""

    pooling: Pooling | None  # the mean over the tokens or the first token; None where only sentence-transformers can
    max_tokens: int
    rendering: Rendering = "plain"  # title and abstract; `separated`: `title[SEP]abstract` (SPECTER, its successors)

    def render(self, text: Text, separator: str) -> str:
        """The string that the tokeniser reads."""
        rendered = text.plain() if self.rendering == "plain" else f"{text.title}{separator}{text.abstract}"
        return encodable(rendered[: self.max_tokens * CHARACTERS_PER_TOKEN])


def read_recipe(folder: Path, *, cls_family: bool) -> Recipe:
    """The recipe that a model folder states (sentence-transformers), else that of its family, else mean pooling."""
    rendering: Rendering = "separated" if cls_family else "plain"
    settings = read_json(folder / "sentence_bert_config.json", default={})
    # The least of what the model, its tokeniser and sentence-transformers allow.
    positions = read_json(folder / "config.json").get("max_position_embeddings") or _USUAL_TOKENS
    stated = read_json(folder / "tokenizer_config.json", default={}).get("model_max_length") or positions
    limit = int(min(positions, stated, settings.get("max_seq_length") or positions))
    if not (folder / "modules.json").is_file():
        return Recipe("cls" if cls_family else "mean", limit, rendering)
    modules = [(module["type"].rsplit(".")[-1], module["path"]) for module in read_json(folder / "modules.json")]
    kinds = [kind for kind, _ in modules if kind != "Normalize"]  # vectors are normalised in any case
    prompts = read_json(folder / "config_sentence_transformers.json", default={}).get("prompts") or {}
    plain = kinds == ["Transformer", "Pooling"] and not settings.get("do_lower_case") and not any(prompts.values())
    pooling = _pooling(read_json(folder / modules[1][1] / "config.json")) if plain else None
    return Recipe(pooling, limit, rendering)


def _pooling(config: dict[str, Any]) -> Pooling | None:
    """Both spellings of sentence-transformers: one flag for each mode, or the name of the mode."""
    modes = {key.removeprefix("pooling_mode_") for key, value in config.items() if value is True}
    modes -= {"include_prompt"}
    if isinstance(config.get("pooling_mode"), str):
        modes.add(config["pooling_mode"])
    if modes in ({"mean_tokens"}, {"mean"}):
        return "mean"
    return "cls" if modes in ({"cls_token"}, {"cls"}) else None


def revision_of(folder: Path, *ways: object) -> str:
    """Identifies weights, tokeniser and the way of encoding: equal revisions give equal vectors."""
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise ModelError(
            f"no safetensors weights in '{folder}': pickled weights are never loaded; "
            "choose a revision of the model that carries model.safetensors, or convert it"
        )
    settings = [path for name in ("config.json", "tokenizer.json", "vocab.txt") if (path := folder / name).is_file()]
    digest = hashlib.sha256(repr(ways).encode())
    for path in (*settings, *weights):
        digest.update(bytes.fromhex(file_sha256(path)))
    return digest.hexdigest()[:16]


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal; computed once for each state of the file."""
    state = path.stat()
    return _sha256(path, state.st_size, state.st_mtime_ns)


@cache
def _sha256(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path, default: Any = None) -> Any:
    """The value of a JSON file; `default`, if given, where there is no such file."""
    if default is not None and not path.is_file():
        return default
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read '{path}' of the model: {error}; fetch the model again") from error
