"""Papers as plain documents: what the stores keep, and the digest that tells two versions of a paper apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import orjson

from panelist.errors import CorpusError, InputError
from panelist.records import Author, Authorship, Institution, Paper

T = TypeVar("T")

DIGEST_BYTES = 16


class Encoded(NamedTuple):
    """A paper beside its JSON, which holds every field, and the digest of that."""

    paper: Paper
    payload: bytes
    digest: bytes


def encode(paper: Paper) -> Encoded:
    """Turn a paper into JSON: lists without names, which are quicker to write and a fifth smaller than objects.

    Raises:
        InputError: the paper holds something that no store can keep, e.g. half of a surrogate pair.
    """
    try:
        payload = orjson.dumps(
            (
                paper.id,
                paper.title,
                paper.abstract,
                paper.year,
                [
                    (
                        authorship.author.id,
                        authorship.author.name,
                        authorship.author.orcid,
                        [(each.name, each.ror, each.country) for each in authorship.institutions],
                    )
                    for authorship in paper.authorships
                ],
                paper.venue,
                paper.doi,
                paper.references,
                paper.cited_by_count,
                paper.topics,
            ),
            option=orjson.OPT_STRICT_INTEGER,  # numbers that every store and every reader of JSON can hold
        )
    except orjson.JSONEncodeError as error:
        raise InputError(f"paper {paper.id!r} cannot be stored ({error}): mend it and import again") from None
    return Encoded(paper, payload, sha256(payload).digest()[:DIGEST_BYTES])


def decode(payload: bytes) -> Paper:
    """The paper that `encode` made `payload` of."""
    try:
        fields = orjson.loads(payload)
    except orjson.JSONDecodeError:
        raise CorpusError("the corpus is damaged (a paper cannot be read): delete it and import again") from None
    paper_id, title, abstract, year, authorships, venue, doi, references, cited_by_count, topics = fields
    return Paper(
        paper_id,
        title,
        abstract,
        year,
        tuple(
            [
                Authorship(Author(author_id, name, orcid), tuple([Institution(*each) for each in institutions]))
                for author_id, name, orcid, institutions in authorships
            ]
        ),
        venue,
        doi,
        tuple(references),
        cited_by_count,
        tuple(topics),
    )


def document_of(encoded: Encoded) -> dict[str, Any]:
    """The paper as a document with named fields; `author_ids` and `has_abstract` are there to be indexed."""
    paper = encoded.paper
    return {
        "_id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authorships": [
            {
                "author": {"id": each.author.id, "name": each.author.name, "orcid": each.author.orcid},
                "institutions": [
                    {"name": place.name, "ror": place.ror, "country": place.country} for place in each.institutions
                ],
            }
            for each in paper.authorships
        ],
        "venue": paper.venue,
        "doi": paper.doi,
        "references": list(paper.references),
        "cited_by_count": paper.cited_by_count,
        "topics": list(paper.topics),
        "author_ids": list(dict.fromkeys(each.author.id for each in paper.authorships)),
        "has_abstract": paper.abstract != "",
        "digest": encoded.digest.hex(),
    }


def paper_of(document: dict[str, Any]) -> Paper:
    """The paper that `document_of` made `document` of."""
    return Paper(
        document["_id"],
        document["title"],
        document["abstract"],
        document["year"],
        tuple(
            [
                Authorship(Author(**each["author"]), tuple([Institution(**place) for place in each["institutions"]]))
                for each in document["authorships"]
            ]
        ),
        document["venue"],
        document["doi"],
        tuple(document["references"]),
        document["cited_by_count"],
        tuple(document["topics"]),
    )


def latest(papers: Iterable[Paper]) -> list[Paper]:
    """The last version of each paper, in the order of these last versions."""
    versions: dict[str, Paper] = {}
    for paper in papers:
        versions.pop(paper.id, None)
        versions[paper.id] = paper
    return list(versions.values())


def authors_of(papers: Iterable[Paper]) -> dict[str, Author]:
    """Everybody who wrote any of these, by id: named as on the last paper, with the last ORCID that is given."""
    authors: dict[str, Author] = {}
    for paper in papers:
        for authorship in paper.authorships:
            author = authorship.author
            if author.orcid is None and (known := authors.get(author.id)) is not None and known.orcid is not None:
                author = Author(author.id, author.name, known.orcid)
            authors[author.id] = author
    return authors


def combine(digests: Iterable[bytes]) -> bytes:
    """One digest of many, in any order: exclusive or, so that one given twice is taken out again."""
    total = 0
    for digest in digests:
        total ^= int.from_bytes(digest)
    return total.to_bytes(DIGEST_BYTES)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Consecutive lists of up to `size` items, read one list at a time."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
