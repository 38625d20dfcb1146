"""How true grades are: the model of fit, learned from judged queries and measured on those of other years.

Measured are the first ten suggestions for every query: the area under the curve (how often somebody who is right has a
higher probability than somebody who is not), the expected calibration error (over ten groups of equal size, the mean
distance between the probability and the share who are right), and that share for each grade. Judgements name few of the
people who would have been right, so that shares are small; what counts is that they are as promised, and rise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.benchmarks.lookup import outsiders, room_for_own
from eval.measures.statistics import Figure, Ratio, resampling_counts
from eval.reports.figures import PlotLine, draw_lines
from eval.reports.page import READING, Prose, Section
from eval.runs import Qrels
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Confidence, Submission
from retriever.finder import Finder
from retriever.fit import EVIDENCE, FitModel, evidence_of, learn
from retriever.lookup import Lookup

DEPTH = 10
"""How many suggestions of a query count."""
GROUPS = 10
"""Groups of equal size, by probability, in which promise and truth are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Suggestions:
    """The first suggestions of all queries: what is known of each, whether it is right, its query, and its year."""

    evidence: dict[str, NDArray[np.float64]]
    right: NDArray[np.bool_]
    query: NDArray[np.int64]
    year: NDArray[np.int64]

    @classmethod
    def collect(
        cls,
        finder: Finder,
        queries: Sequence[Submission],
        qrels: Qrels,
        lookup: Lookup,
        progress: Progress = silent,
        *,
        own_authors: bool = False,  # whether a query's own authors are suggested: only where they are the answer
    ) -> Suggestions:
        """Look up all queries, by a look-up that knows vectors."""
        index = finder.index
        right = qrels.relevant(index.ownership.author_ids.find(list(qrels.documents)))
        deep = replace(lookup, size=DEPTH + room_for_own(queries))
        parts = []
        shortlists = outsiders(finder, queries, deep, "grades", progress, own_authors=own_authors)
        for number, shortlist in enumerate(shortlists):
            ranked, query, meaning = shortlist.ranked, shortlist.submission, shortlist.ranked.candidates.meaning
            if meaning is None:
                raise ValueError("a search for words alone knows no nearness")
            authors = ranked.authors[shortlist.rows[:DEPTH]]
            evidence, _ = evidence_of(index, meaning.vector, authors, shortlist.citations, shortlist.seen)
            described = {name: evidence.get(name, np.zeros(len(authors))) for name in EVIDENCE}
            numbers, years = (np.full(len(authors), value) for value in (number, query.year or 0))
            parts.append(cls(described, np.isin(authors, right.get(query.id, [])), numbers, years))
        return cls.joined(parts)

    @classmethod
    def joined(cls, parts: Sequence[Suggestions]) -> Suggestions:
        """All together, to learn from."""
        evidence = {name: np.concatenate([piece.evidence[name] for piece in parts]) for name in parts[0].evidence}
        right, query, year = (
            np.concatenate([getattr(piece, column) for piece in parts]) for column in ("right", "query", "year")
        )
        return cls(evidence, right, query, year)

    def of(self, mask: NDArray[np.bool_]) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
        """Evidence and truth of the suggestions in a mask."""
        return {name: values[mask] for name, values in self.evidence.items()}, self.right[mask]


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Suggestions with the probability and grade that a model gave them which did not learn from their year."""

    suggestions: Suggestions
    probability: NDArray[np.float64]
    grades: NDArray[np.object_]

    @classmethod
    def by_other_years(cls, measured: Suggestions, taught: Suggestions) -> Graded:
        """Grade suggestions, the later half of the years by a model of the earlier half, and the reverse."""
        years = np.unique(taught.year)
        if len(years) < 2:
            raise InputError("grades are measured across years, and all queries are of one")
        middle = years[(len(years) - 1) // 2]
        probability, grades = np.zeros(len(measured.right)), np.empty(len(measured.right), np.object_)
        for later in (False, True):
            model, half = learn(*taught.of((taught.year > middle) != later)), (measured.year > middle) == later
            probability[half] = model.probability(measured.of(half)[0])
            grades[half] = [model.grade(chance) for chance in probability[half].tolist()]
        return cls(measured, probability, grades)

    def figures(self) -> dict[str, Any]:
        """AUC, calibration error, and the share right of each grade with the number of its suggestions."""
        right = self.suggestions.right
        promised, true, _ = self.groups()
        graded = {grade: self.share(grade) for grade in Confidence}
        weak, strong = (graded[grade].value for grade in (Confidence.LOW, Confidence.HIGH))
        return {
            "suggestions": len(right),
            "right": float(right.mean()),
            "auc": area(self.probability, right),
            "calibration_error": float(np.abs(promised - true).mean()),
            "strong_to_weak": strong / weak if weak else float("inf"),
            "grades": {str(grade): figure for grade, figure in graded.items()},
            "graded": {str(grade): int((self.grades == grade).sum()) for grade in Confidence},
        }

    def share(self, grade: Confidence) -> Figure:
        """Which share of the suggestions of a grade is right, with its interval over queries."""
        return self._share(self.grades == grade)

    def groups(self) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Figure]]:
        """Mean probability and share right of ten groups of equal size, the least probable first."""
        groups = np.array_split(np.argsort(self.probability, kind="stable"), GROUPS)
        figures = [self._share(np.isin(np.arange(len(self.probability)), group)) for group in groups]
        promised = np.array([self.probability[group].mean() for group in groups])
        return promised, np.array([figure.value for figure in figures]), figures

    def _share(self, mask: NDArray[np.bool_]) -> Figure:
        query, count = self.suggestions.query, int(self.suggestions.query.max()) + 1
        right, suggested = (np.bincount(query[rows], minlength=count) for rows in (mask & self.suggestions.right, mask))
        return Ratio(right[None].astype(float), suggested[None].astype(float)).figure(resampling_counts(count))


def area(scores: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The share of pairs of somebody right and somebody wrong in which the first scores higher; equals count half."""
    from scipy.stats import rankdata

    hits = int(right.sum())
    below = rankdata(scores)[right].sum() - hits * (hits + 1) / 2
    return float(below / (hits * (len(right) - hits)))


def reliability_section(graded: Mapping[str, Graded]) -> Section:
    """Promise and truth as pictures."""
    pictures = []
    for name, graded_suggestions in graded.items():
        promised, true, figures = graded_suggestions.groups()
        low, high = zip(*(figure.interval for figure in figures), strict=True)
        lines = {"share who are right": PlotLine(true.tolist(), low, high), "as promised": PlotLine(promised.tolist())}
        caption = f"Suggestions {name}: promised and true."
        file = f"reliability-{name.replace(' ', '-')}"
        pictures.append(draw_lines(file, promised.tolist(), lines, "probability", "share of suggestions", caption))
    return Section("How true grades are", (*pictures, Prose(READING["grades"])))


def model_of(taught: Suggestions) -> FitModel:
    """The model that learned from all years."""
    return learn(*taught.of(np.ones(len(taught.right), dtype=np.bool_)))
