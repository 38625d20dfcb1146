"""Review scores calibrated: a CSV file in, the answer of the API or a page out."""

import sys
from dataclasses import asdict, dataclass
from typing import Literal

import orjson

from panelist.app import limits
from panelist.app.confined import read_as_file, run, work
from panelist.errors import InputError

_SECONDS, _MEMORY = 120, 8 << 30

_FONTS = ("HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR")
"""Where matplotlib keeps its list of fonts: without it, it would make the list again, for seconds."""

Form = Literal["answer", "report"]


@dataclass(frozen=True, slots=True)
class CalibrationIn:
    """Settings of a calibration, as the API takes them."""

    accept: float = 0.25
    target: Literal["reviews", "quality"] = "reviews"
    method: Literal["ml", "reml"] = "ml"
    covariates: tuple[str, ...] = ()
    confidence: str | None = None
    lower_is_better: bool = False
    samples: int = 1000
    seed: int = 0


def calibrate(content: bytes, settings: CalibrationIn, form: Form) -> bytes:
    """The answer as JSON, or the report as HTML, made in a process of its own."""
    columns = content.partition(b"\n")[0].count(b",") + 1
    if columns > limits.COLUMNS:
        raise InputError(
            f"the file has {columns:,} columns: leave out those that are not needed, at most {limits.COLUMNS}"
        )
    arguments = (form, orjson.dumps(asdict(settings)).decode())
    return run("calibration", content, "file of reviews", *arguments, seconds=_SECONDS, keep=_FONTS)


def _read(content: bytes, arguments: list[str]) -> bytes:
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.report import html_report
    from eval.calibration.reviews import read_reviews
    from eval.calibration.summary import summarise

    form, settings = arguments[0], CalibrationIn(**orjson.loads(arguments[1]))
    reviews = read_as_file(content, "reviews.csv", read_reviews)
    calibrator = ReviewCalibrator(
        method=settings.method, covariates=tuple(settings.covariates), confidence=settings.confidence
    )
    summary = summarise(
        calibrator.fit(reviews),
        accept=settings.accept,
        target=settings.target,
        samples=settings.samples,
        seed=settings.seed,
        lower_is_better=settings.lower_is_better,
    )
    if form == "report":
        return html_report(summary).encode()
    return orjson.dumps(summary.as_json(), option=orjson.OPT_SERIALIZE_NUMPY)


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_SECONDS, memory=_MEMORY))
