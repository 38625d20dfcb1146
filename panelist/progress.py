"""Progress: how long work says how far it is, whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called now and then with the stage, what is done, and the total."""


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""
