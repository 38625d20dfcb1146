"""What an affinity model is, and which there are by name.

A model scores every submission against every reviewer's profile. It is an ordinary class: the constructor stores its
parameters, `score` does the work. To add one, write its file and its line in `MODELS`.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError

MODELS = {
    "trivial": "retriever.affinity.trivial:TrivialModel",
}
"""Where the class of each model is, loaded when it is asked for."""


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
