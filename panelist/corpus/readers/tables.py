"""OpenReview's CSV files: `csv_expertise` (reviewer, paper, title, abstract), `csv_submissions` (id, title, abstract).

With a header, columns may come in any order and beside others, under the names that other systems give them too
(`panelist.corpus.systems`), and some more are read: `name` and `year` of expertise, `authors` and `authorids` of
submissions. Without a header, the columns are exactly as above. Comma, semicolon and tab are told apart by the header.
A stray quotation mark costs its own row, not the rest of the file.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from panelist.corpus.readers.fields import check_text, identifier, year
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.people import read_people
from panelist.corpus.readers.reader import Reader, converted, unite_papers
from panelist.corpus.readers.report import ReadReport, note_columns
from panelist.corpus.readers.rows import ESCAPE, delimiter_of, recode_blocks, repeated_name
from panelist.corpus.systems.columns import (
    AUTHOR_COLUMNS,
    EASYCHAIR,
    MORE_PAIRS,
    MORE_SUBMISSIONS,
    NONE,
    PAIRS,
    PEOPLE,
    SUBMISSIONS,
    Columns,
    name_in,
    plain_header,
    positions_of,
)
from panelist.corpus.systems.pairs import BEFORE_HEADER, NumberedRows, find_header, named_rows
from panelist.records import Author, Institution, Paper, Submission

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

Team = list[tuple[Author | str, str]]
"""Authors, by id or by name only, and the institution of each, which may be empty."""


def read(paths: Iterable[Path], report: ReadReport) -> Iterator[Paper]:
    """The papers of `csv_expertise` files; one that several reviewers list comes once, with all of them as authors."""
    files = _READER.find(paths)  # refused at once
    return unite_papers(lambda report: _READER.read(files, report), report)


def _publication(cells: dict[str, str], report: ReadReport) -> tuple[Author, Paper]:
    reviewer = identifier(cells["reviewer"], "reviewer")
    title, abstract = cells["title"], cells["abstract"]
    check_text(title, abstract)
    published = year(cells, "year")
    paper = Paper(identifier(cells["paper"], "paper"), title, abstract, published)
    return Author(reviewer, cells.get("name") or reviewer), paper


_READER = Reader(
    (".csv", ".csv.gz", ".tsv", ".tsv.gz"),
    lambda path, report: read_rows(path, EXPERTISE, report, MORE_EXPERTISE),
    _publication,
)
find = _READER.find


def read_submissions(path: Path, report: ReadReport) -> Iterator[tuple[int, Submission]]:
    """The submissions of a `csv_submissions` file, or of a system's, with their line numbers.

    Authors come from a file of authors beside it where there is one (EasyChair, HotCRP): it has e-mail addresses.
    """
    teams = _teams_beside(path, report)

    def submission(cells: dict[str, str]) -> Submission:
        paper, title, abstract = (cells[name] for name in SUBMISSIONS)
        check_text(title, abstract)
        team = teams.get(paper) or _wide_team(cells)
        authors = tuple(author for author, _ in team if isinstance(author, Author))
        names = tuple(name for name, _ in team if isinstance(name, str) and name)
        institutions = tuple(map(Institution, dict.fromkeys(name for _, name in team if name)))
        if not (authors or names or institutions):
            ids, emails, orcids = (cells.get(name, "").replace("*", " ") for name in ("authorids", "emails", "orcids"))
            authors, names = read_people(ids, cells.get("authors", ""), emails, orcids)
        references = tuple(filter(None, map(str.strip, cells.get("references", "").split(";"))))
        return Submission(identifier(paper, "id"), title, abstract, authors, names, institutions, references)

    def present() -> Iterator[tuple[int, dict[str, str]]]:
        for number, cells in read_rows(path, SUBMISSIONS, report, MORE_SUBMISSIONS):
            if cells.get("deleted", "").lower() in ("yes", "true", "1"):
                report.left_out += 1
            else:
                yield number, cells

    return converted(present(), submission, path, report)


def _teams_beside(path: Path, report: ReadReport) -> dict[str, Team]:
    """The authors of each paper in a file of authors beside that of the submissions; none where there is none.

    An author is known by the id of the member of EasyChair's committee who has the same `person #`, else by that
    number, else by e-mail address, else by name only.
    """
    file = next((table for name in ("author.csv", "authors.csv") if (table := path.with_name(name)).is_file()), None)
    if file is None:
        return {}
    committee, members = path.with_name("committee.csv"), dict[str, str]()
    if committee.is_file():
        columns = {"reviewer": PEOPLE["reviewer"], "person": MORE_PAIRS["person"]}
        header, rows = named_rows(read_cells(committee, report), columns)
        members = {cells["person"]: cells["reviewer"] for _, cells in rows} if header else {}
    teams: dict[str, Team] = {}
    more = {name: MORE_PAIRS[name] for name in ("first", "email", "institution", "person")}
    header, rows = named_rows(read_cells(file, report), PAIRS["author"], more, file)
    for _, cells in rows if header else ():
        person = cells.get("person", "")
        key = members.get(person) or (f"{EASYCHAIR}{person}" if person else "")
        author = _author(name_in(cells), key, cells.get("email", ""))
        teams.setdefault(cells["paper"], []).append((author, cells.get("institution", "")))
    return teams


def _wide_team(cells: Mapping[str, str]) -> Team:
    """The authors of one row that has five columns for each, as OJS writes them."""
    team: Team = []
    for columns in AUTHOR_COLUMNS:
        given, family, email, orcid, institution = (cells.get(column, "") for column in columns)
        team.append((_author(f"{given} {family}".strip(), "", email, orcid), institution))
    return team


def _author(name: str, key: str, email: str, orcid: str = "") -> Author | str:
    """An author under the best id that is known; without any, the name."""
    key = key or orcid or email
    return Author(key, name or key, orcid or None, email or None) if key else name


def read_cells(path: Path, report: ReadReport, columns: Columns = NONE) -> NumberedRows:
    """All rows of a CSV file as they are, the header included, with the line each begins on.

    What separates the cells is what the first line states, else that under which one of the first lines names the most
    of the `columns`, else what is most frequent in the first line.
    """
    lines = _Lines(read_lines(path, report, recode_blocks))
    first_line = next(lines, "")
    delimiter, stated = delimiter_of(first_line)
    if not stated:
        head = [first_line, *islice(lines, BEFORE_HEADER)]
        lines.put_back(lines.taken)

        def columns_named(delimiter: str) -> int:
            return max(len(positions_of(plain_header(line.split(delimiter)), columns)) for line in head)

        delimiter = max(",;\t", key=columns_named) if columns else delimiter
    yield from _records(lines, delimiter, path, report)


def read_rows(
    path: Path, columns: Columns, report: ReadReport, more: Columns = NONE
) -> Iterator[tuple[int, dict[str, str]]]:
    """The values of `columns`, which a row must have, and of `more`, which it may have, with the line of each row."""
    header, rows = find_header(read_cells(path, report, columns), columns, more)
    positions, width = {name: index for index, name in enumerate(columns)}, len(columns)
    if header is not None:
        positions, width = header.positions, len(header.names)
        used = {header.names[index] for index in positions.values()}
        note_columns(path, header.names, used)
        if repeated := repeated_name([name for name in header.names if name in used]):
            report.reject(path, 0, f"the column '{repeated}' comes twice: rename one of them", important=True)
            return
    for number, row in rows:
        if len(row) != width:
            report.reject(path, number, f"expected {width} columns ({', '.join(columns)}), received {len(row)}")
        elif ESCAPE.search("".join(row)):
            report.reject(path, number, "not UTF-8")
        else:
            yield number, {name: row[index].strip() for name, index in positions.items()}


def _records(lines: _Lines, delimiter: str, path: Path, report: ReadReport) -> NumberedRows:
    """The rows as `csv` reads them; where it fails, reading resumes after the first line of the row it failed in."""
    # A row that failed was inside quotation marks at the end of each of its lines but the last, and of the last too
    # where the data ended. So a later row that is inside them at the end of one of these lines fails in the same way:
    # it is not read again, or time would be quadratic in the lines.
    failed = 0
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        is_single = bool(lines.waiting) and lines.waiting[0][0] <= failed
        reader = csv.reader(islice(lines, 1), delimiter=delimiter, strict=True) if is_single else rows
        try:
            row = next(reader, None)
        except csv.Error as error:
            first_line, *other_lines = lines.taken
            report.reject(path, first_line[0], f"not CSV: {error}")
            lines.put_back(other_lines)
            quoted = other_lines if _AT_END in str(error) else other_lines[:-1]
            if quoted and _TOO_LONG not in str(error):  # from a later line on the same field might be short enough
                failed = quoted[-1][0]
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
        self.waiting: deque[tuple[int, bytes]] = deque()
        self.taken: list[tuple[int, bytes]] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.waiting.popleft() if self.waiting else next(self._lines)
        self.taken.append(line)
        return line[1].decode(errors="surrogateescape") + "\n"

    def put_back(self, lines: list[tuple[int, bytes]]) -> None:
        self.waiting.extendleft(reversed(lines))
