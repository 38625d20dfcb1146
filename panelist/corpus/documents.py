"""Papers as plain documents: what the stores keep, and the digest that tells two versions of a paper apart."""

from collections.abc import Iterable, Iterator
from functools import reduce
from hashlib import sha256
from itertools import islice
from operator import xor
from typing import Any, NamedTuple, TypeVar

import msgspec
import orjson
from msgspec import Struct, structs

from panelist.errors import CorpusError, InputError
from panelist.records import Author, Institution, Paper

T = TypeVar("T")

DIGEST_BYTES = 16


class StoredPaper(NamedTuple):
    """What a store writes of a paper: the JSON of all its fields, the digest of that, and what is looked up."""

    id: str
    year: int | None
    has_abstract: bool
    authors: tuple[Author, ...]
    digest: bytes
    payload: bytes


def encode_paper(paper: Paper) -> StoredPaper:
    """Turn a paper into JSON: lists without names, which are quicker to write and a fifth smaller than objects."""
    try:
        # Integers that every store and every reader of JSON can hold; half of a surrogate pair is an error, too.
        payload = orjson.dumps(paper, default=_fields, option=orjson.OPT_STRICT_INTEGER)
    except orjson.JSONEncodeError as error:
        raise InputError(f"paper {paper.id!r} cannot be stored ({error}): correct it and import again") from None
    authors, digest = tuple(entry.author for entry in paper.authorships), sha256(payload).digest()[:DIGEST_BYTES]
    return StoredPaper(paper.id, paper.year, paper.abstract != "", authors, digest, payload)


def _fields(record: Any) -> tuple[Any, ...]:
    """The fields of a record; a lineage only where there is one, so that other papers keep their digests."""
    fields = structs.astuple(record)
    return fields[:-1] if type(record) is Institution and not record.lineage else fields


_decoder = msgspec.json.Decoder(Paper)


def decode_paper(payload: bytes) -> Paper:
    """The paper that `encode` made `payload` of."""
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CorpusError("the corpus is damaged (a paper cannot be read): delete it and import again") from None


def document_of(row: StoredPaper) -> dict[str, Any]:
    """A paper as a document with named fields; `author_ids` and `has_abstract` are there to be indexed."""
    fields = _named(decode_paper(row.payload))
    return {
        "_id": fields.pop("id"),
        **fields,
        "author_ids": list(dict.fromkeys(author.id for author in row.authors)),
        "has_abstract": row.has_abstract,
        "digest": row.digest.hex(),
    }


def _named(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_named(entry) for entry in value]
    if isinstance(value, Struct):
        return {name: _named(entry) for name, entry in structs.asdict(value).items()}
    return value


def paper_of(document: dict[str, Any]) -> Paper:
    """The paper that `document_of` made `document` of."""
    authorships = [
        [[*entry["author"].values()], [[*institution.values()] for institution in entry["institutions"]]]
        for entry in document["authorships"]
    ]
    fields = document | {"id": document["_id"], "authorships": authorships}
    return msgspec.convert([fields[name] for name in Paper.__struct_fields__], Paper)


def latest_versions(rows: Iterable[StoredPaper]) -> list[StoredPaper]:
    """The last version of each paper, in the order of these last versions."""
    versions: dict[str, StoredPaper] = {}
    for row in rows:
        versions.pop(row.id, None)
        versions[row.id] = row
    return list(versions.values())


def authors_of(rows: Iterable[StoredPaper]) -> dict[str, Author]:
    """Everybody who wrote any of these, by id: named as on the last paper, with the last ORCID that is given."""
    authors: dict[str, Author] = {}
    for row in rows:
        for author in row.authors:
            if author.orcid is None and (previous := authors.get(author.id)) is not None and previous.orcid is not None:
                author = Author(author.id, author.name, previous.orcid)
            authors[author.id] = author
    return authors


def combine_digests(digests: Iterable[bytes]) -> bytes:
    """One digest of many, in any order: exclusive or, so that one given twice is taken out again."""
    return reduce(xor, map(int.from_bytes, digests), 0).to_bytes(DIGEST_BYTES)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Consecutive lists of up to `size` items, read one list at a time."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
