"""eLife: how papers are divided, which queries are measured, and who is taken out of a run."""

import gzip
import json
from functools import partial

import numpy as np
import pytest
from tiny_model import make_tiny_model

from eval.benchmarks.elife.benchmark import ELife
from eval.measures.ranking import parse_measures
from eval.runs import Qrels, Run
from eval.trec import read_qrels
from panelist.config import data_dir
from panelist.records import Author, Authorship, Paper

MEASURES = parse_measures("recall@1,recall@2,mrr")


def paper(name, year, *authors):
    return Paper(
        name, f"Title {name}", "Abstract.", year, tuple(Authorship(Author(a, a)) for a in authors), topics=("x",)
    )


def qrels(*pairs):
    queries, documents = sorted({q for q, _ in pairs}), sorted({d for _, d in pairs})
    query, doc = np.array([(queries.index(q), documents.index(d)) for q, d in pairs], dtype=np.int64).T
    return Qrels.of(queries, documents, query, doc, np.ones(len(pairs), dtype=np.int64))


@pytest.fixture
def benchmark():
    papers = [
        paper("old1", 2015, "ann", "bob"),
        paper("old2", 2018, "cid"),
        paper("undated", None, "dan"),
        paper("new2", 2020, "bob", "eve"),
        paper("new1", 2019, "ann"),
    ]
    judged = {"reviewers": qrels(("new1", "cid")), "authors": qrels(("new1", "ann")), "cite": qrels(("new2", "ann"))}
    return ELife.split(papers, judged)


def test_the_split_is_by_year_and_withholds_what_models_must_not_see(benchmark):
    assert [p.id for p in benchmark.collection] == ["old1", "old2"]
    assert [q.id for q in benchmark.queries] == ["new1", "new2"]
    assert benchmark.queries[0].references == ()
    assert benchmark.candidates() == {"ann", "bob", "cid"}
    assert [q.id for q in benchmark.judged()] == ["new1", "new2"]


def test_own_authors_are_no_candidates_except_where_they_are_the_answer(benchmark):
    run = Run.of_orders({"new1": ["ann", "cid", "bob"], "new2": ["bob", "ann", "cid"]})
    figures = benchmark.score_run(run, MEASURES)
    assert figures["reviewers"] == {"queries": 1, "recall@1": 1.0, "recall@2": 1.0, "mrr": 1.0}
    assert figures["authors"]["recall@1"] == 1.0
    assert figures["cite"]["recall@1"] == 1.0  # bob wrote new2, so ann comes first
    assert run.docs.tolist() == [0, 2, 1, 1, 0, 2]


@pytest.fixture
def root(tmp_path):
    works = [
        {"id": "old1", "title": "Old", "publication_year": 2015, "authorships": [{"author": {"id": "ann"}}]},
        {"id": "new1", "title": "New", "publication_year": 2019, "authorships": [{"author": {"id": "eve"}}]},
    ]
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "part_000.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works))
    for task in ("reviewers", "authors", "cite"):
        (tmp_path / f"qrels.dev.{task}.txt").write_text("new1 0 ann 1\n")
    (tmp_path / "history.jsonl.gz").write_bytes(gzip.compress(b""))
    return tmp_path


@pytest.fixture
def command(panelist):
    return partial(panelist, "eval", "elife")


def test_the_command_measures_a_run(root, command):
    run = root / "mine.run"
    run.write_text("new1 Q0 ann 1 0.5 mine\n")
    code, out, _ = command("--data", root, "--run", run, "--json")
    assert code == 0
    figures = json.loads(out)
    assert set(figures) == {"reviewers", "authors", "cite"}
    assert figures["reviewers"]["recall@10"] == figures["reviewers"]["ndcg@10"] == 1.0
    assert figures["reviewers"]["recall@10_ci"] == [1.0, 1.0]


def test_intervals_are_those_of_resampled_queries(benchmark):
    run = Run.of_orders({"new1": ["cid"], "new2": ["ann"]})
    assert ELife.split(benchmark.collection, {}).score_run(run, MEASURES, intervals=True) == {}
    figures = benchmark.score_run(run, MEASURES, intervals=True)["reviewers"]
    assert figures["recall@1_ci"] == (1.0, 1.0)
    assert figures["recall@1"] == 1.0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("new1 Q0 eve 2 0.4 mine", "line 2: unknown document 'eve'"),
        ("old1 Q0 ann 1 0.4 mine", "line 2: unknown query 'old1'"),
    ],
)
def test_a_run_with_unknown_ids_is_refused(root, command, line, message):
    run = root / "mine.run"
    run.write_text(f"new1 Q0 ann 1 0.5 mine\n{line}\n")
    code, _, err = command("--data", root, "--run", run)
    assert code == 2
    assert message in err


def test_a_directory_without_the_data_is_named(tmp_path, command):
    code, _, err = command("--data", tmp_path, "--run", "any.run")
    assert code == 2
    assert "run 'panelist fetch elife'" in err


def test_grades_need_queries_of_two_years(root, tmp_path, command, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    made = [
        "--workspace",
        tmp_path / "workspace",
        "--engine",
        "bm25s",
        "--encoder",
        make_tiny_model(tmp_path / "model"),
    ]
    code, out, err = command("--data", root, *made, "--confidence", "--json")
    assert (code, out) == (2, "")
    assert "grades are measured across years, and all queries are of one" in err


@pytest.mark.parametrize("other", [["--run", "mine.run"], ["--mode", "lexical"]])
def test_grades_are_of_a_look_up_that_knows_nearness(root, tmp_path, command, monkeypatch, other):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("--data", root, "--confidence", *other)
    assert (code, out) == (2, "")
    assert "leave out" in err


@pytest.mark.data
def test_the_development_split_has_its_published_size():
    root = data_dir() / "elife"
    benchmark = ELife.read(root)
    assert (len(benchmark.collection), len(benchmark.queries)) == (5868, 3638)
    sizes = {task: len(judged.queries) for task, judged in benchmark.qrels.items()}
    assert sizes == {"reviewers": 1320, "authors": 1400, "cite": 1400}
    everybody = benchmark.candidates()
    for task, judged in benchmark.qrels.items():
        whole = read_qrels(root / f"qrels.dev.{task}.txt")
        assert judged.queries == whole.queries[:1400]
        assert everybody.issuperset(whole.documents)
