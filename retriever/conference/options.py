"""How a conference is scored and assigned: the records that hold the only defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from panelist.errors import InputError
from retriever.affinity.model import MODELS
from retriever.affinity.profiles import PROFILE_SIZE
from retriever.assignment.options import AssignOptions as AssignOptions
from retriever.conference.conflicts.rules import ConflictRules, Handling, check_handling

SERVED_PAIRS = 50
"""How many pairs of each submission and each reviewer a server keeps, unless it is asked for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """How submissions are scored against reviewers.

    Attributes:
        model: the name of the affinity model.
        parameters: of its constructor.
        conflicts: `hide` gives certain conflicts no score, `flag` scores them, `ignore` does not look for any.
        rules: what counts as a conflict.
        profile: how many of the most recent papers stand for a reviewer.
        keep: this many of the best pairs of each submission and of each reviewer; None keeps all.
        threshold: a reviewer with a score above it is able; None: who fits fairly is (`retriever.fit`), or everybody
            who can be scored where the model compares no vectors.
        grades: how well every pair that is kept fits, and whether the committee works on a submission's topic.
        references: `auto` rearranges the scores of submissions by what they cite, where that is known
            (`retriever.affinity.references`); `off` leaves those of the texts.
        history: the same by who reviewed and edited before each submission was received (`retriever.history`).
    """

    model: str = next(iter(MODELS))
    parameters: Mapping[str, Any] = field(default_factory=dict)
    conflicts: Handling = "hide"
    rules: ConflictRules = field(default_factory=ConflictRules)
    profile: int = PROFILE_SIZE
    keep: int | None = None
    threshold: float | None = None
    grades: bool = True
    references: Literal["auto", "off"] = "auto"
    history: Literal["auto", "off"] = "auto"

    def __post_init__(self) -> None:
        check_handling(self.conflicts)
        for name in ("references", "history"):
            if (value := getattr(self, name)) not in ("auto", "off"):
                raise InputError(f"{name} is auto or off, received '{value}'")
        if self.profile < 1:
            raise InputError(f"a profile of {self.profile} papers makes no sense: give at least 1")
        if self.keep is not None and self.keep < 1:
            raise InputError(f"a sparse matrix keeps at least 1 pair per line, received {self.keep}")
