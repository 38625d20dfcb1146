"""The corpus in MongoDB: papers and authors as plain documents, for those who run a server."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from bson import encode as bson_encode
from pymongo import DeleteMany, MongoClient, ReplaceOne, UpdateOne
from pymongo.collection import Collection
from pymongo.errors import InvalidOperation, InvalidURI, PyMongoError, ServerSelectionTimeoutError

from panelist.corpus.documents import StoredPaper, authors_of, batches, combine_digests, document_of, paper_of
from panelist.corpus.history import StoredEvent
from panelist.corpus.names import plain_name
from panelist.corpus.readers.openalex import to_paper
from panelist.corpus.readers.reader import converted
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import REIMPORT, CorpusCounts, CorpusStore
from panelist.errors import CorpusError, InputError
from panelist.records import Author, Paper
from panelist.sqlite_file import wrong_version

SCHEMA_VERSION = 2
_BATCH = 1_000  # documents that come at a time
_IDS = 10_000  # ids per query, which is a document and so has a largest size
_LARGEST = 16 * 2**20  # bytes of a document
_META = {"_id": "corpus"}

Document = dict[str, Any]


class MongoStore(CorpusStore):
    """A corpus in one MongoDB database.

    Any number of processes may read while one writes. A batch that breaks off half-way leaves some of its papers
    written, each of them whole; giving the same papers again completes it.
    """

    def __init__(self, uri: str, *, database: str, timeout: float = 5.0) -> None:
        """Connect to the corpus `database` on the server at `uri`, which the first write creates: see `exists`."""
        self._errors = partial(_errors, _without_password(uri))
        self._prepared = False
        with self._errors():
            self._client = MongoClient[Document](uri, serverSelectionTimeoutMS=int(timeout * 1000), appname="panelist")
        try:
            with self._errors():
                self._papers = self._client[database]["papers"]
                self._authors = self._client[database]["authors"]
                self._history = self._client[database]["history"]
                self._meta = self._client[database]["meta"]
                meta = self._meta.find_one(_META)
            self.exists = meta is not None
            if meta is not None and meta.get("schema_version") != SCHEMA_VERSION:
                name, version = f"corpus '{database}' on {_without_password(uri)}", meta.get("schema_version")
                raise CorpusError(wrong_version(name, version, SCHEMA_VERSION, REIMPORT))
        except CorpusError:
            self.close()
            raise

    def _delete(self, paper_ids: list[str]) -> int:
        with self._writing():
            stored = list(self._papers.find({"_id": {"$in": paper_ids}}, {"author_ids": 1}))
            deleted = self._papers.delete_many({"_id": {"$in": [row["_id"] for row in stored]}}).deleted_count
            self._delete_orphans({author_id for row in stored for author_id in row["author_ids"]})
        return deleted

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """The papers with these ids."""
        return {document["_id"]: paper_of(document) for document in self._find(self._papers, paper_ids)}

    def iter_papers(self) -> Iterator[Paper]:
        """All papers in ascending order of id, streamed."""
        with self._errors(), self._papers.find().sort("_id").batch_size(_BATCH) as documents:
            for document in documents:
                yield paper_of(document)

    def _find(self, collection: Collection[Document], values: Sequence[str], field: str = "_id") -> Iterator[Document]:
        with self._errors():
            for batch in batches(dict.fromkeys(values), _IDS):
                yield from collection.find({field: {"$in": batch}})

    def _authors_with(self, field: str, values: Sequence[str]) -> list[Author]:
        rows = self._find(self._authors, values, "_id" if field == "id" else field)
        return sorted((Author(row["_id"], row["name"], row.get("orcid")) for row in rows), key=lambda author: author.id)

    def _shared_orcids(self) -> list[str]:
        plain = {"$replaceAll": {"input": {"$toUpper": "$orcid"}, "find": "-", "replacement": ""}}
        match = {"$regexFind": {"input": plain, "regex": r"\d{15}[\dX]/?$"}}
        digits = {"$let": {"vars": {"found": match}, "in": {"$substrCP": ["$$found.match", 0, 16]}}}
        group = {"_id": digits, "written": {"$addToSet": "$orcid"}, "authors": {"$sum": 1}}
        written = {"$match": {"orcid": {"$type": "string"}}}
        stages: list[Document] = [written, {"$group": group}, {"$match": {"authors": {"$gt": 1}}}]
        with self._errors():
            groups = self._authors.aggregate(stages, allowDiskUse=True)
            return [orcid for row in groups for orcid in row["written"] if row["_id"]]

    def _papers_with(self, doi: str) -> list[Paper]:
        query = {"doi": {"$regex": f"{re.escape(doi)}$", "$options": "i"}}
        with self._errors():
            return [paper_of(document) for document in self._papers.find(query).sort("_id")]

    def counts(self) -> CorpusCounts:
        """Papers, authors, and papers without an abstract."""
        with self._errors():
            return CorpusCounts(
                papers=self._papers.count_documents({}),
                authors=self._authors.count_documents({}),
                without_abstract=self._papers.count_documents({"has_abstract": False}),
            )

    def fingerprint(self) -> str:
        """A digest of all papers: added up by the first call after a write, and kept for the next ones."""
        with self._errors():
            meta = self._meta.find_one(_META) or {}
            generation, saved = meta.get("generation"), meta.get("fingerprint")
            if saved is not None and saved["generation"] == generation:
                return str(saved["value"])
            # Adding up here, rather than in step with the writes, stays right when a writer is killed half-way.
            digests = self._papers.find({}, {"_id": 0, "digest": 1})
            value = combine_digests(bytes.fromhex(document["digest"]) for document in digests).hex()
            saved = {"generation": generation, "value": value}
            self._meta.update_one({**_META, "generation": generation}, {"$set": {"fingerprint": saved}})
            return value

    def _events(self) -> Iterator[tuple[Any, bytes, bytes]]:
        with self._errors(), self._history.find().sort("_id").batch_size(_BATCH) as documents:
            for document in documents:
                yield document["_id"], bytes.fromhex(document["digest"]), orjson.dumps(document["event"])

    def _write_events(self, rows: list[StoredEvent]) -> int:
        by_key = {f"{row.paper}\t{row.role}\t{row.key}": row for row in rows}
        changed = 0
        with self._writing():
            stored = {document["_id"]: document["digest"] for document in self._find(self._history, [*by_key])}
            writes: list[DeleteMany | ReplaceOne[Document]] = []
            for key, row in by_key.items():
                if row.older:
                    older = [f"{row.paper}\t{row.role}\t{person}" for person in row.older]
                    writes.append(DeleteMany({"_id": {"$in": older}}))
                if stored.get(key) != (digest := row.digest.hex()):
                    document = {"_id": key, "digest": digest, "event": orjson.loads(row.payload)}
                    writes.append(ReplaceOne({"_id": key}, document, upsert=True))
                    changed += 1
            if writes:
                self._history.bulk_write(writes)
        return changed

    def _erase_events(self, keys: list[Any]) -> None:
        for batch in batches(keys, _IDS):
            with self._writing():
                self._history.delete_many({"_id": {"$in": batch}})

    def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()

    def _authorships(self, author_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        for ids in batches(dict.fromkeys(author_ids), _IDS):
            requested = set(ids)
            with self._errors():
                for document in self._papers.find({"author_ids": {"$in": ids}}, {"author_ids": 1}):
                    for author_id in requested.intersection(document["author_ids"]):
                        yield author_id, document["_id"]

    def _write(self, rows: list[StoredPaper]) -> None:
        with self._writing():  # authors first, so that no reader meets a paper without its authors
            stored = self._papers.find({"_id": {"$in": [row.id for row in rows]}}, {"digest": 1, "author_ids": 1})
            by_id: dict[str, Document] = {document["_id"]: document for document in stored}
            changed = [row for row in rows if row.id not in by_id or by_id[row.id]["digest"] != row.digest.hex()]
            documents = [_document(row) for row in changed]
            self._write_authors(authors_of(rows))
            if documents:
                replacements = [ReplaceOne({"_id": document["_id"]}, document, upsert=True) for document in documents]
                self._papers.bulk_write(replacements, ordered=False)
            former_authors = {author_id for row in rows for author_id in by_id.get(row.id, {}).get("author_ids", ())}
            self._delete_orphans(former_authors.difference(author.id for row in rows for author in row.authors))

    def _write_authors(self, authors: dict[str, Author]) -> None:
        stored = self.authors(list(authors))
        changes = []
        for author in authors.values():
            stored_author = stored.get(author.id)
            if (
                stored_author is None
                or stored_author.name != author.name
                or author.orcid not in (None, stored_author.orcid)
            ):
                fields = {"name": author.name, "normal_name": plain_name(author.name)}
                if author.orcid is not None:
                    fields["orcid"] = author.orcid
                changes.append(UpdateOne({"_id": author.id}, {"$set": fields}, upsert=True))
        if changes:
            self._authors.bulk_write(changes, ordered=False)

    def _delete_orphans(self, author_ids: set[str]) -> None:
        for ids in batches(author_ids - {author_id for author_id, _ in self._authorships(list(author_ids))}, _IDS):
            self._authors.delete_many({"_id": {"$in": ids}})

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Count a write before and after it, so that a fingerprint taken meanwhile does not outlive it."""
        with self._errors():
            if not self._prepared:
                self._papers.create_index("author_ids")
                self._papers.create_index("has_abstract", partialFilterExpression={"has_abstract": False})
                self._authors.create_index("normal_name")
                self._authors.create_index("orcid", sparse=True)
                self._prepared = True
            started = {"$inc": {"generation": 1}, "$set": {"schema_version": SCHEMA_VERSION}}
            self._meta.update_one(_META, started, upsert=True)
            yield
            self._meta.update_one(_META, {"$inc": {"generation": 1}})


def read_works(uri: str, name: str, report: ReadReport) -> Iterator[Paper]:
    """The OpenAlex works of a collection `DATABASE.COLLECTION`, as they are in a snapshot; others are rejected."""
    database, _, collection = name.partition(".")
    if not (database and collection):
        raise InputError(f"'{name}' is no collection of MongoDB: write DATABASE.COLLECTION")
    with _errors(_without_password(uri)), MongoClient[Document](uri, serverSelectionTimeoutMS=5_000) as client:
        works = client[database][collection].find({}, {"_id": 0}).batch_size(_BATCH)
        for _, paper in converted(enumerate(works, 1), lambda work: to_paper(work, report), Path(name), report):
            yield paper


def _without_password(uri: str) -> str:
    return re.sub(r"//[^@/]*@", "//", uri).split("?")[0]


@contextmanager
def _errors(address: str) -> Iterator[None]:
    try:
        yield
    except InvalidOperation:
        raise CorpusError(f"the corpus on {address} is closed: open it again") from None
    except InvalidURI as error:
        raise CorpusError(f"'{address}' is not a MongoDB address ({error}): correct PANELIST_MONGO_URI") from None
    except ServerSelectionTimeoutError:
        raise CorpusError(
            f"no MongoDB server answers at {address}: start it, or unset PANELIST_MONGO_URI to use SQLite"
        ) from None
    except PyMongoError as error:
        reason = str(error).splitlines()[0][:300]  # the whole of a bulk error quotes every document
        raise CorpusError(f"the corpus on {address} cannot be used: {reason}") from error


def _document(row: StoredPaper) -> Document:
    document = document_of(row)
    # A document is at most some times longer than its JSON: only the long ones are measured.
    if len(row.payload) > _LARGEST // 8 and (size := len(bson_encode(document))) > _LARGEST:
        raise InputError(f"paper {row.id!r} has {size:,} bytes, MongoDB takes {_LARGEST:,}: shorten it, or use SQLite")
    return document
