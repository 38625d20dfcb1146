"""The command as the user typed it, for reports that say how they were made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_arguments: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def remember(arguments: Sequence[str]) -> None:
    """Keep the arguments of this run."""
    _arguments.set(tuple(arguments))


def typed() -> str:
    """The command line, quoted for a shell."""
    return shlex.join(["panelist", *_arguments.get()])
