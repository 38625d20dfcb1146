"""Papers as plain documents: what the stores keep, and the digest that tells two versions of a paper apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import orjson

from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper

T = TypeVar("T")

DIGEST_BYTES = 16


class Encoded(NamedTuple):
    """A paper beside its JSON, which holds every field, and the digest of that."""

    paper: Paper
    payload: bytes
    digest: bytes


def encode(paper: Paper) -> Encoded:
    """Turn a paper into JSON.

    Raises:
        InputError: the paper holds something that no store can keep, e.g. half of a surrogate pair.
    """
    try:
        payload = orjson.dumps(paper)
    except orjson.JSONEncodeError as error:
        raise InputError(
            f"paper {paper.id!r} cannot be stored ({error}): mend the record and import it again"
        ) from None
    return Encoded(paper, payload, blake2b(payload, digest_size=DIGEST_BYTES).digest())


def decode(payload: bytes) -> Paper:
    """The paper that `encode` made `payload` of."""
    return paper_of(orjson.loads(payload))


def paper_of(document: dict[str, Any]) -> Paper:
    """A paper from a plain document with its fields; further fields are ignored."""
    return Paper(
        id=document["id"],
        title=document["title"],
        abstract=document["abstract"],
        year=document["year"],
        authorships=tuple(
            [
                Authorship(
                    Author(**authorship["author"]),
                    tuple([Institution(**institution) for institution in authorship["institutions"]]),
                )
                for authorship in document["authorships"]
            ]
        ),
        venue=document["venue"],
        doi=document["doi"],
        references=tuple(document["references"]),
        cited_by_count=document["cited_by_count"],
        topics=tuple(document["topics"]),
    )


def latest(papers: Iterable[Paper]) -> dict[str, Paper]:
    """The last version of each paper by id, in the order of these last versions."""
    versions: dict[str, Paper] = {}
    for paper in papers:
        versions.pop(paper.id, None)
        versions[paper.id] = paper
    return versions


def authors_of(papers: Iterable[Paper]) -> dict[str, Author]:
    """Everybody who wrote any of these, by id: named as on the last paper, with the last ORCID that is given."""
    authors: dict[str, Author] = {}
    for paper in papers:
        for authorship in paper.authorships:
            author = authorship.author
            authors[author.id] = merge(authors.get(author.id), author)
    return authors


def merge(known: Author | None, author: Author) -> Author:
    """`author`, the later description of the same person, with the known ORCID where it gives none."""
    if author.orcid is None and known is not None and known.orcid is not None:
        return Author(author.id, author.name, known.orcid)
    return author


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Consecutive lists of up to `size` items, read one list at a time."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def combine(fingerprint: int, digests: Iterable[bytes]) -> int:
    """Add digests to a fingerprint, or take them out again: exclusive or, so that order does not matter."""
    for digest in digests:
        fingerprint ^= int.from_bytes(digest)
    return fingerprint
