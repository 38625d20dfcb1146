"""The tagger's file: arrays as safetensors, everything else as JSON beside it. No pickle."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from eval.reviews.tagging.features import BLOCKS, Features
from eval.reviews.tagging.finetuned import FineTuned
from eval.reviews.tagging.outputs import Layer, Network, Task, average, inputs
from panelist.errors import ModelError
from panelist.files import check_directory, write_whole

SHIPPED_MODEL = Path(__file__).parent / "model"
_FORMAT = 2
_NETWORK = {"own": "sentence", "near": "near", "heading": "heading", "output": "output"}  # names in the file
_BASE = "base"  # the folder of the tagger whose opinions this one reads too
_TUNED = "fine-tuned"  # the folder of the fine-tuned BERT


@dataclass(frozen=True, slots=True, eq=False)
class TaggerModel:
    """A trained tagger."""

    tasks: tuple[Task, ...]
    features: Features
    linear: Layer
    heads: Layer  # first layer over MiniLM's vectors
    network: Network  # another one over the same vectors and those of the neighbours
    second: dict[str, Layer]  # over what the linear part says (key `linear`), and over what all three say (`full`)
    encoder: dict[str, str]
    decisions: dict[str, Any]  # thresholds and calibration, by the same keys and `tuned`; see `decisions.py`
    card: dict[str, Any]  # where it comes from, on which terms, and what was measured
    base: TaggerModel | None = None  # a tagger of other data whose opinions the second layer reads too
    tuned: FineTuned | None = None  # learned from the same data; its probabilities and the second layer's are averaged

    def kind(self, *, fast: bool) -> str:
        """Which parts answer, by the keys of the decisions: the linear one where it has to be fast, else all."""
        return "linear" if fast else "full" if self.tuned is None else "tuned"

    def logits(self, reviews: Sequence[Sequence[Sentence]], vectors: NDArray[np.float32] | None) -> NDArray[np.float32]:
        """(sentences, outputs): log-odds of the sentences of all reviews; without vectors by the linear part alone."""
        starts = np.cumsum([0, *map(len, reviews)])
        opinions = [self.linear(self.features.transform(reviews))]
        if vectors is not None:
            opinions += [self.heads(vectors), self.network(vectors, starts)]
        base = None if self.base is None else self.base.logits(reviews, vectors)
        combined = self.second["linear" if vectors is None else "full"](inputs(opinions, starts, base))
        if self.tuned is None or vectors is None:
            return combined
        return average(self.tasks, [combined, self.tuned(reviews)])

    def save(self, folder: Path) -> None:
        """Write both files into a folder."""
        from safetensors.numpy import save

        arrays: dict[str, NDArray[Any]] = {}
        for name, words in self.features.vocabularies_.items():
            packed = zlib.compress("\n".join(words).encode(), 9)
            arrays[f"vocabulary.{name}"] = np.frombuffer(packed, np.uint8)
            arrays[f"idf.{name}"] = self.features.idf_[name].astype(np.float16)
        layers = {"linear": self.linear, "heads": self.heads, **{f"second.{k}": v for k, v in self.second.items()}}
        layers |= {f"network.{name}": getattr(self.network, layer) for name, layer in _NETWORK.items()}
        arrays |= {f"network.{name}": getattr(self.network, name) for name in ("center", "spread")}
        for name, layer in layers.items():
            arrays[f"{name}.weights"] = layer.weights.astype(np.float16)
            arrays[f"{name}.bias"] = layer.bias
        described = {
            "format": _FORMAT,
            "tasks": [asdict(task) for task in self.tasks],
            "encoder": self.encoder,
            "decisions": self.decisions,
            "card": self.card,
        }
        check_directory(folder)
        for name, other in ((_BASE, self.base), (_TUNED, self.tuned)):
            if other is not None:
                other.save(folder / name)
            else:  # remove that of a tagger that was here before
                rmtree(folder / name, ignore_errors=True)
        write_whole(folder / "tagger.safetensors", save(arrays))
        write_whole(folder / "tagger.json", orjson.dumps(described, option=orjson.OPT_INDENT_2) + b"\n")

    @classmethod
    def load(cls, folder: Path = SHIPPED_MODEL) -> TaggerModel:
        """Read a tagger that `save` of this version has written."""
        from safetensors.numpy import load_file

        try:
            described = orjson.loads((folder / "tagger.json").read_bytes())
            if described["format"] != _FORMAT:
                raise ModelError(
                    f"the tagger in '{folder}' has format {described['format']}, expected {_FORMAT}: train it again"
                )
            arrays = load_file(folder / "tagger.safetensors")
            blocks = [name for name in BLOCKS if f"vocabulary.{name}" in arrays]
            vocabularies = {
                name: zlib.decompress(arrays[f"vocabulary.{name}"].tobytes()).decode().split("\n") for name in blocks
            }
            idf = {name: arrays[f"idf.{name}"].astype(np.float32) for name in blocks}

            def layer(name: str) -> Layer:
                return Layer(arrays[f"{name}.weights"].astype(np.float32), arrays[f"{name}.bias"])

            return cls(
                tuple(Task(**{**task, "classes": tuple(task["classes"])}) for task in described["tasks"]),
                Features.restored(vocabularies, idf),
                layer("linear"),
                layer("heads"),
                Network(
                    arrays["network.center"],
                    arrays["network.spread"],
                    *(layer(f"network.{name}") for name in _NETWORK),
                ),
                {key: layer(f"second.{key}") for key in ("linear", "full")},
                described["encoder"],
                described["decisions"],
                described["card"],
                cls.load(folder / _BASE) if (folder / _BASE).is_dir() else None,
                FineTuned.load(folder / _TUNED) if "tuned" in described["decisions"] else None,
            )
        except FileNotFoundError as error:
            raise ModelError(
                f"no tagger in '{folder}': make one with 'panelist train reviews --out {folder}'"
            ) from error
        except ModelError:
            raise
        except Exception as error:  # safetensors, zlib and a damaged JSON each have their own
            raise ModelError(f"the tagger in '{folder}' is damaged: {error}; train it again") from error
