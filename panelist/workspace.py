"""One directory with everything of one project: its corpus and its index. It knows paths, not engines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from panelist.config import default_workspace, mongo_uri
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.extras import require


@dataclass(frozen=True, slots=True)
class Workspace:
    """The paths of one workspace directory.

    The corpus is `corpus.sqlite` inside it, or, where `mongo` names a server, the MongoDB database of the
    directory's name on that server.
    """

    path: Path
    mongo: str | None = None

    @classmethod
    def at(cls, path: Path | None = None) -> Workspace:
        """The workspace at `path`, else the default one, with the store that the environment asks for."""
        return cls((path or default_workspace()).absolute(), mongo_uri())

    @property
    def index_path(self) -> Path:
        """The index directory (`panelist index build`)."""
        return self.path / "index"

    @property
    def corpus_path(self) -> Path:
        """The path of the SQLite corpus."""
        return self.path / "corpus.sqlite"

    def open_corpus(self, *, create: bool = False) -> CorpusStore:
        """Open the corpus; without `create` it is an `InputError` that there is none yet."""
        if self.mongo is not None:
            require("a corpus in MongoDB", "pymongo")
            from panelist.corpus.mongo import MongoStore

            store = MongoStore(self.mongo, database=self.path.name.replace(".", "_"))
            if create or store.exists:
                return store
            store.close()
        # An empty file is what a creation leaves that was killed at its beginning, or a copy that failed: no corpus.
        elif create or (self.corpus_path.exists() and self.corpus_path.stat().st_size):
            from panelist.corpus.sqlite import SqliteStore

            self.path.mkdir(parents=True, exist_ok=True)
            return SqliteStore(self.corpus_path)
        raise InputError(
            f"no corpus in workspace '{self.path}': import papers first, e.g. "
            f"'panelist import openalex PATH --workspace {self.path}'"
        )
