"""`panelist train reviews` on an invented data set, with a BERT of six small layers: the files and the figures."""

import csv
import gzip
import json

import numpy as np
import pytest
from tiny_model import make_tiny_model

from eval.reviews.tagging.tagger import Tagger

TEXTS = {"Strength": "it is a good idea", "Weakness": "we do not see why", "Todo": "please fix the plot"}


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    with gzip.open(tmp_path / "f1000rd.csv.gz", "wt", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["review", "text", "pragmatics"])
        for review in range(12):
            for kind in ("Recap", "Structure", "Other", *rng.permutation(list(TEXTS))):
                rows.writerow([f"r{review}", TEXTS.get(kind, f"this is {kind}"), kind])
    return tmp_path


@pytest.fixture
def train(panelist):
    def train(*arguments):
        code, out, _ = panelist("train", "reviews", "f1000rd", "--folds", 2, "--threads", 1, *arguments)
        assert code == 0
        return out

    return train


def test_a_fine_tuned_tagger_is_made_and_used_again(data, tmp_path, train, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    tiny = make_tiny_model(tmp_path / "tiny", layers=6)
    given = ("--data", data, "--encoder", tiny, "--out", tmp_path / "m")
    found = json.loads(train(*given, "--fine-tune", "--json"))
    assert set(found["card"]["held_out"]) == {"linear", "full", "tuned"}
    assert found["linear"]["pragmatics_macro_f1"] > 0.9
    assert (tmp_path / "m" / "fine-tuned" / "model.safetensors").is_file()
    assert Tagger.load(tmp_path / "m").kind == "tuned"
    assert Tagger.load(tmp_path / "m", fast=True).kind == "linear"
    printed = train(*given)
    assert "with MiniLM" in printed
    assert "fine-tuned" not in printed
    assert Tagger.load(tmp_path / "m").kind == "full"


@pytest.mark.parametrize("name", ["f1000rd", "disapere"])
def test_too_few_reviews_of_a_label_are_refused_in_one_line(tmp_path, panelist, monkeypatch, name):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    tiny = make_tiny_model(tmp_path / "tiny", layers=6)
    if name == "f1000rd":
        lines = [f'r{number},"{TEXTS["Strength"]}",Strength\nr{number},the end,Other\n' for number in range(4)]
        content = "review,text,pragmatics\n" + "".join(["r0,please fix the plot,Todo\n", *lines])
        (tmp_path / "f1000rd.csv.gz").write_bytes(gzip.compress(content.encode()))
    else:
        monkeypatch.setattr("eval.reviews.training.crossvalidation.TaggerModel.load", lambda: None)
        fields = {"review_action": "arg_request", "fine_review_action": "arg-request_edit"}
        sentence = {"text": "please fix the plot", **fields, "aspect": "asp_clarity", "polarity": "pol_positive"}
        reviews = [{"review": f"r{number}", "forum": f"f{number}", "sentences": [sentence]} for number in range(4)]
        text = "".join(json.dumps(review) + "\n" for review in reviews)
        (tmp_path / "disapere_train.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    options = ("--data", tmp_path, "--encoder", tiny, "--out", tmp_path / "m", "--folds", 2, "--no-fine-tune")
    code, _, said = panelist("train", "reviews", name, *options)
    assert code == 2
    assert "4 reviews are too few" in said
    assert "give more data" in said
    assert not (tmp_path / "m").exists()
