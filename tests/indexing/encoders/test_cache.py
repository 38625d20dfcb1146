"""The embedding cache: nothing is encoded twice, whoever asks, and a crash costs no more than the last chunk."""

import hashlib
import multiprocessing
import os
import signal
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.encoders.cache import CachedEncoder
from indexing.text import Text
from panelist.errors import ModelError


class HashEncoder:
    """Vectors from a hash of the text; remembers what it was asked to encode."""

    def __init__(self, revision="1", name="hash", dimension=6):
        self.name, self.revision, self.dimension = name, revision, dimension
        self.asked = []

    def encode(self, texts, progress=None):
        self.asked += texts
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            seed = hashlib.sha256(repr(text).encode()).digest()
            vectors[row] = np.random.default_rng(list(seed)).standard_normal(self.dimension)
        if progress is not None and texts:
            progress(len(texts))
        return vectors


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "deep" / "embeddings.sqlite"


def count(path):
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT count(*) FROM embedding").fetchone()[0]


TEXTS = [Text("a", "b"), Text("ab", ""), Text("a", "b"), Text("c")]


def test_the_same_text_is_encoded_once(cache):
    encoder = HashEncoder()
    done = []
    expected = HashEncoder().encode(TEXTS)
    np.testing.assert_array_equal(CachedEncoder(encoder, cache).encode(TEXTS, done.append), expected)
    assert encoder.asked == [TEXTS[0], TEXTS[1], TEXTS[3]]
    assert sum(done) == 4
    again = HashEncoder()
    done.clear()
    np.testing.assert_array_equal(CachedEncoder(again, cache).encode(TEXTS[::-1], done.append), expected[::-1])
    assert again.asked == []
    assert sum(done) == 4
    assert count(cache) == 3


def test_an_updated_corpus_encodes_what_is_new(cache):
    CachedEncoder(HashEncoder(), cache).encode(TEXTS)
    encoder = HashEncoder()
    CachedEncoder(encoder, cache).encode([*TEXTS, Text("new")])
    assert encoder.asked == [Text("new")]


@pytest.mark.parametrize("other", [{"revision": "2"}, {"name": "other"}, {"dimension": 7}])
def test_another_encoder_has_its_own_vectors(cache, other):
    CachedEncoder(HashEncoder(), cache).encode(TEXTS)
    encoder = HashEncoder(**other)
    vectors = CachedEncoder(encoder, cache).encode(TEXTS)
    assert len(encoder.asked) == 3
    np.testing.assert_array_equal(vectors, HashEncoder(**other).encode(TEXTS))


def test_title_and_abstract_do_not_run_into_each_other(cache):
    vectors = CachedEncoder(HashEncoder(), cache).encode([Text("ab", "c"), Text("a", "bc"), Text("abc", "")])
    assert len(np.unique(vectors, axis=0)) == 3


def test_nothing_to_encode(cache):
    assert CachedEncoder(HashEncoder(), cache).encode([]).shape == (0, 6)


@given(st.lists(st.builds(Text, st.text(max_size=3), st.text(max_size=3)), max_size=12))
def test_a_cached_encoder_is_the_encoder(tmp_path_factory, texts):
    cache = tmp_path_factory.getbasetemp() / "property.sqlite"
    np.testing.assert_array_equal(CachedEncoder(HashEncoder(), cache).encode(texts), HashEncoder().encode(texts))


def test_many_texts_need_many_look_ups(cache, monkeypatch):
    monkeypatch.setattr("indexing.encoders.cache._CHUNK", 300)
    texts = [Text(str(number)) for number in range(1201)]
    CachedEncoder(HashEncoder(), cache).encode(texts)
    encoder = HashEncoder()
    np.testing.assert_array_equal(CachedEncoder(encoder, cache).encode(texts), HashEncoder().encode(texts))
    assert encoder.asked == []


def _write(path, start, count):
    texts = [Text(str(number)) for number in range(start, start + count)]
    for part in range(0, count, 10):
        CachedEncoder(HashEncoder(), path).encode(texts[part : part + 10])


def test_several_processes_write_at_once(tmp_path):
    path = tmp_path / "embeddings.sqlite"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_write, args=(path, start, 100)) for start in (0, 50, 100)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert count(path) == 200
    encoder = HashEncoder()
    texts = [Text(str(number)) for number in range(200)]
    np.testing.assert_array_equal(CachedEncoder(encoder, path).encode(texts), encoder.encode(texts))


def _write_and_die(path):
    class Dying(HashEncoder):
        def encode(self, texts, progress=None):
            if texts[0].title == "2":
                os.kill(os.getpid(), signal.SIGKILL)
            return super().encode(texts, progress)

    for number in range(3):
        CachedEncoder(Dying(), path).encode([Text(str(number))])


def test_a_killed_process_loses_only_what_it_was_working_on(tmp_path):
    path = tmp_path / "embeddings.sqlite"
    process = multiprocessing.get_context("spawn").Process(target=_write_and_die, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    encoder = HashEncoder()
    CachedEncoder(encoder, path).encode([Text("0"), Text("1"), Text("2")])
    assert encoder.asked == [Text("2")]


def test_a_vector_of_the_wrong_length_is_replaced(cache):
    CachedEncoder(HashEncoder(), cache).encode(TEXTS)
    with sqlite3.connect(cache) as database:
        database.execute("UPDATE embedding SET vector = x'0011'")
    database.close()
    for asked in (3, 0):
        encoder = HashEncoder()
        np.testing.assert_array_equal(CachedEncoder(encoder, cache).encode(TEXTS), HashEncoder().encode(TEXTS))
        assert len(encoder.asked) == asked


def test_a_damaged_file_says_what_to_do(cache):
    cache.parent.mkdir()
    cache.write_bytes(b"this is no database" * 100)
    with pytest.raises(ModelError, match="delete it") as caught:
        CachedEncoder(HashEncoder(), cache).encode(TEXTS)
    assert "\n" not in str(caught.value)


def test_the_cache_of_the_user_is_the_default(monkeypatch, tmp_path):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path))
    CachedEncoder(HashEncoder()).encode(TEXTS)
    assert (tmp_path / "embeddings" / "embeddings.sqlite").is_file()
