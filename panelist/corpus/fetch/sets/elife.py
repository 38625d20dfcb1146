"""eLife's articles up to 2020 with their real reviewers, from its XML, and what is judged: see docs/reference/data.md.

Authors go by ORCID, else by first and last name. The collection is what appeared up to 2018; queries are the papers of
2019 and 2020.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from panelist.corpus.fetch.sets.archives import files_of, json_line, write_lines
from panelist.corpus.readers.catalogues.jats import to_article
from panelist.corpus.readers.catalogues.xml import text_of, texts_of
from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.openalex import to_work
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.reference_keys import bare_doi
from panelist.records import Author, Authorship

LAST_COLLECTED, LAST_YEAR = 2018, 2020
CITED_AUTHORS = 12
"""How many authors of a reference count as cited."""

_FILE = re.compile(r"elife-(\d+)-v(\d+)\.xml")
_TYPES = {"research-article": "article", "review-article": "review"}
Record = dict[str, Any]


def convert_elife(archives: Mapping[str, Path], folder: Path) -> None:
    """Works, references, bibliographies and three files of judgements; of every article the last version counts."""
    versions: dict[str, tuple[int, Record]] = {}
    for path, content in files_of(archives["elife-article-xml"]):
        match = _FILE.fullmatch(path.name)
        if match and versions.get(match[1], (0, {}))[0] < int(match[2]):
            record = _record(match[1], ElementTree.fromstring(content))
            if record is not None:
                versions[match[1]] = int(match[2]), record
    records = [versions[number][1] for number in sorted(versions)]
    ids = {entry["work"]["id"] for entry in records}
    for record in records:
        keys = (key.replace("doi:10.7554/elife.", "elife:") for key in record["references"])
        record["work"]["referenced_works"] = [key for key in keys if key in ids]
    works = [record["work"] for record in records]
    cited = Counter(key for work in works for key in work["referenced_works"])
    for work in works:
        work["cited_by_count"] = cited[work["id"]]
    queries = [record for record in records if record["work"]["publication_year"] > LAST_COLLECTED]
    write_lines(folder / "works" / "part_000.jsonl.gz", map(json_line, works))
    references = ({"id": record["work"]["id"], "references": record["references"]} for record in records)
    write_lines(folder / "references.jsonl.gz", map(json_line, references))
    entries = [{"id": paper["work"]["id"], "references": paper["bibliography"]} for paper in queries]
    write_lines(folder / "bibliographies.jsonl.gz", map(json_line, entries))
    reviewers = {query["work"]["id"]: query["reviewers"] for query in queries}
    for task, pairs in judgements(works, reviewers, entries).items():
        lines = "".join(f"{query} 0 {person} 1\n" for query, person in pairs)
        (folder / f"qrels.dev.{task}.txt").write_text(lines, encoding="utf-8")


def judgements(
    works: Sequence[Record], reviewers: Mapping[str, Iterable[str]], bibliographies: Iterable[Record]
) -> dict[str, list[tuple[str, str]]]:
    """The right people for each query, sorted: its reviewers, its authors, and the authors of what it cites.

    Only people with a paper in the collection count. Cited people are found by first initial and last name, where one
    person of the collection alone has these; a query's own authors are not among them.
    """
    people = {work["id"]: [a["author"] for a in work["authorships"]] for work in works}
    collection = [work["id"] for work in works if work["publication_year"] <= LAST_COLLECTED]
    collected = {author["id"] for key in collection for author in people[key]}
    ids_by_name: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key in collection:
        for author in people[key]:
            if parts := _parts(author["display_name"]):
                ids_by_name[parts[0][0], parts[-1]].add(author["id"])
    cite = set()
    for query in bibliographies:
        team = {author["id"] for author in people[query["id"]]}
        for printed in (name for entry in query["references"] for name in entry.get("authors", ())[:CITED_AUTHORS]):
            parts = _parts(printed)
            namesakes = ids_by_name.get((parts[0][0], parts[-1]), set()) if len(parts) > 1 else set()
            if len(namesakes) == 1 and not namesakes & team:
                cite.add((query["id"], *namesakes))
    queries = set(people) - set(collection)
    return {
        "reviewers": sorted((key, person) for key, ids in reviewers.items() for person in {*ids} & collected),
        "authors": sorted({(key, a["id"]) for key in queries for a in people[key] if a["id"] in collected}),
        "cite": sorted(cite),
    }


def _record(number: str, root: Element) -> Record | None:
    """An article; None where it is not research, too new, or without an abstract."""
    kind = _TYPES.get(root.get("article-type", ""))
    try:
        article = to_article(root, ReadReport())
    except FieldError:
        return None
    year = article.paper.year
    if kind is None or year is None or year > LAST_YEAR or not article.paper.abstract:
        return None
    paper = article.paper
    subjects = root.iterfind("front/article-meta/article-categories/subj-group[@subj-group-type='heading']/subject")
    authorships = tuple(
        Authorship(Author(person_id(entry.author), entry.author.name), entry.institutions)
        for entry in paper.authorships
    )
    doi = f"https://doi.org/10.7554/eLife.{number}"
    work = to_work(replace(paper, id=f"elife:{number}", doi=doi, authorships=authorships, venue=None)) | {
        "type": kind,
        "referenced_works": [],
        "keywords": [{"display_name": topic} for topic in paper.topics],
        "topics": [{"display_name": subject} for subject in texts_of(subjects)],
    }
    reviewers = {person_id(person) for person, role in article.roles.items() if role == "reviewer"}
    entries = [_entry(node) for node in root.iterfind("back/ref-list//ref")] if year > LAST_COLLECTED else []
    return {"work": work, "references": sorted(paper.references), "bibliography": entries, "reviewers": reviewers}


def _entry(reference: Element) -> Record:
    doi = text_of(reference, ".//pub-id[@pub-id-type='doi']")
    groups = [node for node in reference.iter("person-group") if node.get("person-group-type", "author") == "author"]
    names = (
        f"{text_of(node, 'given-names')} {text_of(node, 'surname')}".strip()
        for group in groups
        for node in group.iter("name")
    )
    entry = {
        "doi": bare_doi(doi) if doi else "",
        "title": text_of(reference, ".//article-title", ".//chapter-title", ".//data-title"),
        "year": text_of(reference, ".//year"),
        "source": text_of(reference, ".//source"),
        "authors": [name for name in names if name],
    }
    return {name: value for name, value in entry.items() if value}


def person_id(author: Author) -> str:
    """`orcid:…`, else `name:` with the first and the last part of the name."""
    if author.orcid:
        return f"orcid:{author.orcid}"
    parts = _parts(author.name)
    return "name:" + "_".join(dict.fromkeys((parts[0], parts[-1]))) if parts else author.id


def _parts(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return [word for word in re.split(r"[^a-z]+", plain) if word]
