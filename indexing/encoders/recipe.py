"""How a model is to be used: pooling, length, and how a text is rendered for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from indexing.encoders.bert_graph import Pooling
from indexing.encoders.model_folder import read_json
from indexing.text import Text, encodable

Rendering = Literal["plain", "separated"]

CHARACTERS_PER_TOKEN = 64
"""Texts are cut at this many characters for each token a model can read, before they are tokenised."""

_USUAL_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a vector out of a text.

    Attributes:
        pooling: the mean over the tokens or the first token; None where only sentence-transformers can do it.
        max_tokens: longer texts are cut.
        rendering: `plain` is title and abstract, `separated` is `title[SEP]abstract` (SPECTER and its successors).
    """

    pooling: Pooling | None
    max_tokens: int
    rendering: Rendering = "plain"

    def render(self, text: Text, separator: str) -> str:
        """The string that the tokeniser reads."""
        rendered = text.plain() if self.rendering == "plain" else f"{text.title}{separator}{text.abstract}"
        return encodable(rendered[: self.max_tokens * CHARACTERS_PER_TOKEN])


def read_recipe(folder: Path, *, cls_family: bool) -> Recipe:
    """The recipe that a model folder states (sentence-transformers), else that of its family, else mean pooling."""
    rendering: Rendering = "separated" if cls_family else "plain"
    settings = read_json(folder / "sentence_bert_config.json", default={})
    limit = _limit(folder, settings)
    if not (folder / "modules.json").is_file():
        return Recipe("cls" if cls_family else "mean", limit, rendering)
    modules = [(module["type"].rsplit(".")[-1], module["path"]) for module in read_json(folder / "modules.json")]
    kinds = [kind for kind, _ in modules if kind != "Normalize"]  # vectors are normalised in any case
    prompts = read_json(folder / "config_sentence_transformers.json", default={}).get("prompts") or {}
    plain = kinds == ["Transformer", "Pooling"] and not settings.get("do_lower_case") and not any(prompts.values())
    pooling = _pooling(read_json(folder / modules[1][1] / "config.json")) if plain else None
    return Recipe(pooling, limit, rendering)


def _limit(folder: Path, settings: dict[str, Any]) -> int:
    """The least of what the model, its tokeniser and sentence-transformers allow."""
    positions = read_json(folder / "config.json").get("max_position_embeddings") or _USUAL_TOKENS
    stated = read_json(folder / "tokenizer_config.json", default={}).get("model_max_length") or positions
    return int(min(positions, stated, settings.get("max_seq_length") or positions))


def _pooling(config: dict[str, Any]) -> Pooling | None:
    """Both spellings of sentence-transformers: one flag for each mode, or the name of the mode."""
    modes = {key.removeprefix("pooling_mode_") for key, value in config.items() if value is True}
    modes -= {"include_prompt"}
    if isinstance(config.get("pooling_mode"), str):
        modes.add(config["pooling_mode"])
    if modes in ({"mean_tokens"}, {"mean"}):
        return "mean"
    return "cls" if modes in ({"cls_token"}, {"cls"}) else None
