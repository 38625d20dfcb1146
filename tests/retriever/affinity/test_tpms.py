"""The affinity model `tpms` on the gold standard."""

import json

import pytest


@pytest.mark.data
@pytest.mark.parametrize(
    ("options", "loss", "tolerance"), [([], 0.2811, 0.005), (["--dataset", "d_full_20", "--regime", "f"], 0.24, 0.01)]
)
def test_tpms_reproduces_the_published_losses(panelist, options, loss, tolerance):
    code, out, _ = panelist("eval", "goldstandard", "--model", "tpms", *options, "--json")
    assert code == 0
    assert json.loads(out)["loss"] == pytest.approx(loss, abs=tolerance)
