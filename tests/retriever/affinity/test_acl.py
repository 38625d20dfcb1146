"""The affinity model `acl`: its pooling against the formula, and its commands from training to scores."""

import gzip
import json

import numpy as np
import pytest
from acl_support import abstracts, trained

from indexing.encoders.acl import AclEncoder
from indexing.text import Text
from panelist.errors import ModelError
from panelist.records import Paper, Submission
from retriever.affinity.model import affinity_model
from retriever.affinity.pooling import best_three

SMALL = ["--vocabulary", "50", "--dimension", "16", "--batch", "8", "--epochs", "2"]


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("models") / "acl").folder


@pytest.fixture
def works(tmp_path):
    """OpenAlex works with our abstracts, and one without."""
    path = tmp_path / "works.jsonl.gz"
    records = [{"id": f"W{number}", "title": "t", "abstract": text} for number, text in enumerate(abstracts())]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, [*records, {"id": "W", "title": "bare"}])).encode()))
    return path


def slow_score(query, papers):
    """s₁ + s₂/2 + s₃/3, what is not there being 0."""
    best = sorted((float(query @ paper) for paper in papers), reverse=True)[:3]
    return sum(cosine / rank for rank, cosine in enumerate(best, 1))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 20])
def test_the_plan_is_the_papers_formula(n):
    cosines = np.random.default_rng(n).uniform(-1, 1, (n, 50)).astype(np.float32)
    expected = [sum(value / rank for rank, value in enumerate(sorted(column)[::-1][:3], 1)) for column in cosines.T]
    np.testing.assert_allclose(best_three(n)(cosines), expected, atol=1e-6)


def test_scores_are_the_three_best_cosines_discounted(model_folder):
    texts = abstracts(12)
    papers = [Paper(f"p{number}", "A title", text) for number, text in enumerate(texts)]
    profiles = [papers[:7], papers[7:9], papers[9:10], [], [Paper("bare", "honey bees")], papers[:3] + papers[:3]]
    submissions = [Submission("s1", "Bees", "Honey bees dance."), Submission("s2", "", "Stars and galaxies.")]
    scores = affinity_model("acl", folder=str(model_folder)).score(submissions, profiles)
    encoder = AclEncoder.open(model_folder)
    queries = encoder.encode([Text(one.title, one.abstract) for one in submissions])
    for row, query in enumerate(queries):
        for column, profile in enumerate(profiles):
            different = {paper.id: paper for paper in profile}.values()
            vectors = encoder.encode([Text(paper.title, paper.abstract) for paper in different])
            assert scores[row, column] == pytest.approx(slow_score(query, vectors), abs=1e-5)
    assert scores[:, 3].tolist() == [0, 0]


def test_a_model_that_was_never_trained_names_the_command():
    with pytest.raises(ModelError, match="run 'panelist train acl'"):
        affinity_model("acl").score([Submission("s", "a")], [[Paper("p", "b")]])


def test_from_training_to_scores(tmp_path, works, panelist):
    code, out, err = panelist("train", "acl", works, *SMALL, "--json")
    assert code == 0, err
    summary = json.loads(out)
    assert (summary["abstracts"], summary["continued"], len(summary["losses"])) == (len(set(abstracts())), 0, 2)
    assert summary["folder"] == str(tmp_path / "cache/models/acl")
    assert err == ""

    (tmp_path / "submissions.csv").write_text("s1,Dances,Honey bees dance.\n")
    (tmp_path / "reviewers.csv").write_text("~A1,p1,Bees,Bees dance to flowers.\n~B1,p2,Stars,Stars in galaxies.\n")
    job = ["-s", tmp_path / "submissions.csv", "-r", tmp_path / "reviewers.csv", "-o", tmp_path / "scores.csv"]
    code, _, err = panelist("affinity", "--model", "acl", *job)
    assert code == 0, err
    scores = dict(line.split(",")[1:] for line in (tmp_path / "scores.csv").read_text().splitlines())
    assert float(scores["~A1"]) > float(scores["~B1"])

    code, _, err = panelist("affinity", "--model", "acl", *job, "-p", f"folder={tmp_path / 'none'}")
    assert code == 2
    assert err.count("\n") == 1
    assert "run 'panelist train acl'" in err


def test_a_workspace_is_trained_on_too(tmp_path, works, panelist):
    assert panelist("import", "openalex", works, "-w", tmp_path / "ws")[0] == 0
    code, out, err = panelist("train", "acl", "-w", tmp_path / "ws", "-o", tmp_path / "own", *SMALL)
    assert code == 0, err
    assert str(tmp_path / "own") in out.replace("\n", "")
    code, _, _ = panelist("train", "acl", works, "-o", tmp_path / "other", *SMALL)
    assert code == 0
    assert AclEncoder.open(tmp_path / "own").vectors.shape == (50, 16)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{works}"], "too few for a vocabulary of 20,000"),
        (["{works}", "-w", "ws"], "not both"),
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["-w", "nowhere"], "no corpus in workspace"),
        (["{works}", "--out", "{works}"], "other than an ACL model"),
    ],
)
def test_what_cannot_be_trained_on_is_said_in_one_line(works, panelist, arguments, message):
    code, out, err = panelist("train", "acl", *(word.replace("{works}", str(works)) for word in arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_an_interruption_says_how_to_go_on(works, panelist, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("indexing.training.acl._epoch", interrupt)
    code, _, err = panelist("train", "acl", works, *SMALL)
    assert code == 130
    assert "run the same command again" in err
