"""From a reader into a store, counting on the way. Memory stays flat but for a few bytes per id."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from panelist.corpus.documents import batches
from panelist.corpus.readers.report import ReadReport, Rejection
from panelist.corpus.removals import Removals
from panelist.corpus.store import CorpusStore
from panelist.records import HistoryEvent, Paper

_PROGRESS_EVERY = 256  # papers
_BATCH = 2_000  # abstracts, or people of a history, that are looked up at a time


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import read: distinct papers and authors, and what was left out.

    `duplicates` are papers that came again under the same id (the last one counts); `unidentified_authors` are
    authorships left out because the source gives the author no id.
    """

    papers: int
    authors: int
    without_abstract: int
    duplicates: int
    unidentified_authors: int
    rejected: int
    rejections: tuple[Rejection, ...]


def import_papers(
    papers: Iterable[Paper],
    report: ReadReport,
    store: CorpusStore | None,
    removals: Removals,
    progress: Callable[[int], None] = lambda bytes_read: None,
) -> ImportSummary:
    """Write the papers of a reader, which fills in `report`, to a store; without a store only count them.

    What was removed for good stays out. The store commits batch by batch, so that an interruption loses only what was
    not committed yet.
    """
    tally = Tally()
    counted = tally.count(removals.apply(papers), lambda: progress(report.bytes_read))
    if store is None:
        deque(counted, maxlen=0)
    else:
        store.upsert(counted)
        store.upsert(replace(paper, retracted=True) for paper in store.papers(sorted(report.retractions)).values())
    return tally.summary(report)


def add_abstracts(abstracts: Iterable[tuple[str, str]], store: CorpusStore) -> int:
    """Give papers of a store the abstracts that come in files of their own, by id; returns how many were given."""
    count = 0
    for batch in batches(abstracts, _BATCH):
        texts = {paper: abstract for paper, abstract in batch if abstract}
        count += store.upsert(replace(paper, abstract=texts[paper.id]) for paper in store.papers(list(texts)).values())
    return count


@dataclass(slots=True)
class Tally:
    """Distinct ids, as their hashes: a set of strings would be several times the size."""

    read: int = 0
    papers: set[int] = field(default_factory=set)
    authors: set[int] = field(default_factory=set)
    without_abstract: set[int] = field(default_factory=set)

    def count(self, papers: Iterable[Paper], progress: Callable[[], None]) -> Iterator[Paper]:
        """The same papers, counted as they pass."""
        for paper in papers:
            if self.read % _PROGRESS_EVERY == 0:
                progress()
            self.read += 1
            key = hash(paper.id)
            self.papers.add(key)
            (self.without_abstract.discard if paper.abstract else self.without_abstract.add)(key)
            self.authors.update(hash(authorship.author.id) for authorship in paper.authorships)
            yield paper
        progress()

    def summary(self, report: ReadReport) -> ImportSummary:
        """What was counted, and what a reader reports."""
        counts = len(self.papers), len(self.authors), len(self.without_abstract), self.read - len(self.papers)
        return ImportSummary(*counts, report.unidentified_authors, report.rejected, tuple(report.rejections))


@dataclass(slots=True)
class HistorySummary:
    """What an import of a history read: events, and what was left out.

    `found` are events of people of the corpus, of which `possible` ones by name alone; `erased` of people or papers
    that were removed for good; `left_out` were invitations taken back, rows that ask nobody, and people
    without a name.
    """

    events: int = 0
    changed: int = 0
    found: int = 0
    possible: int = 0
    erased: int = 0
    left_out: int = 0
    rejected: int = 0
    rejections: tuple[Rejection, ...] = ()


def import_history(
    events: Iterable[HistoryEvent], report: ReadReport, store: CorpusStore, removals: Removals, *, write: bool = True
) -> HistorySummary:
    """Add events whose people were looked for to a store, counting; what was removed for good stays out."""
    summary = HistorySummary()

    def kept() -> Iterator[HistoryEvent]:
        for batch in batches(events, _BATCH):
            authors = store.authors([event.person for event in batch if event.person])
            for event in batch:
                if removals.hold(event):
                    summary.erased += 1
                    continue
                summary.events += 1
                summary.found += event.person in authors
                summary.possible += event.possible
                yield event

    if write:
        summary.changed = store.add_history(kept())
    else:
        deque(kept(), maxlen=0)
    summary.left_out, summary.rejected, summary.rejections = report.left_out, report.rejected, tuple(report.rejections)
    return summary
