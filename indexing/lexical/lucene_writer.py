"""Lucene's BM25, out of the jar that Pyserini ships: the writing side.

A document has the analysed text (Anserini's default English analyser: possessives, lower case, 33 stop words, Porter
stemmer) with its vector for RM3, the unit number to sort, filter and delete by, and the same as Pyserini's `id`, which
Pyserini sorts by, so that an index opens there too. The text itself stays in the corpus.
"""

from collections.abc import Sequence
from pathlib import Path

from indexing.lexical.engine import LexicalWriter
from indexing.lexical.jvm import JAVA, java_errors, start_java
from indexing.lexical.lucene_calls import FIELD, ID, UNIT, unit_set
from indexing.text import encodable

_BUFFER_MEGABYTES = 128.0


class LuceneWriter(LexicalWriter):
    """Adds units to a Lucene index and removes them; see `LexicalWriter`.

    What is removed is gone from all hits; document frequencies forget it when Lucene next merges its segment.
    """

    def __init__(self, path: Path, k1: float, b: float) -> None:
        super().__init__(path)
        self._jnius = start_java()
        self._settings = {"k1": repr(float(k1)), "b": repr(float(b)), "ids": "sorted"}
        java, lucene = self._jnius.autoclass, "org.apache.lucene."
        with java_errors(path), JAVA:
            self._unit_set = unit_set(self._jnius)
            self._map = java("java.util.HashMap")
            directory = java(lucene + "store.FSDirectory").open(java("java.nio.file.Paths").get(str(path)))
            if java(lucene + "index.DirectoryReader").indexExists(directory):
                stored = java(lucene + "index.SegmentInfos").readLatestCommit(directory).getUserData()
                self._check_parameters((stored.get("k1"), stored.get("b")), k1, b)
                self._last = self.last = int(stored.get("last"))
            analyzer = java("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
            config = java(lucene + "index.IndexWriterConfig")(analyzer)
            config.setSimilarity(java(lucene + "search.similarities.BM25Similarity")(float(k1), float(b)))
            config.setRAMBufferSizeMB(_BUFFER_MEGABYTES)
            self._writer = java(lucene + "index.IndexWriter")(directory, config)
            self._compose_document()

    def _compose_document(self) -> None:
        """One document whose fields are filled again for each unit: three calls into Java instead of ten objects."""
        java, cast = self._jnius.autoclass, self._jnius.cast
        document = "org.apache.lucene.document."
        kind = java(document + "FieldType")()
        kind.setIndexOptions(java("org.apache.lucene.index.IndexOptions").DOCS_AND_FREQS)
        kind.setTokenized(True)
        kind.setStoreTermVectors(True)
        kind.freeze()
        store = java(document + "Field$Store")
        self._text = java(document + "Field")(FIELD, cast("java.lang.CharSequence", java("java.lang.String")("")), kind)
        self._unit = java(document + "IntField")(UNIT, 0, store.NO)
        self._id = java(document + "StringField")(ID, "", store.YES)
        self._document = java(document + "Document")()
        self._sorted_id = java(document + "BinaryDocValuesField")(ID, java("org.apache.lucene.util.BytesRef")())
        for field in (self._text, self._unit, self._id, self._sorted_id):
            self._document.add(field)

    def add(self, units: Sequence[int], texts: Sequence[str]) -> None:
        """Add units with their texts; see `LexicalWriter.add`."""
        with java_errors(self.path), JAVA:
            super().add(units, texts)

    def _add(self, unit: int, text: str) -> None:
        self._text.setStringValue(encodable(text))
        self._unit.setIntValue(unit)
        self._id.setStringValue(str(unit))
        self._sorted_id.setBytesValue(str(unit).encode())
        self._writer.addDocument(self._document)

    def remove(self, units: Sequence[int]) -> None:
        """Remove units; those that are not in the index are ignored."""
        if len(units):
            with java_errors(self.path), JAVA:
                self._writer.deleteDocuments(self._unit_set([int(unit) for unit in units]))

    def commit(self) -> None:
        """Make everything so far survive a crash."""
        with java_errors(self.path), JAVA:
            settings = self._map()
            for key, value in {**self._settings, "last": str(self._last)}.items():
                settings.put(key, value)
            self._writer.setLiveCommitData(settings.entrySet())
            self._writer.commit()
        self.last = self._last

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            super().__exit__(kind)
            if kind is None:
                with java_errors(self.path), JAVA:
                    self._writer.close()
        finally:  # drop what is not committed, and the lock file, which a hard-linked copy must not share
            with java_errors(self.path), JAVA:
                self._writer.rollback()
            (self.path / "write.lock").unlink(missing_ok=True)
