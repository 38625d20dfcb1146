"""Runs and judgements: strict reading, the order of ties, and writing that keeps it."""

import gzip

import numpy as np
import pytest

from eval.runs import Qrels, Run
from eval.trec import read_qrels, read_run, write_run
from panelist.errors import InputError
from panelist.records import Author, Submission

RUN = "q2 Q0 b 1 0.5 mine\nq1 Q0 a 1 2.0 mine\nq1 Q0 c 2 3.0 mine\nq1 Q0 b 3 2.0 mine\n"


def ranking(run, query):
    row = run.queries.index(query)
    return [run.documents[doc] for doc in run.docs[run.offsets[row] : run.offsets[row + 1]]]


@pytest.fixture
def write(tmp_path):
    def write(text, name="file.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_run_is_ordered_by_score_then_by_descending_id_whatever_its_ranks(write):
    run = read_run(write(RUN))
    assert run.queries == ("q1", "q2")
    assert ranking(run, "q1") == ["c", "b", "a"]
    assert run.tag == "mine"


def test_scores_are_compared_in_single_precision_as_trec_eval_does(write):
    run = read_run(write("q Q0 a 1 1.0000000001 t\nq Q0 b 2 1.0 t\n"))
    assert ranking(run, "q") == ["b", "a"]


def test_a_gzipped_run_is_the_same_run(write, tmp_path):
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress(RUN.encode()))
    assert ranking(read_run(packed), "q1") == ranking(read_run(write(RUN)), "q1")


@pytest.mark.parametrize("name", ["out.run", "out.run.gz"])
def test_writing_then_reading_changes_nothing(write, tmp_path, name):
    run = read_run(write(RUN))
    write_run(run, tmp_path / name)
    again = read_run(tmp_path / name)
    assert (again.queries, again.documents, again.tag) == (run.queries, run.documents, run.tag)
    for field in ("offsets", "docs", "scores"):
        np.testing.assert_array_equal(getattr(again, field), getattr(run, field))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q Q0 a 1 1.0 t\n\nq Q0 b 2 0.9\n", r"line 3: expected 6 columns .* received 5"),
        ("q Q0 a 1 1.0 t\nq Q0 b 2 nan t\n", r"line 2: .*score .*received 'nan'"),
        ("q Q0 a 1 inf t\n", r"line 1: .*score .*received 'inf'"),
        ("q Q0 a 1 1e39 t\n", r"line 1: .*score .*finite"),
        ("q Q0 a 1 high t\n", r"line 1: .*score .*received 'high'"),
        (
            "q Q0 a 1 3 t\nq Q0 b 2 2 t\n\nq Q0 a 3 1 t\n",
            r"line 4: query 'q' .*'a' .*earlier",
        ),
        ("q Q0 a 1 3 t\nother Q0 a 1 3 t\n", r"line 2: unknown query 'other'"),
        ("q Q0 a 1 3 t\nq Q0 nobody 2 2 t\n", r"line 2: unknown document 'nobody'"),
        ("\n\n", "is empty"),
        ("", "is empty"),
        ("q Q0 a 1 1.0\nq Q0 b 2 0.9 t x\n", r"line 1: expected 6 columns .* received 5"),
    ],
)
def test_a_bad_run_is_refused_with_its_line(write, text, message):
    with pytest.raises(InputError, match=message):
        read_run(write(text), queries=["q"], documents=["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q 0 a 1\nq 0 b much\n", r"line 2: .*relevance .*received 'much'"),
        (f"q 0 a {'9' * 400}\n", r"line 1: .*relevance .*received '9"),
        ("q 0 a 1\nq 0 a 0\n", r"line 2: query 'q' .*'a'"),
        ("q 0 a\n", r"line 1: expected 4 columns"),
    ],
)
def test_bad_qrels_are_refused_with_their_line(write, text, message):
    with pytest.raises(InputError, match=message):
        read_qrels(write(text))


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_run(tmp_path / "absent.run")
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(RUN.encode())[:-12])
    with pytest.raises(InputError, match="cannot read"):
        read_run(broken)
    binary = tmp_path / "binary.run"
    binary.write_bytes(b"\xff\xfe q Q0")
    with pytest.raises(InputError, match="cannot read"):
        read_run(binary)


def test_qrels_are_ordered_by_query_and_falling_relevance_and_can_be_cut(write):
    qrels = read_qrels(write("q2 0 a 1\nq10 0 b 1\nq10 0 c 3\n"))
    assert qrels.queries == ("q10", "q2")
    assert [qrels.documents[doc] for doc in qrels.docs] == ["c", "b", "a"]
    first = qrels.head(1)
    assert first.queries == ("q10",)
    assert first.relevance.tolist() == [3, 1]
    assert qrels.head(99).queries == qrels.queries


def test_lists_of_answers_become_a_run_whose_scores_never_rise():
    run = Run.of_lists({"q2": [("b", 0.7)], "q3": [], "q1": [("c", 0.8), ("a", 0.9)]})
    assert run.queries == ("q1", "q2", "q3")
    assert [ranking(run, query) for query in run.queries] == [["c", "a"], ["b"], []]
    assert run.scores.tolist() == [0.8, 0.8, 0.7]
    assert ranking(Run.of_orders({"q": ["b", "a"]}), "q") == ["b", "a"]


@pytest.mark.parametrize("ids", [["a", "b", "c", "d"], ["d", "c", "b", "a"], ["b", "d", "a", "c"]])
def test_the_order_of_a_system_survives_memory_and_files_ties_included(tmp_path, ids):
    scores = [2.0, 2.0, 2.0, 2.0 - 1e-7]
    run = Run.of_lists({"q": list(zip(ids, scores, strict=True))})
    assert ranking(run, "q") == ids
    write_run(run, tmp_path / "run.txt")
    again = read_run(tmp_path / "run.txt")
    assert ranking(again, "q") == ids
    assert again.scores == pytest.approx(scores, rel=1e-6)


def test_keeping_some_answers_leaves_the_run_itself_alone(write):
    run = read_run(write(RUN))
    before = run.docs.copy()
    fewer = run.select(run.docs != run.documents.index("b"))
    assert ranking(fewer, "q1") == ["c", "a"]
    assert ranking(fewer, "q2") == []
    np.testing.assert_array_equal(run.docs, before)


def test_qrels_from_arrays_do_not_depend_on_their_order():
    one = Qrels.of(["b", "a"], ["y", "x"], np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 2, 1]))
    assert one.queries == ("a", "b")
    assert [one.documents[doc] for doc in one.docs] == ["y", "x", "y"]


def test_own_authors_can_be_left_out_of_a_run(write):
    run = read_run(write(RUN))
    own = {"q1": ("c", "unknown"), "q9": ("a",), "q2": ("a",)}
    queries = [Submission(query, "", "", tuple(Author(name, "") for name in authors)) for query, authors in own.items()]
    fewer = run.without_own_authors(queries)
    assert (ranking(fewer, "q1"), ranking(fewer, "q2")) == (["b", "a"], ["b"])
    assert ranking(run, "q1") == ["c", "b", "a"]


def test_qrels_of_some_queries_keep_their_judgements(write):
    qrels = read_qrels(write("q1 0 a 1\nq2 0 b 1\nq2 0 c 3\nq3 0 a 1\n"))
    some = qrels.only({"q2", "q3", "q9"})
    assert some.queries == ("q2", "q3")
    assert [some.documents[doc] for doc in some.docs] == ["c", "b", "a"]
    assert some.offsets.tolist() == [0, 2, 3]
    assert qrels.only(()).queries == ()
