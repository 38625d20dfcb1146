"""Devices and precisions: what can be had here gives the same vectors, what cannot is refused in one line."""

import subprocess
import sys
import time

import numpy as np
import pytest
from indexing_support import make_papers
from tiny_model import make_tiny_model

from indexing.encoders import load_encoder, runtimes
from indexing.encoders.bert import bert_revision
from indexing.encoders.cache import CachedEncoder, EncoderLoader
from indexing.encoders.recipe import read_recipe
from indexing.encoders.runtimes import choose_device, choose_precision
from indexing.encoders.sentence import SentenceEncoder
from indexing.index import open_index
from indexing.jobs.build import IndexJobs
from indexing.text import Text
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError, MissingDependencyError, ModelError

TEXTS = [Text("Graphs of genes", "What they show."), Text("Gene"), Text("Proteins", "the network " * 20)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny"
    make_tiny_model(folder, layers=2)
    return folder


@pytest.fixture
def bfloat16():
    pytest.importorskip("openvino")
    if not runtimes._has_bfloat16():
        pytest.skip("this processor does not compute in bfloat16")


def least_cosine(some, others):
    return float((some * others).sum(axis=1).min())


def test_another_precision_gives_nearly_the_same_vectors(bfloat16, model):
    exact, fast = (load_encoder(str(model), precision=one) for one in ("float32", "bfloat16"))
    assert (fast.device, fast.precision, fast.revision) == ("cpu", "bfloat16", exact.revision)
    made = fast.encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    assert least_cosine(made, exact.encode(TEXTS)) > 0.999  # random weights exaggerate rounding
    assert not np.array_equal(made, exact.encode(TEXTS))


@pytest.mark.model
def test_the_default_model_is_faithful_in_bfloat16(bfloat16):
    try:
        exact, fast = (load_encoder(precision=one) for one in ("float32", "auto"))
    except ModelError as error:
        pytest.skip(str(error))
    assert fast.precision == "bfloat16"
    texts = [Text.of(paper) for paper in make_papers(30) if paper.title]
    assert least_cosine(fast.encode(texts), exact.encode(texts)) > 0.9999


TWO_THREADS = """
import builtins, sys, threading, time
from pathlib import Path
import numpy as np
from indexing.encoders import runtimes
from indexing.encoders.bert import read_graph

plain = builtins.__import__
def slow(name, *others):  # the first to ask for numpy's functions gives the other one time to do so too
    time.sleep(0.2 * name.startswith("numpy"))
    return plain(name, *others)
graph = read_graph(Path(sys.argv[1]), "mean")
run = runtimes.run_in_bfloat16(graph, 2) if sys.argv[2] == "bfloat16" else runtimes.run_in_float32(graph)
builtins.__import__ = slow
together = threading.Barrier(2)
def work():
    together.wait()
    run(np.ones((1, 8), np.int32))
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_no_process_hangs_whose_first_batches_are_on_two_threads(model):
    # OpenVINO runs such a graph on any processor, in float32 where it knows no bfloat16: its binding is what hung.
    pytest.importorskip("openvino")
    # Without the guard each of the first eight waits for ever, since the slow import lets both threads in.
    kinds = ["bfloat16"] * 8 + ["float32"] * 2
    deadline = time.monotonic() + 120  # for all together
    command = [sys.executable, "-c", TWO_THREADS, str(model)]
    processes = [subprocess.Popen([*command, kind], stderr=subprocess.PIPE) for kind in kinds]
    try:
        for process in processes:
            error = process.communicate(timeout=max(1, deadline - time.monotonic()))[1].decode()
            assert process.returncode == 0, error
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_other_models_stay_exact_unless_asked(model):
    assert load_encoder(str(model)).precision == "float32"


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_torch_makes_the_same_vectors(model, precision):
    recipe = read_recipe(model, cls_family=False)
    made = SentenceEncoder("tiny", model, recipe, precision=precision, revision=bert_revision(model, recipe))
    exact = load_encoder(str(model))
    assert (made.device, made.precision, made.revision) == ("cpu", precision, exact.revision)
    assert least_cosine(made.encode(TEXTS), exact.encode(TEXTS)) > (0.99999 if precision == "float32" else 0.999)


def test_an_index_of_one_precision_is_searched_in_another_and_says_which(bfloat16, model, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    papers = make_papers(12)
    with SqliteStore(tmp_path / "corpus.sqlite") as corpus:
        corpus.upsert(papers[:10])
        jobs = IndexJobs(tmp_path / "index", EncoderLoader(precision="bfloat16", cached=True))
        built = jobs.build(corpus, encoder=str(model), engine="bm25s")
        assert (built.encoder.device, built.encoder.precision) == ("cpu", "bfloat16")
        with open_index(tmp_path / "index") as index:
            text = Text.of(papers[0])
            assert index.encoder().precision == "float32"
            hits = index.dense().search(index.encoder().encode([text]), 1)
            assert index.units.paper_ids(hits.units[0]) == [papers[0].id]
        corpus.upsert(papers[10:])
        added = IndexJobs(tmp_path / "index", EncoderLoader(precision="float32", cached=True)).add(corpus)
        assert added.encoder.precision == "bfloat16+float32"


def test_the_cache_gives_exact_vectors_to_all_and_rounded_ones_to_their_like(model, tmp_path):
    cache = tmp_path / "embeddings.sqlite"

    class Counting:
        name, revision, dimension = "counting", "1", 2

        def __init__(self, precision):
            self.precision, self.encoded = precision, 0

        def encode(self, texts, progress=None):
            self.encoded += len(texts)
            return np.full((len(texts), 2), 1.0 if self.precision == "float32" else 2.0, np.float32)

    def encode(precision, texts):
        encoder = Counting(precision)
        return CachedEncoder(encoder, cache).encode(texts)[:, 0].tolist(), encoder.encoded

    assert encode("bfloat16", TEXTS[:1]) == ([2.0], 1)
    assert encode("float32", TEXTS[:2]) == ([1.0, 1.0], 2)
    assert encode("bfloat16", [*TEXTS, TEXTS[2]]) == ([1.0, 1.0, 2.0, 2.0], 1)
    assert encode("bfloat16", TEXTS) == ([1.0, 1.0, 2.0], 0)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"device": "tpu"}, "unknown device 'tpu': choose one of cpu, cuda, mps, auto"),
        ({"precision": "int8"}, "unknown precision 'int8': choose one of float32, bfloat16, float16, auto"),
        ({"precision": "float16"}, "a processor does not encode in float16: choose float32, bfloat16 or auto"),
    ],
)
def test_unknown_device_or_precision_is_refused(model, where, message):
    with pytest.raises(InputError) as caught:
        load_encoder(str(model), **where)
    assert str(caught.value) == message


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_here_is_refused_and_auto_does_without(device, monkeypatch):
    import torch

    monkeypatch.setattr(runtimes, "_graphics_expected", lambda: True)
    for module in (torch.cuda, torch.backends.mps):
        monkeypatch.setattr(module, "is_available", lambda: False)
    with pytest.raises(InputError, match=f"'{device}'.* cpu or auto"):
        choose_device(device)
    assert choose_device("auto") == "cpu"
    monkeypatch.setattr({"cuda": torch.cuda, "mps": torch.backends.mps}[device], "is_available", lambda: True)
    assert choose_device("auto") == choose_device(device) == device


def test_without_openvino_bfloat16_is_one_line_and_auto_is_exact(monkeypatch):
    monkeypatch.setattr("indexing.encoders.runtimes.find_spec", lambda name: None)
    monkeypatch.setattr("panelist.extras.find_spec", lambda name: None)
    assert choose_precision("auto", faithful=True) == "float32"
    with pytest.raises(MissingDependencyError, match=r"pip install .*\[openvino\]"):
        choose_precision("bfloat16", faithful=True)


def test_a_processor_without_bfloat16_stays_exact(monkeypatch):
    pytest.importorskip("openvino")
    monkeypatch.setattr(runtimes, "_has_bfloat16", lambda: False)
    assert choose_precision("auto", faithful=True) == "float32"
    with pytest.raises(InputError, match=r"processor .*bfloat16.* float32 or auto"):
        choose_precision("bfloat16", faithful=True)


def test_user_encoder_refuses_a_precision(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "others.py").write_text(
        "def letters(texts):\n    return [[1 + len(one), 2.0] for one in texts]\nletters.revision = '1'\n"
    )
    assert load_encoder("others:letters").dimension == 2
    with pytest.raises(InputError, match=r"'others:letters' .*device and precision"):
        load_encoder("others:letters", precision="bfloat16")
