"""Readers of a format: files and directories, one record after the other, those that cannot be used reported."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from msgspec.structs import replace

from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class Reader(Generic[R, T]):
    """Reads the files of a format, one record after the other."""

    suffixes: tuple[str, ...]  # of the files that are read of a directory
    records: Callable[[Path, ReadReport], Iterable[tuple[int, R]]]  # of a file, each with its line
    convert: Callable[[R, ReadReport], T]  # raises `FieldError` for a record that cannot be used

    def find(self, paths: Iterable[Path]) -> list[Path]:
        """The files that `read` will read, in its order."""
        return find_parts(paths, self.suffixes)

    def read(self, paths: Iterable[Path], report: ReadReport) -> Iterator[T]:
        """What the records of files and directories are, in order."""
        for path in self.find(paths):
            records = self.records(path, report)
            for _, item in converted(records, lambda record: self.convert(record, report), path, report):
                yield item


def converted(
    records: Iterable[tuple[int, R]], convert: Callable[[R], T], path: Path, report: ReadReport
) -> Iterator[tuple[int, T]]:
    """The records of a file as `convert` makes them, each with its line; those for which it raises are rejected."""
    for number, record in records:
        try:
            yield number, convert(record)
        except FieldError as error:
            report.reject(path, number, str(error))


def find_parts(paths: Iterable[Path], suffixes: tuple[str, ...]) -> list[Path]:
    """The files to read: each file as given, each directory's parts below it in order of path."""
    parts: list[Path] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"no such file or directory: '{path}'")
        below = path.rglob("[!.]*") if path.is_dir() else [path]
        files = sorted(file for file in below if file == path or (file.is_file() and file.name.endswith(suffixes)))
        if not files:
            raise InputError(f"directory '{path}' holds no file ending in {' or '.join(suffixes)}")
        parts += files
    return parts


def unite_papers(
    read: Callable[[ReadReport], Iterator[tuple[Author, Paper]]], report: ReadReport, *, coauthors: bool = False
) -> Iterator[Paper]:
    """Each paper once, in its last version, with its owners in the order in which these list it.

    The source is read twice, so that only ids are held in memory: once to learn who owns what (and to report what is
    rejected), once for the papers. With `coauthors`, the authors whom the paper itself names follow.
    """
    owners: dict[str, dict[str, Author]] = {}
    versions: dict[str, int] = {}
    for author, paper in read(report):
        owners.setdefault(paper.id, {})[author.id] = author
        versions[paper.id] = versions.get(paper.id, 0) + 1
    second_report = ReadReport(bytes_read=report.bytes_read)
    for _, paper in read(second_report):
        report.bytes_read = second_report.bytes_read
        versions[paper.id] -= 1
        if versions[paper.id] == 0:
            people = owners[paper.id]
            team = (entry.author for entry in paper.authorships if coauthors and entry.author.id not in people)
            yield replace(paper, authorships=tuple(map(Authorship, (*people.values(), *team))))
