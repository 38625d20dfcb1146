"""A committee from OpenAlex: names, ORCIDs and ids to people, and people to their works.

One request for each person, whose answers are kept in the directory, so that an interrupted call resumes; then the
works, page by page, for up to 50 people at once. A name alone never decides: it needs the institution, and no other
ORCID than the list has; else the person stays open. Merged ids of OpenAlex lead to the present author of the works.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from msgspec import Struct

from panelist.corpus.fetch.openalex import fetch_works
from panelist.corpus.names import normalise_name, plain_name
from panelist.corpus.readers.committee import ListedPerson
from panelist.errors import InputError
from panelist.files import check_directory, write_whole
from panelist.http.client import Client, FetchError, Progress

ID, ORCID, NAME, OPEN, UNKNOWN = "id", "orcid", "name and institution", "open", "not found"
_STATE = ".people.json"
_AT_ONCE = 50  # people in a filter of works; OpenAlex takes 100
_CANDIDATES = 10
_FIELDS = "id,display_name,display_name_alternatives,orcid,works_count,last_known_institutions"


class Found(Struct, frozen=True):
    """A person of the list with the author who this is, the authors who this may be (`open`), or none."""

    person: ListedPerson
    match: str
    authors: tuple[dict[str, Any], ...]

    @property
    def id(self) -> str | None:
        """The author's id, where there is no doubt."""
        return str(self.authors[0]["id"]) if self.match in (ID, ORCID, NAME) else None


class Catalogue(Struct, frozen=True):
    """Where to ask, and who asks."""

    client: Client
    url: str
    mailto: str
    api_key: str | None = None

    def find(self, person: ListedPerson) -> Found:
        """Ask for one person."""
        author_id = (person.id or "").rpartition("/")[2]
        if author_id[:1] == "A" and author_id[1:].isdecimal():
            authors = self._ask(f"/authors/{author_id}", {})
            return Found(person, ID if authors else UNKNOWN, authors)
        if person.orcid:
            authors = self._ask("/authors", {"filter": f"orcid:{person.orcid.rpartition('/')[2]}"})
            if authors:
                return Found(person, ORCID if len(authors) == 1 else OPEN, authors)
        if not person.name:
            return Found(person, UNKNOWN, ())
        candidates = self._ask("/authors", {"search": person.name, "per_page": str(_CANDIDATES)})
        name, institution = plain_name(person.name), normalise_name(person.institution)
        namesakes = tuple(author for author in candidates if name in map(plain_name, _names(author)))
        possible = [author for author in namesakes if not (person.orcid and author.get("orcid"))]  # another ORCID
        near = [author for author in possible if institution and institution in map(normalise_name, _places(author))]
        match = NAME if len(near) == 1 else OPEN if candidates else UNKNOWN
        return Found(person, match, tuple(near) or namesakes or candidates)

    def _ask(self, path: str, query: Mapping[str, str]) -> tuple[dict[str, Any], ...]:
        keys = {"mailto": self.mailto, "select": _FIELDS} | ({"api_key": self.api_key} if self.api_key else {})
        try:
            answer = self.client.get_json(self.url.rstrip("/") + path, {**query, **keys})
        except FetchError as error:
            if error.status == 404:
                return ()
            raise
        results = answer.get("results") if "results" in answer else [answer]
        if type(results) is not list or not all(type(author) is dict and "id" in author for author in results):
            raise FetchError(f"{self.url}{path}: the answer has no authors: is this the OpenAlex API?")
        return tuple(results)


def find_people(
    catalogue: Catalogue, people: Sequence[ListedPerson], directory: Path, progress: Progress
) -> Iterator[Found]:
    """Ask for the people of a list, and keep what was answered in the directory: nobody is asked for twice."""
    check_directory(directory)
    path = directory / _STATE
    try:
        answers: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    except orjson.JSONDecodeError:
        raise InputError(f"'{path}' is damaged: delete it, or choose another directory") from None
    for number, person in enumerate(people):
        progress(number, len(people))
        key = "\t".join((person.id or "", person.orcid or "", person.name, person.institution))
        if key not in answers:
            finding = catalogue.find(person)
            answers[key] = [finding.match, finding.authors]
            write_whole(path, orjson.dumps(answers))
        match, authors = answers[key]
        yield Found(person, match, tuple(authors))


def fetch_their_works(catalogue: Catalogue, authors: Sequence[str], directory: Path, progress: Progress) -> int:
    """Download the works of authors, by id, to folders of the directory, and say how many these are."""
    short, works = sorted({author.rpartition("/")[2] for author in authors}), 0
    for start in range(0, len(short), _AT_ONCE):
        batch, previous = short[start : start + _AT_ONCE], works

        def watch(done: int, total: int | None, previous: int = previous) -> None:
            progress(previous + done, None if total is None else previous + total)

        works += fetch_works(
            catalogue.client,
            catalogue.url,
            directory / f"{batch[0]}-{batch[-1]}-{len(batch)}",
            filter=f"authorships.author.id:{'|'.join(batch)}",
            mailto=catalogue.mailto,
            api_key=catalogue.api_key,
            progress=watch,
        ).works
    return works


def _names(author: Mapping[str, Any]) -> list[str]:
    return [
        str(name) for name in (author.get("display_name"), *(author.get("display_name_alternatives") or ())) if name
    ]


def _places(author: Mapping[str, Any]) -> list[str]:
    return [str(institution.get("display_name") or "") for institution in author.get("last_known_institutions") or ()]


def author_line(author: Mapping[str, Any]) -> str:
    """What OpenAlex says of an author, in a line."""
    places = ", ".join(filter(None, _places(author)))
    return f"{author.get('display_name', '')}, {author.get('works_count', 0)} works" + (f", {places}" if places else "")
