"""Measures of rankings: trec_eval's figures, its order of ties, and unanswered queries."""

import logging
import subprocess
import sys

import numpy as np
import pytest

from eval.measures.ranking import Measure, measure, parse_measures
from eval.runs import Qrels, Run
from panelist.errors import InputError


def qrels_of(judged):
    """From {query: {document: relevance}}."""
    queries, documents = list(judged), sorted({doc for docs in judged.values() for doc in docs})
    rows = [(q, documents.index(doc), r) for q, docs in enumerate(judged.values()) for doc, r in docs.items()]
    return Qrels.of(queries, documents, *np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def run_of(answers):
    queries, documents = list(answers), sorted({doc for docs in answers.values() for doc in docs})
    rows = [(q, documents.index(doc)) for q, docs in enumerate(answers.values()) for doc in docs]
    scores = np.array([score for docs in answers.values() for score in docs.values()], dtype=np.float64)
    return Run.of(queries, documents, *np.array(rows, dtype=np.int64).reshape(-1, 2).T, scores)


def test_measures_by_hand():
    qrels = qrels_of({"q": {"a": 2, "b": 1, "c": 1}})
    run = run_of({"q": {"x": 4.0, "a": 3.0, "y": 2.0, "c": 1.0}})
    ideal = 2 + 1 / np.log2(3) + 1 / 2
    expected = {
        "ndcg": (2 / np.log2(3) + 1 / np.log2(5)) / ideal,
        "ndcg@2": (2 / np.log2(3)) / (2 + 1 / np.log2(3)),
        "map": (1 / 2 + 2 / 4) / 3,
        "map@2": (1 / 2) / 3,
        "recall": 2 / 3,
        "recall@2": 1 / 3,
        "precision@4": 2 / 4,
        "precision@8": 2 / 8,
        "mrr": 1 / 2,
        "mrr@1": 0.0,
    }
    values = measure(qrels, run, parse_measures(",".join(expected)))
    assert {str(m): v[0] for m, v in values.items()} == pytest.approx(expected)


def test_unanswered_queries_score_zero_and_are_counted_aloud(caplog):
    qrels = qrels_of({"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1}})
    with caplog.at_level(logging.WARNING):
        values = measure(qrels, run_of({"q2": {"a": 1.0}}), [Measure("recall", 10)])
    assert values[Measure("recall", 10)].tolist() == [0.0, 1.0, 0.0]
    assert "does not answer 2 of 3 judged queries" in caplog.text


def test_queries_without_judgements_are_left_out(caplog):
    values = measure(qrels_of({"q": {"a": 1}}), run_of({"q": {"a": 1.0}, "other": {"a": 1.0}}), [Measure("map")])
    assert values[Measure("map")].tolist() == [1.0]
    assert not caplog.text


def test_measuring_does_not_edit_the_run():
    run = run_of({"q": {"a": 1.0, "b": 2.0}})
    before = (run.docs.copy(), run.scores.copy())
    measure(qrels_of({"q": {"a": 1}}), run, parse_measures("ndcg@10,map,mrr"))
    np.testing.assert_array_equal(run.docs, before[0])
    np.testing.assert_array_equal(run.scores, before[1])


def test_measures_are_parsed_once_each_with_their_short_names():
    assert [str(m) for m in parse_measures("nDCG@10, p@5,map,ndcg@10")] == ["ndcg@10", "precision@5", "map"]


@pytest.mark.parametrize("text", ["bpref", "ndcg@0", "ndcg@ten", "precision", "recall@-1"])
def test_unknown_measures_are_refused(text):
    with pytest.raises(InputError, match=r"measure|cut-off"):
        Measure.parse(text)


@pytest.mark.parametrize("text", ["", " , "])
def test_a_list_without_measures_is_refused(text):
    with pytest.raises(InputError, match="no measures were given"):
        parse_measures(text)


def test_the_compiler_is_not_loaded_before_something_is_measured():
    code = (
        "import sys\nfrom eval.measures.ranking import measure\nfrom panelist.app.cli.main import command_line\n"
        "command_line()\nsys.exit(bool({'ranx', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
