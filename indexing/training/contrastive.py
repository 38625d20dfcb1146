"""Contrastive learning: of all documents in a batch, a query's own is to be the most similar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexing.encoders.recipe import CHARACTERS_PER_TOKEN
from indexing.text import Text
from indexing.training.pairs import TextPairs
from panelist.errors import InputError
from panelist.files import replacing

if TYPE_CHECKING:
    from torch import Tensor

SCALE = 20.0
"""What cosines are multiplied by before the softmax: an inverse temperature, that of sentence-transformers."""

_WEIGHT_DECAY, _LONGEST_GRADIENT = 0.01, 1.0


class Batch(NamedTuple):
    """Rows of the pairs: `queries`, and `documents`, which begins with the queries' own."""

    queries: NDArray[np.int64]
    documents: NDArray[np.int64]


def plan_batches(
    rows: NDArray[np.int64],
    positives: NDArray[np.int64],
    candidates: NDArray[np.int64],
    size: int,
    negatives: int,
    seed: Sequence[int],
) -> list[Batch]:
    """One pass over the queries `rows` in random order, `size` at a time; an incomplete last batch is dropped.

    A query is to find one of its `positives` (rows, most), at random, and not its `negatives` drawn from `candidates`
    (rows, depth). No hard negative is in a batch twice: where one of a query is another query's own document, it
    serves as both.
    """
    dice = np.random.default_rng(seed)
    order = dice.permutation(len(rows))
    hard = draw_candidates(candidates, negatives, dice)
    targets = draw_candidates(positives, 1, dice)[:, 0]
    planned = []
    for start in range(0, len(rows) - size + 1, size):
        rows_of_batch = order[start : start + size]
        hard_negatives = np.setdiff1d(hard[rows_of_batch], targets[rows_of_batch])
        planned.append(
            Batch(rows[rows_of_batch], np.concatenate([targets[rows_of_batch], hard_negatives[hard_negatives >= 0]]))
        )
    return planned


def draw_candidates(candidates: NDArray[np.int64], count: int, dice: np.random.Generator) -> NDArray[np.int64]:
    """Up to `count` different candidates of each row, at random; (rows, count), -1 where a row has fewer."""
    keys = dice.random(candidates.shape)
    keys[candidates < 0] = 2.0  # behind all others
    return np.take_along_axis(candidates, np.argsort(keys, axis=1)[:, :count], axis=1)


def contrastive_loss(queries: Tensor, documents: Tensor, masked: Tensor) -> Tensor:
    """The mean over queries i of −log softmax_j(20 cos(qᵢ, dⱼ)) at j = i (multiple negatives ranking, InfoNCE).

    The first n of (m, dimension) `documents` are those of the n queries; `masked` (n, m) says where a document is
    not a negative of a query. Henderson et al., "Efficient Natural Language Response Suggestion for Smart Reply", 2017.
    """
    import torch
    from torch.nn.functional import cross_entropy, normalize

    scores = SCALE * normalize(queries, dim=1) @ normalize(documents, dim=1).T
    diagonal = torch.arange(len(queries))
    excluded = masked.clone()
    excluded[diagonal, diagonal] = False
    return cross_entropy(scores.masked_fill(excluded, -torch.inf), diagonal)


def rate_at(step: int, steps: int, warmup: float) -> float:
    """The part of the learning rate at a step: rising over the first `warmup` of the steps, then falling to zero."""
    rising = max(round(steps * warmup), 1)
    return min((step + 1) / rising, (steps - step) / max(steps - rising, 1))


class PairLearner:
    """A sentence-transformers model with its optimiser: what a step changes, and what a checkpoint contains."""

    def __init__(self, model: Any, pairs: TextPairs, render: Callable[[Text], str]) -> None:
        import torch

        self.losses: list[float] = []  # of each step so far
        self._model = model.train()
        self._pairs = pairs
        self._render = render
        self._parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}
        self._optimizer = torch.optim.AdamW(self._parameters.values(), weight_decay=_WEIGHT_DECAY)

    def gradient(self, batch: Batch, seed: Sequence[int]) -> float:
        """Set the gradient of a batch's loss, and return the loss; `seed` decides what is dropped out."""
        import torch

        masked = torch.from_numpy(self._pairs.related(*batch))
        self._optimizer.zero_grad()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
            queries = self._encode([self._pairs.queries[row] for row in batch.queries])
            documents = self._encode([self._pairs.documents[row] for row in batch.documents])
            loss = contrastive_loss(queries, documents, masked)
            torch.autograd.backward(loss)
        return loss.item()

    def step(self, rate: float, loss: float) -> None:
        """Go one step down the gradient."""
        import torch

        torch.nn.utils.clip_grad_norm_(self._parameters.values(), _LONGEST_GRADIENT)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        self.losses.append(loss)

    def _encode(self, texts: list[Text]) -> Any:
        limit = self._model.max_seq_length * CHARACTERS_PER_TOKEN
        return self._model(self._model.preprocess([self._render(text)[:limit] for text in texts]))["sentence_embedding"]

    def save(self, path: Path) -> None:
        """Write weights, the optimiser's moments and the losses, all or nothing."""
        import torch
        from safetensors.torch import save_file

        tensors = {f"weight.{name}": value.detach().contiguous() for name, value in self._parameters.items()}
        for name, value in self._parameters.items():
            if value in self._optimizer.state:
                for moment in ("exp_avg", "exp_avg_sq"):
                    tensors[f"{moment}.{name}"] = self._optimizer.state[value][moment].contiguous()
        tensors["losses"] = torch.tensor(self.losses, dtype=torch.float64)
        with replacing(path) as temporary:
            save_file(tensors, temporary)

    def load(self, path: Path) -> None:
        """Resume where a checkpoint was written."""
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            tensors = load_file(path)
            self.losses = tensors["losses"].tolist()
            with torch.no_grad():
                for name, value in self._parameters.items():
                    value.copy_(tensors[f"weight.{name}"])
                    if f"exp_avg.{name}" in tensors:
                        moments = {moment: tensors[f"{moment}.{name}"] for moment in ("exp_avg", "exp_avg_sq")}
                        self._optimizer.state[value] = {"step": torch.tensor(float(len(self.losses))), **moments}
        except (SafetensorError, KeyError, RuntimeError) as error:
            raise InputError(f"the checkpoint '{path}' is damaged: remove '{path.parent}' to start over") from error
