"""The ACL Anthology's papers with abstracts up to 2023, as OpenAlex works, from its XML files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from panelist.corpus.fetch.sets.archives import files_of, inverted, line, write_lines
from panelist.corpus.readers.catalogues.xml import text_of

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
    works = (line(work) for content in papers for work in _works(ElementTree.fromstring(content), ids))
    write_lines(folder / "works" / "part_000.jsonl.gz", works)


def _works(collection: Element, ids: Ids) -> Iterator[dict[str, Any]]:
    for volume in collection.iterfind("volume"):
        year = text_of(volume, "meta/year")
        venues = [text_of(one) for one in volume.iterfind("meta/venue")]
        for paper in volume.iterfind("paper"):
            abstract = text_of(paper, "abstract")
            if not abstract or not year.isdecimal() or int(year) > LAST_YEAR:
                continue
            yield {
                "id": f"acl:{collection.get('id')}-{volume.get('id')}.{paper.get('id')}",
                "doi": text_of(paper, "doi") or None,
                "title": text_of(paper, "title"),
                "publication_year": int(year),
                "type": "article",
                "language": "en",
                "abstract_inverted_index": inverted(abstract),
                "referenced_works": [],
                "cited_by_count": None,
                "venue": venues,
                "authorships": [_author(one, ids) for one in paper.iterfind("author")],
            }


def _author(author: Element, ids: Ids) -> dict[str, Any]:
    first, last = text_of(author, "first"), text_of(author, "last")
    name = f"{first} {last}".strip()
    orcid = author.get("orcid")
    places = [text_of(one) for one in author.iterfind("affiliation")]
    return {
        "author": {
            "id": f"acl:{author.get('id') or ids.get((first, last)) or slug(name)}",
            "display_name": name,
            "orcid": f"https://orcid.org/{orcid}" if orcid else None,
        },
        "institutions": [{"id": None, "ror": None, "display_name": one, "country_code": None} for one in places if one],
    }


def _people(content: bytes) -> Ids:
    """Ids by first and last name, where one person alone has the name."""
    import yaml

    found: dict[tuple[str, str], set[str]] = {}
    for key, about in yaml.load(content, yaml.CSafeLoader).items():
        for name in about.get("names") or ():
            found.setdefault((name.get("first") or "", name["last"]), set()).add(key)
    return {name: next(iter(keys)) for name, keys in found.items() if len(keys) == 1}


def slug(name: str) -> str:
    """A name as the Anthology makes ids of it: `Hinrich Schütze` is `hinrich-schutze`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
