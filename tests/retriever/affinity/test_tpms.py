"""The affinity model `tpms` on the gold standard."""

import json

import pytest


@pytest.mark.data
def test_tpms_reproduces_the_published_loss(panelist):  # that of full texts: `panelist eval reproduce`
    code, out, _ = panelist("eval", "goldstandard", "--model", "tpms", "--json")
    assert code == 0
    assert json.loads(out)["loss"] == pytest.approx(0.2811, abs=0.005)
