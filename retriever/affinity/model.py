"""What an affinity model is, and which there are by name.

A model scores every submission against every reviewer's profile. It is an ordinary class: the constructor stores its
parameters, `prepare` reads the texts, and the scores come panel by panel, some reviewers at a time, so that a whole
conference never has to fit into memory. To add a model, write its file and its line in `MODELS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from panelist.progress import Progress, silent

MODELS = {
    "hybrid": "retriever.affinity.models.hybrid:HybridModel",
    "dense": "retriever.affinity.models.dense:DenseModel",
    "bm25": "retriever.affinity.models.bm25:Bm25Model",
    "acl": "retriever.affinity.models.acl:AclModel",
    "llm": "retriever.affinity.models.llm:LlmModel",
    "tpms": "retriever.affinity.models.tpms:TpmsModel",
    "trivial": "retriever.affinity.models.trivial:TrivialModel",
}
"""Where the class of each model is, loaded when it is asked for; the first is the default."""

PANEL_CELLS = 1 << 23
"""Scores in one panel: 32 MB."""


class Document(Protocol):
    """A text to compare: `Paper` and `Submission` are such."""

    @property
    def id(self) -> str:
        """Identifies the document: equal ids, equal texts."""

    @property
    def title(self) -> str:
        """The title; may be empty."""

    @property
    def abstract(self) -> str:
        """The abstract; may be empty."""


class AffinityModel(Protocol):
    """Scores submissions against profiles."""

    def score(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]
    ) -> NDArray[np.float32] | NDArray[np.float64]:
        """Affinity of every submission to every profile, higher is closer.

        Args:
            submissions: the papers that need reviewers.
            profiles: for each reviewer their papers; a profile may be empty.

        Returns:
            A finite (submissions, profiles) matrix.
        """


class Panels(Protocol):
    """The scores of prepared submissions and profiles, computed when asked for.

    Attributes:
        submissions: how many there are.
        reviewers: how many there are.
    """

    submissions: int
    reviewers: int

    def panel(self, start: int, stop: int) -> NDArray[np.float32]:
        """The scores of reviewers `start` to `stop`: (reviewers, submissions), 0 for a profile without any text."""


class PanelModel:
    """A model that computes panels; the whole matrix is those side by side."""

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Panels:
        """Read the texts: what is left to do is arithmetic.

        Args:
            submissions: the papers that need reviewers.
            profiles: for each reviewer their papers; a profile may be empty.
            progress: told of what takes its time, such as encoding.
        """
        raise NotImplementedError

    def estimate(self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]) -> str | None:
        """What scoring would cost, in words, if it costs more than time."""
        return None

    def score(self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]]) -> NDArray[np.float32]:
        """Affinity of every submission to every profile, (submissions, profiles)."""
        panels = self.prepare(submissions, profiles)
        scores = np.empty((len(submissions), len(profiles)), dtype=np.float32)
        for start, stop in spans(panels):
            scores[:, start:stop] = panels.panel(start, stop).T
        return scores


def spans(panels: Panels, cells: int = PANEL_CELLS) -> Iterator[tuple[int, int]]:
    """Consecutive ranges of reviewers, each with at most `cells` scores, or one reviewer."""
    width = max(1, cells // max(panels.submissions, 1))
    for start in range(0, panels.reviewers, width):
        yield start, min(start + width, panels.reviewers)


def affinity_model(name: str, **parameters: Any) -> AffinityModel:
    """Make the model of this name with these parameters of its constructor.

    Raises:
        InputError: there is no such model, or it has no such parameter.
    """
    if name not in MODELS:
        raise InputError(f"unknown affinity model '{name}': use one of {', '.join(MODELS)}")
    module, _, attribute = MODELS[name].partition(":")
    kind = getattr(import_module(module), attribute)
    known = list(inspect.signature(kind).parameters)
    for parameter in parameters:
        if parameter not in known:
            raise InputError(f"model '{name}' has no parameter '{parameter}': it has {', '.join(known) or 'none'}")
    model: AffinityModel = kind(**parameters)
    return model
