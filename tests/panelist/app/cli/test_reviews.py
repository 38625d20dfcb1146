"""`panelist reviews` from files to tables, JSON, pages and exports; nothing leaves the machine unasked."""

import json
from functools import partial

import pytest

from panelist.app.web.app import STATIC

SAMPLE = STATIC / "sample-review-texts.csv"
PAPER = "Title\n\nAbstract\nShort.\n\n" + "\n".join(
    f"We propose method {chr(97 + n)} and show that its {word} improves the {word}."
    for n, word in enumerate(["accuracy", "speed", "recall", "memory", "margin", "loss"])
)


@pytest.fixture
def run(panelist):
    return partial(panelist, "reviews")


def test_a_check_is_printed_and_written(tmp_path, run):
    files = {name: tmp_path / f"{name}.csv" for name in ("chair", "authors", "sentences")}
    options = [part for name, path in files.items() for part in (f"--{name}-csv", path)]
    code, printed, _ = run("check", SAMPLE, "--fast", "--report", tmp_path / "page", *options)
    assert code == 0
    assert "9 of 9 reviews" in printed
    assert "no submissions were given" in printed
    assert (tmp_path / "page" / "index.html").read_text().startswith("<!doctype html>")
    assert "~Ada" in files["chair"].read_text()
    assert "~Ada" not in files["authors"].read_text() + files["sentences"].read_text()


def test_json_has_every_sentence_with_its_tags(run):
    found = json.loads(run("check", SAMPLE, "--fast", "--json")[1])
    assert found["summary"]["reviews"] == len(found["tagged"]) == 9
    sentence = found["tagged"][0]["sentences"][1]
    assert set(sentence) >= {"text", "start", "end", "aspects", "polarity", "pragmatics", "chances"}
    assert found["hints"] == []


def test_submissions_are_compared_with_reviews(tmp_path, run):
    papers = tmp_path / "papers.csv"
    papers.write_text(
        "id,title,abstract\npaper-1,Birds,drones count seabirds\npaper-2,Soil,radar\npaper-3,Letters,corpus\n"
    )
    found = json.loads(run("check", SAMPLE, "--papers", papers, "--fast", "--json")[1])
    assert len(found["matches"]) == 9
    assert all(match["abstained"] == "fewer than 100 words" or match["rank"] for match in found["matches"])


def test_bias_of_tagged_text_shows_polarity_and_clarity_only(tmp_path, run):
    file = tmp_path / "r.csv"
    rows = [
        f"p{n},{'ab'[n % 2]},{'The paper is clearly written.' if n % 2 else 'The paper is unclear.'}" for n in range(8)
    ]
    file.write_text("paper,group,text\n" + "\n".join(rows) + "\n")
    found = json.loads(run("bias", file, "--group", "group", "--fast", "--json")[1])
    assert [each["aspect"] for each in found["disparities"]] == ["overall", "clarity"]
    assert found["aspects"]["clarity"]["difference"] == -1
    assert len(found["warnings"]) == 2


def test_bias_of_gold_labels_shows_every_aspect(tmp_path, run):
    file = tmp_path / "r.csv"
    file.write_text("paper,group,text,NOV,SUB\np1,a,x,2/2,0/1\np2,b,y,0/2,\n")
    found = json.loads(run("bias", file, "--group", "group", "--json")[1])["aspects"]
    assert (found["NOV"]["difference"], found["SUB"]["difference"]) == (1, -0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.csv"], "cannot read 'nowhere.csv'"),
        (["bias", str(SAMPLE), "--group", "country"], "no column 'country'"),
        (["check", str(SAMPLE), "--tagger", "nowhere"], "no tagger in 'nowhere'"),
        (["brief", "nowhere.txt"], "cannot read 'nowhere.txt'"),
        (["draft", str(SAMPLE), "--endpoint", "http://x", "--aspect", "beauty"], "unknown aspect 'beauty'"),
        (["compare", str(SAMPLE), "nowhere.csv"], "cannot read"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_code_2(arguments, message, run):
    code, _, error = run(*arguments)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_bias_needs_two_groups(tmp_path, run):
    file = tmp_path / "r.csv"
    file.write_text("paper,group,text\np1,a,x\np2,b,y\np3,c,z\n")
    code, _, error = run("bias", file, "--group", "group", "--fast")
    assert code == 2
    assert "has 3 groups (a, b, c): choose two with --of" in error


def test_brief_quotes_a_text_and_refuses_a_binary_file(tmp_path, run):
    paper = tmp_path / "paper.txt"
    paper.write_text(PAPER)
    found = json.loads(run("brief", paper, "-n", "3", "--json")[1])
    assert 1 <= len(found["sentences"]) <= 3
    assert all(PAPER[s["start"] : s["end"]] == s["text"] for s in found["sentences"])
    paper.write_bytes(b"\xff\xfe\x00")
    code, _, error = run("brief", paper)
    assert code == 2
    assert "neither a PDF file nor text" in error


def test_drafts_are_compared_with_references(tmp_path, run):
    drafts, references = tmp_path / "d.jsonl", tmp_path / "r.jsonl"
    row = {"paper": "p", "text": "The paper is clearly written. The idea is novel."}
    drafts.write_text(json.dumps(row | {"decision": "accept", "recommendation": "positive"}))
    references.write_text(json.dumps(row))
    means = json.loads(run("compare", drafts, references, "--fast", "--no-bertscore", "--json")[1])["means"]
    assert means["rouge1"] == 1
    assert means["RACC"] == 1


def test_feedback_is_offline_by_default(run):
    assert "questions" in run("feedback", SAMPLE, "--fast")[1]


def test_nothing_is_sent_without_a_yes(endpoint, run):
    code, _, error = run("feedback", SAMPLE, "--fast", "--endpoint", endpoint.url)
    assert code == 2
    assert "leave this machine" in error
    assert endpoint.requests == []


def test_comments_are_kept_in_the_result_and_not_asked_for_again(run, endpoint, tmp_path):
    endpoint.default = {"comments": [{"quotation": "It is fine.", "comment": "Why?"}]}
    out = tmp_path / "comments.jsonl"
    for _ in range(2):
        run("feedback", SAMPLE, "--fast", "--endpoint", endpoint.url, "--yes", "--out", out, "--json")
    assert len(endpoint.requests) == 9
    kept = [json.loads(line) for line in out.read_text().splitlines()]
    assert sum(len(entry["comments"]) for entry in kept) == 1
    assert sum(entry["dropped"] for entry in kept) == 8


@pytest.mark.parametrize("content", ["paper,text\n", "{}\n", "[1]\n"])
def test_a_file_that_holds_no_comments_is_not_written_over(run, endpoint, tmp_path, content):
    out = tmp_path / "comments.jsonl"
    out.write_text(content)
    code, _, error = run("feedback", SAMPLE, "--fast", "--endpoint", endpoint.url, "--yes", "--out", out)
    assert code == 2
    assert "holds something else than comments" in error
    assert out.read_text() == content
    assert endpoint.requests == []


def test_the_help_of_draft_names_the_venues_rules(run):
    code, out, _ = run("draft", "--help")
    assert code == 0
    printed = " ".join(out.split())
    assert "ACL Rolling Review" in printed
    assert "forbid" in printed


def test_the_study_of_bias_shows_its_intervals(panelist, monkeypatch):
    study = {"disparity": {"CLA": {"difference": 0.094, "interval": (0.043, 0.148)}}}
    monkeypatch.setattr("eval.reviews.benchmark.bias_study", lambda source: study)
    code, out, _ = panelist("eval", "reviews", "bias", "--data", "anywhere")
    assert code == 0
    assert "0.148" in out
