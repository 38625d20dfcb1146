"""How well somebody fits a submission: one probability of all that is known of both, and grades that are cuts of it.

The model is logistic, P = 1 / (1 + exp(−b − Σ wₖ · eₖ)), over evidence that is never negative and weights that are not
either: more evidence never lowers a grade, and what is not known counts as no evidence. Evidence does not depend on who
else was found or on the query's best paper, so that a grade means the same for every submission, in a look-up and in
affinity. P is how often people of such evidence, among the first ten of a look-up, had really reviewed the paper; it is
small because a paper has few reviewers, and many people could be. `fit.json` is the model, with its provenance;
`panelist train fit` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.index import Index
from indexing.tables.ownership import gather_rows
from panelist.records import Confidence

if TYPE_CHECKING:
    from retriever.history.seen import Seen
    from retriever.references.citations import Citations

EVIDENCE = {
    "nearest": "nearness of their nearest paper, from 0 for a random one to 1 for a nearest neighbour",
    "second": "nearness of the second",
    "third": "nearness of the third",
    "led": "nearness of the nearest that they are the last author of",
    "cited": "ln(1 + works that the submission cites, twice as last author, divided by the number of namesakes)",
    "cited_last": "ln(1 + cited works as last author)",
    "coupled": "largest cosine between what the submission and a paper of theirs cite",
    "reviewed": "nearness of the nearest paper that they reviewed or edited",
    "reviews": "ln(1 + papers that they reviewed or edited)",
}
"""What may be known of a pair, each a number from 0; a model may use some of it."""
NEAR = 0.64
"""From which nearness a paper is near: of random pairs of eLife's papers one in a hundred is."""
LED_UNKNOWN = 0.5
"""Where nobody knows who wrote a paper as last author, `led` is this share of `nearest`."""

Evidence = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class FitModel:
    """Weights by the names of evidence, the intercept, and the probabilities from which a match is fair and strong."""

    weights: Mapping[str, float]
    intercept: float
    fair: float
    strong: float

    @classmethod
    def load(cls, path: Path) -> FitModel:
        """Read a model of `panelist train fit`."""
        content = orjson.loads(path.read_bytes())
        return cls(**{name: content[name] for name in cls.__slots__})

    def probability(self, evidence: Evidence) -> NDArray[np.float64]:
        """(people) the probability of each."""
        terms = (weight * evidence[name] for name, weight in self.weights.items() if name in evidence)
        return 1 / (1 + np.exp(-np.asarray(sum(terms, start=self.intercept), dtype=np.float64)))

    def grade(self, probability: float) -> Confidence:
        """The grade of a probability."""
        if probability < self.fair:
            return Confidence.LOW
        return Confidence.MEDIUM if probability < self.strong else Confidence.HIGH


@cache
def shipped() -> FitModel:
    """The model that comes with the package."""
    return FitModel.load(Path(__file__).with_suffix(".json"))


def grade(probability: float) -> Confidence:
    """The grade of a probability, by the model of the package."""
    return shipped().grade(probability)


def evidence_of(
    index: Index,
    vector: NDArray[np.float32],
    authors: NDArray[np.integer[Any]],
    citations: Citations | None = None,
    seen: Seen | None = None,
) -> tuple[Evidence, NDArray[np.int64]]:
    """What an index knows of these people and a submission with this vector; and how many papers of each are near."""
    ownership, people = index.ownership, authors.astype(np.int64)
    entries, counts = gather_rows(ownership.author_starts, people)
    units, persons = ownership.author_units[entries].astype(np.int64), np.repeat(np.arange(len(people)), counts)
    counted = index.units.evidence[units]
    units, persons = units[counted], persons[counted]
    nearness = index.nearness.scaled(index.vectors[units].astype(np.float32, copy=False) @ vector)
    led = ownership.unit_authors[ownership.unit_starts[units + 1] - 1] == people[persons]
    evidence = near_evidence(nearness, persons, len(people), led)
    if citations is not None:
        evidence |= citations.evidence(people, units, persons)
    if seen is not None:
        evidence |= {name: seen.of_authors(values, people) for name, values in seen.evidence().items()}
    return evidence, np.bincount(persons[nearness >= NEAR], minlength=len(people))


def near_evidence(
    nearness: NDArray[np.float64],  # of papers
    persons: NDArray[np.int64],  # whose they are, ascending
    count: int,  # how many people there are
    led: NDArray[np.bool_],  # whether as last author
    leads_known: NDArray[np.bool_] | None = None,  # (people) of whom that is known; all by default
) -> dict[str, NDArray[np.float64]]:
    """What follows from how near somebody's papers are."""
    rank = np.arange(len(persons)) - np.searchsorted(persons, persons)
    table = np.zeros((count, max(3, int(rank.max(initial=0)) + 1)))
    table[persons, rank] = np.maximum(nearness, 0)
    nearest, second, third = -np.sort(np.partition(-table, 2, axis=1)[:, :3], axis=1).T
    as_last = np.zeros(count)
    np.maximum.at(as_last, persons[led], nearness[led])
    if leads_known is not None:
        as_last = np.where(leads_known, as_last, LED_UNKNOWN * nearest)
    return {"nearest": nearest, "second": second, "third": third, "led": as_last}


def learn(evidence: Evidence, right: NDArray[np.bool_], names: tuple[str, ...] = tuple(EVIDENCE)) -> FitModel:
    """The model of these pairs: maximum likelihood with weights of at least 0; evidence nobody has gets none.

    Of the pairs without a history, half are below a fair match, and one in ten is strong.
    """
    from scipy.optimize import minimize

    known_names = tuple(name for name in names if name in evidence and evidence[name].any())
    columns = np.stack([np.ones(len(right)), *(evidence[name] for name in known_names)], axis=1)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        totals = columns @ weights
        slope = columns.T @ (1 / (1 + np.exp(-totals)) - right) / len(right)
        return float((np.logaddexp(0, totals) - right * totals).mean()), slope

    bounds = [(None, None), *([(0, None)] * len(known_names))]
    start = np.zeros(len(known_names) + 1)
    intercept, *weights = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x.round(4).tolist()
    model = FitModel(dict(zip(known_names, weights, strict=True)), intercept, 0.0, 1.0)
    typical = evidence["reviews"] == 0 if "reviews" in evidence else np.ones(len(right), np.bool_)
    fair, strong = np.quantile(model.probability(evidence)[typical], (0.5, 0.9)).round(4).tolist()
    return FitModel(model.weights, intercept, fair, strong)
