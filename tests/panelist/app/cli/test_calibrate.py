"""`panelist calibrate` from a file to tables, JSON, CSV, pictures and the report."""

import csv
import json
import os
import re
from functools import partial

import numpy as np
import pytest


@pytest.fixture
def reviews(tmp_path):
    rng = np.random.default_rng(0)
    quality, offset = rng.normal(5, 1.2, 40), rng.normal(0, 0.8, 15)
    path = tmp_path / "reviews.csv"
    lines = ["paper,reviewer,score,seniority,confidence"]
    for paper in range(40):
        for reviewer in rng.choice(15, 3, replace=False):
            score = quality[paper] + offset[reviewer] + rng.normal(0, 0.8)
            lines.append(f"<p{paper}>,r{reviewer},{score:.1f},{'js'[paper % 2]},{rng.integers(1, 5)}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def run(panelist):
    return partial(panelist, "calibrate")


def test_json_has_the_estimates_and_both_tables(reviews, run):
    code, out, _ = run(reviews, "--json", "--accept", 10, "--samples", 200)
    assert code == 0
    answer = json.loads(out)
    assert answer["mu"] == pytest.approx(5, abs=1)
    assert {"alpha_f", "alpha_b", "sigma2", "nll", "boundary", "messages"} <= set(answer)
    papers = answer["papers"]
    assert len(papers) == 40
    assert [row["rank"] for row in papers] == list(range(1, 41))
    assert sum(row["p_accept"] for row in papers) == pytest.approx(10)
    assert sum(row["rank_change"] for row in papers) == 0
    grey = {row["paper"] for row in papers if 0.1 <= row["p_accept"] <= 0.9}
    assert set(answer["grey_zone"]) == grey
    assert grey
    assert [row["bias"] for row in answer["reviewers"]] == sorted(row["bias"] for row in answer["reviewers"])
    assert answer["holdout"] is None


def test_tables_on_the_screen(reviews, run):
    code, screen, notes = run(reviews, "--limit", 4, "--target", "quality", "--holdout", 2, "--covariate", "seniority")
    assert code == 0
    assert "column 'confidence' was not used" in notes
    assert "4 of 40 papers; 10 accepted" in screen
    assert "P(accept)" in screen
    assert "held-out log-likelihood per review" in screen
    assert "seniority" in screen


@pytest.mark.parametrize("option", ["--papers-csv", "--reviewers-csv", "--report", "--plots"])
def test_a_place_that_cannot_be_written_to_is_told_before_the_fit(option, reviews, tmp_path, run, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr("eval.calibration.calibrator.ReviewCalibrator.fit", None)  # calling it would fail
    code, _, err = run(reviews, option, tmp_path / "file" / "inside")
    assert (code, err.startswith("error: cannot ")) == (2, True)


def test_the_reviews_are_not_overwritten(reviews, run):
    before = reviews.read_bytes()
    code, _, err = run(reviews, "--papers-csv", reviews)
    assert (code, err) == (2, f"error: cannot write '{reviews}': it is read by the same command, give another file\n")
    assert reviews.read_bytes() == before


@pytest.mark.parametrize("option", ["--papers-csv", "--reviewers-csv", "--report"])
def test_a_file_that_is_write_protected_is_told_before_the_fit(option, reviews, tmp_path, run, monkeypatch):
    path = tmp_path / "old"
    path.write_text("old")
    # Whoever may do everything (root, in a container) is protected from nothing: say it in their stead.
    monkeypatch.setattr("panelist.files.os.access", lambda where, mode: where != path or mode != os.W_OK)
    monkeypatch.setattr("eval.calibration.calibrator.ReviewCalibrator.fit", None)  # calling it would fail
    code, _, err = run(reviews, option, path)
    assert (code, err) == (2, f"error: cannot write '{path}': the file is write-protected, give another one\n")
    assert path.read_text() == "old"


def test_files_and_the_report(reviews, tmp_path, run):
    papers, reviewers, page, pictures = (tmp_path / name for name in ("p.csv", "r.csv", "out/report.html", "pictures"))
    options = ["--papers-csv", papers, "--reviewers-csv", reviewers, "--report", page, "--plots", pictures]
    code, out, _ = run(reviews, *options, "--optimizer", "grid", "--json")
    assert code == 0
    answer = json.loads(out)
    with papers.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["paper"] for row in rows] == [row["paper"] for row in answer["papers"]]
    assert float(rows[0]["score"]) == answer["papers"][0]["score"]
    assert len(reviewers.read_text().splitlines()) == 16
    names = {"raw_against_calibrated.png", "acceptance.png", "biases.png", "surface.png"}
    assert {path.name for path in pictures.iterdir()} == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures.iterdir())
    html = page.read_text()
    assert html.count("data:image/png;base64,") == 4
    assert not re.search(r"(src|href)=['\"]https?:", html)
    assert "&lt;p0&gt;" in html
    assert "<p0>" not in html


def test_the_best_may_be_the_lowest(reviews, run):
    best = []
    for options in ([], ["--lower-is-better"]):
        code, out, _ = run(reviews, "--json", *options)
        assert code == 0
        best.append(json.loads(out)["papers"])
    assert [row["paper"] for row in best[0]] == [row["paper"] for row in best[1]][::-1]
    assert best[0][0]["p_accept"] > 0.9 > 0.1 > best[1][-1]["p_accept"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("paper,reviewer\np,r\n", [], "lacks the column score"),
        ("paper,reviewer,score\np,r,x\n", [], "line 2: the score must be a number"),
        ("paper,reviewer,score\np,r,1\nq,r,1\np,s,1\n", [], "all 3 scores equal 1"),
        ("paper,reviewer,score\np,r,1\nq,r,2\np,s,1\n", ["--accept", "9"], "cannot accept 9 of 2 papers"),
        ("paper,reviewer,score\np,r,1\nq,r,2\np,s,1\n", ["--confidence", "c"], "no column 'c'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(tmp_path, run, text, options, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, _, err = run(path, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
