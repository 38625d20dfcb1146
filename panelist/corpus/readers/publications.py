"""What one person wrote, from what catalogues and reference managers export: papers with that person as an author."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from panelist.corpus.names import normalise_name
from panelist.corpus.readers.bibliography import KINDS, read_bibliography
from panelist.corpus.readers.catalogues import dblp
from panelist.corpus.readers.catalogues.xml import elements_of
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.semanticscholar import to_paper
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper

_MOST = 1_000


def publications_of(text: str, person: str, name: str) -> tuple[Paper, ...]:
    """The papers of a text: Semantic Scholar (JSON), DBLP (XML), BibTeX, or any form of bibliography.

    The person is an author of each under this id, others who are named by name only: an id with a space is nobody's.

    >>> publications_of("@book{a, title={Notes}, author={Lovelace, Ada and Menabrea, L.}, year=1843}", "a1", "")[0].year
    1843

    Raises:
        InputError: there is none, or the form is not known.
    """
    papers = [*(_of_json(text) or _of_dblp(text) or _of_bibliography(text))][:_MOST]
    if not papers:
        raise InputError(f"no publication was found: paste Semantic Scholar's JSON, DBLP's XML, or {KINDS}")
    own_name, publications = normalise_name(name), []
    for number, paper in enumerate(papers, 1):
        names = (authorship.author.name for authorship in paper.authorships)
        coauthors = (Author(f"name: {key}", name) for name in names if (key := normalise_name(name)) != own_name)
        team = map(Authorship, (Author(person, name or person), *coauthors))
        publications.append(replace(paper, id=f"{person}#{number}", authorships=tuple(team)))
    return tuple(publications)


def _of_json(text: str) -> list[Paper]:
    """Papers of Semantic Scholar's API: one, a list, its `data` or `papers`, or JSON lines; none for anything else."""
    try:
        try:
            answer: Any = msgspec.json.decode(text)
        except msgspec.DecodeError:
            answer = [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
    except msgspec.DecodeError:
        return []
    if isinstance(answer, dict):
        answer = answer.get("data") or answer.get("papers") or [answer]
    entries = answer if isinstance(answer, list) else []
    return [_with_names(entry) for entry in entries if isinstance(entry, dict) and entry.get("paperId")]


def _with_names(entry: dict[str, Any]) -> Paper:
    """A paper whose authors are names: the ids are those of another corpus."""
    paper = to_paper({**entry, "authors": []}, {}, ReadReport())
    names = (author.get("name") for author in entry.get("authors") or () if isinstance(author, dict))
    return replace(paper, authorships=tuple(Authorship(Author(name, name)) for name in names if name))


def _of_dblp(text: str) -> list[Paper]:
    if not text.lstrip().startswith("<"):
        return []
    try:
        return [dblp.to_paper(element, ReadReport()) for element in elements_of(text.encode(), dblp.RECORDS)]
    except ValueError:  # of another form
        return []


def _of_bibliography(text: str) -> Iterator[Paper]:
    for entry in read_bibliography(text.encode(), "what was pasted").references:
        team = tuple(Authorship(Author(name, name)) for name in entry.authors)
        yield Paper("", entry.title or entry.text, "", entry.year, team, doi=entry.doi)
