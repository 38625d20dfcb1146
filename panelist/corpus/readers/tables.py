"""OpenReview's CSV files: `csv_expertise` (reviewer, paper, title, abstract), `csv_submissions` (id, title, abstract).

With a header, columns may come in any order and beside others; without one, exactly as above. Comma, semicolon and tab
are told apart by the header. A stray quotation mark costs its own row, not the rest of the file.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from panelist.corpus.readers.fields import FieldError, identifier
from panelist.corpus.readers.lines import find_parts, read_lines
from panelist.corpus.readers.owners import unite
from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Paper, Submission

Columns = Mapping[str, tuple[str, ...]]

# The columns in the order they have without a header, each with the names it may have in one.
EXPERTISE: Columns = {
    "reviewer": ("reviewer", "reviewer_id", "author", "author_id", "author id", "user"),
    "paper": ("paper", "paper_id", "publication", "publication_id", "id"),
    "title": ("title",),
    "abstract": ("abstract",),
}
SUBMISSIONS: Columns = {
    "id": ("id", "submission", "submission_id", "paper", "paper_id"),
    "title": ("title",),
    "abstract": ("abstract",),
}


def find(paths: Iterable[Path]) -> list[Path]:
    """The files that `read` will read, in its order."""
    return find_parts(paths, (".csv", ".csv.gz", ".tsv", ".tsv.gz"))


def read(paths: Iterable[Path], report: ReadReport) -> Iterator[Paper]:
    """The papers of `csv_expertise` files; one that several reviewers list comes once, with all of them as authors.

    Raises:
        InputError: a path does not exist or a directory has no CSV files.
    """
    files = find(paths)

    def read_files(report: ReadReport) -> Iterator[tuple[Author, Paper]]:
        for path in files:
            for number, (reviewer, paper, title, abstract) in read_rows(path, EXPERTISE, report):
                try:
                    reviewer = identifier(reviewer, "reviewer")
                    if not title and not abstract:
                        raise FieldError("neither title nor abstract")
                    yield Author(reviewer, reviewer), Paper(identifier(paper, "paper"), title, abstract)
                except FieldError as error:
                    report.reject(path, number, str(error))

    return unite(read_files, report)


def read_submissions(path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    """The submissions of a `csv_submissions` file with their line numbers."""
    for number, (submission, title, abstract) in read_rows(path, SUBMISSIONS, report):
        try:
            if not title and not abstract:
                raise FieldError("neither title nor abstract")
            yield number, Submission(identifier(submission, "id"), title, abstract)
        except FieldError as error:
            report.reject(path, number, str(error))


def read_rows(path: Path, columns: Columns, report: ReadReport) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the line each begins on: the values of `columns`, stripped, in that order."""
    lines = _Lines(read_lines(path, report))
    delimiter, header = _header(lines, columns)
    positions = (
        list(range(len(columns))) if header is None else [_position(header, names) for names in columns.values()]
    )
    width = len(header or columns)
    for number, row in _records(lines, delimiter, path, report):
        if header is not None:
            header = None  # the first row; it has said what it had to say
        elif len(row) != width:
            report.reject(path, number, f"expected {width} columns ({', '.join(columns)}), received {len(row)}")
        elif not "".join(row).isprintable() and _has_escapes(row):
            report.reject(path, number, "not UTF-8")
        else:
            yield number, [row[position].strip() for position in positions]


def _records(lines: _Lines, delimiter: str, path: Path, report: ReadReport) -> Iterator[tuple[int, list[str]]]:
    """The rows as `csv` reads them; where it fails, reading goes on after the first line of the row it failed in."""
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        try:
            row = next(rows, None)
        except csv.Error as error:
            report.reject(path, lines.taken[0][0], f"not CSV: {error}")
            lines.put_back(lines.taken[1:])
            rows = csv.reader(lines, delimiter=delimiter, strict=True)
            continue
        if row is None:
            return
        if row:
            yield lines.taken[0][0], row


class _Lines:
    """Numbered lines as text, of which those taken can be put back. Bytes that are not UTF-8 become surrogates."""

    def __init__(self, lines: Iterator[tuple[int, bytes]]) -> None:
        self._lines = lines
        self._waiting: deque[tuple[int, bytes]] = deque()
        self.taken: list[tuple[int, bytes]] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._waiting.popleft() if self._waiting else next(self._lines)
        self.taken.append(line)
        return line[1].decode(errors="surrogateescape") + "\n"

    def put_back(self, lines: list[tuple[int, bytes]]) -> None:
        self._waiting.extendleft(reversed(lines))


def _header(lines: _Lines, columns: Columns) -> tuple[str, list[str] | None]:
    """The delimiter, and the names of the columns if the first line gives them; the line is left to be read."""
    first = next(lines, "")
    lines.put_back(lines.taken)
    for delimiter in ",;\t":
        names = [name.strip().strip('"').lower() for name in first.split(delimiter)]
        if all(_position(names, aliases) >= 0 for aliases in columns.values()):
            return delimiter, names
    return ",", None


def _position(names: list[str], aliases: tuple[str, ...]) -> int:
    return next((names.index(alias) for alias in aliases if alias in names), -1)


def _has_escapes(row: list[str]) -> bool:
    return any("\udc80" <= character <= "\udcff" for value in row for character in value)
