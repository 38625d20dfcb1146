"""Three signals from what a submission cites: cited works, papers that cite the same works, and cited people.

- **Shared references**: the papers of the index that cite what the submission cites, by the cosine of
  `indexing.tables.references`. They are a third search; its scores, as shares of the best, are fused with the others:
  s' = (s + w · r / r_max) / (1 + w), with w = `ReferenceWeights.shared`.
- **Cited people**: everybody who wrote a cited work, by id where the work is in the corpus, else by the printed name.
  On the scale of similarities, where the best of the texts has `best`, a person is lifted by

      w · best · ln(1 + Σ (1 + last) / namesakes)       w = `ReferenceWeights.people`

  over the works that cite them; `last` is 1 for a last author, and `namesakes` are all authors of the index whom the
  printed name may mean. They are candidates even if no search found a paper of theirs.
- Entries that an author of the submission wrote count for nothing, and a citation never makes a conflict.

docs/research/ranking.md has the measurements that the weights rest on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from indexing.hits import sort_falling
from indexing.index import Index
from indexing.tables.ownership import gather_rows
from panelist.words import counted
from retriever.aggregate import Aggregation, Lift
from retriever.references.citations import Citations
from retriever.stages import CITED, PERSON, SHARED, Candidates, RankedAuthors, merge

PAPERS = 3
"""How many papers stand for a cited person of whom no search found any."""
TITLES = 3
"""How many works an explanation names."""
_LABEL = 70  # characters of a title in an explanation


@dataclass(frozen=True, slots=True)
class ReferenceWeights:
    """How much shared references count beside the scores of texts, and cited people beside the best of those."""

    shared: float = 0.3
    people: float = 0.5


def joined(
    citations: Citations,
    candidates: Candidates,
    index: Index,
    weights: ReferenceWeights,
    depth: int,
    allowed: NDArray[np.bool_] | None = None,
) -> Candidates:
    """The candidates with those that references add, by unit number: coupled papers, and cited ones."""
    allowed = index.units.searchable(allowed)
    shared = Candidates(citations.coupled, citations.cosines, np.full(len(citations.coupled), SHARED, np.uint8))
    coupled, share = _allowed(shared, allowed), weights.shared / (1 + weights.shared)
    if len(coupled) and share > 0:
        scores = coupled.scores[:depth] * np.float32(share / float(coupled.scores[0]))
        coupled = Candidates(coupled.units[:depth], scores, coupled.found_by[:depth])
        dense = None if candidates.dense is None else candidates.dense.scaled(1 - share)
        candidates = replace(candidates.scaled(1 - share), dense=dense, shared=coupled)
    else:
        coupled = _weightless(np.zeros(0, np.int64), SHARED)
    cited = _allowed(_weightless(citations.indexed, CITED), allowed)
    units, scores, found_by = merge((candidates, coupled, cited))
    return replace(candidates, units=units, scores=scores, found_by=found_by)


def with_people(
    candidates: Candidates, index: Index, people: NDArray[np.int64], allowed: NDArray[np.bool_] | None = None
) -> Candidates:
    """The candidates, best first, with papers without any score of those of these people whom they do not name yet."""
    allowed = index.units.searchable(allowed)
    seen = np.zeros(len(index.ownership.author_ids), np.bool_)
    seen[index.ownership.pairs(candidates.units)[1]] = True
    entries, _ = gather_rows(index.ownership.author_starts, people[~seen[people]], PAPERS)
    written = np.unique(index.ownership.author_units[entries].astype(np.int64))  # seen units have seen authors
    theirs = _allowed(_weightless(written, PERSON), allowed)
    scores = np.append(candidates.scores, theirs.scores)
    packed = np.append(candidates.units, theirs.units) << 5 | np.append(
        candidates.found_by, theirs.found_by
    )  # below 2³²
    order = sort_falling(scores, packed)
    scores = np.ascontiguousarray(np.sort(scores)[::-1])
    return replace(candidates, units=order >> 5, scores=scores, found_by=(order & 31).astype(np.uint8))


def lift(citations: Citations, aggregation: Aggregation, weights: ReferenceWeights) -> Lift:
    """A function that lifts the scores of those who are cited; without a weight it changes not even a bit."""
    counts = np.append(np.log1p(citations.people.weights), 0.0)

    def lifted(authors: NDArray[np.int32], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        best = float(aggregation.relevance(scores.max(initial=0.0))) or 1.0
        return aggregation.raised(scores, weights.people * best * counts[citations.people.find(authors)])

    return lifted


def citation_words(citations: Citations, ranked: RankedAuthors, rows: NDArray[np.int64]) -> list[tuple[str, ...]]:
    """Why the references speak for the people in these rows, in words; nothing where they do not."""
    persons = citations.people.find(ranked.authors[rows]).tolist()
    people = zip(persons, _shared(citations, ranked, rows), strict=True)
    return [tuple(filter(None, (_cited(citations, person), shared))) for person, shared in people]


def _cited(citations: Citations, person: int) -> str:
    if person < 0:
        return ""
    people = citations.people
    last = f", {people.last_times[person]} as last author" if people.last_times[person] else ""
    alike = people.namesakes[person]
    unsure = f" (a name that {alike} people of the corpus have)" if alike > 1 else ""
    works = people.works[people.persons == person]
    return f"cited {counted(int(people.times[person]), 'time')}{last}{unsure}: {_titles(citations, works)}"


def _shared(citations: Citations, ranked: RankedAuthors, rows: NDArray[np.int64]) -> Iterator[str]:
    """What the papers of each of these people cite as well."""
    order = np.argsort(citations.citing, kind="stable")
    units, whose = ranked.units(rows), np.repeat(np.arange(len(rows)), ranked.counts(rows))
    begin, end = (np.searchsorted(citations.citing, units, side, sorter=order) for side in ("left", "right"))
    positions = np.arange((end - begin).sum()) + np.repeat(end - np.cumsum(end - begin), end - begin)
    pairs = np.unique(np.repeat(whose, end - begin) << 32 | citations.works[order[positions]])
    cuts = np.searchsorted(pairs, np.arange(len(rows) + 1) << 32)
    for start, stop in pairwise(cuts):
        works = pairs[start:stop] & 0xFFFFFFFF
        yield f"cites {len(works)} of the same works: {_titles(citations, works)}" if len(works) > 1 else ""


def _titles(citations: Citations, works: NDArray[np.int64]) -> str:
    labels = [citations.entries[work].label for work in works[:TITLES].tolist()]
    shown = "; ".join(label if len(label) <= _LABEL else f"{label[:_LABEL].rstrip()}…" for label in labels)
    return f"{shown}; …" if len(works) > TITLES else shown


def _weightless(units: NDArray[np.int64], found_by: int) -> Candidates:
    return Candidates(units, np.zeros(len(units), np.float32), np.full(len(units), found_by, np.uint8))


def _allowed(candidates: Candidates, mask: NDArray[np.bool_] | None) -> Candidates:
    if mask is None:
        return candidates
    is_allowed = mask[candidates.units]
    return Candidates(candidates.units[is_allowed], candidates.scores[is_allowed], candidates.found_by[is_allowed])
