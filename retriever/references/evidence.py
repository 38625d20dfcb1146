"""What the submission cites as evidence: people who are cited are often people who review.

A cited paper of the index moves up among the candidates: s' = s + w · (1 − s), so that a citation closes a share w of
the distance to the best score, and a paper that no search found gets w. Nothing else changes. A self-citation, that is
a cited paper with one of the submission's authors, is not evidence, and a citation never makes a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexing.index import Index
from panelist.corpus.store import CorpusStore
from panelist.records import Submission
from retriever.references.matching import resolve
from retriever.stages import CITED, Candidates

CITED_WEIGHT = 0.7
"""The share w: chosen on eLife's papers of 2019, measured on those of 2020 (docs/lookup.md)."""


def cited_units(index: Index, corpus: CorpusStore, submission: Submission) -> tuple[NDArray[np.int64], int]:
    """The units of the papers that a submission cites, without self-citations; and their number with self-citations."""
    units = np.array(resolve(list(dict.fromkeys(submission.references)), index, corpus), dtype=np.int64)
    known = np.unique(units[units >= 0])
    own = index.ownership.author_ids.find([author.id for author in submission.authors])
    rows, authors = index.ownership.pairs(known)
    self_cited = np.zeros(len(known), dtype=np.bool_)
    self_cited[rows[np.isin(authors, own[own >= 0])]] = True
    return known[~self_cited], len(known)


def with_cited(
    candidates: Candidates, units: NDArray[np.int64], allowed: NDArray[np.bool_] | None = None
) -> Candidates:
    """The candidates with the cited papers among them, in order.

    Args:
        candidates: what the searches found.
        units: of the cited papers.
        allowed: (units) a mask: only these may be found.
    """
    if allowed is not None:
        units = units[allowed[units]]
    if len(units) == 0:
        return candidates
    new = np.setdiff1d(units, candidates.units)
    all_units = np.concatenate([candidates.units, new])
    scores = np.concatenate([candidates.scores, np.zeros(len(new), np.float32)])
    found_by = np.concatenate([candidates.found_by, np.zeros(len(new), np.uint8)])
    cited = np.isin(all_units, units)
    scores[cited] += np.float32(CITED_WEIGHT) * (1 - scores[cited])
    found_by[cited] |= CITED
    order = np.lexsort((all_units, -scores))
    return Candidates(all_units[order], scores[order], found_by[order], candidates.dense)


def with_references(
    index: Index,
    corpus: CorpusStore,
    submissions: Sequence[Submission],
    found: Sequence[Candidates],
    allowed: NDArray[np.bool_] | None,
) -> tuple[list[Candidates], list[tuple[str, ...]]]:
    """The candidates of several submissions with what these cite, and a note for each that cites anything."""
    joined: list[Candidates] = []
    notes: list[tuple[str, ...]] = []
    for submission, candidates in zip(submissions, found, strict=True):
        units, known = cited_units(index, corpus, submission)
        joined.append(with_cited(candidates, units, allowed))
        notes.append((_note(submission, known),) if submission.references else ())
    return joined, notes


def _note(submission: Submission, known: int) -> str:
    total = len(set(submission.references))
    return f"{known} of {total} references {'is' if known == 1 else 'are'} in the corpus"
