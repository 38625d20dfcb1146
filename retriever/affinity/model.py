"""What an affinity model is, and which there are by name.

A model scores every submission against every reviewer's profile. It is an ordinary class: the constructor stores its
parameters, `prepare` reads the texts, and the scores come block by block, some reviewers at a time, so that a whole
conference never has to fit into memory. To add a model, write its file and its line in `MODELS`. A user names their own
as `module:object` (see `panelist.extras`): a class with `score`, or a function that is one, is enough.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from panelist.errors import InputError
from panelist.extras import OBJECT, find_object
from panelist.parameters import read_parameters
from panelist.progress import Progress, silent
from retriever.affinity.profiles import Documents

if TYPE_CHECKING:
    from indexing.index import Index
    from retriever.affinity.near import NearPapers

MODELS = {
    "hybrid": "retriever.affinity.models.hybrid:HybridModel",
    "dense": "retriever.affinity.models.dense:DenseModel",
    "bm25": "retriever.affinity.models.bm25:Bm25Model",
    "acl": "retriever.affinity.models.acl:AclModel",
    "llm": "retriever.affinity.models.llm:LlmModel",
    "tpms": "retriever.affinity.models.tpms:TpmsModel",
    "trivial": "retriever.affinity.model:TrivialModel",
}
"""Where the class of each model is, imported when it is needed; the first is the default."""

_OBJECTS = ("index", "load")  # parameters that code gives, never a user in writing

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a word"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
}
"""How parameters are annotated: what they may be, and its name."""

BLOCK_CELLS = 1 << 23
"""Scores in one block: 32 MB."""


class AffinityModel(Protocol):
    """Scores submissions against profiles."""

    def score(self, submissions: Documents, profiles: Sequence[Documents]) -> NDArray[np.float32] | NDArray[np.float64]:
        """The finite (submissions, profiles) affinity of every submission to every profile, higher is closer.

        Profiles are the papers of each reviewer, and may be empty.
        """


class Blocks(Protocol):
    """The scores of prepared submissions and profiles, computed when asked for."""

    submissions: int  # how many there are
    reviewers: int  # how many there are

    def near(self) -> NearPapers | None:
        """How near papers are to submissions; None where no vectors are compared."""

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """The columns `start` to `stop` of the matrix: (submissions, reviewers), 0 for a profile without any text."""


class MatrixBlocks:
    """Blocks of a matrix that is there already, of a model that does not compare papers."""

    def __init__(self, scores: NDArray[np.float32]) -> None:
        self.submissions, self.reviewers = scores.shape
        self._scores = scores

    def near(self) -> None:
        """Nobody knows; see `Blocks`."""

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Give the columns `start` to `stop`; see `Blocks`."""
        return self._scores[:, start:stop].copy()


class BlockModel:
    """A model that computes blocks; the whole matrix is these side by side."""

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Read the texts of submissions and of profiles, which may be empty, so that only arithmetic is left to do."""
        raise NotImplementedError

    def estimate(self, submissions: Documents, profiles: Sequence[Documents]) -> str | None:
        """What scoring would cost, in words, if it costs more than time."""
        return None

    def score(self, submissions: Documents, profiles: Sequence[Documents]) -> NDArray[np.float32]:
        """Affinity of every submission to every profile, (submissions, profiles)."""
        return full_matrix(self.prepare(submissions, profiles))


class ScoreModel(BlockModel):
    """A model that somebody else wrote, and that scores all pairs at once."""

    def __init__(self, name: str, score: Callable[..., ArrayLike]) -> None:
        self._name, self._score = name, score

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Score.

        Raises:
            InputError: the scores are not a finite number for each pair.
        """
        scores = np.asarray(self._score(submissions, profiles), np.float32)
        if scores.shape != (expected := (len(submissions), len(profiles))) or not np.isfinite(scores).all():
            raise InputError(
                f"model '{self._name}' gave scores of shape {scores.shape}: expected {expected}, all finite"
            )
        return MatrixBlocks(np.where([len(profile) > 0 for profile in profiles], scores, np.float32(0)))


class TrivialModel(BlockModel):
    """Scores 1 for every pair, whatever the texts: half of all weighted pairs count as lost."""

    def prepare(self, submissions: Documents, profiles: Sequence[Documents], progress: Progress = silent) -> Blocks:
        """Only count submissions and profiles: no text matters."""
        return MatrixBlocks(np.broadcast_to(np.float32(1), (len(submissions), len(profiles))))


def full_matrix(blocks: Blocks) -> NDArray[np.float32]:
    """All blocks as one matrix."""
    scores = np.empty((blocks.submissions, blocks.reviewers), dtype=np.float32)
    for start, stop in spans(blocks):
        scores[:, start:stop] = blocks.block(start, stop)
    return scores


def spans(blocks: Blocks, cells: int = BLOCK_CELLS) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of reviewers, each with at most `cells` scores, or one reviewer."""
    width = max(1, cells // max(blocks.submissions, 1))
    for start in range(0, blocks.reviewers, width):
        yield start, min(start + width, blocks.reviewers)


def parameters_of(name: str) -> tuple[str, ...]:
    """The parameters of a model's constructor: `index` is among them if it can use the vectors of an index."""
    return tuple(_parameters(_maker_of(name)))


def with_index(name: str, index: Index, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, and the index and its encoder where the model can use them and no other encoder is given."""
    if "index" not in parameters_of(name):
        return dict(parameters)
    return {"encoder": index.manifest.encoder.name, **parameters, "index": index}


def affinity_model(name: str, **parameters: Any) -> BlockModel:
    """Make the model of this name with these parameters of its constructor.

    Raises:
        InputError: there is no such model, or it has no such parameter, or not of this kind.
    """
    maker = _maker_of(name)
    parameters_known = _parameters(maker)
    for parameter, value in parameters.items():
        if parameter not in parameters_known or (parameter in _OBJECTS and isinstance(value, str | int | float)):
            shown = ", ".join(option for option in parameters_known if option not in _OBJECTS)
            raise InputError(f"model '{name}' has no parameter '{parameter}': it has {shown or 'none'}")
        if parameter not in _OBJECTS:
            _check_kind(name, parameters_known[parameter], value)
    model = maker if inspect.isfunction(maker) else maker(**parameters)
    if isinstance(model, BlockModel):
        return model
    score = getattr(model, "score", model)
    if not callable(score):
        raise InputError(f"'{name}' is no affinity model: it has no method 'score'")
    return ScoreModel(name, score)


def _parameters(maker: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The parameters of a class; a function scores, and has none."""
    return {} if inspect.isfunction(maker) else inspect.signature(maker).parameters


def _check_kind(name: str, parameter: inspect.Parameter, value: Any) -> None:
    """Refuse a word where a number is due, and the reverse: values come as YAML reads them."""
    kind, *optional = inspect.formatannotation(parameter.annotation).strip("'").split(" | ")
    if kind not in _KINDS:
        return  # of somebody else's model
    types, noun = _KINDS[kind]
    if value is None and optional:
        return
    infinite = isinstance(value, float) and not math.isfinite(value)
    if not isinstance(value, types) or isinstance(value, bool) or infinite:
        raise InputError(f"the parameter '{parameter.name}' of model '{name}' is {noun}, received {value!r}")


def parse_model(text: str) -> tuple[str, dict[str, Any]]:
    """The name and parameters of a model that is written `dense` or `dense:pooling=top:3,fill=0`."""
    name, _, parameters = text.partition(":")
    written = OBJECT.match(text)
    if name not in MODELS and written and text[written.end() :][:1] in ("", ":"):
        name, parameters = written[0], text[written.end() + 1 :]
    _maker_of(name)
    return name, read_parameters(filter(None, parameters.split(",")))


def _maker_of(name: str) -> Callable[..., Any]:
    """The class of a model, or a function that scores."""
    maker = find_object("affinity_models", MODELS.get(name, name))
    if not callable(maker):
        raise InputError(f"unknown affinity model '{name}': use one of {', '.join(MODELS)}, or module:object")
    return maker  # type: ignore[no-any-return]
