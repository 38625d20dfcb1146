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
