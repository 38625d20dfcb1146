"""Who says that nobody here works on a topic: papers of two fields, on an index of either.

eLife's papers of 2019 and 2020 and papers of the ACL Anthology since 2022 are submitted to an index of eLife's earlier
papers and to one of the Anthology's. Of the Anthology every fifth paper is read, in the order of their ids: to encode
them all would take an hour. On the index of the other field a submission should be told that no paper is near; whoever
is marked there as cited is so by a name alone, because nobody of that field is cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.fit import DEPTH, area
from eval.benchmarks.lookup import encode_queries
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.errors import MissingDataError
from panelist.progress import Progress, silent
from panelist.records import Coverage, Paper, Submission
from retriever.coverage import coverage_of
from retriever.finder import Finder
from retriever.lookup import Lookup

LAST_COLLECTION_YEAR = 2021
STEP = 5


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """The papers of a field: those of an index, and later ones that are submitted."""

    name: str
    collection: Sequence[Paper]
    submissions: Sequence[Submission]

    @classmethod
    def elife(cls, root: Path) -> Field:
        """The development split of eLife, with what its queries cite."""
        benchmark = ELife.read(root, references=True)
        return cls("eLife", benchmark.collection, benchmark.judged())

    @classmethod
    def acl(cls, root: Path) -> Field:
        """A sample of the ACL Anthology, divided by year."""
        if not (root / "works").is_dir():
            raise MissingDataError("acl", root, "works")
        sample = sorted(openalex.read([root / "works"], ReadReport()), key=lambda paper: paper.id)[::STEP]
        later = [paper for paper in sample if (paper.year or 0) > LAST_COLLECTION_YEAR]
        collection = [paper for paper in sample if 0 < (paper.year or 0) <= LAST_COLLECTION_YEAR]
        queries = (
            Submission(paper.id, paper.title, paper.abstract, tuple(writer.author for writer in paper.authorships))
            for paper in later
        )
        return cls("ACL", collection, tuple(queries))


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Submissions of one field on an index: what they were told, how near their nearest papers are, who is cited."""

    told: list[Coverage]
    nearness: NDArray[np.float64]
    cited: float  # of the first ten, over all submissions that cite anything; nan where none does

    @classmethod
    def look_up(cls, finder: Finder, submissions: Sequence[Submission], progress: Progress = silent) -> Covered:
        """Look up all submissions."""
        lookup, index = Lookup(size=DEPTH), finder.index
        told, nearness, cited = [], [], []
        vectors = encode_queries(finder, submissions, lookup)
        queries = [structs.replace(query, authors=()) for query in submissions]  # conflicts are not the question
        quiet = replace(lookup, conflicts="ignore")
        for done, shortlist in enumerate(finder.shortlists(queries, quiet, vectors=vectors), 1):
            meaning = shortlist.ranked.candidates.meaning
            covered = coverage_of(index, meaning)
            if meaning is not None and covered is not None:
                told.append(covered)
                nearest = index.vectors[meaning.nearest].astype(np.float32, copy=False)
                nearness.append(float(index.nearness.scaled(nearest @ meaning.vector).mean()))
            if shortlist.citations is not None:
                authors = shortlist.ranked.authors[shortlist.rows[:DEPTH]]
                cited.append(float(shortlist.citations.are_cited(authors).mean()))
            progress("submissions", done, len(submissions))
        return cls(told, np.array(nearness), float(np.mean(cited)) if cited else float("nan"))

    def figures(self) -> dict[str, Any]:
        """The share of submissions that were told each, and of those who are marked as cited."""
        shares = {str(grade): float(np.mean([told is grade for told in self.told])) for grade in Coverage}
        return {"submissions": len(self.told), **shares, "cited": self.cited}


def separation(home: Covered, other: Covered) -> float:
    """The area under the curve: how often a submission of the index's field is nearer than one of the other."""
    right = np.arange(len(home.nearness) + len(other.nearness)) < len(home.nearness)
    return area(np.concatenate([home.nearness, other.nearness]), right)
