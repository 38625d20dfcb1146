"""What was noticed about a file that somebody sent: line by line, odd or refused."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Self

from panelist.errors import InputError
from panelist.words import Labels, Message

SHOWN = 100  # lines that are listed of each oddity


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about one line; `line` is 0 for the file as a whole, `file` names one of several in an archive."""

    line: int
    text: Message
    file: str = ""

    @classmethod
    def of(cls, line: int, *parts: str, file: str = "") -> Self:
        """The finding that these parts of a message tell."""
        return cls(line, Message(*parts), file)

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


def oddity(words: str, findings: Iterable[Finding]) -> Iterator[Oddity]:
    """The oddity of these findings; nothing where there are none."""
    remaining = iter(findings)
    shown = tuple(islice(remaining, SHOWN))
    if shown:
        yield Oddity(words, len(shown) + sum(1 for _ in remaining), shown)


def worded(odd: Iterable[Oddity], labels: Labels) -> list[Oddity]:
    """Oddities with titles and names."""

    def told(finding: Finding) -> Finding:
        return replace(finding, text=labels.worded(finding.text))

    return [replace(finding, where=tuple(map(told, finding.where))) for finding in odd]
