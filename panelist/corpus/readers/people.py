"""Authors as people and catalogues write them: in one cell of a table, in a pasted list, as an object of JSON."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from msgspec.structs import replace

from panelist.corpus.names import normalise_name
from panelist.corpus.readers.fields import FieldError, identifier, identifiers, string, text
from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Authorship, Institution, Paper

People = tuple[tuple[Author, ...], tuple[str, ...]]
"""The authors known by an id, an ORCID or an e-mail address, and the names of all others."""

ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", re.I)
"""An ORCID as people write it, perhaps behind its address."""

_ORCID_DIGITS = re.compile(r"(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dXx])\b")
EMAIL = re.compile(r"[^\s@<>(),;:]+@[^\s@<>(),;]+\.\w+")
BY_NAME = "name:"
"""The prefix of ids of people of whom only a name is known: all with the same name are one person."""

_STRONG = re.compile(r"[;|\n\t•·]|\s[&/]\s")
_WEAK = re.compile(r"(?<=\w)[&/](?=[^\W\d_])")  # not in addresses
_AND = re.compile(r"(?:^|,?\s+)and\s+")
_IDS = re.compile(r"[;|,\s]+")
_PRINTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")  # entries of a list that Python printed
_NUMBERS = re.compile(r"\s*\d[\d\s;,|]*")
_REMARK = re.compile(r"[(<\[{]([^()<>\[\]{}]*)[)>\]}]")
_MARKS = re.compile(r"[\d\s*†‡§¶#⁰¹²³⁴-⁹₀-₉ᵃ-ᶿ^,]+$")
_KEY = re.compile(rf"\S+@\S+|~\S+|\S*://\S+|(?:orcid:)?{ORCID.pattern}", re.I)
_ADDRESS = re.compile(r"[^\s<>()]+@[^\s<>()]+")
_INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ]\.?[\s-]?){1,4}")
_ACRONYM = re.compile(r"[A-Z]{2,}|[A-Z]\.[A-Z]\.(?:[A-Z]\.)*")
_TITLES = frozenset("jr sr ii iii iv phd md msc bsc prof dr".split())  # noqa: SIM905
_PLACE = re.compile(
    r"\b(?:univ|universit|institut|college|school|dep(?:t|artment)|laborator|labs?\b|hospital|cent(?:er|re)\b|inc\b"
    r"|ltd\b|gmbh\b|research|academy|faculty|polytechnic|corporation|usa\b|uk\b)",
    re.I,
)


def read_people(ids: str, people: str, emails: str = "", orcids: str = "") -> People:
    """The authors known by id, and the names of those who are not, from a cell of each and one of people.

    All may be empty; beside ids, the people are the names of these. Without ids, an entry without whitespace is an id,
    because ids have none and most names have; an unknown one is then searched as a name. Addresses and ORCIDs that are
    not as many as the authors cannot be told to be whose: they are authors of their own.
    """
    keys, entries = split_ids(ids), split_people(people)
    if keys and entries and len(keys) != len(entries):
        raise FieldError(f"{len(entries)} authors, but {len(keys)} author ids: give one id for each, or none")
    if keys:
        names = [*map(name_of, entries)] or keys
        entries = [Author(key, name) for key, name in zip(keys, names, strict=True)]
    else:
        entries = words_as_ids(entries)
    for field, cell in (("orcid", orcids), ("email", emails)):
        entries = _with_keys(entries, field, cell)
    return sorted_people(entries)


def words_as_ids(people: Iterable[Author | str]) -> list[Author | str]:
    """The same people: a word alone may be an id of the corpus; if it is none, it is searched as a name."""
    return [Author(name, name) if isinstance(name, str) and name and " " not in name else name for name in people]


def _with_keys(people: list[Author | str], field: str, cell: str) -> list[Author | str]:
    """People with the ORCIDs or addresses of a cell; where these are not as many, with further people of these."""
    between = next((mark for mark in ";|\n," if mark in cell), None)
    pieces = (_ADDRESS.findall(cell) if "@" in cell else cell.split()) if between is None else cell.split(between)
    keys = [address[0] if (address := _ADDRESS.search(piece)) else piece.strip() for piece in pieces]
    keys = keys if len(keys) == len(people) else [key for key in keys if key]
    if not any(keys):
        return people
    if len(keys) != len(people):
        return [*people, *(Author("".join(key.split()), key) for key in keys)]
    return [
        replace(Author(key, person) if isinstance(person, str) else person, **{field: key}) if key else person
        for key, person in zip(keys, people, strict=True)
    ]


def name_of(person: Author | str) -> str:
    """The name of somebody of a list of authors."""
    return person if isinstance(person, str) else person.name


def sorted_people(entries: Iterable[Author | str]) -> People:
    """People apart: those who are known by id, and the names of the others."""
    entries = [*entries]
    authors = tuple(dict.fromkeys(entry for entry in entries if isinstance(entry, Author)))
    return authors, tuple(dict.fromkeys(entry for entry in entries if isinstance(entry, str) and entry))


def split_ids(cell: Any) -> list[str]:
    """The ids of a cell, or of a list; a list that Python printed (`['~A1', '~B1']`) is one, too."""
    if type(cell) is str:
        return _printed(cell) if cell.strip().startswith("[") else [key for key in _IDS.split(cell) if key]
    return [*identifiers({"authorids": cell}, "authorids")]


def split_people(cell: str) -> list[Author | str]:
    """The people of a cell, or of a pasted list of authors: an author where an id is given, else a name.

    Entries are separated by semicolons, bars, line breaks, " & " or " / "; where there are none of these, by commas and
    "and", except that "Lovelace, Ada" is one person and so are "Lovelace, A." and what follows in such pairs. What
    stands in parentheses is dropped unless it is an id, as are affiliations after a comma, and marks and numbers behind
    a name. Numbers alone are ids.
    """
    if cell.strip().startswith("[") and (printed := _printed(cell)):
        return [person for name in printed for person in split_people(name)]
    if _NUMBERS.fullmatch(cell):
        return [Author(key, key) for key in split_ids(cell)]
    people: list[Author | str] = []
    segments = _STRONG.split(cell)
    if "://" not in cell:
        segments = list(chain.from_iterable(map(_WEAK.split, segments)))
    for segment in segments:
        for piece in _AND.split(segment):
            people += [person for entry in _split_commas(piece) if (person := _entry(entry))]
    return people


def read_person(entry: Any) -> tuple[list[Author | str], tuple[Institution, ...]]:
    """The people that an entry of a JSON list of authors names: one object, or a string; and where they work.

    An object has an `id`, an `orcid` or an `email`, and a `name` or its parts (`first` and `last`); OpenReview says
    `username` and `fullname`.
    """
    if type(entry) is not dict:
        return words_as_ids(split_people(string(entry, "authors"))), ()
    name_parts = [next((text(entry, word) for word in names if entry.get(word)), "") for names in _NAME_PARTS]
    name = text(entry, "name") or text(entry, "fullname") or " ".join(filter(None, name_parts))
    orcid, email = text(entry, "orcid") or None, text(entry, "email") or None
    workplaces = (entry.get(field) for field in ("institution", "affiliation"))
    institutions = tuple(read_institution(workplace) for workplace in workplaces if workplace)
    key = entry.get("id") or entry.get("username") or orcid or email
    if key:
        key = identifier(key, "author id")
        return [Author(key, name or key, orcid, email)], institutions
    return (people if len(people := split_people(name)) == 1 else [name]), institutions  # cleaned, never split


def read_institution(entry: Any) -> Institution:
    """An institution: a name, or an object with `name`, `ror` and `country`."""
    if type(entry) is not dict:
        return Institution(string(entry, "institutions"))
    ror = text(entry, "ror") or None
    return Institution(text(entry, "name") or ror or "", ror, text(entry, "country") or None, text(entry, "lineage"))


_NAME_PARTS = (
    ("first", "first_name", "firstname", "given", "given_name"),
    ("middle", "middle_name"),
    ("last", "last_name", "lastname", "family", "family_name"),
)


def _printed(cell: str) -> list[str]:
    quoted = [(single or double).strip() for single, double in _PRINTED.findall(cell)]
    return [name for name in quoted if name] or [key for key in _IDS.split(cell.strip().strip("[]")) if key]


def _entry(entry: str) -> Author | str:
    """A person, or nothing; keys in parentheses or beside the name belong to it: Ada Lovelace <ada@example.org>."""
    bare = _REMARK.sub(" ", entry).replace("*", " ")
    keys = [key for key in (*map(str.strip, _REMARK.findall(entry)), *bare.split()) if _KEY.fullmatch(key)]
    name = _MARKS.sub("", " ".join(word for word in bare.split() if word not in keys))
    if keys:
        email = next((key for key in keys if "@" in key), None)
        return Author(keys[0], name or keys[0], next((key for key in keys if ORCID.search(key)), None), email)
    word = bare.strip()
    return Author(word, word) if name and is_id(word) else name


def _split_commas(piece: str) -> list[str]:
    """The entries of a piece without any other separator."""
    items = [item.strip() for item in _outside_remarks(piece)]
    items = [item for item in items if item and _MARKS.sub("", item) and item.strip(". ").lower() not in _TITLES]
    entries: list[str] = []
    after_place = False
    for item in items:
        follows = bool(entries) and (" " in entries[-1] or after_place) and not is_id(item)
        bare = re.sub(r"[(\[{<].*?[)\]}>]", " ", item)  # a person with a place in parentheses is not a place
        if follows and (_PLACE.search(bare) or _ACRONYM.fullmatch(item) or (after_place and " " not in item)):
            after_place = True  # where the last one works, and what follows it: a town, a country
            continue
        after_place = False
        entries.append(item)
    are_names = [not is_id(item) for item in entries]
    initials = "." in entries[0] and _INITIALS.fullmatch(entries[0]) if entries else None  # BEE is a name in capitals
    if len(entries) == 2 and all(are_names) and len(entries[1].split()) == 1 and not initials:
        return [f"{entries[1]} {entries[0]}"]  # the last name first
    if len(entries) % 2 == 0 and all(are_names):
        pairs = list(zip(entries[::2], entries[1::2], strict=True))
        singles = len(entries) > 2 and all(" " not in item and item[:1].isupper() for item in entries)
        if singles or all(_INITIALS.fullmatch(given_name) for _, given_name in pairs):
            return [f"{given_name} {family}" for family, given_name in pairs]
    return entries


def _outside_remarks(piece: str) -> list[str]:
    """The parts between commas, but for those in parentheses."""
    items, depth = [""], 0
    for character in piece:
        depth += (character in "(<[{") - (character in ")>]}" and depth > 0)
        if character == "," and not depth:
            items.append("")
        else:
            items[-1] += character
    return items


def is_id(entry: str) -> bool:
    """Whether this is an id rather than a name: one word with a character that names do not have."""
    return bool(entry) and not any(c.isspace() for c in entry) and any(c.isdecimal() or c in "~@:/_" for c in entry)


def make_author(name: str, orcid: str = "", email: str = "") -> Author | None:
    """An author of this name and ORCID, however that is written; nobody where there is neither.

    >>> make_author("Ada  Lovelace", "https://orcid.org/0000-0002-1825-0097").id
    'orcid:0000-0002-1825-0097'
    """
    name = " ".join(name.split())
    match, address = _ORCID_DIGITS.search(orcid), EMAIL.search(email)
    number = "-".join(match.groups()).upper() if match else None
    key = f"orcid:{number}" if number else BY_NAME + "_".join(re.findall(r"\w+", normalise_name(name)))
    if key == BY_NAME:
        return None
    return Author(key, name or key, number, address[0].rstrip(".").lower() if address else None)


def identified(papers: Iterable[Paper], report: ReadReport) -> Iterator[Paper]:
    """The papers without the authors of whom only a name is known; these are counted."""
    for paper in papers:
        sure = tuple(authorship for authorship in paper.authorships if not authorship.author.id.startswith(BY_NAME))
        report.unidentified_authors += len(paper.authorships) - len(sure)
        yield replace(paper, authorships=sure)


def distinct_authors(authorships: Iterable[Authorship | None], report: ReadReport) -> tuple[Authorship, ...]:
    """Each author once; those of whom nothing is known, such as groups, are counted."""
    people: dict[str, Authorship] = {}
    for authorship in authorships:
        if authorship is None:
            report.unidentified_authors += 1
        else:
            people.setdefault(authorship.author.id, authorship)
    return tuple(people.values())
