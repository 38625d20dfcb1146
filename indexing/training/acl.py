"""The ACL matching model, trained as Stelmakh et al. (2023), Appendix B, describe it.

Subwords are learned from the abstracts of a corpus. In each epoch the subwords of every abstract are dealt out at
random into two halves, which are to be nearer to each other than to the half of any other abstract of their batch; see
`margin`. After each epoch everything is stored beside the model to be, in `<folder>.training`, and training the same
corpus with the same settings resumes from there; the result is equal, to the last bit, to that of an uninterrupted run.
"""

import logging
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import orjson
from threadpoolctl import threadpool_limits

from indexing.encoders.acl import KIND, Bags, Subwords, learn_subwords, save_model
from indexing.training import working_folder
from indexing.training.margin import MarginLearner, split_halves
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.progress import Progress, silent
from panelist.words import counted

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AclSettings:
    """What is trained, and how; the defaults are the paper's, the rate is that of the ACL's own tool.

    `margin` is δ, by how much the other half is to be nearer than the hardest negative; abstracts of a batch serve as
    each other's negatives; `seed` decides first vectors, the order of abstracts and their halves.
    """

    vocabulary: int = 20_000
    dimension: int = 1_024
    margin: float = 0.4
    batch: int = 64
    epochs: int = 20
    rate: float = 1e-3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class AclTraining:
    """What became of a training: mean losses of a pair in each epoch, and how many epochs an earlier run had made."""

    folder: Path
    abstracts: int
    losses: tuple[float, ...]
    continued: int


def train_acl(
    abstracts: Iterable[str], folder: Path, settings: AclSettings | None = None, progress: Progress = silent
) -> AclTraining:
    """Train a model and put it into a folder, which must be new, empty or have such a model, which is replaced."""
    settings = settings or AclSettings()
    _check_folder(folder)
    # Empty abstracts are left out, and equal ones count once.
    texts = list(dict.fromkeys(stripped for abstract in abstracts if (stripped := abstract.strip())))
    if len(texts) < 2:
        raise InputError(
            f"there is nothing to learn from: {counted(len(texts), 'paper has', 'papers have')} an abstract"
        )
    with working_folder(folder, ".training") as work:
        return _train_in(work, texts, folder, settings, progress)


def _train_in(work: Path, texts: Sequence[str], folder: Path, settings: AclSettings, progress: Progress) -> AclTraining:
    """Train in a folder that has what an earlier run finished; what it has of other texts or settings is deleted."""
    from safetensors.numpy import save

    digest, vocabulary, checkpoint = (work / name for name in ("digest", "tokenizer.model", "epoch.safetensors"))
    plan = _digest(texts, settings)
    if not digest.exists() or digest.read_text() != plan:
        for file in (vocabulary, checkpoint):
            file.unlink(missing_ok=True)
        write_whole(digest, plan.encode())
    progress("learning subwords", 0, len(texts))
    if not vocabulary.exists():
        write_whole(vocabulary, learn_subwords(texts, settings.vocabulary))
    progress("learning subwords", len(texts), len(texts))
    tokenizer = vocabulary.read_bytes()
    subwords = Subwords(tokenizer)
    bags = _cut(subwords, texts, progress)
    learner, losses = _load(checkpoint, settings.epochs)
    learner = learner or MarginLearner.new(len(subwords), settings.dimension, settings.seed)
    continued = len(losses)
    for epoch in range(continued, settings.epochs):
        losses.append(_epoch(learner, bags, settings, epoch, progress))
        logger.info("epoch %d: loss %.5f", epoch + 1, losses[-1])
        state = {"vectors": learner.vectors, "means": learner.means, "squares": learner.squares}
        notes = {"steps": str(learner.steps), "losses": orjson.dumps(losses).decode()}
        write_whole(checkpoint, save(state, notes))
    model = work / "model"
    shutil.rmtree(model, ignore_errors=True)
    model.mkdir()
    save_model(model, tokenizer, learner.vectors, {**asdict(settings), "abstracts": len(bags), "losses": losses})
    if folder.exists():
        folder.rename(work / "old")
    model.rename(folder)
    return AclTraining(folder, len(bags), tuple(losses), continued)


def _load(path: Path, epochs: int) -> tuple[MarginLearner | None, list[float]]:
    """The state after the last epoch, and the losses; nothing if there is none, or one past `epochs`."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        return None, []
    try:
        with safe_open(path, "numpy") as file:
            notes = file.metadata()
            losses: list[float] = orjson.loads(notes["losses"])
            if len(losses) > epochs:
                return None, []
            vectors, means, squares = (file.get_tensor(name) for name in ("vectors", "means", "squares"))
            return MarginLearner(vectors, means, squares, int(notes["steps"])), losses
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        logger.warning("'%s' cannot be read (%s): training starts over", path, error)
        return None, []


def _epoch(learner: MarginLearner, bags: Bags, settings: AclSettings, epoch: int, progress: Progress) -> float:
    """Learn from every abstract once; returns the mean loss. Random numbers depend only on seed and epoch."""
    random = np.random.default_rng([settings.seed, epoch])
    order = random.permutation(len(bags))
    total, count = 0.0, 0
    with threadpool_limits(1, user_api="blas"):  # their number would change what is learned
        for start in range(0, len(order), settings.batch):
            batch = order[start : start + settings.batch]
            if len(batch) > 1:  # a last one alone has no negative
                total += learner.step(*split_halves(bags, batch, random), settings.margin, settings.rate)
                count += len(batch)
                progress("training", epoch * len(order) + count, settings.epochs * len(order))
    return total / count


def _cut(subwords: Subwords, texts: Sequence[str], progress: Progress) -> Bags:
    """All abstracts as subwords, those with fewer than two left out."""
    tokens, lengths = [], []
    for start in range(0, len(texts), 1_000):
        bags = subwords.bags(texts[start : start + 1_000])
        long = bags.lengths >= 2
        tokens.append(bags.tokens[np.repeat(long, bags.lengths)])
        lengths.append(bags.lengths[long])
        progress("cutting abstracts", min(start + 1_000, len(texts)), len(texts))
    bags = Bags(np.concatenate(tokens), np.concatenate([[0], np.cumsum(np.concatenate(lengths))]))
    if len(bags) < 2:
        count = counted(len(bags), "abstract has", "abstracts have")
        raise InputError(f"there is nothing to learn from: {count} two subwords or more")
    return bags


def _check_folder(folder: Path) -> None:
    """Nothing but an earlier model may be replaced."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        if orjson.loads((folder / "config.json").read_bytes())["kind"] == KIND:
            return
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"'{folder}' contains something other than an ACL model: give another folder")


def _digest(texts: Sequence[str], settings: AclSettings) -> str:
    """Identifies the texts and the settings, except the number of epochs: an interrupted training may be prolonged."""
    values = {key: value for key, value in asdict(settings).items() if key != "epochs"}
    digest = blake2b(orjson.dumps(values), digest_size=16)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()
