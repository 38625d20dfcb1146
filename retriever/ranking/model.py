"""A learned ranker: LightGBM trees that order the best people of a plain ranking, and say what lifted whom.

A model is a file in LightGBM's own text format, with a file of its provenance beside it (`.json`): data, features,
settings, figures. `reviewers` comes with the package; `panelist train ranker` makes others.

Scores of trees have no scale. So the order is the ranker's, and the scores stay those of the plain ranking: the best
person gets the highest of them, the second the next. Diversity and runs work as they do without a ranker.

Training is LightGBM's `lambdarank` (LambdaMART, Burges 2010,
https://www.microsoft.com/en-us/research/publication/from-ranknet-to-lambdarank-to-lambdamart-an-overview/): it
learns from judgements who should stand before whom, with few leaves and half of the features per tree: judgements are
scarce. One thread and a fixed seed: the same examples give the same model on the same processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.tables.ownership import Ownership
from panelist.errors import InputError, MissingDependencyError
from retriever.aggregate import Aggregation
from retriever.ranking.features import FEATURES, features
from retriever.ranking.trees import Trees
from retriever.stages import RankedAuthors, Reasons

if TYPE_CHECKING:
    from retriever.history.seen import Seen
    from retriever.references.citations import Citations

DEPTH = 400
"""How many of the plain ranking are put into another order; the others follow as they were."""

REASONS = 3
"""How many features an explanation names."""

_MODELS = Path(__file__).parent / "models"
_EXPLAINED = 40  # trees whose contributions are counted: the first ones say most, and each costs time
_LEAST_CONTRIBUTION = 0.02  # on the scale of the trees' scores: less is not worth a word


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """A model that was read from its file, with the columns of its features; threads may share it.

    `provenance` is what it was trained on, and its figures; empty where there is no such file.
    """

    columns: tuple[int, ...]
    provenance: dict[str, Any]
    _trees: Trees | None = field(repr=False)  # None where LightGBM itself has to score
    _booster: Any = field(repr=False)

    @classmethod
    def load(cls, name: str) -> Ranker:
        """The ranker of this name, or of this file."""
        path = _MODELS / f"{name}.txt" if name in shipped() else Path(name)
        try:
            return _load(path, path.stat().st_mtime_ns)
        except OSError as error:
            names = ", ".join(shipped())
            raise InputError(f"no ranker '{name}': use {names}, or a file of 'panelist train ranker'") from error

    def rerank(
        self,
        ranked: RankedAuthors,
        rows: NDArray[np.int64],
        aggregation: Aggregation,
        ownership: Ownership,
        citations: Citations | None = None,
        seen: Seen | None = None,
    ) -> tuple[RankedAuthors, Reasons]:
        """These rows as a ranking of their own, the first `DEPTH` of them in the order of the trees, and the reasons.

        `rows`, at least one, are those of the plain ranking that `aggregation` made, best first.
        """
        best = rows[:DEPTH]
        relevance = aggregation.relevance(ranked.scores[best])
        described = features(ranked, best, relevance, ownership, citations, seen)[:, self.columns]
        scores = self._trees.score(described) if self._trees else self._booster.predict(described, num_threads=1)
        order = np.argsort(-scores, kind="stable")
        learned = ranked.take(np.concatenate([best[order], rows[DEPTH:]]))
        return replace(learned, scores=ranked.scores[rows]), partial(self.reasons, described[order])

    def reasons(self, described: NDArray[np.float32], rows: NDArray[np.int64]) -> list[tuple[str, ...]]:
        """What lifted the people in these rows of the learned ranking, in words; nothing for those after `DEPTH`.

        `described` (people, features) are the features of the first people of the ranking, in its order.
        """
        seen = rows < len(described)
        if not seen.any():
            return [()] * len(rows)
        described = described[rows[seen]]
        contributions = self._booster.predict(described, pred_contrib=True, num_iteration=_EXPLAINED, num_threads=1)
        best = np.argsort(-contributions[:, :-1], axis=1, kind="stable")[:, :REASONS]  # the last column is the bias
        phrases = [list(FEATURES.values())[column] for column in self.columns]
        words = (
            tuple(phrases[k].format(float(values[k])) for k in columns if lifts[k] >= _LEAST_CONTRIBUTION)
            for values, lifts, columns in zip(described, contributions, best.tolist(), strict=True)
        )
        return [next(words) if is_seen else () for is_seen in seen.tolist()]


def shipped() -> tuple[str, ...]:
    """The names of the rankers that come with the package."""
    return tuple(sorted(path.stem for path in _MODELS.glob("*.txt")))


@lru_cache(maxsize=8)
def _load(path: Path, modified: int) -> Ranker:
    lightgbm = load_lightgbm()
    try:
        text = path.read_text(encoding="utf-8")
        booster, trees = lightgbm.Booster(model_str=text), Trees.parse(text)
        columns = tuple(list(FEATURES).index(name) for name in booster.feature_name())
    except (lightgbm.basic.LightGBMError, ValueError) as error:
        raise InputError(
            f"'{path}' is not a ranker that this version can use: train it again with 'panelist train ranker'"
        ) from error
    try:
        provenance = dict(orjson.loads(path.with_suffix(".json").read_bytes()))
    except (OSError, ValueError, TypeError):
        provenance = {}
    return Ranker(columns, provenance, trees, booster)


def load_lightgbm() -> Any:
    """Import LightGBM, or say what it lacks."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise MissingDependencyError(
            f"learned rankers need LightGBM ({error}): run \"pip install 'panelist'\" again; on Linux it needs libgomp1"
        ) from error
    return lightgbm


@dataclass(frozen=True, slots=True)
class RankerSettings:
    """How trees are grown: shares are of features and examples per tree, `l2` penalises the values of leaves.

    `truncation` is how deep in a ranking a mistake still counts.
    """

    leaves: int = 15
    rounds: int = 120
    rate: float = 0.05
    feature_share: float = 0.5
    row_share: float = 0.7
    l2: float = 5.0
    truncation: int = 30
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """People who were found for queries: (people, features) in the order of `FEATURES`, and whether they are right.

    Queries ascend; within a query people are in the order of the plain ranking.
    """

    described: NDArray[np.float32]
    query: NDArray[np.int64]
    relevant: NDArray[np.bool_]

    def of(self, queries: NDArray[np.bool_]) -> Examples:
        """The examples of some queries: a mask over all."""
        selected = queries[self.query]
        return Examples(self.described[selected], self.query[selected], self.relevant[selected])

    def followed_by(self, other: Examples, queries: int) -> Examples:
        """These and the examples of other queries, which are numbered from `queries` on."""
        return Examples(
            np.concatenate([self.described, other.described]),
            np.concatenate([self.query, other.query + queries]),
            np.concatenate([self.relevant, other.relevant]),
        )


def fit_ranker(
    examples: Examples, settings: RankerSettings | None = None, names: Sequence[str] = tuple(FEATURES)
) -> str:
    """Train a ranker on some features; returns the model in LightGBM's text format.

    Queries without anybody who is right teach nothing and are left out.
    """
    settings = settings or RankerSettings()
    teaching = np.zeros(int(examples.query.max(initial=-1)) + 1, dtype=np.bool_)
    teaching[examples.query[examples.relevant]] = True
    if not teaching.any():
        raise InputError("nobody who was found is right for any query: there is nothing to learn from")
    used = examples.of(teaching)
    lightgbm = load_lightgbm()
    columns = [list(FEATURES).index(name) for name in names]
    counts = np.bincount(used.query)
    data = lightgbm.Dataset(
        used.described[:, columns], used.relevant, group=counts[counts > 0], feature_name=list(names)
    )
    parameters = {
        "objective": "lambdarank",
        "num_leaves": settings.leaves,
        "learning_rate": settings.rate,
        "feature_fraction": settings.feature_share,
        "bagging_fraction": settings.row_share,
        "bagging_freq": 1,
        "lambda_l2": settings.l2,
        "lambdarank_truncation_level": settings.truncation,
        "seed": settings.seed,
        "deterministic": True,
        "force_col_wise": True,
        "num_threads": 1,
        "verbosity": -1,
    }
    return str(lightgbm.train(parameters, data, settings.rounds).model_to_string())
