"""A committee as chairs have it: names, addresses, ORCIDs and affiliations, in a table or a pasted list."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from panelist.corpus.names import given_name_first
from panelist.corpus.readers.people import ORCID, is_id, split_people
from panelist.corpus.readers.report import note_columns
from panelist.corpus.readers.rows import delimiter_of, read_text
from panelist.corpus.systems.columns import MORE_PAIRS, PEOPLE, Columns, name_in, plain_header, positions_of
from panelist.corpus.systems.pairs import BEFORE_HEADER
from panelist.errors import InputError
from panelist.records import Author
from panelist.words import printable

COLUMNS: Columns = {
    **PEOPLE,
    "reviewer": ("reviewer", "reviewer_id", "reviewer id", "id", "user"),
    "member": ("member #", "#"),
    "name": (*PEOPLE["name"], "full name", "fullname", "person", "member"),
    "last": (*PEOPLE["last"], "surname", "family name", "lastname"),
    "first": (*PEOPLE["first"], "given name", "given names", "firstname"),
    "email": (*PEOPLE["email"], "email address", "e-mail address", "mail", "address"),
    "orcid": (*PEOPLE["orcid"], "orcid id", "orcid_id"),
    "institution": (*PEOPLE["institution"], "organisation", "university", "employer"),
    "person": MORE_PAIRS["person"],
    "same_as": ("same_as",),
}
"""The columns that are read, each with the names that it may have in a header."""

_MARKED = re.compile(rf"@|{ORCID.pattern}", re.I)  # what stands in data, never in a header
_OF_PAPERS = {"paper", "abstract"}  # columns that no table of people has
_HEAD, _EXPERTISE = 5, 4  # lines by which a list is told, and columns of a table of papers
_NO_NAME = re.compile(r"[<>{}%|\\\x00-\x1f\x7f]|.{200}", re.DOTALL)  # pages and other files that are no list of people


class ListedPerson(Struct, frozen=True):
    """One line of a list: whoever it names, as far as it says."""

    line: int
    name: str = ""
    email: str | None = None
    orcid: str | None = None
    institution: str = ""
    id: str | None = None  # under which the corpus knows the person
    role: str = ""
    member: str = ""  # the number under which a conference system knows the person
    same_as: str = ""  # the id of an earlier line that names the same person
    person: str = ""  # the number under which EasyChair knows the person, as an author too


def read_people_list(path: Path) -> tuple[ListedPerson, ...]:
    """The people of a file; see `people_list`."""
    return people_list(read_text(path), f"{path}")


def lists_people(text: str) -> bool:
    r"""Whether a text names people, rather than giving ids alone or what people wrote.

    >>> lists_people("name,email\nAda Lovelace,ada@turin.it"), lists_people("~Ada_Lovelace1")
    (True, False)
    """
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip() and not line.startswith("# ")]
    rows = [row for _, row in _split_rows(lines[:_HEAD])]
    _, names, positions = _find_columns(rows)
    if positions:
        return not positions.keys() <= {"reviewer", "role"} and _OF_PAPERS.isdisjoint(names)
    papers = rows and all(len(row) == _EXPERTISE and is_id(row[0]) and is_id(row[1]) for row in rows)
    return not papers and any(_MARKED.search(cell) or " " in cell for row in rows for cell in row)


def people_list(text: str, source: str = "the list") -> tuple[ListedPerson, ...]:
    r"""The people of a table in any order of columns, or of a list with one person on each line.

    Raises:
        InputError: nobody is named, or the header is that of papers.

    >>> people_list("email,name\nada@turin.it,Ada Lovelace")[0].name
    'Ada Lovelace'
    >>> people_list("Ada Lovelace <ada@turin.it>")[0].email
    'ada@turin.it'
    """
    try:
        rows = _split_rows(text.removeprefix("\ufeff").splitlines())
    except csv.Error as error:
        raise InputError(f"{source} is not a table: {error}") from error
    end, names, positions = _find_columns([row for _, row in rows])
    if not _OF_PAPERS.isdisjoint(names):
        raise InputError(f"{source} is a table of papers: give one of people, with names or e-mail addresses")
    people = (
        [_of_columns(line, row, positions) for line, row in rows[end:]]
        if positions
        else [_of_cells(*row) for row in rows]
    )
    people = [person for person in people if person.name or person.email or person.orcid or person.id]
    if not people:
        raise InputError(f"{source} names nobody: give a name, an e-mail address or an ORCID on each line")
    wrong = next((person for person in people if _NO_NAME.search(person.name)), None)
    if wrong is not None:
        raise InputError(f"{source}, line {wrong.line}: expected a name, received '{printable(wrong.name)[:60]}'")
    if positions:
        note_columns(Path(source), names, (names[index] for index in positions.values()))
    return tuple(people)


def _split_rows(lines: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The rows that have any cell, with their lines."""
    delimiter, stated = delimiter_of(next(filter(str.strip, lines), ""))
    rows = enumerate(csv.reader(lines[stated:], delimiter=delimiter), start=1 + stated)
    return [(line, [cell.strip() for cell in row]) for line, row in rows if any(map(str.strip, row))]


def _find_columns(rows: Sequence[Sequence[str]]) -> tuple[int, list[str], dict[str, int]]:
    """After how many rows a header ends, its names, and where it has which columns: nowhere where there is none."""
    for end, row in enumerate(rows[: BEFORE_HEADER + 1], 1):
        names = plain_header(row)
        positions = {} if _MARKED.search(" ".join(names)) else positions_of(names, COLUMNS)
        if len(positions) > (end > 1) or not _OF_PAPERS.isdisjoint(names):  # one word below others may be anything
            return end, names, positions
    return 0, [], {}


def _of_columns(line: int, row: Sequence[str], positions: dict[str, int]) -> ListedPerson:
    cells = {column: row[index] for column, index in positions.items() if index < len(row)}
    name, reviewer = name_in(cells), cells.get("reviewer", "")
    if " " in reviewer or "@" in reviewer:  # a name or an address is no id of the corpus
        name, reviewer = f"{name} {reviewer}" if "@" in reviewer else name or reviewer, ""
    person = _person(name)
    return ListedPerson(
        line,
        person.name,
        _person(cells.get("email", "")).email or person.email,
        cells.get("orcid") or person.orcid,
        cells.get("institution", ""),
        reviewer or None,
        cells.get("role", ""),
        cells.get("member", ""),
        cells.get("same_as", ""),
        cells.get("person", ""),
    )


def _of_cells(line: int, cells: Sequence[str]) -> ListedPerson:
    """A person of a line without a header: what has an @ is an address, the first other text is the name."""
    people = [_person(cell) for cell in cells if cell]
    email = next((person.email for person in people if person.email), None)
    orcid = next((person.orcid for person in people if person.orcid), None)
    texts = [person.name for person in people if person.name]
    if len(texts) > 1 and all(" " not in text and text[:1].isupper() for text in texts[:2]):
        texts[:2] = [f"{texts[0]} {texts[1]}"]  # given name and family name in two cells
    key = texts[0] if texts and is_id(texts[0]) else None
    return ListedPerson(line, "" if key else next(iter(texts), ""), email, orcid, ", ".join(texts[1:]), key)


def _person(cell: str) -> ListedPerson:
    """What one cell says of a person: Ada Lovelace, ada@turin.it, or both."""
    if not _MARKED.search(cell):
        return ListedPerson(0, " ".join(given_name_first(cell).split()))
    entries = split_people(cell)
    entry = next((person for person in entries if isinstance(person, Author)), None)
    if entry is None:
        return ListedPerson(0, cell)
    beside = next((person for person in entries if isinstance(person, str)), "")  # "Ada Lovelace; ada@turin.it"
    name = beside if _MARKED.search(entry.name) else entry.name
    orcid = ORCID.search(entry.orcid or "")
    return ListedPerson(0, name, entry.email, orcid[0].upper() if orcid else None)
