"""What a reader of a kind gives back, what it may find, and what all of them share.

A reader takes the file that was sent and an empty directory, and writes there what is to be kept. Whatever cannot be
read refuses the whole file: nothing is half-accepted.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from panelist.app.desk.conference.findings import Finding, Oddity, RefusedError
from panelist.app.desk.conference.intake.unpack import gunzip, is_zip, unzip
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import printable

MOST_SUBMISSIONS, MOST_REVIEWERS, MOST_SCORES = 30_000, 50_000, 20_000_000
"""Of one conference: several times what the largest ones have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read, in words, and what is odd."""

    summary: str
    odd: tuple[Oddity, ...] = ()


Reader = Callable[[Path, Path, CorpusStore], Reading]
"""Reads a file, writes what is kept into a directory, and may look into the corpus."""


def find_member(path: Path, find: Callable[[Path], Path | None]) -> Path:
    """The file itself, unpacked; or what is looked for in an archive."""
    if not is_zip(path):
        gunzip(path)
        return path
    folder = path.with_name("unpacked")
    if not folder.exists():
        folder.mkdir()
        unzip(path, folder)
    member = find(folder)
    if member is None and (folder / "xl").is_dir():
        raise InputError(f"{path.name} is an Excel workbook: save the table as 'CSV UTF-8', and send that")
    if member is None:
        raise InputError(
            f"{path.name} holds neither submissions.json, submissions.jsonl or submissions.csv nor a directory "
            "'archives': send OpenReview's folder as it is"
        )
    return member


def refuse_rejected(report: ReadReport, folder: Path) -> None:
    """Refuse a file of which something could not be read."""
    if not report.rejected:
        return
    bad = tuple(Finding.of(line.line, line.reason, file=sent_name(line.file, folder)) for line in report.rejections)
    suffix = f" (and {report.rejected - 1:,} more)" if report.rejected > 1 else ""
    raise RefusedError(f"{bad[0].position}: {bad[0].text}{suffix}; nothing was kept", bad)


def sent_name(file: str, folder: Path) -> str:
    """A file as its sender knows it: without the directories into which we put it."""
    return file.removeprefix(f"{folder}/").removeprefix("unpacked/")


def table_text(path: Path) -> None:
    """Unpack a table where it lies, if it is gzipped."""
    if is_zip(path):
        raise InputError(
            f"{path.name} is an Excel workbook or a zip file: save the table as 'CSV UTF-8', and send that"
        )
    gunzip(path)


def check_ids(name: str, ids: Iterable[str]) -> None:
    """Refuse ids that would be shown as something else: with line breaks, control characters, or marks that reorder."""
    for key in ids:
        if printable(key) != key or any(mark in key for mark in "\n\t"):
            raise InputError(f"{name}: the id {key[:80]!a} has a line break or an invisible character: fix it")


def limit(count: int, most: int, noun: str) -> None:
    """Refuse more than a desk can handle."""
    if count > most:
        raise InputError(f"more than {most:,} {noun}: that is more than a conference on this desk can have")


def write(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines into a new file."""
    with path.open("wb") as file:
        file.writelines(lines)
