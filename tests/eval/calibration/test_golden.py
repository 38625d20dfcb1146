"""lme4's estimates on real scores, to the agreed tolerance."""

from pathlib import Path

import pytest
import yaml

from eval.calibration.calibrator import ReviewCalibrator
from panelist.config import data_dir

GOLDEN = yaml.safe_load((Path(__file__).parents[2] / "golden" / "calibration.yaml").read_text())
TOLERANCE = GOLDEN["tolerance"]


def reviews_of(name):
    path = data_dir() / "calibration" / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there (set PANELIST_DATA)")
    return path


@pytest.mark.data
@pytest.mark.parametrize("golden", GOLDEN["fits"], ids=lambda golden: f"{golden['file']} {golden['arguments']}")
def test_estimates_are_those_of_lme4(golden):
    fitted = ReviewCalibrator(**golden["parameters"]).fit(reviews_of(golden["file"]))
    boundary = TOLERANCE["boundary"] * (golden["alpha_f"] + golden["sigma2"])
    wanted = {name: golden[name] for name in ("mu", "alpha_f", "alpha_b", "sigma2")} | golden.get("covariates", {})
    found = {"mu": fitted.mu_, "alpha_f": fitted.alpha_f_, "alpha_b": fitted.alpha_b_, "sigma2": fitted.sigma2_}
    found |= fitted.covariate_variances_
    assert found == pytest.approx(wanted, rel=TOLERANCE["relative"], abs=boundary)
    assert fitted.nll_ == pytest.approx(golden["nll"], abs=TOLERANCE["nll"])
    assert fitted.boundary_ == (("alpha_b",) if golden["alpha_b"] == 0 else ())


@pytest.mark.data
@pytest.mark.parametrize("golden", GOLDEN["effects"], ids=lambda golden: golden["file"])
def test_effects_are_those_of_lme4(golden):
    fitted = ReviewCalibrator().fit(reviews_of(golden["file"]))
    for names, wanted, means, sds in (
        (fitted.papers_, golden["papers"], fitted.quality_ - fitted.mu_, fitted.quality_sd_),
        (fitted.reviewers_, golden["reviewers"], fitted.bias_, fitted.bias_sd_),
    ):
        for name, (mean, sd) in wanted.items():
            row = names.index(name)
            assert means[row] == pytest.approx(mean, rel=TOLERANCE["relative"], abs=1e-5)
            assert sds[row] == pytest.approx(sd, rel=TOLERANCE["relative"])
