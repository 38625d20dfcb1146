"""OpenReview's CSV files: `csv_expertise` (reviewer, paper, title, abstract), `csv_submissions` (id, title, abstract).

With a header, columns may come in any order and beside others, under the names that other systems give them too
(`panelist.corpus.systems`), and some more are read: `name` and `year` of expertise, `authors` and `authorids` of
submissions. Without a header, the columns are exactly as above. Comma, semicolon and tab are told apart by the header.
A stray quotation mark costs its own row, not the rest of the file.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from panelist.corpus.readers.fields import check_text, identifier, year
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.people import read_people
from panelist.corpus.readers.reader import Reader, converted, unite
from panelist.corpus.readers.report import ReadReport, note_columns
from panelist.corpus.readers.rows import ESCAPE, delimiter_of, recoded, twice
from panelist.corpus.systems.columns import (
    EASYCHAIR,
    MORE_PAIRS,
    MORE_SUBMISSIONS,
    MOST_AUTHORS,
    NONE,
    PAIRS,
    PEOPLE,
    SUBMISSIONS,
    Columns,
    plain,
    position,
)
from panelist.corpus.systems.pairs import BEFORE_HEADER, Rows, named_rows
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
_DELETED = len(SUBMISSIONS) + [*MORE_SUBMISSIONS].index("deleted")

People = tuple[list[Author], list[str], list[Institution]]
"""Authors with ids, names of those without one, institutions."""


def read(paths: Iterable[Path], report: ReadReport) -> Iterator[Paper]:
    """The papers of `csv_expertise` files; one that several reviewers list comes once, with all of them as authors."""
    files = _READER.find(paths)  # refused at once
    return unite(lambda report: _READER.read(files, report), report)


def _publication(values: list[str], report: ReadReport) -> tuple[Author, Paper]:
    reviewer, paper, title, abstract, name, when = values
    reviewer = identifier(reviewer, "reviewer")
    check_text(title, abstract)
    published = year({"year": when}, "year")
    return Author(reviewer, name or reviewer), Paper(identifier(paper, "paper"), title, abstract, published)


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
    authors_by_paper = _authors_beside(path, report)

    def submission(values: list[str]) -> Submission:
        paper, title, abstract, ids, emails, orcids, named, cited, _, *wide = values
        check_text(title, abstract)
        people = authors_by_paper.get(paper) or _wide_authors(wide)
        ids, emails, orcids = (column.replace("*", " ") for column in (ids, emails, orcids))
        authors, names = people[:2] if any(people) else read_people(ids, named, emails, orcids)
        references = tuple(filter(None, map(str.strip, cited.split(";"))))
        places = tuple(dict.fromkeys(people[2]))
        return Submission(identifier(paper, "id"), title, abstract, tuple(authors), tuple(names), places, references)

    def present() -> Rows:
        for number, values in read_rows(path, SUBMISSIONS, report, MORE_SUBMISSIONS):
            if values[_DELETED].lower() in ("yes", "true", "1"):
                report.left_out += 1
            else:
                yield number, values

    return converted(present(), submission, path, report)


def _authors_beside(path: Path, report: ReadReport) -> dict[str, People]:
    """The authors of each paper in a file of authors beside that of the submissions; none where there is none.

    An author is known by the id of the member of EasyChair's committee who has the same `person #`, else by that
    number, else by e-mail address, else by name only.
    """
    file = next((beside for name in ("author.csv", "authors.csv") if (beside := path.with_name(name)).is_file()), None)
    committee = path.with_name("committee.csv")
    members: dict[str, str] = {}
    if file is not None and committee.is_file():
        columns = {"reviewer": PEOPLE["reviewer"], "person": MORE_PAIRS["person"]}
        header, rows = named_rows(read_cells(committee, report), columns)
        members = {values["person"]: values["reviewer"] for _, values in rows} if header is not None else {}
    authors: dict[str, People] = {}
    more = {name: MORE_PAIRS[name] for name in ("first", "email", "institution", "person")}
    header, rows = named_rows(iter(()) if file is None else read_cells(file, report), PAIRS["author"], more, path=file)
    for _, values in rows if header is not None else ():
        first, email, place = (values.get(name, "") for name in ("first", "email", "institution"))
        people = authors.setdefault(values["paper"], ([], [], []))
        person = values.get("person", "")
        key = members.get(person) or (f"{EASYCHAIR}{person}" if person else None)
        _add_author(people, f"{first} {values['last']}", key, email, "", place)
    return authors


def _wide_authors(cells: Sequence[str]) -> People:
    """The authors of one row that has `given, family, email, orcid, affiliation` for each, as OJS writes them."""
    people: People = ([], [], [])
    for start in range(0, 5 * MOST_AUTHORS, 5):
        first, family, email, orcid, place = cells[start : start + 5]
        _add_author(people, f"{first} {family}", None, email, orcid, place)
    return people


def _add_author(people: People, name: str, member: str | None, email: str, orcid: str, place: str) -> None:
    """Add an author under the best id that is known, and where they work."""
    name = name.strip()
    if key := member or orcid or email:
        people[0].append(Author(key, name or key, orcid or None, email or None))
    elif name:
        people[1].append(name)
    if place:
        people[2].append(Institution(place))


def read_cells(path: Path, report: ReadReport, columns: Columns = NONE) -> Rows:
    """All rows of a CSV file as they are, the header included, with the line each begins on.

    What separates the cells is what the first line states, else that under which one of the first lines names the most
    of the `columns`, else what is most frequent in the first line.
    """
    lines = _Lines(read_lines(path, report, recoded))
    first = next(lines, "")
    delimiter, stated = delimiter_of(first)
    if not stated:
        head = [first, *islice(lines, BEFORE_HEADER)]
        lines.put_back(lines.taken)

        def named(delimiter: str) -> int:
            headers = [plain(line.split(delimiter)) for line in head]
            return max(sum(position(header, names) >= 0 for names in columns.values()) for header in headers)

        delimiter = max(",;\t", key=named) if columns else delimiter
    yield from _records(lines, delimiter, path, report)


def read_rows(path: Path, columns: Columns, report: ReadReport, more: Columns = NONE) -> Rows:
    """The values of `columns`, which a row must have, and of `more`, which it may have, with the line of each row."""
    records = read_cells(path, report, columns)
    head = list(islice(records, BEFORE_HEADER + 1))
    named = [all(position(plain(row), names) >= 0 for names in columns.values()) for _, row in head]
    if any(named):
        header = plain(head[named.index(True)][1])
        del head[: named.index(True) + 1]
        positions, width = [position(header, names) for names in (*columns.values(), *more.values())], len(header)
        used = {header[place] for place in positions if place >= 0}
        note_columns(path, header, used)
        if repeated := twice([name for name in header if name in used]):
            report.reject(path, 0, f"the column '{repeated}' comes twice: rename one of them", important=True)
            return
    else:
        positions, width = [*range(len(columns)), *(-1 for _ in more)], len(columns)
    for number, row in chain(head, records):
        if len(row) != width:
            report.reject(path, number, f"expected {width} columns ({', '.join(columns)}), received {len(row)}")
        elif ESCAPE.search("".join(row)):
            report.reject(path, number, "not UTF-8")
        else:
            yield number, [row[place].strip() if place >= 0 else "" for place in positions]


def _records(lines: _Lines, delimiter: str, path: Path, report: ReadReport) -> Rows:
    """The rows as `csv` reads them; where it fails, reading resumes after the first line of the row it failed in."""
    # A row that failed was inside quotation marks at the end of each of its lines but the last, and of the last too
    # where the data ended. So a later row that is inside them at the end of one of these lines fails in the same way:
    # it is not read again, or time would be quadratic in the lines.
    failed = 0
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.taken.clear()
        alone = bool(lines.waiting) and lines.waiting[0][0] <= failed
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
