"""Running an exHarmony benchmark: the methods, their measures, and what is not available."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import orjson
import pytest
from tiny_model import make_tiny_model

from eval.benchmarks.exharmony.benchmark import QRELS, ExHarmony, Inventory, Pool, SimilarityChoice, Sizes
from eval.benchmarks.exharmony.report import result_tables, statistics_tables
from eval.benchmarks.exharmony.results import evaluate
from eval.benchmarks.exharmony.run import MethodsPlan, compare_methods, unable
from eval.runs import Qrels, Run
from eval.trec import read_run
from indexing.jobs.generations import current_generation
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper, Submission
from panelist.workspace import Workspace

LOOKED_UP = ("bm25", "dense", "hybrid", "panelist")
STATIC = ("doc2vec", "wmd")


def work(name, year, title, authors, cites=()):
    people = [
        {"author": {"id": one, "display_name": one}, "institutions": [{"display_name": f"Place of {one}"}]}
        for one in authors
    ]
    abstract = f"{title} and {title}"
    return {
        "id": name,
        "title": title,
        "abstract": abstract,
        "publication_year": year,
        "authorships": people,
        "referenced_works": list(cites),
        "cited_by_count": len(name),
    }


WORKS = [
    work("p1", 2015, "coral reef bleaching", ["ann", "bob"]),
    work("p2", 2016, "coral larvae settle", ["ann", "cid"]),
    work("p3", 2017, "formation of distant stars", ["dan"]),
    work("p4", 2018, "stars and dust clouds", ["dan", "eve"]),
    work("p5", 2018, "proteins fold in cells", ["fay"]),
    work("q1", 2020, "bleaching of the coral reef", ["bob", "gus"], ["p1", "p2"]),
    work("q2", 2021, "dust around distant stars", ["eve"], ["p3", "p5"]),
]


@pytest.fixture
def works(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "works.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in WORKS))
    return path


@pytest.fixture
def built(works, tmp_path, command):
    directory = tmp_path / "benchmark"
    code, _, _ = command("build", directory, "--since", 2020, "--established", 2, "--works", works)
    assert code == 0
    return directory


@pytest.fixture
def command(panelist):
    return partial(panelist, "eval", "exharmony")


# Measuring, on figures made by hand


def authored(name, year, authors, cited, place):
    people = tuple(Authorship(Author(one, one), (Institution(place),) if place else ()) for one in authors)
    return Paper(name, name, "", year, people, cited_by_count=cited)


COLLECTION = [
    authored("p1", 2000, ["ann", "bob"], 4, "Harbour"),
    authored("p2", 2001, ["ann", "cid"], 2, "Hill"),
    authored("p3", 2002, ["cid", "dan"], 0, None),
]


def judgements(**right):
    queries, people = sorted(right), sorted({one for of in right.values() for one in of})
    flat = [(queries.index(query), people.index(one)) for query, of in right.items() for one in of]
    query, doc = np.array(flat, dtype=np.int64).T
    return Qrels.of(queries, people, query, doc, np.ones(len(flat), dtype=np.int64))


@pytest.fixture
def judged(tmp_path):
    qrels = {"authors": judgements(q1=["ann"], q2=["dan"]), "cite": judgements(q1=["bob"])}
    manifest = Inventory(
        2003,
        2,
        10,
        SimilarityChoice(),
        "x",
        Sizes(3, 6, 4),
        Sizes(2, 2, 2),
        2,
        {},
        {},
        {"simcite": "no", "cite-established": "no"},
    )
    queries = tuple(Submission(name, name, authors=(Author(who, who),)) for name, who in (("q1", "ann"), ("q2", "dan")))
    return ExHarmony(tmp_path, manifest, queries, qrels)


def of_lines(**rankings):
    return Run.of_orders(rankings)


def test_relevance_and_diversity_are_those_made_by_hand(judged, caplog):
    first = of_lines(q1=["ann", "bob", "cid"])
    results = evaluate(
        judged, Pool.of_papers(COLLECTION), [("a", "A", first), ("b", "B", of_lines(q1=["cid", "bob"], q2=["dan"]))], {}
    )
    a, b = results.methods
    assert a.relevance["authors"]["ndcg@10"].value == 0.5  # q2 is not answered: zero
    assert "1 of 2 judged queries" in caplog.text
    assert a.relevance["cite"]["map@10"].value == 1.0  # ann wrote q1: bob comes first
    assert b.relevance["cite"]["map@10"].value == 0.5
    assert b.relevance["cite"]["map@10"].delta == -0.5
    assert a.relevance["cite"]["map@10"].delta is None
    assert a.relevance["simcite"] is a.relevance["cite-established"] is a.relevance["authors-established"] is None
    # ann: 2 papers, 6 citations, Hill; bob: 1, 4, Harbour; cid: 2, 2, Hill. q2 has no answer.
    assert a.diversity["sigma_paper@10"].value == pytest.approx(np.std([2, 1, 2]) / 2)
    assert a.diversity["sigma_cite@100"].value == pytest.approx(np.std([6, 4, 2]) / 2)
    assert a.diversity["institutions@10"].value == 1.0
    assert b.diversity["institutions@10"].value == 1.0  # where dan works is not known
    low, high = a.relevance["authors"]["ndcg@10"].interval
    assert low <= 0.5 <= high


def test_what_is_not_available_is_null_for_machines_and_a_dash_with_a_reason_for_people(judged):
    manifest = replace(judged.manifest, not_available={"sigma_cite": "no counts", "simcite": "no references"})
    judged = ExHarmony(judged.directory, manifest, judged.queries, judged.qrels)
    runs = [("a", "A", of_lines(q1=["ann"], q2=["dan"])), ("b", "B", "it is not installed")]
    results = evaluate(judged, Pool.of_papers(COLLECTION), runs, {"a": {"cite": "it chose them itself"}})
    figures = orjson.loads(orjson.dumps(results.figures()))
    a, b = figures["methods"]["a"], figures["methods"]["b"]
    assert a["simcite"] is a["cite"] is a["diversity"]["sigma_cite@10"] is None
    assert a["authors"]["recall@10"] == 1.0
    assert all(b[name] is None for name in QRELS)
    assert b["not_available"]["b"] == "it is not installed"
    authors, cite, simcite, diversity = result_tables(results)
    assert authors.cells()[1] == ["B", "all", *["—"] * 9]
    assert "B: not available: it is not installed" in authors.note
    assert "A: cite not available: it chose them itself" in cite.note
    assert "simcite not available: no references" in simcite.note
    assert "σ#cite not available: no counts" in diversity.note
    assert diversity.cells()[0][1:3] == ["—", "—"]


# The methods, end to end


def test_methods_answer_and_find_who_is_right(built, tmp_path, command):
    model = make_tiny_model(tmp_path / "model")
    chosen = [word for name in (*LOOKED_UP, *STATIC) for word in ("--method", name)]
    shared = ["--engine", "bm25s", "--encoder", model, "--json"]
    code, out, _ = command("run", built, *chosen, *shared, "--runs", tmp_path / "runs")
    assert code == 0
    figures = json.loads(out)
    assert list(figures["methods"]) == [*LOOKED_UP, *STATIC]
    assert figures["queries"] == 2
    assert figures["sampled"] is False
    assert figures["benchmark"]["since"] == 2020
    assert figures["judged"]["authors"] == 2
    for name in QRELS:  # bob and eve have one paper each
        assert (figures["methods"]["bm25"][name] is None) == (name == "authors-established")
    bm25 = figures["methods"]["bm25"]
    assert bm25["authors"]["recall@10"] == 1.0
    assert bm25["cite"]["recall@10"] == 0.75  # fay shares no word with q2
    assert bm25["diversity"]["institutions@10"] == pytest.approx(2.5)  # three and two authors
    assert figures["methods"]["doc2vec"]["cite"]["recall@100"] == 1.0  # vectors rank everybody
    assert figures["methods"]["wmd"]["authors"]["recall@10"] == 1.0
    assert set(figures["methods"]["dense"]["authors"]["deltas"]) == set(bm25["authors"]["intervals"])

    kept = read_run(tmp_path / "runs" / "wmd.run.gz")
    assert kept.tag == "wmd"
    code, again, _ = command("run", built, "--run", tmp_path / "runs" / "wmd.run.gz", "--json")
    assert code == 0
    expected = figures["methods"]["wmd"]["cite"]["ndcg@10"]
    assert json.loads(again)["methods"]["wmd.run.gz"]["cite"]["ndcg@10"] == pytest.approx(expected)


def test_methods_of_words_alone_need_no_encoder(built, tmp_path, command):
    words = ["--method", "bm25", "--method", "wmd", "--method", "doc2vec"]
    asked = ["run", built, "--engine", "bm25s", "-w", tmp_path / "workspace", "--json"]
    code, out, _ = command(*asked, *words, "--encoder", "no/such-model")
    assert code == 0
    first = json.loads(out)["methods"]
    assert first["bm25"]["authors"]["recall@10"] == 1.0
    code, _, err = command(*asked, "--method", "dense", "--encoder", "no/such-model")
    assert code == 2
    assert "no/such-model" in err
    # An index with vectors, made when they are needed, serves words as well.
    code, out, _ = command(*asked, "--method", "dense", "--encoder", make_tiny_model(tmp_path / "model"))
    assert code == 0
    assert json.loads(out)["methods"]["dense"]["authors"]["recall@100"] == 1.0
    generation = current_generation(Workspace(tmp_path / "workspace").index_path)
    code, out, _ = command(*asked, *words)
    assert json.loads(out)["methods"] == first
    assert current_generation(Workspace(tmp_path / "workspace").index_path) == generation


def test_a_run_may_answer_more_queries_than_are_sampled(built, tmp_path, command):
    path = tmp_path / "mine.run"
    path.write_text("q1 Q0 bob 1 2 t\nq2 Q0 ann 1 2 t\n")
    found = set()
    for seed in range(8):
        code, out, _ = command("run", built, "--run", path, "--queries", 1, "--seed", seed, "--json")
        assert code == 0
        figures = json.loads(out)
        assert figures["sampled"] is True
        assert figures["judged"]["authors"] == 1
        found.add(figures["methods"]["mine.run"]["authors"]["recall@10"])
    assert found == {0.0, 1.0}  # whichever query was drawn, it alone counts


def test_runs_are_the_same_every_time(built, tmp_path):
    benchmark = ExHarmony.read(built)
    plan = MethodsPlan(STATIC, engine="bm25s", encoder=str(make_tiny_model(tmp_path / "model")))
    results = []
    for name in ("one", "two"):
        compare_methods(benchmark, replace(plan, run_directory=tmp_path / name), lambda *_: None)
        results.append([read_run(tmp_path / name / f"{method}.run.gz") for method in STATIC])
    for one, two in zip(*results, strict=True):
        assert one.documents == two.documents
        np.testing.assert_array_equal(one.docs, two.docs)
        np.testing.assert_array_equal(one.scores, two.scores)


def test_the_encoder_that_chose_the_similar_papers_is_not_measured_by_them(works, tmp_path, command):
    model, directory = make_tiny_model(tmp_path / "model"), tmp_path / "benchmark"
    options = ["--since", 2020, "--established", 2, "--works", works, "--similarity", model, "--similar", 1]
    assert command("build", directory, *options)[0] == 0
    asked = ["--method", "bm25", "--method", "dense", "--engine", "bm25s", "--encoder", model]
    code, out, _ = command("run", directory, *asked, "--json")
    assert code == 0
    methods = json.loads(out)["methods"]
    assert methods["bm25"]["simcite"] is not None
    assert methods["dense"]["simcite"] is methods["dense"]["simcite-established"] is None
    assert methods["dense"]["cite"] is not None
    assert "the same encoder" in methods["dense"]["not_available"]["simcite"]


def test_what_cannot_be_run_is_passed_over_unless_it_was_asked_for(monkeypatch):
    assert "use the engine lucene" in unable("bm25+rm3", "bm25s")
    assert unable("bm25", "bm25s") is None
    with pytest.raises(InputError, match=r"method 'bm25\+rm3' cannot"):
        MethodsPlan(["bm25+rm3"], engine="bm25s").names()
    assert "bm25+rm3" in MethodsPlan(engine="bm25s").names()
    monkeypatch.setattr("panelist.extras.find_spec", lambda name: None)
    assert "[eval]" in unable("wmd", "lucene")


@pytest.mark.java
def test_feedback_needs_lucene_and_works_there(built, tmp_path, command):
    model = make_tiny_model(tmp_path / "model")
    asked = ["--method", "bm25+rm3", "--encoder", model, "--queries", 1, "--markdown"]
    code, out, _ = command("run", built, *asked)
    assert code == 0
    assert "**exHarmony-Authors, a sample of 1 of 2 queries**" in out
    assert "| BM25+RM3 | all |" in out


# The command line


def test_statistics_are_printed_in_every_format(built, command, works):
    options = ["--since", 2020, "--established", 2, "--works", works]
    for flag, mark in (("--json", '"established_authors": 2'), ("--csv", "collection,5,8,6"), ("--latex", r"\toprule")):
        code, out, _ = command("build", built, *options, flag)
        assert code == 0
        assert mark in out
    tables = statistics_tables(Inventory.read(built))
    assert [row[:2] for row in tables[0].cells()] == [["collection", "5"], ["test set", "2"]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("q1 Q0 ann 1 2 t\nq1 Q0 nobody 2 1 t\n", "line 2: unknown document 'nobody'"),
        ("q1 Q0 ann 1 2 t\np1 Q0 ann 1 1 t\n", "line 2: unknown query 'p1'"),
        ("q1 Q0 ann 1 2 t\nq1 Q0 ann 2 1 t\n", "line 2: query 'q1' and document 'ann' are on an earlier line"),
        ("q1 Q0 ann 1 nan t\n", "line 1: the score must be a finite number, received 'nan'"),
        ("q1 Q0 ann 1 2 t\nq1 Q0 2 1 t\n", "line 2: expected 6 columns 'query Q0 document rank score tag', received 5"),
    ],
)
def test_a_bad_run_is_refused_with_its_file_and_line(built, tmp_path, command, lines, message):
    path = tmp_path / "bad.run"
    path.write_text(lines)
    code, _, err = command("run", built, "--run", path)
    assert code == 2
    assert err.count("\n") == 1
    assert f"{path}, {message}" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "out", "--since", "1990", "--works", "works.jsonl"], "no paper is from before 1990"),
        (["build", "out", "--since", "2030", "--works", "works.jsonl"], "no paper is from 2030 or later"),
        (["build", "out", "--since", "2020", "--works", "absent"], "no such file or directory"),
        (
            ["build", "out", "--since", "2020", "--works", "works.jsonl", "-w", "ws"],
            "give one of --works, --mongo and --workspace",
        ),
        (["build", "out", "--since", "2020", "-w", "ws"], "no corpus in workspace"),
        (["build", "out", "--since", "2020", "--works", "bad.jsonl"], "bad.jsonl:1: not JSON"),
        (["run", "absent"], "no exHarmony benchmark in"),
        (["run", "benchmark", "--method", "magic"], "unknown method 'magic': use one of bm25, bm25+rm3"),
        (["run", "benchmark", "--runs", "bad.jsonl"], "cannot write into 'bad.jsonl': it is a file"),
        (["run", "benchmark", "--queries", "0"], "Invalid value for '--queries'"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(built, tmp_path, command, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text("{\n")
    code, _, err = command(*arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert message in err
