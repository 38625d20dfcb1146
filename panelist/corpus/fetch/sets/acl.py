"""The ACL Anthology's papers with abstracts up to 2023, as OpenAlex works, from its XML files."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from panelist.corpus.fetch.sets.archives import files_of, json_line, write_lines
from panelist.corpus.readers.catalogues.xml import text_of, texts_of
from panelist.corpus.readers.openalex import to_work
from panelist.records import Author, Authorship, Institution, Paper

LAST_YEAR = 2023
Ids = Mapping[tuple[str, str], str]


def convert_acl(archives: Mapping[str, Path], folder: Path) -> None:
    """`works/part_000.jsonl.gz`: papers in the order of their files."""
    ids: Ids = {}
    papers: list[bytes] = []
    for path, content in files_of(archives["acl-anthology"]):  # `data/xml` comes before `data/yaml`
        if path.parts[:2] == ("data", "yaml") and path.name == "people.yaml":
            ids = _people(content)
        elif path.parts[:2] == ("data", "xml") and path.suffix == ".xml":
            papers.append(content)
    works = (json_line(work) for content in papers for work in _works(ElementTree.fromstring(content), ids))
    write_lines(folder / "works" / "part_000.jsonl.gz", works)


def _works(collection: Element, ids: Ids) -> Iterator[dict[str, Any]]:
    for volume in collection.iterfind("volume"):
        year = text_of(volume, "meta/year")
        venues = texts_of(volume.iterfind("meta/venue"))
        for paper in volume.iterfind("paper"):
            abstract = text_of(paper, "abstract")
            if not abstract or not year.isdecimal() or int(year) > LAST_YEAR:
                continue
            record = Paper(
                f"acl:{collection.get('id')}-{volume.get('id')}.{paper.get('id')}",
                text_of(paper, "title"),
                abstract,
                int(year),
                tuple(_author(node, ids) for node in paper.iterfind("author")),
                doi=text_of(paper, "doi") or None,
            )
            yield to_work(record) | {"cited_by_count": None, "venue": venues}


def _author(author: Element, ids: Ids) -> Authorship:
    first, last = text_of(author, "first"), text_of(author, "last")
    name = f"{first} {last}".strip()
    orcid = author.get("orcid")
    # The Anthology makes ids of names: `Hinrich Schütze` is `hinrich-schutze`.
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    key = f"acl:{author.get('id') or ids.get((first, last)) or slug}"
    places = texts_of(author.iterfind("affiliation"))
    person = Author(key, name, f"https://orcid.org/{orcid}" if orcid else None)
    return Authorship(person, tuple(map(Institution, places)))


def _people(content: bytes) -> Ids:
    """Ids by first and last name, where one person alone has the name."""
    import yaml

    ids: dict[tuple[str, str], set[str]] = {}
    for key, person in yaml.load(content, yaml.CSafeLoader).items():
        for name in person.get("names") or ():
            ids.setdefault((name.get("first") or "", name["last"]), set()).add(key)
    return {name: next(iter(keys)) for name, keys in ids.items() if len(keys) == 1}
