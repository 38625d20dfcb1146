"""Papers of the corpus by their units in the index: what matches and conflicts are put into words with."""

from __future__ import annotations

from collections.abc import Iterable

from indexing.index import Index
from panelist.corpus.store import CorpusStore
from panelist.records import Paper


def papers_of(units: Iterable[int], index: Index, corpus: CorpusStore) -> dict[int, Paper]:
    """The papers of these units; one that has left the corpus since it was indexed is its id alone."""
    distinct = list(dict.fromkeys(units))
    ids = index.units.paper_ids(distinct)
    found = corpus.papers(ids) if ids else {}
    return {unit: found.get(key) or Paper(key, title=key) for unit, key in zip(distinct, ids, strict=True)}
