"""What a corpus store can do. SQLite (embedded) and MongoDB implement it and pass the same tests."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, Self

from panelist.corpus.documents import StoredPaper, batches, combine_digests, encode_paper, latest_versions
from panelist.corpus.history import StoredEvent, concerns, decode_event
from panelist.corpus.names import normalise_name, plain_name
from panelist.corpus.reference_keys import bare_doi
from panelist.records import Author, HistoryEvent, Paper

REIMPORT = "import again into a new workspace: 'panelist import openalex PATH --workspace NEW'"
"""What to do with a corpus of an older schema."""
_BATCH = 2_000  # papers or events per transaction


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """How much a corpus holds."""

    papers: int
    authors: int
    without_abstract: int


class CorpusStore(Protocol):
    """A durable set of papers, keyed by id.

    Looking up is always for many ids in one call; ids that are not there are simply absent from the answer.
    """

    def upsert(self, papers: Iterable[Paper]) -> int:
        """Add papers, replacing those whose id is there already; idempotent. Returns how many were given.

        Of several versions the last one wins. An author is called what the latest write calls them; an ORCID stays
        until another one is given. Papers are written in batches as they come: where `papers` raises, or a batch
        cannot be written, the batches before it stay.
        """
        # Stores work without Python's lock, so a batch is written while the next one is read and encoded.
        count = 0
        with ThreadPoolExecutor(1, "corpus") as writer:
            written: Future[None] | None = None
            rows = map(encode_paper, papers)  # at once, while the paper is in the processor's cache
            for batch in batches(rows, _BATCH):
                if written is not None:
                    written.result()
                written = writer.submit(self._write, latest_versions(batch))
                count += len(batch)
            if written is not None:
                written.result()
        return count

    def delete(self, paper_ids: Iterable[str]) -> int:
        """Remove papers, and authors left without any. Returns how many papers there were."""
        return sum(map(self._delete, batches(paper_ids, _BATCH)))

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """The papers with these ids."""

    def iter_papers(self) -> Iterator[Paper]:
        """All papers in ascending order of id, streamed: memory stays flat."""

    def authors(self, author_ids: Sequence[str]) -> dict[str, Author]:
        """The authors with these ids."""
        return {author.id: author for author in self._authors_with("id", author_ids)}

    def papers_of(self, author_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each author the ids of their papers, in ascending order."""
        papers: dict[str, list[str]] = {}
        for author_id, paper_id in self._authorships(author_ids):
            papers.setdefault(author_id, []).append(paper_id)
        return {author_id: tuple(sorted(ids)) for author_id, ids in papers.items()}

    def find_authors(self, *names: str) -> list[Author]:
        """Authors of exactly these names up to case, accents, spacing and titles, by id; namesakes apart."""
        # As they are, too: authors who were written by an earlier version have their titles.
        forms = {form for name in names for form in (plain_name(name), normalise_name(name)) if form}
        return self._authors_with("normal_name", sorted(forms))

    def find_orcids(self, orcids: Sequence[str]) -> list[Author]:
        """Authors with one of these ORCIDs, which are compared as they are written, by id."""
        return self._authors_with("orcid", orcids)

    def shared_orcids(self) -> list[Author]:
        """Authors whose ORCID another author has, too, in any form; by id."""
        return self.find_orcids(self._shared_orcids())

    def find_doi(self, doi: str) -> list[Paper]:
        """Papers with this DOI, however it is written, by id. There is no index of DOIs: it reads all papers."""
        bare = bare_doi(doi)
        papers = self._papers_with(bare) if bare else []
        return [paper for paper in papers if paper.doi and bare_doi(paper.doi) == bare]

    def counts(self) -> CorpusCounts:
        """Papers, authors, and papers without an abstract."""

    def fingerprint(self) -> str:
        """A digest that changes whenever any paper is added, changed or removed, and returns when it is undone."""

    def add_history(self, events: Iterable[HistoryEvent]) -> int:
        """Add who reviewed or edited what, in batches as they come; returns how many were new or changed.

        An event replaces that of the same person, role and paper, also one that knew less of the person.
        """
        return sum(map(self._write_events, batches(map(StoredEvent.of, events), _BATCH)))

    def history(self) -> Iterator[HistoryEvent]:
        """All events, by paper, role and person, streamed, as they were when the iteration began."""
        for _, _, payload in self._events():
            yield decode_event(payload)

    def history_fingerprint(self) -> str:
        """A digest of all events, which changes whenever one does; empty where there is none."""
        digests = [digest for _, digest, _ in self._events()]
        return combine_digests(digests).hex() if digests else ""

    def forget_history(self, keys: AbstractSet[str]) -> int:
        """Erase the events of these people (by id, ORCID, e-mail address or `keys_of_event`) or papers."""
        doomed = [key for key, _, payload in self._events() if concerns(decode_event(payload), keys)]
        if doomed:
            self._erase_events(doomed)
        return len(doomed)

    def close(self) -> None:
        """Release files and connections."""

    def _write(self, rows: list[StoredPaper]) -> None:
        """Write papers with distinct ids, and their authors."""

    def _delete(self, paper_ids: list[str]) -> int:
        """Remove some papers; returns how many there were."""

    def _authors_with(self, field: str, values: Sequence[str]) -> list[Author]:
        """Authors with one of these values of `id`, `orcid` or `normal_name`, by id."""

    def _shared_orcids(self) -> list[str]:
        """The ORCIDs, as they are written, whose digits more than one author has."""

    def _authorships(self, author_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The id of each of these authors with the id of each of their papers."""

    def _papers_with(self, doi: str) -> list[Paper]:
        """Papers whose DOI ends in this one, by id, perhaps among others."""

    def _events(self) -> Iterator[tuple[Any, bytes, bytes]]:
        """The key, the digest and the JSON of each event, in order."""

    def _write_events(self, rows: list[StoredEvent]) -> int:
        """Write events, and remove those that they replace; returns how many were new or changed."""

    def _erase_events(self, keys: list[Any]) -> None:
        """Remove events by key, so that nothing of them can be read any more."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
