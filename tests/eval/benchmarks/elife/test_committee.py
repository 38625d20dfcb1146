"""The committee benchmark against loops, and its command."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from eval.benchmarks.elife.affinity import JudgedCommittee
from eval.benchmarks.elife.benchmark import ELife
from eval.runs import Qrels
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper


def by(*authors):
    return tuple(Authorship(Author(author, author)) for author in authors)


@pytest.fixture
def benchmark():
    """Five people with 4, 3, 3, 2 and 1 papers; `a` and `e` reviewed q1, `b` wrote and reviewed q2, `d` reviewed q3."""
    written = {"a": 4, "b": 3, "c": 3, "d": 2, "e": 1}
    papers = [
        Paper(f"{who}{n}", f"Paper {n} of {who}", year=2010 + n, authorships=by(who))
        for who, count in written.items()
        for n in range(count)
    ]
    asked = [
        Paper("q1", "One", year=2019),
        Paper("q2", "Two", year=2019, authorships=by("b")),
        Paper("q3", "3", year=2020),
    ]
    judged = [("q1", "a"), ("q1", "e"), ("q2", "b"), ("q3", "d")]
    queries, people = ["q1", "q2", "q3"], ["a", "b", "d", "e"]
    qrels = Qrels.of(
        queries,
        people,
        np.array([queries.index(query) for query, _ in judged]),
        np.array([people.index(person) for _, person in judged]),
        np.ones(len(judged), dtype=np.int64),
    )
    return ELife.split([*papers, *asked], {"reviewers": qrels})


def test_only_people_with_enough_papers_and_papers_that_they_reviewed(benchmark):
    committee = JudgedCommittee.of(benchmark, 2)
    assert committee.people == ("a", "b", "c", "d")
    assert [query.id for query in committee.queries] == ["q1", "q3"]  # q2 was reviewed by its author only
    assert committee.right.tolist() == [[True, False, False, False], [False, False, False, True]]
    assert committee.unrelated.tolist() == [[False, True, True, True], [True, True, True, False]]
    with pytest.raises(InputError, match=r"5 papers .*fewer papers"):
        JudgedCommittee.of(benchmark, 5)


def test_short_profiles_do_not_make_a_larger_committee(benchmark):
    committee = JudgedCommittee.of(benchmark, 4, size=2)
    assert committee.people == ("a",)
    assert [len(profile) for profile in committee.profiles] == [2]


def test_areas_recall_and_ndcg_of_given_scores(benchmark):
    committee = JudgedCommittee.of(benchmark, 2)
    fits = np.array([[1.0, 1.0, 0.0, 0.0], [0.03, 0.0, 0.03, 1.0]])  # strong, fair and weak
    near = SimpleNamespace(grades=lambda query, people, ids: SimpleNamespace(fit=fits[query, people]))
    scores = np.array([[0.5, 0.6, 0.5, 0.1], [0.4, 0.3, 0.2, 0.3]], dtype=np.float32)
    blocks = SimpleNamespace(
        submissions=2, reviewers=4, near=lambda: near, block=lambda start, stop: scores[:, start:stop].copy()
    )
    figures = committee.statistics(blocks)
    # q1: a is below b, level with c, above d; q3: d is below a, level with b, above c.
    assert figures["auc"].value == pytest.approx((0.5 + 0.5) / 2)
    # a, of 4 papers, is compared with b and c; d, of 2, with b and c, too.
    assert figures["auc alike"].value == pytest.approx(((0 + 0.5) / 2 + (0.5 + 1) / 2) / 2)
    # High: a and b for q1, d for q3, of whom a and d reviewed. Nobody of medium or low confidence did.
    shares = {grade: figures[f"{grade} right"].value for grade in ("low", "medium", "high")}
    assert shares == {"low": 0, "medium": 0, "high": pytest.approx(2 / 3)}
    assert figures["recall@10"].value == 1
    # Ties by id: b, a, c, d and a, b, d, c.
    assert figures["ndcg@10"].value == pytest.approx((1 / np.log2(3) + 1 / np.log2(4)) / 2)


@pytest.mark.data
def test_the_command_compares_models_over_queries(data_dir, panelist):
    arguments = ("--committee", "4", "--model", "bm25", "--model", "bm25:fill=0", "--data", data_dir / "elife")
    code, out, _ = panelist("eval", "elife-affinity", *arguments, "--resamples", "50", "--json")
    assert code == 0
    answer = json.loads(out)
    assert (answer["people"], answer["queries"]) == (546, 247)
    first, second = answer["models"].values()
    assert first["auc"]["delta"] is None
    low, high = second["auc"]["delta_interval"]
    assert second["auc"]["delta"] == pytest.approx(second["auc"]["value"] - first["auc"]["value"])
    assert low <= second["auc"]["delta"] <= high


@pytest.mark.data
def test_references_bring_reviewers_forward_and_leave_the_rows_without_them_alone(data_dir, panelist):
    arguments = ("--committee", "4", "--model", "bm25", "--resamples", "50", "--data", data_dir / "elife", "--json")
    code, out, _ = panelist("eval", "elife-affinity", *arguments)
    assert code == 0
    alone = json.loads(out)["models"]["bm25"]
    code, out, _ = panelist("eval", "elife-affinity", *arguments, "--references")
    assert code == 0
    models = json.loads(out)["models"]
    assert models["bm25"] == alone
    assert models["bm25 + references"]["recall@10"]["delta_interval"][0] > 0
    code, _, errors = panelist("eval", "elife-affinity", "--model", "bm25", "--references")
    assert (code, errors) == (2, "error: --references needs --committee\n")
