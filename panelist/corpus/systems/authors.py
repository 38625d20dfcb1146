"""Authors of submissions as systems give them: in a file of their own beside the submissions, or in many columns."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from panelist.corpus.systems.columns import MORE_PAIRS, MOST_AUTHORS, PAIRS, PEOPLE
from panelist.corpus.systems.pairs import Rows, named_rows
from panelist.records import Author, Institution

NAMES = ("author.csv", "authors.csv")
"""What such a file is called: EasyChair, HotCRP."""
COMMITTEE = "committee.csv"
"""EasyChair's committee, whose members have the same `person #` as authors."""

People = tuple[list[Author], list[str], list[Institution]]
"""Authors with ids, names of those without one, institutions."""


def authors_in(rows: Rows, members: Mapping[str, str]) -> dict[str, People]:
    """The authors of each paper.

    An author is known by the member's id where `members` (ids by `person #`) has them, else by e-mail address, else by
    name only.
    """
    authors: dict[str, People] = {}
    header, named = named_rows(rows, PAIRS["author"], MORE_PAIRS)
    for _, values in named if header is not None else ():
        people = authors.setdefault(values["paper"], ([], [], []))
        member = members.get(values.get("person", ""))
        add_author(people, values.get("first", ""), values["last"], values.get("email", ""), member=member)
        if values.get("institution"):
            people[2].append(Institution(values["institution"]))
    return authors


def members_in(rows: Rows) -> dict[str, str]:
    """The ids of EasyChair's committee by `person #`."""
    header, named = named_rows(rows, {"reviewer": PEOPLE["reviewer"], "person": MORE_PAIRS["person"]})
    return {values["person"]: values["reviewer"] for _, values in named} if header is not None else {}


def wide_authors(cells: Sequence[str]) -> People:
    """The authors of one row that has `given, family, email, orcid, affiliation` for each, as OJS writes them."""
    people: People = ([], [], [])
    for start in range(0, 5 * MOST_AUTHORS, 5):
        first, family, email, orcid, place = cells[start : start + 5]
        add_author(people, first, family, email, orcid)
        if place:
            people[2].append(Institution(place))
    return people


def add_author(
    people: People, first: str, last: str, email: str = "", orcid: str = "", *, member: str | None = None
) -> None:
    """Add an author under the best id that is known."""
    name = f"{first} {last}".strip()
    key = member or orcid or email
    if key:
        people[0].append(Author(key, name or key, orcid or None, email or None))
    elif name:
        people[1].append(name)


def beside(path: Path) -> tuple[Path | None, Path | None]:
    """The files of authors and of the committee in the same folder, where there are some."""
    authors = next((path.with_name(name) for name in NAMES if path.with_name(name).is_file()), None)
    committee = path.with_name(COMMITTEE)
    return authors, committee if committee.is_file() else None
