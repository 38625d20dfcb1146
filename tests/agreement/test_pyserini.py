"""Pyserini's own `LuceneSearcher` against our searches: our index there, and an index of Anserini here."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from indexing_support import make_papers

from indexing.dense.faiss_flat import ExactIndex
from indexing.hits import NO_UNIT, Hits
from indexing.lexical import open_foreign, open_lexical, write_lexical
from indexing.lexical.engine import Words
from indexing.lexical.jvm import LEAST_JAVA, _version
from indexing.lexical.lucene import FEEDBACK_UNITS
from indexing.tables.arrays import StringTable
from indexing.tables.units import Units
from indexing.tables.vectors import append_vectors, count_vectors
from panelist.errors import InputError

pytestmark = pytest.mark.java
THEIRS = """
import json, sys
from unittest.mock import MagicMock
sys.modules["pyserini.encode"] = MagicMock()  # neural encoders, which need torch and openai and are not used here
from pyserini.index.lucene import LuceneIndexer
from pyserini.search.lucene import LuceneSearcher

asked = json.load(sys.stdin)
indexer = LuceneIndexer(args=["-index", asked["theirs"], "-storeDocvectors"], threads=1)
indexer.add_batch_dict([{"id": id, "contents": text} for id, text in asked["documents"]])
indexer.close()

def answers(searcher):
    hits = searcher.batch_search(asked["queries"], [str(n) for n in range(len(asked["queries"]))], asked["k"])
    return [[(hit.docid, hit.score) for hit in hits[str(n)]] for n in range(len(asked["queries"]))]

found = {}
for name in ("ours", "theirs"):
    searcher = LuceneSearcher(asked[name])
    found[name] = answers(searcher)
    searcher.set_bm25(1.2, 0.75)
    found[name + ", bm25"] = answers(searcher)
    searcher.set_bm25(0.9, 0.4)
    searcher.set_rm3()
    found[name + ", rm3"] = answers(searcher)

import numpy as np
from pyserini.search.faiss import FaissSearcher

searcher = FaissSearcher(asked["vectors"], None)
found["vectors"] = [
    [(hit.docid, float(hit.score)) for hit in searcher.search(np.array([query], np.float32), k=asked["k"])]
    for query in asked["dense_queries"]
]
print(json.dumps(found))
"""
K, DIMENSION = 20, 16
ROUNDED = 1e-4  # Anserini rounds scores to four digits, and lowers equal ones by a millionth each


def java_kit():
    """A Java development kit, which Pyserini needs."""
    homes = [Path(os.environ.get("JAVA_HOME", "/")), *Path("/usr/lib/jvm").glob("*")]
    return next((home for home in homes if _version(home) >= LEAST_JAVA and (home / "bin/javac").exists()), None)


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """What LuceneSearcher finds in both indexes, their paths, the units, and the queries."""
    if importlib.util.find_spec("pyserini") is None or java_kit() is None:
        pytest.skip("pyserini or a Java development kit of 21 or later is not installed")
    folder = tmp_path_factory.mktemp("pyserini")
    papers = [paper for paper in make_papers(140) if paper.title]
    ids = [f"W{7 * number}" for number in range(len(papers))]
    texts = [f"{paper.title}\n{paper.abstract or ''}" for paper in papers]
    with write_lexical(folder / "ours", "lucene") as writer:
        writer.add(range(len(texts)), texts)
    titles = [paper.title for paper in papers[:100]]
    queries = [f"{title} {title.split()[0]} {title}" if row % 2 else title for row, title in enumerate(titles)]
    vectors = unit_vectors(len(ids))
    (folder / "vectors").mkdir()
    append_vectors(folder / "vectors/index", "float32", 0, DIMENSION, [vectors])
    count_vectors(folder / "vectors/index", "float32", len(ids), DIMENSION)
    (folder / "vectors/docid").write_text("\n".join(ids) + "\n")  # as docs/reference/stores.md says
    documents = [*zip(ids, texts, strict=True), ("X1", "a document that is no paper, of graphs and networks")]
    asked = {"ours": str(folder / "ours"), "theirs": str(folder / "theirs"), "queries": queries, "k": K}
    asked |= {"vectors": str(folder / "vectors"), "dense_queries": vectors[:10].tolist()}
    done = subprocess.run(
        [sys.executable, "-c", THEIRS],
        input=json.dumps({**asked, "documents": documents}),
        env={**os.environ, "JAVA_HOME": str(java_kit())},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    count = len(ids)
    arrays = np.zeros((count, 2), np.uint64), np.ones(count, np.bool_), np.zeros(count, np.int16)
    units = Units(StringTable.of(ids), *arrays, np.zeros(count, np.int32))
    return json.loads(done.stdout.splitlines()[-1]), folder, units, queries


def unit_vectors(count):
    vectors = np.random.default_rng(0).standard_normal((count, DIMENSION), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_faiss_searcher_finds_the_same_papers_in_our_vectors(searched):
    found, _, units, _ = searched
    vectors = unit_vectors(len(units))
    hits = ExactIndex(vectors).search(vectors[:10], K)
    check_same(hits, found["vectors"], lambda unit: units.paper_ids([unit])[0])


def check_same(hits, theirs, name_of):
    """The same scores in the same order, as far as scores tell; the same documents for each score but the last."""
    for units, scores, expected in zip(hits.units, hits.scores, theirs, strict=True):
        ours = [(name_of(unit), score) for unit, score in zip(units, scores, strict=True) if unit != NO_UNIT]
        np.testing.assert_allclose([score for _, score in ours], [score for _, score in expected], rtol=0, atol=ROUNDED)
        last = expected[-1][1] if expected else 0
        above = [{id_: score for id_, score in row if score > last + ROUNDED} for row in (ours, expected)]
        assert above[0] == pytest.approx(above[1], abs=ROUNDED)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("", Words("counted")),
        (", bm25", Words("counted", bm25=(1.2, 0.75))),
        (", rm3", Words("counted", expand=True)),
    ],
)
def test_both_search_our_index_alike(searched, way, words):
    found, folder, _, queries = searched
    with open_lexical(folder / "ours", "lucene") as index:
        hits, theirs = index.search(queries, K, words=words), found[f"ours{way}"]
    if (
        words.expand
    ):  # Where the last document of the feedback is tied with others, unit 10 is before 9 there, not here.
        tenth, next_one = ([row[place][1] for row in found["ours"]] for place in (FEEDBACK_UNITS - 1, FEEDBACK_UNITS))
        clear = np.flatnonzero(np.subtract(tenth, next_one) > ROUNDED)
        assert len(clear) > len(queries) / 2
        hits, theirs = Hits(hits.units[clear], hits.scores[clear]), [theirs[row] for row in clear]
    check_same(hits, theirs, str)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("", Words("counted")),
        (", bm25", Words("counted", bm25=(1.2, 0.75))),
        (", rm3", Words("counted", expand=True)),
    ],
)
def test_both_search_an_index_of_anserini_alike(searched, way, words):
    found, folder, units, queries = searched
    with open_foreign(f"pyserini:{folder / 'theirs'}", units) as index:
        # What is no paper is no hit: the others move up.
        theirs = [[hit for hit in row if hit[0] != "X1"] for row in found[f"theirs{way}"]]
        hits = index.search(queries, K, words=words)
        kept = [row[: len(expected)] for row, expected in zip(hits.scores, theirs, strict=True)]
        np.testing.assert_allclose(
            np.concatenate(kept), [score for row in theirs for _, score in row], rtol=0, atol=ROUNDED
        )


def test_a_pool_in_an_index_of_anserini(searched):
    _, folder, units, queries = searched
    few = np.arange(len(units)) % 50 == 3
    with open_foreign(f"pyserini:{folder / 'theirs'}", units) as index:
        everybody = index.search(queries, len(units))
        for row, hits in zip(everybody.units, index.search(queries, 5, allowed=few).units, strict=True):
            assert hits[hits != NO_UNIT].tolist() == [unit for unit in row if unit != NO_UNIT and few[unit]]


def test_what_cannot_be_searched_is_refused(searched):
    _, folder, _, _ = searched
    strangers = Units.empty()
    with pytest.raises(InputError, match="ids of its documents have to be ids of papers"):
        open_foreign(f"pyserini:{folder / 'theirs'}", strangers)
    with pytest.raises(InputError, match="write pyserini:DIR"):
        open_foreign("anserini:x", strangers)
