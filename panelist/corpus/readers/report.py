"""What a reader could not use, and how far it has come: reported beside the records, so that nothing stops reading."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from panelist.words import counted

KEPT_REJECTIONS = 100


@dataclass(slots=True)
class FileUse:
    """What the readers of one file made of it: its columns, those that any of them used, rows passed over by reason."""

    columns: dict[str, None] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    left_out: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # lines

    def words(self) -> list[str]:
        """What a sender should know: columns that were not used, and rows that were left out."""
        unused = [f"'{name}'" for name in self.columns if name and name not in self.used]
        columns = f"column{'s' * (len(unused) > 1)} {', '.join(unused)} {'were' if len(unused) > 1 else 'was'} not used"
        rows = (f"{counted(len(lines), 'row')} left out: {why}" for why, lines in self.left_out.items())
        return [*([columns] if unused else ()), *rows]


_watched: ContextVar[dict[Path, FileUse] | None] = ContextVar("_watched", default=None)


@contextmanager
def watch_files() -> Iterator[dict[Path, FileUse]]:
    """Learn what readers make of the tables that they read meanwhile, whichever reader it is."""
    files: dict[Path, FileUse] = defaultdict(FileUse)
    token = _watched.set(files)
    try:
        yield files
    finally:
        _watched.reset(token)


def note_columns(path: Path, columns: Iterable[str], used: Iterable[str]) -> None:
    """Say which columns a file has, and which of them this reader uses."""
    if (files := _watched.get()) is not None:
        files[path].columns.update(dict.fromkeys(columns))
        files[path].used.update(used)


def note_left_out(path: Path, line: int, why: str) -> None:
    """Say that a reader passed over a row that is right, but not of its kind."""
    if (files := _watched.get()) is not None:
        files[path].left_out[why].add(line)


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

    def add(self, report: ReadReport) -> None:
        """Count what another reader reports too."""
        self.rejected += report.rejected
        self.rejections = (self.rejections + report.rejections)[:KEPT_REJECTIONS]
        self.unidentified_authors += report.unidentified_authors
        self.left_out += report.left_out
        self.retractions |= report.retractions
        self.bytes_read += report.bytes_read

    def example(self) -> str:
        """The first rejection, and how many more there are."""
        suffix = f" (and {self.rejected - 1:,} more)" if self.rejected > 1 else ""
        return f"{self.rejections[0]}{suffix}"


def type_name(value: object) -> str:
    """How JSON calls the type of a value, for messages."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
