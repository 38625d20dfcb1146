"""People as publishers and catalogues name them: by ORCID where they give one, else by name."""

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from panelist.corpus.names import normalise_name
from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Authorship, Paper

BY_NAME = "name:"
"""The prefix of ids of people of whom only a name is known. All who write it alike are one person."""

_ORCID = re.compile(r"(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dXx])\b")
EMAIL = re.compile(r"[^\s@<>(),;:]+@[^\s@<>(),;]+\.\w+")


def person(name: str, orcid: str = "", email: str = "") -> Author | None:
    """An author of this name and ORCID, however that is written; nobody where there is neither.

    >>> person("Ada  Lovelace", "https://orcid.org/0000-0002-1825-0097").id
    'orcid:0000-0002-1825-0097'
    """
    name = " ".join(name.split())
    match, address = _ORCID.search(orcid), EMAIL.search(email)
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


def distinct(authorships: Iterable[Authorship | None], report: ReadReport) -> tuple[Authorship, ...]:
    """Each author once; those of whom nothing is known, such as groups, are counted."""
    people: dict[str, Authorship] = {}
    for authorship in authorships:
        if authorship is None:
            report.unidentified_authors += 1
        else:
            people.setdefault(authorship.author.id, authorship)
    return tuple(people.values())
