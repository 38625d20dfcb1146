"""An index that is open for reading: arrays memory-mapped at once, engines and encoder opened when first asked for."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.dense import open_vector_index
from indexing.encoders import Encoder, EncoderFactory
from indexing.encoders.cache import load_for_queries
from indexing.jobs.generations import current_generation, pin_generation
from indexing.jobs.manifest import EncoderIdentity, Manifest, build_command, encoder_mismatch
from indexing.lexical import TERMS, TERMS_FROM, open_foreign, open_lexical
from indexing.lexical.engine import LexicalIndex
from indexing.tables.affiliations import Affiliations
from indexing.tables.names import Names
from indexing.tables.nearness import RECORDED, Nearness, measure_nearness
from indexing.tables.ownership import Ownership
from indexing.tables.references import References
from indexing.tables.units import Units
from indexing.tables.vectors import VECTORS, open_vectors
from panelist.closing import Closing
from panelist.errors import IndexDirectoryError

if TYPE_CHECKING:
    from indexing.dense.faiss_flat import ExactIndex

_TRIES = 5


class Index(Closing):
    """One generation of an index, which is not deleted until `close`. Safe to share between threads."""

    def __init__(self, path: Path, load: EncoderFactory = load_for_queries, lexical: str | None = None) -> None:
        self.path = path  # the generation's directory
        self._load, self._lexical_name = load, lexical
        # The Java machine and the encoder may start at the same time.
        self._opening, self._loading = threading.Lock(), threading.Lock()
        self._lexical: LexicalIndex | None = None
        self._dense: ExactIndex | None = None
        self._encoder: Encoder | None = None
        self._pin = pin_generation(path)
        try:
            self.manifest = Manifest.open(path)
            self.units = Units.open(path / "units")
            self.ownership = Ownership.open(path / "ownership")
            self.affiliations = Affiliations.open(path / "affiliations")
            self.names = Names.open(path / "names")
            self.references = References.read(path / "references")  # None where no paper of the corpus has any
            shape = len(self.units), self.manifest.encoder.dimension
            self.vectors = open_vectors(path / VECTORS, self.manifest.dense.precision, *shape)  # the exact ones
        except BaseException:
            self._pin.close()
            raise

    @property
    def live(self) -> NDArray[np.bool_]:
        """(units) bool: which units are not tombstones."""
        return self.units.live

    @cached_property
    def nearness(self) -> Nearness:
        """What near means for the vectors: recorded for their encoder, else in the manifest, else measured."""
        return RECORDED.get(self.manifest.encoder.name) or self.manifest.nearness or measure_nearness(self.vectors)

    def lexical(self) -> LexicalIndex:
        """The lexical index; for `lucene` the first call starts the JVM."""
        with self._opening:
            if self._lexical is None and self._lexical_name is not None:
                self._lexical = open_foreign(self._lexical_name, self.units)
            if self._lexical is None:
                settings = self.manifest.lexical
                terms = settings.terms or (TERMS if len(self.units) >= TERMS_FROM else 0)
                self._lexical = open_lexical(self.path / "lexical", settings.engine, terms)
            return self._lexical

    def dense(self) -> ExactIndex:
        """Open the vector index."""
        with self._opening:
            if self._dense is None:
                self._dense = open_vector_index(self.path / "dense", self.vectors)
            return self._dense

    def encoder(self) -> Encoder:
        """The encoder that made the vectors; at another revision or dimension it is refused."""
        with self._loading:
            if self._encoder is None:
                encoder = self._load(self.manifest.encoder.name)
                if (identity := EncoderIdentity.of(encoder)) != self.manifest.encoder:
                    raise encoder_mismatch(self.path.parent, self.manifest.encoder, identity)
                self._encoder = encoder
            return self._encoder

    def close(self) -> None:
        """Release the engines' files and the generation; closing twice does no harm."""
        if self._lexical is not None:
            self._lexical.close()
        self._pin.close()


def open_index(path: Path, *, load: EncoderFactory = load_for_queries, lexical: str | None = None) -> Index:
    """Open the current generation of the index at `path` (`Workspace.index_path`).

    `lexical` is a lexical index of others, in the place of its own: `pyserini:DIR`.
    """
    for _ in range(_TRIES):
        generation = current_generation(path)
        if generation is None:
            raise IndexDirectoryError(f"there is no index at '{path}': build it with '{build_command(path)}'")
        try:
            return Index(generation, load, lexical)
        except FileNotFoundError as error:  # replaced between the two lines above: look again
            missing = error
    raise IndexDirectoryError(
        f"index '{path}' is damaged, '{missing.filename}' is missing: rebuild it with '{build_command(path)}'"
    ) from missing
