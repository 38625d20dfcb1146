"""What a check of a file finds: errors, for which the file is refused, and oddities, with which it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from panelist.errors import InputError

SHOWN = 100
"""Lines that are listed of each oddity."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about one line; `line` is 0 for the file as a whole, `file` names one of several in an archive."""

    line: int
    text: str
    file: str = ""

    @property
    def position(self) -> str:
        """Where in the file that is, in words."""
        return ", ".join(filter(None, (self.file, f"line {self.line:,}" if self.line else "")))


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something that is not as a chair would expect: what it means, how often it is, and where it was seen first."""

    what: str
    count: int
    where: tuple[Finding, ...]


class RefusedError(InputError):
    """A file that was not kept, and why, line by line."""

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


def oddity(what: str, found: Iterable[Finding]) -> Iterator[Oddity]:
    """The oddity of these findings; nothing where there are none."""
    every = iter(found)
    first = tuple(islice(every, SHOWN))
    if first:
        yield Oddity(what, len(first) + sum(1 for _ in every), first)
