"""Opening an index: nothing heavy is loaded, a change of generation is no trouble, damage is noticed."""

import subprocess
import sys

import faiss
import numpy as np
import pytest
from indexing_support import make_papers, open_built, revised

from indexing.jobs.check import check_index
from panelist.errors import IndexDirectoryError


def test_opening_needs_neither_engine_nor_model(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    code = (
        "import sys\nfrom pathlib import Path\nfrom indexing.index import open_index\n"
        "open_index(Path(sys.argv[1])).close()\n"
        "heavy = 'torch faiss jnius bm25s onnxruntime transformers scipy'.split()\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code, jobs.path], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_faiss_opens_the_vectors_and_finds_the_same(corpus, jobs, precision):
    jobs.build(corpus, encoder="hashing", engine="bm25s", precision=precision)
    corpus.upsert(make_papers(5, seed=9, first=500))
    jobs.add(corpus)
    with open_built(jobs) as index:
        for flags in (0, faiss.IO_FLAG_MMAP_IFC):
            opened = faiss.read_index(str(index.path / "vectors/exact.faiss"), flags)
            assert isinstance(opened, faiss.IndexFlatIP if precision == "float32" else faiss.IndexScalarQuantizer)
            queries = index.vectors[:5].astype(np.float32)
            scores, units = opened.search(queries, len(index.units))
            ours = index.dense().search(queries, len(index.units))
            np.testing.assert_allclose(ours.scores, scores, atol=1e-5)
            assert np.array_equal(np.sort(ours.units), np.sort(units))


@pytest.mark.parametrize(
    "name", ["units/live.npy", "vectors/exact.faiss", "ownership/author_units.npy", "lexical", "dense"]
)
def test_check_finds_a_flipped_byte_in_any_file(corpus, jobs, name):
    manifest = jobs.build(corpus, encoder="hashing", engine="bm25s", dense="ivf")
    harmed = next(file for file in manifest.files if file.startswith(name))
    path = jobs.path / "generation-000001" / harmed
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with open_built(jobs) as index:
        assert check_index(index) == [f"{harmed} has another checksum than when it was written"]


def test_a_truncated_vector_index_is_refused_with_the_command_that_mends_it(corpus, jobs):
    manifest = jobs.build(corpus, encoder="hashing", engine="bm25s", dense="ivf")
    name = max(
        (file for file in manifest.files if file.startswith("dense/")), key=lambda file: manifest.files[file].size
    )
    path = jobs.path / "generation-000001" / name
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(IndexDirectoryError, match=f"{name} .* bytes .*: rebuild"):
        open_built(jobs)
    jobs.build(corpus, encoder="hashing", engine="bm25s", dense="ivf")
    with open_built(jobs) as index:
        assert check_index(index, corpus) == []


def test_a_reader_that_comes_while_the_generation_changes_looks_again(corpus, jobs, monkeypatch):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    stale = jobs.path / "generation-000001"
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    real = stale.with_name("generation-000002")
    answers = iter([stale, real])
    monkeypatch.setattr("indexing.index.current_generation", lambda path: next(answers))
    with open_built(jobs) as index:
        assert index.path == real
    monkeypatch.setattr("indexing.index.current_generation", lambda path: stale)
    with pytest.raises(IndexDirectoryError, match="is damaged"):
        open_built(jobs)


def test_texts_that_have_changed_in_the_corpus_are_no_problem_of_the_index(corpus, jobs):
    jobs.build(corpus, encoder="hashing", engine="bm25s")
    corpus.upsert([revised(paper, title="quite other words", abstract="") for paper in make_papers(200)])
    with open_built(jobs) as index:
        assert check_index(index, corpus) == []
