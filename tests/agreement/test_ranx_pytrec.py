"""Our measures (ranx's kernels in our order) against trec_eval's own code, on random runs full of ties."""

import logging

import numpy as np
import pytest
import pytrec_eval
import ranx
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.measures.ranking import measure, parse_measures
from eval.runs import Qrels, Run

NAMES = {
    "ndcg": "ndcg",
    "ndcg@1": "ndcg_cut_1",
    "ndcg@5": "ndcg_cut_5",
    "ndcg@10": "ndcg_cut_10",
    "map": "map",
    "map@5": "map_cut_5",
    "recall@5": "recall_5",
    "recall@100": "recall_100",
    "precision@5": "P_5",
    "precision@10": "P_10",
    "mrr": "recip_rank",
}
MEASURES = {"ndcg", "map", "recip_rank", "ndcg_cut.1,5,10", "map_cut.5", "recall.5,100", "P.5,10"}
DOCUMENTS = [f"{letter}{number}" for letter in "aéZ" for number in (1, 2, 10, 9)]
QUERIES = [f"q{number}" for number in range(6)]

judgements = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)
answers = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "unjudged1", "unjudged2"]),
    st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 0.5, -2.0, 1e-20, 16777217.0, 16777216.0]),
)


def arrays(nested):
    documents = sorted({doc for docs in nested.values() for doc in docs})
    rows = [(q, documents.index(doc)) for q, docs in enumerate(nested.values()) for doc in docs]
    query, doc = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return list(nested), documents, query, doc, [value for docs in nested.values() for value in docs.values()]


def test_runs_and_judgements_go_to_ranx_and_come_back():
    run = Run.of_lists({"q2": [("b", 0.5), ("a", 0.5), ("c", 0.1)], "q1": [("a", 1.0)], "q3": []}, tag="mine")
    theirs = run.to_ranx()
    assert (theirs.name, set(theirs.keys())) == ("mine", {"q1", "q2"})
    assert list(theirs["q2"]) == ["b", "a", "c"]  # the order stays, ties included
    again = Run.of_ranx(theirs)
    assert [again.documents[doc] for doc in again.docs] == ["a", "b", "a", "c"]
    assert again.tag == "mine"
    qrels = Qrels.of(["q1", "q2"], ["a", "b"], np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1, 2, 0]))
    back = Qrels.of_ranx(qrels.to_ranx())
    assert (back.queries, back.documents) == (qrels.queries, qrels.documents)
    np.testing.assert_array_equal(back.relevance, qrels.relevance)
    chosen = parse_measures("ndcg,map")
    theirs = ranx.evaluate(qrels.to_ranx(), run.to_ranx(), ["ndcg", "map"], make_comparable=True)
    for m, values in measure(qrels, run, chosen).items():
        assert values.mean() == pytest.approx(theirs[str(m)])


@settings(max_examples=200)
@given(
    judged=st.dictionaries(st.sampled_from(QUERIES), judgements, min_size=1),
    answered=st.dictionaries(st.sampled_from(QUERIES), answers),
)
def test_measures_agree_with_trec_eval(judged, answered):
    *pairs, relevance = arrays(judged)
    qrels = Qrels.of(*pairs, np.array(relevance, dtype=np.int64))
    *pairs, scores = arrays(answered)
    run = Run.of(*pairs, np.array(scores, dtype=np.float64))

    peer = pytrec_eval.RelevanceEvaluator(judged, MEASURES)
    theirs = peer.evaluate({query: docs for query, docs in answered.items() if docs})
    ours = measure(qrels, run, parse_measures(",".join(NAMES)))
    for m, values in ours.items():
        # A judged query that is not answered is missing from theirs and zero in ours.
        expected = [theirs.get(query, {}).get(NAMES[str(m)], 0.0) for query in qrels.queries]
        assert values == pytest.approx(expected, abs=1e-9), str(m)


@pytest.fixture(autouse=True)
def _quiet():
    logging.getLogger("eval.measures.ranking").setLevel(logging.ERROR)
    yield
    logging.getLogger("eval.measures.ranking").setLevel(logging.NOTSET)
