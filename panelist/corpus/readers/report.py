"""What a reader could not use, and how far it has come: reported beside the records, so that nothing stops reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

KEPT_REJECTIONS = 100


@dataclass(frozen=True, slots=True)
class Rejection:
    """A line that was skipped, and why. `line` is 0 where the file as a whole is meant."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


@dataclass(slots=True)
class ReadReport:
    """What a reader fills in while it runs."""

    rejected: int = 0  # lines that were skipped
    rejections: list[Rejection] = field(default_factory=list)  # the first of them: a file of noise would fill memory
    unidentified_authors: int = 0  # authorships left out because the source gives the author no id
    left_out: int = 0  # rows that the source itself marks as deleted
    retractions: set[str] = field(default_factory=set)  # ids of papers that notices among those read retract
    bytes_read: int = 0  # bytes taken from the files, as they are on disk

    def reject(self, file: Path, line: int, reason: str, *, important: bool = False) -> None:
        """Note that a line of `file` was skipped; what is important, such as a file cut off, is named first."""
        self.rejected += 1
        self.rejections.insert(0 if important else len(self.rejections), Rejection(str(file), line, reason))
        del self.rejections[KEPT_REJECTIONS:]

    def add(self, other: ReadReport) -> None:
        """Count what another reader reports too."""
        self.rejected += other.rejected
        self.rejections = (self.rejections + other.rejections)[:KEPT_REJECTIONS]
        self.unidentified_authors += other.unidentified_authors
        self.left_out += other.left_out
        self.retractions |= other.retractions
        self.bytes_read += other.bytes_read

    def first(self) -> str:
        """The first rejection, and how many more there are."""
        more = f" (and {self.rejected - 1:,} more)" if self.rejected > 1 else ""
        return f"{self.rejections[0]}{more}"


def type_name(value: object) -> str:
    """How JSON calls the type of a value, for messages."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
