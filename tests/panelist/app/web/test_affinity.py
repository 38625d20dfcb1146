"""Affinity over the API: at once or as a job, the same scores, with conflicts and refusals."""

import csv
import io

import orjson
import pytest
from indexing_support import load_hashing
from waiting import finished

from panelist.app.demo import corpus, submissions
from retriever.affinity.model import affinity_model
from retriever.affinity.profiles import most_recent
from retriever.fit import grade


@pytest.fixture(scope="module")
def reviewers():
    return sorted({one.author.id for paper in corpus() for one in paper.authorships})[:12]


@pytest.fixture(scope="module")
def body(reviewers):
    papers = [{"id": one.id, "title": one.title, "abstract": one.abstract} for one in submissions()]
    return {"submissions": papers, "reviewers": reviewers, "model": "bm25", "keep": 100}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("model", ["bm25", "dense", "hybrid", "tpms"])
def test_scores_are_those_of_the_model(client, body, reviewers, model):
    answer = client.post("/api/v1/affinity", json=body | {"model": model})
    assert answer.status_code == 200, answer.text
    scores = {(pair["submission"], pair["reviewer"]): pair["score"] for pair in answer.json()["pairs"]}
    written = {key: [] for key in reviewers}
    for paper in corpus():
        for one in paper.authorships:
            if one.author.id in written:
                written[one.author.id].append(paper)
    parameters = {"encoder": "hashing", "load": load_hashing} if model in ("dense", "hybrid") else {}
    profiles = [most_recent(written[key]) for key in reviewers]
    direct = affinity_model(model, **parameters).score(submissions(), profiles)
    assert len(scores) == direct.size
    for row, submission in enumerate(submissions()):
        for column, reviewer in enumerate(reviewers):
            assert scores[submission.id, reviewer] == pytest.approx(direct[row, column], abs=1e-6)


def test_authors_and_their_coauthors_get_no_score_but_a_reason(client):
    paper = next(paper for paper in corpus() if len(paper.authorships) >= 2)
    author, coauthor = (one.author.id for one in paper.authorships[:2])
    near = {author, coauthor} | {one.author.id for one in paper.authorships}
    stranger = next(one.author.id for paper in corpus() for one in paper.authorships if one.author.id not in near)
    submission = {"id": "s", "title": "A title", "authors": [{"id": author}], "year": paper.year}
    body = {"submissions": [submission], "reviewers": [author, coauthor, stranger], "model": "bm25"}
    answer = client.post("/api/v1/affinity", json=body | {"institution_years": None}).json()
    reasons = {one["reviewer"]: one["kind"] for one in answer["conflicts"]}
    assert (reasons[author], reasons[coauthor]) == ("author", "coauthor")
    assert {pair["reviewer"] for pair in answer["pairs"]} == {author, coauthor, stranger} - reasons.keys()
    lenient = client.post("/api/v1/affinity", json=body | {"institution_years": None, "coauthor_years": None}).json()
    assert [one["reviewer"] for one in lenient["conflicts"]] == [author]
    assert coauthor in {pair["reviewer"] for pair in lenient["pairs"]}


def test_possible_conflicts_keep_their_scores_and_are_listed(client):
    author = corpus()[0].authorships[0].author
    submission = {"id": "s", "title": f"More on {corpus()[0].title}", "author_names": [author.name]}
    body = {"submissions": [submission], "reviewers": [author.id], "model": "bm25"}
    answer = client.post("/api/v1/affinity", json=body).json()
    (conflict,) = answer["conflicts"]
    papers = sum(author.id in {one.author.id for one in paper.authorships} for paper in corpus())
    assert answer["reviewers"] == [{"reviewer": author.id, "papers": papers}]
    (pair,) = answer["pairs"]
    assert (pair["near_papers"], pair["fit"], pair["confidence"]) == (None, None, None)  # words have no scale
    (dense,) = client.post("/api/v1/affinity", json=body | {"model": "dense"}).json()["pairs"]
    assert dense["near_papers"] >= 1
    assert dense["confidence"] == grade(dense["fit"])
    assert (conflict["reviewer"], conflict["certain"]) == (author.id, False)
    assert [pair["reviewer"] for pair in answer["pairs"]] == [author.id]
    known = {"submissions": [submission | {"authors": [{"id": author.id}]}]}
    hidden, flagged, ignored = (
        client.post("/api/v1/affinity", json=body | known | {"conflicts": how}).json()
        for how in ("hide", "flag", "ignore")
    )
    assert [(len(one["pairs"]), len(one["conflicts"])) for one in (hidden, flagged, ignored)] == [
        (0, 1),
        (1, 1),
        (1, 0),
    ]


def test_nobody_spends_the_servers_money(client, body):
    answer = client.post("/api/v1/affinity", json=body | {"model": "llm"})
    assert answer.status_code == 422
    assert "use one of hybrid" in answer.text


def test_a_background_job_gives_the_same(client, body):
    at_once = client.post("/api/v1/affinity", json=body).json()
    begun = client.post("/api/v1/affinity", json=body | {"background": True})
    assert begun.status_code == 202
    address = begun.headers["location"]
    job = finished(lambda: client.get(address).json())
    assert job["state"] == "done"
    assert client.get(job["result"]).json() == at_once
    rows = list(csv.reader(io.StringIO(client.get(job["result"], params={"format": "csv"}).text)))
    assert [(row[0], row[1]) for row in rows] == [(pair["submission"], pair["reviewer"]) for pair in at_once["pairs"]]
    assert client.delete(address).json()["state"] == "done"
    head = client.head(job["result"])
    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == len(client.get(job["result"]).content)


def test_only_json_is_read(client, body):
    """What a page elsewhere can make a browser send without asking us first is refused."""
    sent = orjson.dumps(body)
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert client.post("/api/v1/affinity", content=sent, headers={"content-type": kind}).status_code == 415
    broken = client.post("/api/v1/affinity", content=sent[:-1], headers={"content-type": "application/json"})
    assert broken.status_code == 422
    assert "not JSON" in broken.json()["detail"]


def test_unknown_or_repeated_reviewers_are_refused(client, body):
    unknown = client.post("/api/v1/affinity", json=body | {"reviewers": ["nobody"]})
    assert unknown.status_code == 422
    assert "'nobody' is not in the corpus" in unknown.json()["detail"]
    twice = client.post("/api/v1/affinity", json=body | {"reviewers": body["reviewers"] + body["reviewers"][:1]})
    assert "comes 2 times" in twice.json()["detail"]
    assert client.get("/api/v1/jobs/nothing").status_code == 404
    failed = client.post("/api/v1/affinity", json=body | {"reviewers": ["nobody"], "background": True}).json()
    over = finished(lambda: client.get(f"/api/v1/jobs/{failed['id']}").json())
    assert (over["state"], "nobody" in over["error"]) == ("failed", True)
    assert client.get(f"/api/v1/jobs/{failed['id']}/result").status_code == 409
