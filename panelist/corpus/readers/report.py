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
    """Filled in by a reader while it runs.

    Attributes:
        rejected: how many lines were skipped.
        rejections: the first of them (a file of noise must not fill the memory).
        unidentified_authors: authorships left out because the source gives the author no id.
        left_out: rows that the source itself marks as deleted.
        retractions: ids of papers that notices among those read retract.
        bytes_read: bytes taken from the files so far, as they are on disk.
    """

    rejected: int = 0
    rejections: list[Rejection] = field(default_factory=list)
    unidentified_authors: int = 0
    left_out: int = 0
    retractions: set[str] = field(default_factory=set)
    bytes_read: int = 0

    def reject(self, file: Path, line: int, reason: str, *, important: bool = False) -> None:
        """Note that a line of `file` was skipped; what is important, such as a file cut off, is named first."""
        self.rejected += 1
        if important:
            self.rejections.insert(0, Rejection(str(file), line, reason))
            del self.rejections[KEPT_REJECTIONS:]
        elif len(self.rejections) < KEPT_REJECTIONS:
            self.rejections.append(Rejection(str(file), line, reason))

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
