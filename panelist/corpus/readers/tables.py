"""OpenReview's CSV files: `csv_expertise` (reviewer, paper, title, abstract), `csv_submissions` (id, title, abstract).

With a header, columns may come in any order and beside others, under the names that other systems give them too
(`panelist.corpus.systems`), and some more are read: `name` and `year` of expertise, `authors` and `authorids` of
submissions. Without a header, the columns are exactly as above. Comma, semicolon and tab are told apart by the header.
A stray quotation mark costs its own row, not the rest of the file.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

from panelist.corpus.readers.fields import FieldError, check_text, identifier, year
from panelist.corpus.readers.lines import find_parts, read_lines
from panelist.corpus.readers.owners import unite
from panelist.corpus.readers.people import read_people
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.rows import delimiter_of, recoded, twice
from panelist.corpus.systems.authors import People, authors_in, beside, members_in, wide_authors
from panelist.corpus.systems.columns import MORE_SUBMISSIONS, SUBMISSIONS, Columns, plain, position
from panelist.records import Author, Paper, Submission

_TOO_LONG = "field larger than field limit"
_AT_END = "unexpected end of data"

# The columns in the order they have without a header, each with the names it may have in one.
EXPERTISE: Columns = {
    "reviewer": ("reviewer", "reviewer_id", "author", "author_id", "author id", "user"),
    "paper": ("paper", "paper_id", "publication", "publication_id", "id"),
    "title": ("title",),
    "abstract": ("abstract",),
}
MORE_EXPERTISE: Columns = {"name": ("name", "reviewer_name", "reviewer name"), "year": ("year",)}
_TITLE_ROWS = 4
"""Rows that may stand before a header, as in CMT's workbooks."""


def find(paths: Iterable[Path]) -> list[Path]:
    """The files that `read` will read, in its order."""
    return find_parts(paths, (".csv", ".csv.gz", ".tsv", ".tsv.gz"))


def read(paths: Iterable[Path], report: ReadReport) -> Iterator[Paper]:
    """The papers of `csv_expertise` files; one that several reviewers list comes once, with all of them as authors."""
    files = find(paths)

    def read_files(report: ReadReport) -> Iterator[tuple[Author, Paper]]:
        for path in files:
            for number, (reviewer, paper, title, abstract, name, when) in read_rows(
                path, EXPERTISE, report, MORE_EXPERTISE
            ):
                try:
                    reviewer = identifier(reviewer, "reviewer")
                    check_text(title, abstract)
                    published = year({"year": when}, "year")
                    yield (
                        Author(reviewer, name or reviewer),
                        Paper(identifier(paper, "paper"), title, abstract, published),
                    )
                except FieldError as error:
                    report.reject(path, number, str(error))

    return unite(read_files, report)


def read_submissions(path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    """The submissions of a `csv_submissions` file, or of a system's, with their line numbers.

    Authors come from a file of authors beside it where there is one (EasyChair, HotCRP): it has e-mail addresses.
    """
    authors_by_paper = _authors_beside(path, report)
    for number, (submission, title, abstract, ids, named, cited, deleted, *wide) in read_rows(
        path, SUBMISSIONS, report, MORE_SUBMISSIONS
    ):
        if deleted.lower() in ("yes", "true", "1"):
            report.left_out += 1
            continue
        try:
            check_text(title, abstract)
            people = authors_by_paper.get(submission) or wide_authors(wide)
            authors, names = people[:2] if any(people) else read_people(ids.replace("*", " "), named)
            references = tuple(filter(None, map(str.strip, cited.split(";"))))
            places = tuple(dict.fromkeys(people[2]))
            one = identifier(submission, "id")
            yield number, Submission(one, title, abstract, tuple(authors), tuple(names), places, references)
        except FieldError as error:
            report.reject(path, number, str(error))


def _authors_beside(path: Path, report: ReadReport) -> dict[str, People]:
    authors, committee = beside(path)
    if authors is None:
        return {}
    members = {} if committee is None else members_in(read_cells(committee, report))
    return authors_in(read_cells(authors, report), members)


def read_cells(path: Path, report: ReadReport) -> Iterator[tuple[int, list[str]]]:
    """All rows of a CSV file as they are, the header included, with the line each begins on."""
    lines = _Lines(read_lines(path, report, recoded))
    delimiter, _ = _stated(lines)
    yield from _records(lines, delimiter, path, report)


def read_rows(
    path: Path, columns: Columns, report: ReadReport, more: Columns = MappingProxyType({})
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file with the line each begins on: `columns` are what a row must have, `more` what it may have.

    Returns:
        The values of `columns` and `more`, stripped, in that order; empty where the header does not name them.
    """
    lines = _Lines(read_lines(path, report, recoded))
    delimiter, stated = _stated(lines)
    records = _records(lines, delimiter if stated else _delimiter(lines, columns), path, report)
    head = list(islice(records, _TITLE_ROWS + 1))
    named = [all(position(plain(row), names) >= 0 for names in columns.values()) for _, row in head]
    if any(named):
        header = plain(head[named.index(True)][1])
        del head[: named.index(True) + 1]
        positions, width = [position(header, names) for names in (*columns.values(), *more.values())], len(header)
        used = {header[place] for place in positions if place >= 0}
        if repeated := twice([name for name in header if name in used]):
            report.reject(path, 0, f"the column '{repeated}' comes twice: rename one of them", important=True)
            return
    else:
        positions, width = [*range(len(columns)), *(-1 for _ in more)], len(columns)
    for number, row in chain(head, records):
        if len(row) != width:
            report.reject(path, number, f"expected {width} columns ({', '.join(columns)}), received {len(row)}")
        elif not "".join(row).isprintable() and _has_escapes(row):
            report.reject(path, number, "not UTF-8")
        else:
            yield number, [row[place].strip() if place >= 0 else "" for place in positions]


def _records(lines: _Lines, delimiter: str, path: Path, report: ReadReport) -> Iterator[tuple[int, list[str]]]:
    """The rows as `csv` reads them; where it fails, reading resumes after the first line of the row it failed in."""
    # A row that failed was inside quotation marks at the end of each of its lines but the last, and of the last too
    # where the data ended. So a later row that is inside them at the end of one of these lines fails in the same way:
    # it is not read again, or time would be quadratic in the lines.
    failed = 0
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        alone = lines.is_next_up_to(failed)
        reader = csv.reader(islice(lines, 1), delimiter=delimiter, strict=True) if alone else rows
        try:
            row = next(reader, None)
        except csv.Error as error:
            first, *others = lines.taken
            report.reject(path, first[0], f"not CSV: {error}")
            lines.put_back(others)
            inside = others if _AT_END in str(error) else others[:-1]
            if inside and _TOO_LONG not in str(error):  # from a later line on the same field might be short enough
                failed = inside[-1][0]
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

    def is_next_up_to(self, number: int) -> bool:
        """Whether the next line is one that was put back, of at most this number."""
        return bool(self._waiting) and self._waiting[0][0] <= number

    def put_back(self, lines: list[tuple[int, bytes]]) -> None:
        self._waiting.extendleft(reversed(lines))


def _stated(lines: _Lines) -> tuple[str, int]:
    """What separates the cells by the first line alone, and whether it was only there to say so; then it is taken."""
    delimiter, stated = delimiter_of(next(lines, ""))
    if not stated:
        lines.put_back(lines.taken)
    lines.taken.clear()
    return delimiter, stated


def _delimiter(lines: _Lines, columns: Columns) -> str:
    """What separates the cells: under which one of the first lines names the most of the columns."""
    taken = list(islice(lines, _TITLE_ROWS + 1))
    lines.put_back(lines.taken)

    def named(delimiter: str) -> int:
        headers = [plain(line.split(delimiter)) for line in taken]
        return max((sum(position(header, names) >= 0 for names in columns.values()) for header in headers), default=0)

    return max(",;\t", key=named)


def _has_escapes(row: list[str]) -> bool:
    return any("\udc80" <= character <= "\udcff" for value in row for character in value)
