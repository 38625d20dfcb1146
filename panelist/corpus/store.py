"""What a corpus store can do. SQLite (embedded) and MongoDB implement it and pass the same tests."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol, Self

from panelist.corpus.reference_keys import bare_doi
from panelist.records import Author, HistoryEvent, Paper

REIMPORT = "import again into a new workspace: 'panelist import openalex PATH --workspace NEW'"
"""What to do with a corpus of an older schema."""


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

    def delete(self, paper_ids: Iterable[str]) -> int:
        """Remove papers, and authors left without any. Returns how many papers there were."""

    def papers(self, paper_ids: Sequence[str]) -> dict[str, Paper]:
        """The papers with these ids."""

    def iter_papers(self) -> Iterator[Paper]:
        """All papers in ascending order of id, streamed: memory stays flat."""

    def authors(self, author_ids: Sequence[str]) -> dict[str, Author]:
        """The authors with these ids."""

    def papers_of(self, author_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each author the ids of their papers, in ascending order."""
        papers: dict[str, list[str]] = {}
        for author_id, paper_id in self._authorships(author_ids):
            papers.setdefault(author_id, []).append(paper_id)
        return {author_id: tuple(sorted(ids)) for author_id, ids in papers.items()}

    def find_authors(self, name: str) -> list[Author]:
        """Authors of exactly this name up to case, accents and spacing, by id. Namesakes are separate entries."""

    def find_orcids(self, orcids: Sequence[str]) -> list[Author]:
        """Authors with one of these ORCIDs, which are compared as they are written, by id."""

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

        An event takes the place of that of the same person, role and paper, also of one that knew less of the person.
        """

    def history(self) -> Iterator[HistoryEvent]:
        """All events, by paper, role and person, streamed."""

    def history_fingerprint(self) -> str:
        """A digest of all events, which changes whenever one does; empty where there is none."""

    def forget_history(self, keys: AbstractSet[str]) -> int:
        """Erase the events of these people (by id, ORCID, e-mail address or `keys_of_event`) or papers."""

    def close(self) -> None:
        """Release files and connections."""

    def _authorships(self, author_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The id of each of these authors with the id of each of their papers."""

    def _papers_with(self, doi: str) -> list[Paper]:
        """Papers whose DOI ends in this one, by id, perhaps among others."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
