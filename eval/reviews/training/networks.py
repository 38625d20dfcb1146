"""Training with PyTorch, all tasks at once: the network over vectors, and the fine-tuning of a BERT.

Each is a few passes over whole reviews. In fine-tuning the embeddings of words stay as they are: a few thousand
sentences teach nothing about thirty thousand of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import Sentence
from eval.reviews.tagging.finetuned import FineTuned, Window, cut
from eval.reviews.tagging.outputs import REACH, Layer, Network, Task, columns, neighbours, positions, standardised
from eval.reviews.training.layers import Labelled
from panelist.progress import Progress, silent

_OWN, _NEAR = 128, 48  # hidden units of the network, over a sentence and over each of its neighbours
_BATCH = 16  # reviews
_RATE, _DECAY, _SEED = 1e-3, 1e-2, 0
_ASPECT_WEIGHT = 3.0  # weighs the loss of outputs that do not exclude each other: a mean over many easy zeros
_SMOOTHING = 0.05  # how much labels of exclusive tasks are smoothed
_ALIKE = 16  # batches whose windows are sorted by length together, so that little is padding


def fit_network(data: Labelled, reviews: NDArray[np.int64], epochs: int = 10) -> Network:
    """Learn from the reviews of these numbers."""
    import torch

    torch.manual_seed(_SEED)
    generator = np.random.default_rng(_SEED)
    vectors, starts, width = data.vectors, data.starts, data.width
    center, spread = vectors.mean(axis=0), vectors.std(axis=0) + 1e-3
    heading = (vectors.shape[1] - width) // 3
    sentence, near, head = (
        torch.nn.Linear(features, units) for features, units in ((width, _OWN), (width, _NEAR), (heading, _NEAR))
    )
    position = positions(starts)
    output = torch.nn.Linear(_OWN + (2 * REACH + 1) * _NEAR + position.shape[1], data.labels.shape[1])
    layers = torch.nn.ModuleList([sentence, near, head, output])
    shown, hidden = torch.nn.Dropout(0.2), torch.nn.Dropout(0.4)
    optimizer = torch.optim.AdamW(layers.parameters(), lr=_RATE, weight_decay=_DECAY)
    steps = epochs * -(-len(reviews) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps)
    for _ in range(epochs):
        order = generator.permutation(reviews)
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            rows = data.rows(chosen)
            batch = torch.from_numpy(standardised(vectors[rows], center, spread))
            text = torch.cat([batch[:, :width], torch.zeros(1, width)])  # the last row is 'no neighbour'
            seen = torch.relu(near(shown(text))) * (torch.arange(len(text)) < len(rows))[:, None]
            units = [torch.relu(sentence(shown(text[:-1])))]
            begins = np.cumsum([0, *np.diff(starts)[chosen]])
            units += [seen[torch.from_numpy(column)] for column in neighbours(begins)]
            units += [torch.relu(head(batch[:, -heading:])), torch.from_numpy(position[rows])]
            logits = output(hidden(torch.cat(units, 1)))
            optimizer.zero_grad()
            multi_task_loss(logits, torch.from_numpy(data.labels[rows]), data.tasks).backward()
            optimizer.step()
            schedule.step()
    return Network(center, spread, *(_layer(layer) for layer in layers))


def _layer(layer: Any) -> Layer:
    return Layer(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())


def multi_task_loss(logits: Any, labels: Any, tasks: Sequence[Task]) -> Any:
    """The sum of the tasks' losses, each by the share of the sentences that have a label (not NaN) for it."""
    from torch.nn import functional

    total = logits.sum() * 0
    for task in tasks:
        span = columns(tasks)[task.name]
        labelled = ~labels[:, span.start].isnan()
        if labelled.any():
            predicted, right = logits[labelled][:, span], labels[labelled][:, span]
            if task.exclusive:
                loss = functional.cross_entropy(predicted, right.argmax(1), label_smoothing=_SMOOTHING)
            else:
                loss = _ASPECT_WEIGHT * functional.binary_cross_entropy_with_logits(predicted, right)
            total = total + loss * labelled.sum() / len(logits)
    return total


@dataclass(frozen=True, slots=True)
class FineTuning:
    """Settings of the fine-tuning of a BERT."""

    folder: Path  # the files of the BERT to begin with
    epochs: int = 3
    batch: int = 4
    rate: float = 1e-4  # the learning rate of the BERT
    head_rate: float = 1e-3  # the learning rate of the head
    decay: float = 1e-2
    warm_up: float = 0.1  # the share of the steps in which the rates rise; after it they fall to 0
    dropout: float = 0.1  # the share of the sentences' vectors that is left out
    seed: int = 0  # decides the head, dropout and the order of the windows
    threads: int | None = None

    def fit(
        self,
        sentences: Sequence[Sequence[Sentence]],
        labels: NDArray[np.float32],
        tasks: Sequence[Task],
        progress: Progress = silent,
    ) -> FineTuned:
        """Learn from reviews with labels (sentences, outputs), 1, 0, or NaN where a sentence has none."""
        import torch

        if self.threads is not None:
            torch.set_num_threads(self.threads)
        torch.manual_seed(self.seed)
        order = np.random.default_rng(self.seed)
        model = FineTuned.load(self.folder, labels.shape[1])
        model.bert.embeddings.requires_grad_(False)
        model.bert.train()
        learned = [weights for weights in model.bert.parameters() if weights.requires_grad]
        groups = [
            {"params": learned, "lr": self.rate, "weight_decay": self.decay},
            {"params": list(model.head.parameters()), "lr": self.head_rate, "weight_decay": self.decay},
        ]
        optimizer = torch.optim.AdamW(groups, fused=True)
        windows = cut(sentences, model.tokenizer)
        steps = self.epochs * -(-len(windows) // self.batch)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: self._share(step / steps))
        dropout = torch.nn.Dropout(self.dropout)
        done = 0
        for _ in range(self.epochs):
            for batch in self._batches(windows, order):
                with torch.autocast("cpu", torch.bfloat16, enabled=_has_bfloat16()):
                    vectors, rows = model.read(batch)
                logits = model.head(dropout(vectors))
                optimizer.zero_grad()
                multi_task_loss(logits, torch.from_numpy(labels[rows]), tasks).backward()
                torch.nn.utils.clip_grad_norm_(learned, 1.0)
                optimizer.step()
                schedule.step()
                done += 1
                progress("fine-tuning", done, steps)
        model.bert.eval()
        return model

    def _share(self, done: float) -> float:
        """The part of the full rate that applies after this share of the steps."""
        return min((done + 1e-3) / self.warm_up, max(0.0, (1 - done) / (1 - self.warm_up)))

    def _batches(self, windows: Sequence[Window], order: np.random.Generator) -> Iterator[list[Window]]:
        """Windows in a new order, those of a batch of nearly the same length."""
        shuffled = order.permutation(len(windows))
        batches: list[list[int]] = []
        for start in range(0, len(shuffled), _ALIKE * self.batch):
            alike = sorted(shuffled[start : start + _ALIKE * self.batch], key=lambda n: len(windows[n].tokens))
            batches += [alike[begin : begin + self.batch] for begin in range(0, len(alike), self.batch)]
        for number in order.permutation(len(batches)):
            yield [windows[row] for row in batches[number]]


def _has_bfloat16() -> bool:
    """Whether the processor multiplies matrices of bfloat16 by itself: half the time, and nothing is lost."""
    import torch

    capabilities = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))
