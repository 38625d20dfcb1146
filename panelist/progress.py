"""Progress: how long work says how far it is, whoever shows it."""

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called now and then with the stage, what is done, and the total."""


def silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def followed(items: Collection[T], progress: Progress, stage: str) -> Iterator[T]:
    """The items, one by one; before each of them progress is told how many are done."""
    for done, item in enumerate(items):
        progress(stage, done, len(items))
        yield item


def counting(progress: Progress, stage: str, total: int) -> Callable[[int], None]:
    """A function to call with how much more is done: progress is told how much is done in all."""
    done = 0

    def add(increment: int) -> None:
        nonlocal done
        done += increment
        progress(stage, done, total)

    return add
