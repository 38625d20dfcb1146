"""The scores of a conference: arrays in a blob, filtered by what may be seen, and how they were computed."""

import csv
import io
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from panelist.app.desk.blobs import Blobs, load_arrays
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.errors import NotFoundError
from panelist.records import Confidence
from retriever.assignment.building.records import Pair, ScoreTable
from retriever.conference.options import SERVED_PAIRS, ScoreOptions
from retriever.fit import grade

SCORED = "scored"  # how scores were computed that were computed here


class ScoreSettings(Struct, frozen=True):
    """How a conference is scored; see `ScoreOptions` for what the fields mean."""

    model: str = ScoreOptions().model
    profile: int = ScoreOptions().profile
    keep: int = SERVED_PAIRS
    references: Literal["auto", "off"] = ScoreOptions().references
    history: Literal["auto", "off"] = ScoreOptions().history


class ScoreRecord(Struct, frozen=True):
    """What is known of scores that were computed here: how, from which files, and what stands out."""

    settings: ScoreSettings
    at: datetime
    inputs: dict[str, str]
    papers: dict[str, int]
    empty_profiles: list[str]
    own_papers: list[tuple[str, str]]
    outside: list[str] = []  # submissions that no paper of the committee is near
    texts: dict[str, str] = {}  # a digest of each submission


def score_record(conference: Conference) -> ScoreRecord | None:
    """How the scores were computed; None where they were sent, or there are none."""
    record = conference.record(SCORED, ScoreRecord)
    if record is None or not conference.sight.hidden:
        return record
    shows = conference.sight.shows
    own_papers = [pair for pair in record.own_papers if shows(pair[0])]
    texts = {paper: digest for paper, digest in record.texts.items() if shows(paper)}
    return structs.replace(record, own_papers=own_papers, outside=list(filter(shows, record.outside)), texts=texts)


class Scores(NamedTuple):
    """All scores, and (pairs) the probability that each fits; None where that is not known."""

    table: ScoreTable
    fit: NDArray[np.float32] | None


def load_scores(conference: Conference, name: str = "scores") -> Scores:
    """The scores of a conference, which it must have."""
    scores = find_scores(conference, name)
    if scores is None:
        raise NotFoundError("there are no scores yet: score the submissions, or add a file of scores")
    return scores


@remembered("{}")
def find_scores(conference: Conference, name: str) -> Scores | None:
    """The scores; None where there are none."""
    scores = conference.content(name, read_arrays)
    if scores is None or not conference.sight.hidden:
        return scores
    shown = hide_scores(scores, conference.sight.hidden)
    return shown if len(shown.table.score) else None


def scored_ids(conference: Conference) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The papers and the reviewers of the scores; none where there are no scores yet."""
    scores = find_scores(conference, "scores")
    return ((), ()) if scores is None else (scores.table.papers, scores.table.reviewers)


@remembered("scores")
def score_digests(conference: Conference) -> dict[str, str]:
    """A digest of the scores of each paper that may be seen, whichever other papers and people there are."""
    table = load_scores(conference).table
    names = [blake2b(name.encode(), digest_size=8).digest() for name in table.reviewers]
    keys = np.frombuffer(b"".join(names), dtype=np.int64)[table.reviewer]
    order = np.lexsort((keys, table.paper))
    pairs = np.stack([keys[order], table.score[order].view(np.int64)], axis=1)
    starts = np.searchsorted(table.paper[order], np.arange(len(table.papers) + 1)).tolist()
    rows = (pairs[start:stop].tobytes() for start, stop in pairwise(starts))
    digests = (blake2b(row, digest_size=8).hexdigest() if row else "" for row in rows)
    return {paper: digest for paper, digest in zip(table.papers, digests, strict=True) if digest}


def keep_scores(blobs: Blobs, table: ScoreTable, fit: NDArray[Any] | None = None) -> str:
    """Write scores as arrays; the name of the blob. The digest is that of the scores, whenever they are written."""
    fits = np.empty(0, dtype=np.float32) if fit is None else fit.astype(np.float32)
    papers, reviewers = (
        np.frombuffer("\n".join(ids).encode(), dtype=np.uint8) for ids in (table.papers, table.reviewers)
    )
    pairs = {"paper": table.paper.astype(np.int32), "reviewer": table.reviewer.astype(np.int32)}
    return blobs.put_arrays(papers=papers, reviewers=reviewers, **pairs, score=table.score, fit=fits)


def read_arrays(path: Path) -> Scores:
    """Read what `keep_scores` wrote."""
    arrays = load_arrays(path)
    papers, reviewers = (tuple(arrays[name].tobytes().decode().split("\n")) for name in ("papers", "reviewers"))
    paper, reviewer = arrays["paper"].astype(np.int64), arrays["reviewer"].astype(np.int64)
    fit = arrays["fit"] if len(arrays["fit"]) else None
    return Scores(ScoreTable(papers, reviewers, paper, reviewer, arrays["score"]), fit)


def scores_csv(scores: Scores, *, fit: bool = False) -> bytes:
    """Scores as `paper,reviewer,score`, or with the probability that each fits."""
    table, out = scores.table, io.StringIO()
    values = map(repr, (table.score if not fit or scores.fit is None else scores.fit).tolist())
    papers, reviewers = (
        map(ids.__getitem__, numbers.tolist())
        for ids, numbers in ((table.papers, table.paper), (table.reviewers, table.reviewer))
    )
    csv.writer(out, lineterminator="\n").writerows(zip(papers, reviewers, values, strict=True))
    return out.getvalue().encode()


def hide_scores(scores: Scores, hidden: frozenset[str]) -> Scores:
    """Scores without those of some papers; reviewers come in the order in which the others name them."""
    if not hidden:
        return scores
    table, fit = scores
    visible = np.array([paper not in hidden for paper in table.papers], dtype=np.bool_)[table.paper]
    papers, paper = _renumber(table.papers, table.paper[visible])
    reviewers, reviewer = _renumber(table.reviewers, table.reviewer[visible])
    score = table.score[visible]
    shown = replace(table, papers=papers, reviewers=reviewers, paper=paper, reviewer=reviewer, score=score)
    return Scores(shown, None if fit is None else fit[visible])


def _renumber(ids: tuple[str, ...], numbers: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The ids that occur, as they occur first, and the numbers by which they do."""
    used, positions, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(positions)
    rank = np.empty(len(used), dtype=np.int64)
    rank[order] = np.arange(len(used))
    return tuple(ids[number] for number in used[order].tolist()), rank[inverse]


def load_grades(conference: Conference, pairs: Iterable[Pair]) -> list[Confidence | None]:
    """How sure the scores of pairs of papers and reviewers are; None where that is not known."""
    table, fits = load_scores(conference)
    if fits is None:
        return [None for _ in pairs]
    papers, reviewers = (
        {key: position for position, key in enumerate(keys)} for keys in (table.papers, table.reviewers)
    )

    def graded(paper: int, reviewer: int) -> Confidence | None:
        start, stop = np.searchsorted(table.paper, (paper, paper + 1))  # scores of ours are sorted by paper
        position = np.flatnonzero(table.reviewer[start:stop] == reviewer)
        return grade(float(fits[start + position[0]])) if len(position) else None

    return [graded(papers.get(paper, -1), reviewers.get(reviewer, -1)) for paper, reviewer in pairs]
