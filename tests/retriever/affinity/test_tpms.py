"""The affinity model `tpms` on the gold standard."""

import json

import pytest

from panelist.app.cli.main import main


def figures(capsys, *arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["eval", "goldstandard", *arguments, "--json"])
    assert not exit_.value.code
    return json.loads(capsys.readouterr().out)


@pytest.mark.data
def test_tpms_reproduces_the_published_losses(capsys):
    assert figures(capsys, "--model", "tpms")["loss"] == pytest.approx(0.2811, abs=0.005)
    full = figures(capsys, "--model", "tpms", "--dataset", "d_full_20", "--regime", "f")
    assert full["loss"] == pytest.approx(0.24, abs=0.01)
