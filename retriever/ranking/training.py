"""Training a ranker: gradient-boosted trees that learn from judgements who should stand before whom (LambdaMART).

LightGBM's `lambdarank` (Burges 2010, https://www.microsoft.com/en-us/research/publication/from-ranknet-to-lambdarank-to-lambdamart-an-overview/)
with few leaves and half of the features per tree: judgements are scarce. One thread and a fixed seed: the same examples
give the same model on the same processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from panelist.errors import InputError
from retriever.ranking.features import FEATURES
from retriever.ranking.model import load_lightgbm


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
        kept = queries[self.query]
        return Examples(self.described[kept], self.query[kept], self.relevant[kept])

    def followed_by(self, other: Examples, queries: int) -> Examples:
        """These and the examples of other queries, which are numbered from `queries` on."""
        return Examples(
            np.concatenate([self.described, other.described]),
            np.concatenate([self.query, other.query + queries]),
            np.concatenate([self.relevant, other.relevant]),
        )


def fit(examples: Examples, settings: RankerSettings | None = None, names: Sequence[str] = tuple(FEATURES)) -> str:
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
