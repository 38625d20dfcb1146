"""The contract of the lexical index, on every engine."""

import gc
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.hits import NO_UNIT
from indexing.lexical import ENGINES, open_lexical, write_lexical
from indexing.lexical.engine import Words
from indexing.lexical.lucene import expand_query
from indexing.lexical.tokens import Vocabulary
from panelist.errors import IndexDirectoryError, InputError

WORDS = ["graph", "neural", "protein", "neuron", "parser", "syntax", "kinase", "mouse", "cortex", "corpus", "tree"]
ALL = [pytest.param(engine, marks=[pytest.mark.java] if engine == "lucene" else []) for engine in ENGINES]


@pytest.fixture(params=[*ALL, "milvus"])
def engine(request):
    return request.getfixturevalue("milvus") if request.param == "milvus" else request.param


def texts(count, seed=0, length=12):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    return [" ".join(rng.choice(WORDS, size=rng.integers(1, length), p=weights / weights.sum())) for _ in range(count)]


def write(path, engine, units, contents):
    with write_lexical(path, engine) as writer:
        writer.add(units, contents)
    return path


def found(hits, row=0):
    return [unit for unit in hits.units[row].tolist() if unit != NO_UNIT]


def test_best_first_ties_by_unit_padded(tmp_path, engine):
    write(tmp_path, engine, [3, 5, 8, 9], ["graph parser", "graph graph graph", "graph parser", "mouse"])
    with open_lexical(tmp_path, engine) as index:
        hits = index.search(["graph"], 4)
        assert hits.units.tolist() == [[5, 3, 8, NO_UNIT]]
        assert hits.scores[0, 0] > hits.scores[0, 1] == hits.scores[0, 2]
        assert hits.scores[0, 3] == -np.inf
        assert index.search(["graph"], 2).units.tolist() == [[5, 3]]
        assert (hits.units.dtype, hits.scores.dtype) == (np.int64, np.float32)


@pytest.mark.parametrize(
    "query", ["", "   ", "the of and", "zebra", "\x00\x01", "(((", "AND OR NOT", "\ud800", "日本語"]
)
def test_query_without_a_known_word_finds_nothing(tmp_path, engine, query):
    write(tmp_path, engine, [0, 1], ["graph parser", "mouse"])
    with open_lexical(tmp_path, engine) as index:
        assert found(index.search([query], 3)) == []


def test_queries_are_never_parsed(tmp_path, engine):
    write(tmp_path, engine, [0, 1], ["graph parser", "mouse cortex"])
    with open_lexical(tmp_path, engine) as index:
        for query in ('+graph -mouse "', "graph* OR mouse~2", "contents: graph && [mouse TO *]", "graph\x00mouse/\\^"):
            assert sorted(found(index.search([query], 2))) == [0, 1]


def test_english_analysis(tmp_path, engine):
    write(tmp_path, engine, [0, 1], ["The dogs' running", "Darwin's finches"])
    with open_lexical(tmp_path, engine) as index:
        assert found(index.search(["dog"], 2)) == found(index.search(["RUNS"], 2)) == [0]
        assert found(index.search(["darwin finch"], 2)) == [1]


def test_thousands_of_distinct_words(tmp_path, engine):
    write(tmp_path, engine, [0, 1, 2], ["graph", "word99999", "mouse"])
    query = " ".join(f"word{n}" for n in range(99_000, 130_000)) + " mouse"
    with open_lexical(tmp_path, engine) as index:
        assert sorted(found(index.search([query], 3))) == [1, 2]


def test_repeated_words_count_once_or_as_often(tmp_path, engine):
    write(tmp_path, engine, [0, 1, 2], ["graph mouse", "mouse cortex cortex", "graph parser graph"])

    def scores(query, words):
        hits = index.search([query], 3, words=words)
        return dict(zip(found(hits), hits.scores[0].tolist(), strict=False))

    with open_lexical(tmp_path, engine) as index:
        graph, mouse = (scores(word, Words()) for word in ("graph", "mouse"))
        for repeated, times in (("distinct", 1), ("counted", 3)):
            expected = {unit: times * graph.get(unit, 0) + mouse.get(unit, 0) for unit in range(3)}
            assert scores("graph mouse Graphs graph", Words(repeated)) == pytest.approx(expected, rel=1e-5)
    with pytest.raises(InputError, match="distinct, counted"):
        Words("twice")


@pytest.mark.java
def test_lucene_takes_other_parameters_for_a_search(tmp_path):
    contents = texts(60)
    for name, k1, b in (("a", 0.9, 0.4), ("b", 1.5, 0.8)):
        with write_lexical(tmp_path / name, "lucene", k1, b) as writer:
            writer.add(range(60), contents)
    with open_lexical(tmp_path / "a", "lucene") as one, open_lexical(tmp_path / "b", "lucene") as other:
        asked = one.search(contents[:5], 10, words=Words(bm25=(1.5, 0.8)))
        np.testing.assert_array_equal(asked.units, other.search(contents[:5], 10).units)
        assert (one.search(contents[:5], 10).scores != asked.scores).any()
    write(tmp_path / "c", "bm25s", [0], ["graph"])
    with open_lexical(tmp_path / "c", "bm25s") as index, pytest.raises(InputError, match="k1 and b of its index"):
        index.search(["graph"], 1, words=Words(bm25=(1.5, 0.8)))
    with pytest.raises(InputError, match="b from 0 to 1"):
        Words(bm25=(1.0, 7.0))


def test_batch_equals_single_calls(tmp_path, engine):
    write(tmp_path, engine, range(200), texts(200))
    queries = texts(40, seed=1)
    with open_lexical(tmp_path, engine) as index:
        batch = index.search(queries, 50)
        for row, query in enumerate(queries):
            single = index.search([query], 50)
            np.testing.assert_array_equal(single.units[0], batch.units[row])
            np.testing.assert_array_equal(single.scores[0], batch.scores[row])


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98, 1.0])
def test_mask_applies_before_the_depth_is_cut(tmp_path, engine, share):
    write(tmp_path, engine, range(300), texts(300))
    allowed = np.random.default_rng(2).random(300) < share
    queries = texts(20, seed=3)
    with open_lexical(tmp_path, engine) as index:
        everything, masked = index.search(queries, 300), index.search(queries, 10, allowed=allowed)
        for row in range(len(queries)):
            expected = [unit for unit in found(everything, row) if allowed[unit]][:10]
            assert found(masked, row) == expected


def test_mask_that_excludes_the_best(tmp_path, engine):
    contents = ["graph graph graph"] * 100 + ["graph and mouse and cortex"] * 50
    write(tmp_path, engine, range(150), contents)
    allowed = np.arange(150) >= 100
    with open_lexical(tmp_path, engine) as index:
        assert found(index.search(["graph"], 5, allowed=allowed)) == [100, 101, 102, 103, 104]
        assert found(index.search(["graph"], 5, allowed=allowed[:102])) == [100, 101], "a short mask allows no more"
        assert found(index.search(["graph"], 5, allowed=np.zeros(0, dtype=bool))) == []


def test_threads_do_not_disturb_each_other(tmp_path, engine):
    paths = [write(tmp_path / name, engine, range(80), texts(80, seed)) for name, seed in (("a", 7), ("b", 8))]
    queries = texts(12, seed=9)
    masks = [None, np.arange(80) % 10 == 3, np.arange(80) % 10 != 3]
    with open_lexical(paths[0], engine) as one, open_lexical(paths[1], engine) as other:
        jobs = [(index, query, mask) for query in queries for mask in masks for index in (one, other)]

        def answer(job):
            index, query, mask = job
            return index.search([query], 20, allowed=mask).units.tolist()

        expected = [answer(job) for job in jobs]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(answer, jobs * 5)) == expected * 5


def test_a_second_index_and_the_garbage_collector_leave_the_first_one_alone(tmp_path, engine):
    path = write(tmp_path / "index", engine, [0], ["graph"])
    with open_lexical(path, engine) as one, open_lexical(path, engine) as other:
        gc.collect()  # before the first search: of what Java is called by, nothing may go
        assert [found(index.search(["graph"], 1)) for index in (one, other)] == [[0], [0]]


def test_adding_equals_building_at_once(tmp_path, engine):
    contents = texts(60)
    write(tmp_path / "once", engine, range(60), contents)
    for start in range(0, 60, 20):
        with write_lexical(tmp_path / "thrice", engine) as writer:
            assert writer.last == start - 1
            writer.add(range(start, start + 20), contents[start : start + 20])
    queries = texts(10, seed=4)
    with open_lexical(tmp_path / "once", engine) as once, open_lexical(tmp_path / "thrice", engine) as thrice:
        a, b = once.search(queries, 60), thrice.search(queries, 60)
        np.testing.assert_array_equal(a.units, b.units)
        np.testing.assert_array_equal(a.scores, b.scores)


def test_removed_units_are_gone(tmp_path, engine):
    contents = texts(60)
    write(tmp_path, engine, range(60), contents)
    with write_lexical(tmp_path, engine) as writer:
        writer.remove([0, 7, 59, 1000])
        assert writer.last == 59
        writer.add([60], ["zebra"])
    with open_lexical(tmp_path, engine) as index:
        assert found(index.search(["zebra"], 5)) == [60]
        everything = found(index.search([" ".join(WORDS)], 100))
        assert sorted(everything) == sorted(set(range(60)) - {0, 7, 59})


def test_bm25s_scores_as_if_removed_units_had_never_been(tmp_path):
    contents = texts(40)
    write(tmp_path / "removed", "bm25s", range(40), contents)
    with write_lexical(tmp_path / "removed", "bm25s") as writer:
        writer.remove(range(0, 40, 3))
    kept = [unit for unit in range(40) if unit % 3]
    write(tmp_path / "rebuilt", "bm25s", kept, [contents[unit] for unit in kept])
    queries = texts(10, seed=5)
    a, b = (open_lexical(tmp_path / name, "bm25s").search(queries, 40) for name in ("removed", "rebuilt"))
    np.testing.assert_array_equal(a.units, b.units)
    np.testing.assert_allclose(a.scores, b.scores, rtol=1e-5)


def test_hard_linked_copy_is_written_without_touching_the_original(tmp_path, engine):
    old, new = tmp_path / "old", tmp_path / "new"
    write(old, engine, range(50), texts(50))
    before = {file.name: (file.read_bytes(), file.stat().st_ino) for file in old.iterdir()}
    shutil.copytree(old, new, copy_function=os.link)
    with write_lexical(new, engine) as writer:
        writer.remove([3, 4])
        writer.add(range(50, 70), texts(20, seed=6))
        writer.commit()
        writer.add([70], ["zebra"])
    assert {file.name: (file.read_bytes(), file.stat().st_ino) for file in old.iterdir()} == before
    with open_lexical(old, engine) as index:
        assert sorted(found(index.search([" ".join(WORDS)], 100))) == list(range(50))
        assert found(index.search(["zebra"], 1)) == []
    with open_lexical(new, engine) as index:
        assert found(index.search(["zebra"], 1)) == [70]


def test_an_exception_drops_what_was_not_committed(tmp_path, engine):
    def interrupted():
        with write_lexical(tmp_path, engine) as writer:
            writer.add([0, 1], ["graph", "mouse"])
            writer.commit()
            assert writer.last == 1
            writer.add([2], ["zebra"])
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    with write_lexical(tmp_path, engine) as writer:
        assert writer.last == 1
        writer.add([2], ["cortex"])
    with open_lexical(tmp_path, engine) as index:
        assert [found(index.search([word], 3)) for word in ("graph", "mouse", "zebra", "cortex")] == [[0], [1], [], [2]]


KILLED = """
import os, sys
from pathlib import Path
from indexing.lexical import write_lexical
with write_lexical(Path(sys.argv[1]), sys.argv[2]) as writer:
    writer.add([0, 1], ["graph", "mouse"])
    writer.commit()
    writer.add([2], ["zebra"])
    os.kill(os.getpid(), 9)
"""


def test_a_killed_writer_leaves_its_last_commit(tmp_path, engine):
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), engine], check=False).returncode == -9
    with write_lexical(tmp_path, engine) as writer:
        assert writer.last == 1
    with open_lexical(tmp_path, engine) as index:
        assert [found(index.search([word], 3)) for word in ("graph", "mouse", "zebra")] == [[0], [1], []]


def test_empty_index_and_texts_without_words(tmp_path, engine):
    write(tmp_path / "empty", engine, [], [])
    write(tmp_path / "blank", engine, [0, 1], ["", "the"])
    for name in ("empty", "blank"):
        with open_lexical(tmp_path / name, engine) as index:
            assert found(index.search(["graph"], 3)) == []
            assert index.search([], 3).units.shape == (0, 3)
    with write_lexical(tmp_path / "blank", engine) as writer:
        writer.add([2], ["graph"])
    with open_lexical(tmp_path / "blank", engine) as index:
        assert found(index.search(["graph"], 3, allowed=np.ones(9, dtype=bool))) == [2]


def test_unit_numbers_ascend(tmp_path, engine):
    with pytest.raises(ValueError, match="ascend"), write_lexical(tmp_path, engine) as writer:
        writer.add([4, 4], ["graph", "mouse"])


def test_missing_or_damaged_lexical_indexes_are_refused(tmp_path, engine):
    with pytest.raises(IndexDirectoryError, match="panelist index build"):
        open_lexical(tmp_path / "nothing", engine)
    assert not (tmp_path / "nothing").exists()
    (tmp_path / "bare").mkdir()
    with pytest.raises(IndexDirectoryError, match="panelist index build"):
        open_lexical(tmp_path / "bare", engine)
    write(tmp_path / "index", engine, [0], ["graph"])
    with pytest.raises(InputError, match=r"k1=0\.9"):
        write_lexical(tmp_path / "index", engine, 1.2, 0.75)
    with open_lexical(tmp_path / "index", engine) as index, pytest.raises(InputError, match="at least 1"):
        index.search(["graph"], 0)
    index.close()


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_file_is_named(tmp_path, engine, damage):
    write(tmp_path, engine, range(50), texts(50))
    victim = max(tmp_path.iterdir(), key=lambda file: file.stat().st_size)
    content = victim.read_bytes()
    victim.unlink()
    if damage == "cut":
        victim.write_bytes(content[:-30])
    with pytest.raises(IndexDirectoryError, match=f"{victim.name}.*panelist index build"):
        open_lexical(tmp_path, engine)


@pytest.mark.parametrize("function", [open_lexical, write_lexical])
def test_unknown_engine_is_refused(tmp_path, function):
    with pytest.raises(InputError, match=r"'solr'.*lucene, bm25s"):
        function(tmp_path, "solr")


def test_bm25s_does_not_expand(tmp_path):
    write(tmp_path, "bm25s", [0], ["graph"])
    with pytest.raises(InputError, match="lucene"):
        open_lexical(tmp_path, "bm25s").search(["graph"], 1, words=Words(expand=True))


@pytest.mark.java
def test_expansion_finds_what_shares_words_with_the_best(tmp_path):
    contents = ["kinase phosphatase"] * 3 + ["phosphatase assay"] + ["mouse cortex"] * 40
    write(tmp_path, "lucene", range(len(contents)), contents)
    with open_lexical(tmp_path, "lucene") as index:
        assert found(index.search(["kinase"], 10)) == [0, 1, 2]
        assert found(index.search(["kinase"], 10, words=Words(expand=True))) == [0, 1, 2, 3]
        assert found(index.search(["kinase"], 10, words=Words(expand=True), allowed=np.arange(99) == 3)) == [3]
        assert found(index.search([""], 10, words=Words(expand=True))) == []


def test_rm3_by_hand():
    feedback = [(3.0, {"a1": 3, "b1": 1, "x": 9, "common": 5}), (1.0, {"b1": 2})]
    weights = expand_query(["a1", "q1"], feedback, lambda word: word == "common")
    # documents: a1 .75, b1 .25 and b1 1; weighted by score: a1 2.25, b1 1.75 of 4
    assert weights == pytest.approx({"a1": 0.25 + 2.25 / 8, "q1": 0.25, "b1": 1.75 / 8})
    assert sum(weights.values()) == pytest.approx(1)


@given(st.text(max_size=200), st.text(max_size=200))
def test_vocabulary_reads_what_it_learned(one, other):
    vocabulary = Vocabulary()
    learned = vocabulary.learn(one)
    assert vocabulary.read(one) == learned
    assert Vocabulary(dict(vocabulary.numbers)).read(one) == learned
    assert set(vocabulary.read(other)) <= set(learned)


def test_lexical_paths_may_have_any_name(tmp_path, engine):
    path = write(tmp_path / "a b é 'q'", engine, [0], ["graph"])
    assert isinstance(path, Path)
    with open_lexical(path, engine) as index:
        assert found(index.search(["graph"], 1)) == [0]


@pytest.mark.parametrize("kind", [pytest.param("lucene", marks=pytest.mark.java), "milvus"])
def test_the_rarest_words_find_and_all_words_score(request, tmp_path, kind):
    engine = request.getfixturevalue("milvus") if kind == "milvus" else kind
    write(tmp_path, engine, range(300), texts(300))
    queries = [" ".join(WORDS), *texts(20, seed=11)]
    with open_lexical(tmp_path, engine) as full, open_lexical(tmp_path, engine, terms=5) as some:
        everything, hits = full.search(queries, 300), some.search(queries, 20)
        for row, query in enumerate(queries):
            scores = dict(zip(found(everything, row), everything.scores[row].tolist(), strict=False))
            for unit, score in zip(found(hits, row), hits.scores[row].tolist(), strict=False):
                assert score == pytest.approx(scores[unit], rel=1e-4), "a candidate's score is that of all words"
            if len(set(query.split())) <= 5:
                assert found(hits, row) == found(everything, row)[:20]
        assert found(hits, 0)[:5] == found(everything, 0)[:5]  # rare words are in the best units of all words
        allowed = np.arange(300) % 3 == 0
        assert all(allowed[unit] for unit in found(some.search(queries, 20, allowed=allowed)))
        assert found(some.search(["zebra " * 9 + " ".join(f"unknown{n}" for n in range(9))], 5)) == []
