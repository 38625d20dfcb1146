"""`panelist eval trec`: figures, comparisons and refusals of the command."""

import csv
import io
import json
from functools import partial

import pytest
import ranx

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 a 1\n"
GOOD = "q1 Q0 a 1 9 t\nq2 Q0 c 1 9 t\nq3 Q0 a 1 9 t\n"
BAD = "q1 Q0 b 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 a 1 9 t\n"


@pytest.fixture
def trec(panelist):
    return partial(panelist, "eval", "trec")


@pytest.fixture
def files(tmp_path):
    for name, text in (("qrels.txt", QRELS), ("good.run", GOOD), ("bad.run", BAD)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_runs_stand_side_by_side_and_are_compared_with_the_first(files, trec, caplog):
    code, out, _ = trec(files / "qrels.txt", files / "bad.run", files / "good.run", "-m", "mrr,recall@10", "--json")
    assert code == 0
    figures = json.loads(out)
    assert figures["queries"] == 3
    assert figures["runs"]["bad.run"] == pytest.approx({"mrr": 0.5 / 3, "recall@10": 1 / 3})
    assert figures["runs"]["good.run"] == {"mrr": 1.0, "recall@10": 1.0}
    assert figures["baseline"] == "bad.run"
    assert set(figures["significance"]) == {"good.run"}
    assert figures["significance"]["good.run"]["mrr"]["delta"] == pytest.approx(2.5 / 3)
    assert "does not answer 1 of 3 judged queries" in caplog.text


@pytest.mark.parametrize(("flag", "mark"), [("--markdown", "| run | mrr | Δ | p |"), ("--latex", r"\toprule")])
def test_tables_for_papers_and_pages(files, trec, flag, mark):
    code, out, _ = trec(files / "qrels.txt", files / "good.run", files / "bad.run", "-m", "mrr", flag)
    assert code == 0
    assert mark in out


def test_csv_for_programs(files, trec):
    _, out, _ = trec(files / "qrels.txt", files / "good.run", "-m", "ndcg@10,map", "--csv")
    assert list(csv.reader(io.StringIO(out))) == [["run", "ndcg@10", "map"], ["good.run", "1.0", "1.0"]]


def test_queries_without_judgements_are_ignored_and_counted(files, trec, caplog):
    (files / "more.run").write_text(GOOD + "q9 Q0 a 1 9 t\nq8 Q0 a 1 9 t\n")
    code, out, _ = trec(files / "qrels.txt", files / "more.run", "--json")
    assert code == 0
    assert json.loads(out)["runs"]["more.run"]["map"] == 1.0
    assert "more.run answers 2 queries that nobody judged: ignored" in caplog.text


@pytest.mark.parametrize("test", ["fisher", "student", "tukey"])
def test_significance_as_ranx_has_it(files, trec, test):
    code, out, _ = trec(
        files / "qrels.txt", files / "bad.run", files / "good.run", "-m", "mrr", "--test", test, "--json"
    )
    assert code == 0
    ours = json.loads(out)["significance"]["good.run"]["mrr"]
    theirs = ranx.compare(
        ranx.Qrels.from_file(str(files / "qrels.txt"), kind="trec"),
        [ranx.Run.from_file(str(files / name), kind="trec", name=name) for name in ("bad.run", "good.run")],
        ["mrr"],
        stat_test=test,
        n_permutations=10_000,
        random_seed=0,
        make_comparable=True,
    ).comparisons[frozenset(("bad.run", "good.run"))]
    assert ours[f"p_{test}"] == pytest.approx(theirs["mrr"]["p_value"], abs=0.03)  # ranx draws from all threads
    if test == "student":
        assert ours["p_student"] == pytest.approx(ours["p_t"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 Q0 x 2 1 t", "unknown document 'x' (1 such in the file)"),
        ("q1 Q0 a 2 1 t", "query 'q1' and document 'a' are on an earlier line too"),
        ("q1 Q0 b 2 NaN t", "the score must be a finite number, received 'NaN'"),
        ("q1 Q0 b 2 -inf t", "the score must be a finite number, received '-inf'"),
        ("q1 Q0 2 1 t", "expected 6 columns 'query Q0 document rank score tag', received 5: is an id missing"),
    ],
)
def test_a_bad_line_of_any_run_is_named_with_its_file(files, trec, line, message):
    (files / "candidates.txt").write_text("a\nb\nc\n")
    (files / "mine.run").write_text(GOOD + line + "\n")
    options = ["--candidates", files / "candidates.txt"]
    code, _, err = trec(files / "qrels.txt", files / "good.run", files / "mine.run", *options)
    assert code == 2
    assert err.count("\n") == 1
    assert f"{files / 'mine.run'}, line 4: {message}" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["good.run", "--candidates", "absent.txt"], "cannot read reviewer ids"),
        (["good.run", "good.run"], "a run was given twice"),
        (["absent.run"], "no such file"),
        (["good.run", "-m", "bpref"], "unknown measure 'bpref'"),
        (["good.run", "-m", ","], "no measures were given"),
        (["good.run", "--json", "--latex"], "several output formats"),
        (["good.run", "--seed", "-1"], "Invalid value for '--seed'"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(files, trec, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    code, _, err = trec("qrels.txt", *arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert message in err
