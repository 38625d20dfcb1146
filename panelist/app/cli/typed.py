"""The command as the user typed it, for reports that say how they were made."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexing.index import Index

_arguments: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def remember(arguments: Sequence[str]) -> None:
    """Keep the arguments of this run."""
    _arguments.set(tuple(arguments))


def how_made(data: Iterable[Path], index: Index | None = None) -> dict[str, str]:
    """How a report was made: by this command, from this data."""
    from eval.reports.page import provenance

    return provenance(shlex.join(["panelist", *_arguments.get()]), data, index)
