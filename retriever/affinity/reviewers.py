"""The reviewers of a job with their profiles: from OpenReview's archives, its CSV, or the corpus by author id."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from panelist.corpus.readers import openreview, tables
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.records import Paper
from retriever.affinity.profiles import PROFILE_SIZE, most_recent

logger = logging.getLogger(__name__)

_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True, slots=True)
class Reviewers:
    """Ids in ascending order, and the profile of each, newest paper first; a profile may be empty."""

    ids: tuple[str, ...]
    profiles: tuple[tuple[Paper, ...], ...]

    @classmethod
    def of(cls, papers: Iterable[Paper], ids: Iterable[str] = (), size: int = PROFILE_SIZE) -> Reviewers:
        """Everybody who wrote one of the papers, and `ids`, who may have written none."""
        owned: dict[str, list[Paper]] = {reviewer: [] for reviewer in ids}
        for paper in papers:
            for authorship in paper.authorships:
                owned.setdefault(authorship.author.id, []).append(paper)
        order = sorted(owned)
        return cls(tuple(order), tuple(most_recent(owned[reviewer], size) for reviewer in order))


def holds_profiles(path: Path) -> bool:
    """Whether this path holds reviewers with their papers: a directory with `archives`, or a CSV file."""
    return path.is_dir() or path.name.endswith(_TABLES)


def read_profiles(path: Path, size: int = PROFILE_SIZE) -> Reviewers:
    """Reviewers with their papers, from OpenReview's layout (a directory) or `csv_expertise` (a file).

    Raises:
        InputError: the path does not exist, or nothing in it can be used; single bad entries are logged.
    """
    report = ReadReport()
    owners: list[str] = []
    if path.is_dir():
        owners = [archive.name.removesuffix(".gz").removesuffix(".jsonl") for archive in openreview.find(path)]
        papers = openreview.read(path, report)
    else:
        papers = tables.read([path], report)
    found = Reviewers.of(papers, owners, size)
    if not any(found.profiles):
        reason = f": {report.rejections[0]}" if report.rejections else ""
        raise InputError(f"no usable paper of any reviewer in '{path}'{reason}")
    if report.rejected:
        logger.warning("%d entries of '%s' were skipped, e.g. %s", report.rejected, path, report.rejections[0])
    return found


def from_corpus(corpus: CorpusStore, ids: Sequence[str] | None, size: int = PROFILE_SIZE) -> Reviewers:
    """Reviewers by author id with their papers in the corpus; None stands for all its authors.

    Somebody who is not in the corpus has an empty profile.
    """
    if ids is None:
        return Reviewers.of(corpus.iter_papers(), (), size)
    owned = corpus.papers_of(ids)
    papers = corpus.papers(sorted({paper for of_one in owned.values() for paper in of_one}))
    order = sorted(ids)
    profiles = (most_recent((papers[paper] for paper in owned.get(reviewer, ())), size) for reviewer in order)
    return Reviewers(tuple(order), tuple(profiles))
