"""Is an index what its manifest says, and does it find what it contains? Problems come back as lines, not as errors."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from indexing.jobs.manifest import files_in
from indexing.tables.units import text_digests
from indexing.text import Text
from panelist.corpus.store import CorpusStore
from panelist.errors import PanelistError

SAMPLE = 50
"""How many papers, drawn at random, must find themselves."""

_DEPTH = 10
_NEAREST = 100
_SEED = 0


def check_index(index: Index, corpus: CorpusStore | None = None) -> list[str]:
    """Everything that is wrong with an index; nothing for a sound one.

    Checks every file against its checksum, the arrays against each other, and lets a sample of the papers search for
    themselves: by vector, and by text where `corpus` still has the text.
    """
    problems = list(_files(index))
    if problems:  # anything further would only report their consequences
        return problems
    problems = [*_units(index), *_ownership(index), *_affiliations(index), *_references(index), *_vectors(index)]
    sample = draw_units(index, SAMPLE)
    for search in (_find_by_vector, partial(_find_by_text, corpus=corpus)):
        try:
            problems += search(index, sample)
        except PanelistError as error:
            problems.append(str(error))
    return problems


def draw_units(index: Index, count: int) -> NDArray[np.int64]:
    """A random sample of live units, ascending and always the same."""
    live = np.flatnonzero(index.live)
    return np.sort(np.random.default_rng(_SEED).choice(live, size=min(count, len(live)), replace=False))


def measure_recall(index: Index) -> float:
    """The share of the exact nearest papers that the vector index finds now, for a sample of papers."""
    from indexing.dense.faiss_flat import ExactIndex, found_share

    queries = index.vectors[draw_units(index, SAMPLE)].astype(np.float32)
    depth = min(_NEAREST, max(int(index.live.sum()), 1))
    searched = (kind.search(queries, depth, allowed=index.live) for kind in (ExactIndex(index.vectors), index.dense()))
    return found_share(*(hits.units for hits in searched))


def _files(index: Index) -> Iterator[str]:
    yield from index.manifest.damage(index.path)
    for name in files_in(index.path):
        if name not in index.manifest.files and not name.endswith("write.lock"):
            yield f"{name} is not in the manifest"


def _units(index: Index) -> Iterator[str]:
    units, counts = index.units, index.manifest.counts
    shapes = {len(units.ids), len(units.digests), len(units.live), len(units.years), len(units.citations)}
    if shapes != {counts.units} or int(units.live.sum()) != counts.papers:
        yield f"the arrays by unit do not have the {counts.units:,} units and {counts.papers:,} papers of the manifest"
        return
    live = np.flatnonzero(units.live)
    if not np.array_equal(units.find(units.paper_ids(live)), live):
        yield "some live units are not found by the id of their paper"


def _ownership(index: Index) -> Iterator[str]:
    owned = index.ownership
    starts = owned.unit_starts
    if len(starts) != len(index.units) + 1 or len(owned.author_ids) != index.manifest.counts.authors:
        yield "the ownership table has another number of units or authors than the manifest"
        return
    unit_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    author_of = np.repeat(np.arange(len(owned.author_ids)), np.diff(owned.author_starts))
    forth = np.sort(unit_of * len(owned.author_ids) + owned.unit_authors)
    back = owned.author_units * np.int64(len(owned.author_ids)) + author_of
    if not np.array_equal(forth, np.sort(back)):
        yield "the ownership table says one thing by unit and another by author"
    if (np.diff(starts)[~index.live] > 0).any():
        yield "the ownership table has authors of removed units"
    if (np.diff(owned.author_starts) == 0).any():
        yield "the ownership table has authors without a paper"


def _affiliations(index: Index) -> Iterator[str]:
    table, count = index.affiliations, len(index.ownership.author_ids)
    if len(table.starts) != count + 1 or table.starts[-1] != len(table.units):
        yield "the table of affiliations has another number of authors than the manifest"
        return
    author_of = np.repeat(np.arange(count), np.diff(table.starts))
    owners = np.repeat(np.arange(len(index.units)), np.diff(index.ownership.unit_starts))
    written = owners * max(count, 1) + index.ownership.unit_authors
    if not np.isin(table.units * np.int64(max(count, 1)) + author_of, written).all():
        yield "the table of affiliations names papers that their authors do not own"


def _references(index: Index) -> Iterator[str]:
    names, live = index.names, np.flatnonzero(index.live)
    if len(names.forms) and not np.array_equal(names.papers(names.forms[live, 0].copy()), live):
        yield "some live units are not found by the id by which others cite them"
    if len(names.authors) and names.authors.max() >= len(index.ownership.author_ids):
        yield "the table of names has authors that the ownership table has not"
    table = index.references
    if table is None:
        return
    if table.entries != index.manifest.counts.references or int(table.starts[-1]) != len(table.units):
        yield "the table of references has another number of entries than the manifest"
    elif len(table.norms) != len(index.units) or (table.norms[~index.live] > 0).any():
        yield "the table of references has other units than the index"


def _vectors(index: Index) -> Iterator[str]:
    for start in range(0, len(index.vectors), 65_536):
        norms = np.linalg.norm(index.vectors[start : start + 65_536], axis=1)
        if not np.allclose(norms, 1, atol=1e-3):
            yield f"some vectors between unit {start:,} and {start + len(norms):,} are not of unit length"


def _find_by_vector(index: Index, sample: NDArray[np.int64]) -> list[str]:
    hits = index.dense().search(index.vectors[sample].astype(np.float32), _DEPTH, allowed=index.live)
    # Another paper with the same text may come first, so compare the score, not the position.
    missed = (hits.scores[:, 0] < 0.99).sum()
    return [f"{missed} of {len(sample)} papers do not find themselves by vector"] if missed else []


def _find_by_text(index: Index, sample: NDArray[np.int64], corpus: CorpusStore | None) -> list[str]:
    papers = corpus.papers(index.units.paper_ids(sample)) if corpus is not None else {}
    texts = [Text.of(paper) for paper in papers.values()]
    units = index.units.find_same(list(papers), text_digests(texts)).tolist()  # -1 where the corpus has another text
    queries = [(unit, text.plain()) for unit, text in zip(units, texts, strict=True) if unit >= 0]
    hits = index.lexical().search([text for _, text in queries] or ["nothing"], _DEPTH, allowed=index.live)
    # Papers with equal texts, and texts of stop words only, may rightly miss: a damaged index misses nearly all.
    missed = sum(unit not in row for (unit, _), row in zip(queries, hits.units.tolist(), strict=False))
    return [f"{missed} of {len(queries)} papers do not find themselves by text"] if missed > len(queries) / 10 else []
