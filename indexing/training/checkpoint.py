"""A folder beside the future model with what is needed to resume: the vocabulary, the state after the last epoch."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Self

import orjson
from filelock import FileLock, Timeout

from indexing.tables.arrays import replacing
from indexing.training.margin import MarginLearner
from panelist.closing import Closing
from panelist.errors import InputError

logger = logging.getLogger(__name__)


class Checkpoint(Closing):
    """See the module; a context in which no other process trains the same model."""

    def __init__(self, folder: Path, digest: str, lock: FileLock) -> None:
        self.folder, self._digest, self._lock = folder, digest, lock

    @classmethod
    def at(cls, folder: Path, digest: str) -> Self:
        """The checkpoint in a folder, empty unless it is of the same digest.

        Raises:
            InputError: another process is training this model.
        """
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_name(f".{folder.name}.lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise InputError(
                f"this model is being trained already ('{folder}'): wait, or choose another folder"
            ) from error
        checkpoint = cls(folder, digest, lock)
        if checkpoint._read("digest") != digest.encode():
            checkpoint.discard()
            folder.mkdir()
            checkpoint._write("digest", digest.encode())
        return checkpoint

    def tokenizer(self, learn: Callable[[], bytes]) -> bytes:
        """The vocabulary, learned and kept if it is not there yet."""
        tokenizer = self._read("tokenizer.model")
        if tokenizer is None:
            tokenizer = learn()
            self._write("tokenizer.model", tokenizer)
        return tokenizer

    def save(self, learner: MarginLearner, losses: list[float]) -> None:
        """Keep the state after an epoch, which replaces the earlier one; `losses` are those of the epochs so far."""
        from safetensors.numpy import save

        state = {"vectors": learner.vectors, "means": learner.means, "squares": learner.squares}
        notes = {"steps": str(learner.steps), "losses": orjson.dumps(losses).decode()}
        self._write("epoch.safetensors", save(state, notes))

    def load(self, epochs: int) -> tuple[MarginLearner | None, list[float]]:
        """The state after the last epoch, and the losses; nothing if there is none, or one past `epochs`."""
        from safetensors import SafetensorError, safe_open

        path = self.folder / "epoch.safetensors"
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

    def discard(self) -> None:
        """Remove all files of the checkpoint."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let others train this model."""
        self._lock.release()

    def _read(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def _write(self, name: str, content: bytes) -> None:
        with replacing(self.folder / name) as part:
            part.write_bytes(content)
