"""Fine-tuning a bi-encoder on a corpus: a title is to find its abstract, or a paper those it shares references with.

The first is how exHarmony makes its "-R" models, see `title_pairs`; for the second see `reference_pairs`. The result is
an ordinary sentence-transformers folder. While training runs, its state is in `<out>.partial`; the same call resumes
from there and ends as an uninterrupted one.
"""

import dataclasses
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from safetensors import SafetensorError

from indexing.encoders import DEFAULT_ENCODER, load_encoder
from indexing.encoders.bert import folder_of
from indexing.encoders.models import find_model
from indexing.encoders.recipe import Recipe, read_recipe, revision_of
from indexing.encoders.sentence import load_sentence_transformer
from indexing.training import working_folder
from indexing.training.contrastive import Batch, PairLearner, plan_batches, rate_at
from indexing.training.pairs import HardNegatives, PairSearch, TextPairs, measure_ranks
from panelist.errors import InputError, ModelError
from panelist.extras import require
from panelist.files import write_whole
from panelist.progress import Progress, counting, silent

DISTRACTORS = 3
"""The documents that BM25 puts first for each held-out query, against which its own has to hold."""

RECORD = "training.json"
"""What a model was trained on and what came of it; in the folder of the model."""

_LIMITS: dict[str, tuple[float, float]] = {
    "epochs": (1, np.inf),
    "batch": (2, np.inf),
    "negatives": (0, np.inf),
    "depth": (1, np.inf),
    "rate": (0, 1),
    "warmup": (0, 1),
    "tokens": (8, np.inf),
    "held_out": (1, np.inf),
    "checkpoint": (1, np.inf),
}


@dataclass(frozen=True, slots=True)
class BiencoderTraining:
    """The settings of a training, and the training itself."""

    encoder: str = DEFAULT_ENCODER  # the model to start from
    papers: int | None = None  # how many of them to learn from, drawn at random; None for all
    epochs: int = 1  # how often each of them is seen; `steps`, where given, decides instead
    steps: int | None = None  # how many batches to learn from
    batch: int = 16  # queries in a batch; each has the documents of the others as negatives too
    negatives: int = 1  # hard negatives of each query in a batch
    depth: int = 100  # they are drawn from this many of BM25's best
    rate: float = 2e-5  # the highest learning rate, reached after `warmup` and then falling to zero
    warmup: float = 0.1  # a part of the steps
    tokens: int = 128  # longer texts are cut in training; the model that comes of it reads as far as before
    held_out: int = 200  # papers that are not learned from, to judge the model by before and after
    checkpoint: int = 100  # steps between two checkpoints
    seed: int = 0  # the same seed gives the same model, on the same machine

    def __post_init__(self) -> None:
        for name, (minimum, maximum) in _LIMITS.items():
            if not minimum <= getattr(self, name) <= maximum:
                raise InputError(f"{name} is {getattr(self, name)}: it must be from {minimum:g} to {maximum:g}")

    def train(
        self, pairs: TextPairs, out: Path, progress: Progress = silent, *, threads: int | None = None
    ) -> dict[str, Any]:
        """Train on these pairs, write the model to `out`, and return its record."""
        require("training an encoder", "torch", "sentence_transformers")
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise InputError(f"'{out}' exists already: name a new folder for the model")
        learned, held_out = self._split(pairs)
        model = find_model(self.encoder)
        folder = folder_of(model)
        plan = {
            "settings": dataclasses.asdict(self),
            "revision": revision_of(folder),
            "pairs": pairs.kind,
            "corpus": pairs.digest(),
        }
        with working_folder(out, ".partial") as work:
            if (stored := work / "plan.json").exists() and orjson.loads(stored.read_bytes()) != plan:
                raise InputError(
                    f"'{work}' has a training that was begun with other settings or papers: "
                    "continue with those, remove it, or name another folder"
                )
            _write_json(stored, plan)
            trainee = self._trainee(folder, model.family is not None, threads)
            try:
                record = _Run(self, pairs, learned, held_out, work, progress, threads).finish(*trainee)
            except SafetensorError as error:  # most of all a full disk, which it does not tell as others do
                raise InputError(
                    f"cannot write to '{work}': {error}; fix that and run the same command again"
                ) from error
            record = {"trained_from": self.encoder, **plan, **record}
            _write_json(work / "model" / RECORD, record)
            if out.exists():
                out.rmdir()
            (work / "model").rename(out)
            return record

    def _trainee(self, folder: Path, cls_family: bool, threads: int | None) -> tuple[Any, Recipe]:
        """The model to start from, as sentence-transformers has it, and how it is used."""
        import torch

        if threads is not None:
            torch.set_num_threads(threads)
        try:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.seed)  # weights that a folder lacks are made at random
                recipe = read_recipe(folder, cls_family=cls_family)
                return load_sentence_transformer(folder, recipe), recipe
        except Exception as error:  # whatever the libraries raise
            reason = str(error).split("\n")[0]
            raise ModelError(f"the model in '{folder}' cannot be trained: {reason}; name another encoder") from error

    def _split(self, pairs: TextPairs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Which queries to learn from, and which are held out: no document of theirs is learned from either."""
        if self.papers is not None and self.papers < self.batch:
            raise InputError(f"{self.papers} papers make no batch of {self.batch}: take more, or a smaller batch")
        paired = np.flatnonzero(pairs.positives[:, 0] >= 0)
        order = np.random.default_rng([self.seed]).permutation(paired).astype(np.int64)
        held_out, remaining = order[: self.held_out], order[self.held_out :]
        learned = remaining[(_drop_held_out(pairs.positives[remaining], held_out) >= 0).any(axis=1)]
        needed = self.papers or self.batch
        if len(held_out) < self.held_out or len(learned) < needed:
            kind = "title and abstract" if pairs.kind == "titles" else "references that link them to another"
            raise InputError(
                f"too few papers: the corpus has {len(held_out) + len(learned)} with {kind}, "
                f"{self.held_out + needed} are needed ({self.held_out} held out, {needed} to learn from); "
                "hold out or ask for fewer"
            )
        return learned[: self.papers], held_out


@dataclass(frozen=True, slots=True)
class _Run:
    """One training in its working directory; each part of it can be repeated after an interruption."""

    settings: BiencoderTraining
    pairs: TextPairs
    learned: NDArray[np.int64]
    held_out: NDArray[np.int64]
    work: Path
    progress: Progress
    threads: int | None

    def finish(self, trainee: Any, recipe: Recipe) -> dict[str, Any]:
        """Train what is left to train, save the model, judge it beside the one it comes from."""
        separator = getattr(trainee.tokenizer, "sep_token", None) or "\n"
        with HardNegatives(self.pairs) as miner:
            negatives = miner.mine(self.held_out, DISTRACTORS)
            targets = self.pairs.positives[self.held_out, 0]
            distractors = np.setdiff1d(negatives[negatives >= 0], targets)
            search = PairSearch(self.pairs, self.held_out, np.concatenate([targets, distractors]))
            ranks_before = self._ranks_before(search)
            max_length = trainee.max_seq_length
            trainee.max_seq_length = min(self.settings.tokens, max_length)
            losses = self._learn(PairLearner(trainee, self.pairs, partial(recipe.render, separator=separator)), miner)
        trainee.max_seq_length = max_length
        shutil.rmtree(self.work / "model", ignore_errors=True)
        trainee.eval().save(str(self.work / "model"), create_model_card=False)
        ranks_after = self._ranks(search, str(self.work / "model"), "held-out papers after")
        return {
            "papers": len(self.learned),
            "steps": len(losses),
            "loss": [float(chunk.mean()) for chunk in np.array_split(losses, min(10, len(losses)))],
            "held_out": {
                "queries": len(self.held_out),
                "documents": len(search.documents),
                "before": measure_ranks(ranks_before),
                "after": measure_ranks(ranks_after),
                "better": int((ranks_after < ranks_before).sum()),
                "worse": int((ranks_after > ranks_before).sum()),
            },
        }

    def _ranks_before(self, search: PairSearch) -> NDArray[np.int64]:
        stored = self.work / "before.json"
        if not stored.exists():
            ranks = self._ranks(search, self.settings.encoder, "held-out papers before")
            _write_json(stored, {"ranks": ranks.tolist()})
        return np.array(orjson.loads(stored.read_bytes())["ranks"], dtype=np.int64)

    def _ranks(self, search: PairSearch, encoder: str, stage: str) -> NDArray[np.int64]:
        progress = counting(self.progress, stage, len(search.queries) + len(search.documents))
        return search.ranks(load_encoder(encoder, threads=self.threads), progress)

    def _learn(self, learner: PairLearner, miner: HardNegatives) -> NDArray[np.float64]:
        settings = self.settings
        checkpoint = self.work / "checkpoint.safetensors"
        if checkpoint.exists():
            learner.load(checkpoint)
        steps = settings.steps or settings.epochs * self._epoch
        consistent = True  # not in the midst of changing the weights
        try:
            for batch in self._batches(miner, len(learner.losses), steps):
                step = len(learner.losses)
                loss = learner.gradient(batch, [settings.seed, 2, step])
                consistent = False
                learner.step(settings.rate * rate_at(step, steps, settings.warmup), loss)
                consistent = True
                self.progress("training", (step + 1) * settings.batch, steps * settings.batch)
                if (step + 1) % settings.checkpoint == 0 or step + 1 == steps:
                    learner.save(checkpoint)
        except KeyboardInterrupt:
            if consistent:
                learner.save(checkpoint)
            raise
        return np.array(learner.losses)

    @property
    def _epoch(self) -> int:
        """Batches in an epoch."""
        return len(self.learned) // self.settings.batch

    def _batches(self, miner: HardNegatives, start: int, steps: int) -> Iterator[Batch]:
        """The batches of the steps from `start` on: the same ones, wherever training resumes."""
        if start >= steps:
            return
        settings = self.settings
        allowed = np.ones(len(self.pairs.documents), dtype=np.bool_)
        allowed[self.held_out] = False
        progress = counting(self.progress, "hard negatives", len(self.learned))
        candidates = miner.mine(self.learned, settings.depth, allowed=allowed, progress=progress)
        positives = _drop_held_out(self.pairs.positives[self.learned], self.held_out)
        for step in range(start - start % self._epoch, steps, self._epoch):
            seed = [settings.seed, 1, step // self._epoch]
            planned = plan_batches(self.learned, positives, candidates, settings.batch, settings.negatives, seed)
            yield from planned[max(start - step, 0) : steps - step]


def _drop_held_out(positives: NDArray[np.int64], held_out: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(np.isin(positives, held_out), -1, positives)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    write_whole(path, orjson.dumps(value, option=orjson.OPT_INDENT_2))
